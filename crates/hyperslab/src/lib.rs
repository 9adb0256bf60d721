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
//! From bytes to an array: [`File`] finds the superblock. [`Group`] and [`Dataset`] parse object headers
//! (`hyperslab_format`) and fetch the metadata that the parsers need. A [`Selection`] is divided along the chunk grid
//! into a plan; [`Explained`] is its printed form. All cores execute the plan chunk by chunk: each chunk is fetched
//! (`hyperslab_io`), decoded (`hyperslab_filters`), converted, and copied to its place in the caller's buffer.

mod absent;
mod attribute;
mod census;
mod chunk_index;
mod dataset;
mod datatype;
mod describe;
mod driver;
mod element;
mod encoded_selection;
mod external;
mod file;
mod filter_element;
mod format_error;
mod group;
#[doc(hidden)]
pub mod internal;
mod known_metadata;
mod linked_files;
mod links;
mod located;
mod lookup;
mod members;
mod metadata;
mod named_datatype;
mod node;
mod number;
mod object;
mod open_dataset;
mod open_options;
mod other_formats;
mod prefetch;
mod stored;
mod suggest;
mod unfilter;
mod virtual_dataset;
mod vlen;

pub use attribute::{AttributeEntry, Attributes};
pub use dataset::Dataset;
pub use driver::Driver;
pub use element::Element;
pub use encoded_selection::{encode_region, region_selection};
pub use file::File;
pub use group::Group;
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
pub use hyperslab_io::Cancel;
pub use members::Members;
pub use named_datatype::NamedDatatype;
pub use object::Object;
pub use open_options::OpenOptions;
pub use prefetch::Prefetch;
pub use vlen::{Heap, RegionReference};

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

/// Filters that a program implements itself.
pub mod filters {
    #[cfg(feature = "plugins")]
    pub use hyperslab_filters::plugins;
    pub use hyperslab_filters::{Failure, Filter, register};
}

/// The sources of bytes that files are read from, and the traits of sources that a program implements itself.
pub mod io {
    pub use hyperslab_io::{
        Advice, Cancel, Changed, Deliver, DividedRanges, LocalFile, LocalFiles, Location, LockedFiles,
        Locking, Memory, Opener, Source, Version,
    };
}

/// The examples of the README are compiled, and those that are not marked `no_run` are run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
