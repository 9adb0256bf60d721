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
//! temporary reason are repeated until a deadline.
//!
//! This crate does not know HDF5. Why each range is requested is decided by its callers.

mod answer;
mod client;
mod failure;
mod file;
mod files;
mod network;
mod options;
mod retry;
mod slots;
mod traffic;
mod transport;

pub use file::RemoteFile;
pub use files::Files;
pub use options::RemoteOptions;
pub use traffic::{TraceLine, Traffic, set_trace, take_trace, traffic};
