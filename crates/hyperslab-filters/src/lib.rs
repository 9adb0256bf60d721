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
//! Deliberately absent: the location of chunks, threads, conversion of values.

mod bits;
mod bitshuffle;
mod blosc;
mod blosc2;
mod bzip2;
mod custom;
mod deflate;
mod error;
mod fletcher32;
mod lz4;
mod lzf;
mod lzo;
mod nbit;
mod pipeline;
mod quantize;
mod registry;
mod scaleoffset;
mod scratch;
mod shuffle;
mod stage;
mod szip;
mod vbz;
mod zfp;
mod zstd;

pub use custom::Filter;
pub use error::{Cause, Failure, FilterError};
pub use pipeline::{FilterSpec, Pipeline, Staged};
pub use registry::{Entry, register, table};
pub use scratch::Scratch;
pub use shuffle::unshuffle_elements;
