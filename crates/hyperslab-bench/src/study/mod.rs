//! What is asked: how data is stored, how it is accessed, by whom.

mod access;
mod element;
mod filter;
mod of_datatype;
mod record;
mod storage;
mod tree;

pub use access::{Access, Block, BlockWalk};
pub use element::{Element, Kind};
pub use filter::{FilterSpec, pipeline_text};
pub use of_datatype::layout;
pub use record::{Field, FieldPlace, Layout, Memory, Record, Records, align, pack};
pub use storage::{AllocTime, FillTime, Format, Libver, Storage};
pub use tree::{Attribute, Tree, Wanted};
