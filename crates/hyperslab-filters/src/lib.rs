//! HDF5 filters: undoing the pipeline of a chunk.
//!
//! A dataset may be stored through up to 32 filters ("filter pipeline", section IV.A.2.l of the *HDF5 File Format
//! Specification* 4.0). A [`Pipeline`] is made once for a dataset from the message in its object header; it is
//! checked then, and shared by all threads that read its chunks. Each thread has a [`Scratch`] with the buffers
//! that it uses again and again, and undoes filters in reverse order:
//!
//! ```text
//! stored bytes ─ fletcher32 ─► view ─ deflate ─► scratch ─ shuffle ─► the caller's buffer
//! ```
//!
//! Results are those of libhdf5, refusals included: a chunk that decodes to another size than the dataset's is an
//! error. Any bytes may come in: a decoder answers with all bytes of its output or with a [`FilterError`], and
//! allocates no more than the caller's bound.
//!
//! Every codec is a Cargo feature of its name, on by default; a chunk that needs one which was left out gives an error
//! that names the feature. Shuffle and fletcher32 are always here.
//!
//! Deliberately absent: which chunk lies where, threads, conversion of values.

#[cfg(any(feature = "nbit", feature = "scaleoffset", feature = "szip"))]
mod bits;
#[cfg(feature = "bitshuffle")]
mod bitshuffle;
#[cfg(feature = "blosc")]
mod blosc;
#[cfg(feature = "blosc2")]
mod blosc2;
#[cfg(feature = "bzip2")]
mod bzip2;
#[cfg(any(feature = "blosc", feature = "lzf", feature = "lzo"))]
mod copy_back;
mod custom;
#[cfg(feature = "deflate")]
mod deflate;
mod error;
mod fletcher32;
#[cfg(feature = "lz4")]
mod lz4;
#[cfg(feature = "lzf")]
mod lzf;
#[cfg(feature = "lzo")]
mod lzo;
#[cfg(feature = "nbit")]
mod nbit;
mod pipeline;
#[cfg(feature = "bitgroom")]
mod quantize;
mod registry;
#[cfg(feature = "scaleoffset")]
mod scaleoffset;
mod scratch;
mod shuffle;
mod stage;
#[cfg(feature = "szip")]
mod szip;
#[cfg(feature = "vbz")]
mod vbz;
#[cfg(feature = "zfp")]
mod zfp;
#[cfg(feature = "zstd")]
mod zstd;

pub use custom::Filter;
pub use error::{Cause, Failure, FilterError};
pub use pipeline::{FilterSpec, Pipeline, Staged};
pub use registry::{Entry, register, table};
pub use scratch::Scratch;
pub use shuffle::unshuffle_elements;
