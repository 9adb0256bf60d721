//! What the tests of all crates share. Not published.
//!
//! * [`files`]: the fixtures, the corpus of real files, the Python with h5py. Each is a `Result`: [`Missing`] says
//!   what is not there.
//! * [`require!`] and [`skip!`]: a test that lacks something is *skipped*, which is printed and counted; under `CI`
//!   it fails.
//! * [`scale()`]: how much a long test does in which tier.
//! * [`RangeServer`]: files over HTTP, with latency and faults; [`DistantSource`]: the same without sockets.
//! * [`Stopwatch`]: processor time, for bounds that hold on a busy machine.
//!
//! Bytes of structures built field by field, and files of which only a part has been fetched, need the format's own
//! types: `hyperslab_format::testing` (feature `testing`). This crate depends on `hyperslab-io` alone, so
//! that the tests of a crate do not wait for its own library.

mod distant;
pub mod files;
mod link;
mod scale;
mod server;
mod skip;
mod stopwatch;

pub use distant::DistantSource;
pub use link::{Counts, Fault, Link};
pub use scale::{Scale, scale};
pub use server::RangeServer;
pub use skip::{Missing, is_ci, skipped};
pub use stopwatch::Stopwatch;
