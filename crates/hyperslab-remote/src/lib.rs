//! Files of object stores and web servers as byte sources: `s3://`, `gs://`, `az://`, `abfs://`, `https://`, `http://`.
//!
//! ```text
//! Source::fetch ──► Client: slots, retries, checks ──► Transport ──► a web server (reqwest)
//!  any thread         tasks of the network threads          └─────► a store: object_store signs, reqwest sends
//! ```
//!
//! [`Files`] opens paths and URLs; it is the opener of the command and of the Python package. [`RemoteFile`] is one open
//! file. The first request fetches the beginning of the file, and its response contains the length and the entity tag.
//! All further requests ask for the same state of the file, and their responses are checked. Requests that fail for a
//! temporary reason are repeated until a deadline. A [`DiskCache`] keeps responses for later runs.
//!
//! This crate does not know HDF5. Why each range is requested is decided by its callers.

mod answer;
mod client;
mod disk_cache;
mod failure;
mod file;
mod files;
mod link;
mod network;
mod options;
mod retry;
mod slots;
mod trace;
mod traffic;
mod transport;

pub use disk_cache::{DISK_CACHE_SIZE_VARIABLE, DISK_CACHE_VARIABLE, DiskCache};
pub use file::RemoteFile;
pub use files::Files;
pub use options::RemoteOptions;
pub use trace::{TRACE_VARIABLE, TraceLine, set_trace, take_trace};
pub use traffic::{Traffic, traffic};
