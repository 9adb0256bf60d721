//! What is asked: how data is stored, how it is accessed, by whom.

mod access;
mod element;
mod filter;
mod layout;
mod record;
mod scalar;
mod storage;
mod tree;

pub use access::{Access, Block, BlockWalk};
pub use element::Element;
pub use filter::{FilterSpec, pipeline_text};
pub use layout::{FieldPlace, Layout, align, of_datatype as layout, pack};
pub use record::{Field, Memory, Record, Records};
pub use scalar::{Kind, Scalar};
pub use storage::{AllocTime, FillTime, Format, Libver, Storage};
pub use tree::{Attribute, Tree, Wanted};
