//! Engines that read and write datasets, behind one interface: the HDF libraries that a user's programs load, and
//! hyperslab.
//!
//! ```text
//!   library: find ─► load ─► call   libhdf5, netCDF-C, HDF4 ─┐
//!                                              hyperslab, null ─┴─► PreparedEngine ─► OpenDataset, Creator, Visitor
//! ```

mod block;
mod buffer;
pub mod child;
mod engine;
mod error;
mod hyperslab;
mod interface;
mod kind;
pub mod library;
mod null;
mod object;
mod storage;

pub use block::{Block, selection};
pub use buffer::{NoMemory, reserve};
pub use engine::Engine;
pub use error::{EngineError, unsupported};
pub use interface::{
    Counter, Counts, Creator, Event, FileBuffers, OpenDataset, OpenOptions, Opened, PageBuffer, PageCounts,
    PreparedEngine, Visitor,
};
pub use kind::EngineKind;
pub use object::{Attribute, Wanted};
pub use storage::{
    AllocTime, CreationProperties, Element, Field, FieldPlace, FillTime, Format, Kind, Libver, Memory,
    Record, RecordLayout, Records, Scalar, align, layout_of, pack,
};
