//! What only HDF5 files have: a superblock, object headers and their messages, pages, chunk indexes as the file stores them.
//!
//! The API above reads arrays and hides how they are stored. A program that rewrites, checks or describes a file has to know it.
//! A function that is asked about a file of another format fails with an error that names what the format lacks. The types
//! are those of `hyperslab_format`, and anything here may change in any release.
//!
//! ```text
//! open ─► located, driver ─► file: superblock, metadata ─► format ─► object: links, attributes, open_dataset
//!                                      └─ metadata: the only loop between parsing and I/O
//! ```

mod attributes;
mod census;
mod chunk_index;
mod driver;
mod encoded_selection;
mod external;
mod file;
mod format;
mod known_metadata;
mod links;
mod located;
mod metadata;
mod object;
mod open;
mod open_dataset;
mod parts;
mod prefetch;
mod unfilter;
mod virtual_dataset;
mod vlen;
mod with_metadata;

pub use crate::census::{Census, Extent, KindOfMetadata, Owner, Tree};
pub use crate::format_error::{OrError, format_error};
pub use census::census;
pub use driver::Driver;
pub use encoded_selection::{RegionSummary, encode_region, region_selection};
pub use hyperslab_format::superblock::Superblock;
pub use known_metadata::{extents, metadata_extents, use_known_metadata};
pub use parts::{
    chunked_layout, file_space, header, limit_heap, limit_metadata_cache, missing_virtual_source, object_at,
    page_bytes, parse, reference_count, source_with_metadata, superblock, virtual_sources, widths,
};
pub(crate) use virtual_dataset::VirtualDataset;
pub use vlen::{Heap, RegionReference};

pub(crate) use driver::FirstMember;
pub(crate) use external::join as join_external;
pub(crate) use located::Beginning;
pub(crate) use open::{open_at, open_source};
