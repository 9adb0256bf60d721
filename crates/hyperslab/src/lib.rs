//! hyperslab reads HDF5 without performance cliffs: in parallel, without a global lock, without a cache to tune.
//!
//! ```no_run
//! # fn main() -> hyperslab::Result<()> {
//! let file = hyperslab::File::open("era5.nc")?;
//! let dataset = file.dataset("/t2m")?;
//! let selection = hyperslab::Selection::parse("0:10, :, 180", dataset.shape())?;
//! println!("{}", dataset.explain(&selection)?); // what the read will do
//! let values: Vec<f32> = dataset.read(&selection)?;
//! # Ok(())
//! # }
//! ```
//!
//! From bytes to an array: [`File`] finds the superblock ([`hdf5`]). [`Group`] and [`Dataset`] parse object headers
//! (`hyperslab_format`) and fetch the metadata that the parsers need. A [`Selection`] is divided along the chunk grid
//! into a plan; [`Explained`] is its printed form. All cores execute the plan chunk by chunk: each chunk is fetched
//! (`hyperslab_io`), decoded (`hyperslab_filters`), converted, and copied to its place in the caller's buffer.

mod absent;
mod attribute;
mod census;
mod classic;
mod dataset;
mod datatype;
mod describe;
mod element;
mod file;
mod filter_element;
mod format_error;
mod formats;
mod group;
pub mod hdf4;
pub mod hdf5;
mod known_attributes;
mod linked_files;
mod lookup;
mod members;
pub mod memory;
mod named_datatype;
mod named_dimensions;
pub mod number;
mod object;
pub mod older;
mod open_file;
mod open_options;
mod plain_types;
mod prefetch;
mod stored_dataset;
mod suggest;
#[cfg(test)]
mod test_format;

pub use absent::{Absent, AbsentSearch, absent, absent_of};
pub use attribute::Attributes;
pub use dataset::Dataset;
pub use element::Element;
pub use file::File;
pub use group::Group;
pub use hdf5::{Driver, Heap, RegionReference, encode_region, region_selection};
pub use hyperslab_array::array::Endianness;
pub use hyperslab_array::chunk::cache::Stats as CacheStats;
pub use hyperslab_array::chunk::grid::{ChunkGrid, ChunkNumber};
pub use hyperslab_array::chunk::index::{ChunkBatch, ChunkIndex, Location};
pub use hyperslab_array::chunk::map::ChunkMap;
pub use hyperslab_array::plan::{Explained, ExplainedChunk, ExplainedRequest, ExplainedSource};
pub use hyperslab_array::selection::{Axis, Blocks, Points, Selection};
pub use hyperslab_array::settings::{
    CACHE_VARIABLE, THREADS_VARIABLE, cache_bytes, cache_stats, clear_cache, set_cache_bytes, set_threads,
    threads,
};
pub use hyperslab_array::{Error, ErrorKind, Result};
pub use hyperslab_io::{Cancel, HEAD_BYTES, OtherFormat, recognize};
pub use known_attributes::AttributeEntry;
pub use members::Members;
pub use named_datatype::NamedDatatype;
pub use named_dimensions::{NamedDimension, NamedDimensions};
pub use object::Object;
pub use open_options::OpenOptions;
pub use prefetch::Prefetch;

pub use bytes::Bytes;
pub use hyperslab_format::message::{Attribute, Dataspace, Datatype, Link, LinkTarget};
pub use hyperslab_format::reference::{ReferenceTarget, RevisedReference};
pub use hyperslab_format::{Address, Name};
pub use hyperslab_units::{SizeError, parse_bytes};

/// The parts of a [`Datatype`].
pub mod datatypes {
    pub use hyperslab_format::message::datatype::{
        ByteOrder, Charset, Class, Float, Integer, Member, Normalization, Reference, StringPadding,
    };
}

/// How the values of a dataset are stored: its fill value and its filters.
pub mod storage {
    pub use hyperslab_format::message::fill_value::{AllocationTime, Fill, FillTime, FillValue};
    pub use hyperslab_format::message::filter_pipeline::Filter;
}

/// Filters: their descriptions, and those that a program implements itself.
pub mod filters {
    pub use crate::describe::{filter as describe, filter_in_use as describe_in_use};
    pub use crate::filter_element::filter_element;
    #[cfg(feature = "plugins")]
    pub use hyperslab_filters::plugins;
    pub use hyperslab_filters::{Failure, Filter, register};
}

/// The sources of bytes that files are read from, and the traits of sources that a program implements itself.
pub mod io {
    pub use hyperslab_io::{
        Advice, Cancel, Changed, Deliver, DividedRanges, Epoch, LocalFile, LocalFiles, Location, LockedFiles,
        Locking, Memory, Opener, Source, Version,
    };
}

/// The examples of the README are compiled, and those that are not marked `no_run` are run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
