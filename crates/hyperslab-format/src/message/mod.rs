//! The messages of object headers (specification IV.A.2), a file each. A message's body is a [`crate::Cursor`];
//! parsing one never looks outside of it, except where it is shared (see [`crate::object_header`]).

pub mod attribute;
pub mod attribute_info;
pub mod dataspace;
pub mod datatype;
pub mod external_files;
pub mod fill_value;
pub mod filter_pipeline;
pub mod group_info;
pub mod layout;
pub mod link;
pub mod link_info;
pub mod modification_time;
pub mod symbol_table;

pub use attribute::Attribute;
pub use attribute_info::AttributeInfo;
pub use dataspace::Dataspace;
pub use datatype::{ByteOrder, Class, Datatype};
pub use external_files::ExternalFiles;
pub use fill_value::FillValue;
pub use filter_pipeline::{Filter, FilterPipeline};
pub use layout::{ChunkIndex, ChunkedLayout, Layout};
pub use link::{Link, LinkTarget};
pub use link_info::LinkInfo;
pub use symbol_table::SymbolTable;
