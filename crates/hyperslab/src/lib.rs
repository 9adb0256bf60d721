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
//! From bytes to an array: [`File`] finds the superblock; [`Group`] and [`Dataset`] parse object headers
//! (`hyperslab_format`) over metadata that [`metadata`](self) fetched; a [`Selection`] is cut along the chunk grid
//! into a plan ([`Explained`] is its printed form); the plan is carried out chunk by chunk over all cores, each
//! chunk fetched (`hyperslab_io`), decoded (`hyperslab_filters`), converted and placed in the caller's buffer.

mod attribute;
mod chunk_index;
mod dataset;
mod datatype;
mod describe;
mod driver;
mod element;
mod encoded_selection;
mod external;
mod file;
mod format_error;
mod group;
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
mod suggest;
mod unfilter;
mod virtual_dataset;
mod vlen;

pub use attribute::{AttributeEntry, Attributes};
pub use dataset::Dataset;
pub use driver::Driver;
pub use element::Element;
pub use encoded_selection::{RegionSummary, region_selection};
pub use file::File;
pub use group::Group;
pub use hyperslab_array::array::Order;
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
pub use vlen::Heap;

pub use hyperslab_format::message::{Attribute, Dataspace, Datatype, Link, LinkTarget};
pub use hyperslab_format::reference::{ReferenceTarget, RevisedReference};
pub use hyperslab_format::{Address, Name};
pub use hyperslab_units::{SizeError, parse_bytes};

/// What a [`Datatype`] consists of.
pub mod datatypes {
    pub use hyperslab_format::message::datatype::{
        ByteOrder, Charset, Class, Float, Integer, Member, Normalization, Reference, StringPadding,
    };
}

/// Filters that a program brings itself.
pub mod filters {
    pub use hyperslab_filters::{Failure, Filter, register};
}

/// Where bytes come from, and sources that a program brings itself.
pub mod io {
    pub use hyperslab_io::{
        Advice, Cancel, Deliver, LocalFile, LocalFiles, Location, Memory, Opener, Source, Version,
    };
    #[cfg(feature = "http")]
    pub use hyperslab_io::{HttpFile, HttpOptions};
}

/// For the other crates of this project. Anything here may change in any release.
#[doc(hidden)]
pub mod internal {
    pub use crate::format_error::{OrError, format_error};
    pub use hyperslab_array::chunk::memory::mapped_bytes_peak;
    pub use hyperslab_array::memory::advise_huge_pages;

    /// Filters as people call them.
    pub mod describe {
        pub use crate::describe::filter;
    }

    /// Numbers of any layout.
    pub mod number {
        pub use crate::number::{
            Converter, NativeBytes, NativeFloat, half_to_double, integer_value, is_native_integer, is_whole,
            native_float, significant_bits,
        };
    }
}

/// The examples of the README that say so are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
