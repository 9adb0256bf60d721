//! HDF5 filters: decodes the filter pipeline of a chunk.
//!
//! A dataset may be stored through up to 32 filters ("filter pipeline", section IV.A.2.l of the *HDF5 File Format
//! Specification* 4.0). A [`Pipeline`] is created once per dataset from the message in its object header. Its
//! parameters are checked at that time, and all threads that read chunks share it. Each thread has a [`Scratch`] with
//! reusable buffers, and applies the decoders in reverse order:
//!
//! ```text
//! stored bytes ─ fletcher32 ─► view ─ deflate ─► scratch ─ shuffle ─► the caller's buffer
//! ```
//!
//! Results are the same as libhdf5's, including errors: a chunk that decodes to another size than the dataset's is an
//! error. Input is untrusted: a decoder either writes all bytes of its output or returns a [`FilterError`], and
//! allocates no more than the caller's limit.
//!
//! Every codec is a Cargo feature of its name, on by default. A chunk that needs a codec which was left out of the build
//! gives an error that names the feature. Shuffle and fletcher32 are always included.
//!
//! Deliberately absent: the location of chunks, threads, conversion of values.

#[cfg(any(feature = "nbit", feature = "scaleoffset", feature = "szip"))]
mod bits;
#[cfg(feature = "bitshuffle")]
mod bitshuffle;
mod block;
#[cfg(feature = "blosc")]
mod blosc;
#[cfg(feature = "blosc2")]
mod blosc2;
#[cfg(any(
    feature = "blosc",
    feature = "lzf",
    feature = "lzo",
    feature = "nbit",
    feature = "scaleoffset",
    feature = "szip",
    feature = "zfp"
))]
mod byte_writer;
#[cfg(feature = "bzip2")]
mod bzip2;
mod client_data;
#[cfg(any(feature = "blosc", feature = "lzf", feature = "lzo"))]
mod copy_back;
mod custom;
#[cfg(feature = "deflate")]
mod deflate;
mod error;
mod fletcher32;
mod hdf4;
#[cfg(feature = "lz4")]
mod lz4;
#[cfg(any(feature = "blosc", feature = "lzf", feature = "lzo"))]
mod lz_search;
#[cfg(feature = "lzf")]
mod lzf;
#[cfg(feature = "lzo")]
mod lzo;
#[cfg(feature = "nbit")]
mod nbit;
mod pipeline;
#[cfg(feature = "plugins")]
mod plugin;
mod provide;
#[cfg(feature = "bitgroom")]
mod quantize;
mod registry;
#[cfg(feature = "scaleoffset")]
mod scaleoffset;
mod scratch;
mod shuffle;
mod spec;
mod stage;
#[cfg(feature = "szip")]
mod szip;
#[cfg(feature = "vbz")]
mod vbz;
#[cfg(feature = "zfp")]
mod zfp;
#[cfg(feature = "zstd")]
mod zstd;

pub use block::decode_block;
pub use client_data::{
    BitLayout, Element, ElementKind, Target, asked, client_data, error_promised, is_computed_by_plugin,
};
pub use custom::Filter;
#[cfg(feature = "deflate")]
pub use deflate::DeflateEncoder;
pub use error::{Cause, Failure, FilterError, PluginSearch};
pub use hdf4::{Hdf4Coder, Hdf4Nbit};
pub use pipeline::{Encoded, Pipeline, Staged};
pub use provide::{describe, register};
pub use registry::{Entry, table};
#[cfg(feature = "plugins")]
pub mod plugins {
    //! HDF5 filter plug-ins: which folders are searched.
    pub use crate::plugin::{add_folder, of_python};
}
pub use scratch::Scratch;
pub use shuffle::unshuffle_elements;
pub use spec::FilterSpec;
