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
//! Deliberately absent: which chunk lies where, threads, conversion of values.

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
