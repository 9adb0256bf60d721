//! The parts that the tests of all crates share. Not published.
//!
//! * [`files`]: the fixtures, the corpus of real files, the Python with h5py. Each is a `Result`, with [`Missing`] as
//!   the error.
//! * [`require!`] and [`skip!`]: a test that lacks something is *skipped*, which is printed and counted. If `CI` is set,
//!   it fails instead.
//! * [`scale()`]: the number of repetitions of long tests in each tier.
//! * [`RangeServer`]: a file over HTTP, with latency and faults. [`DistantSource`]: the same without sockets.
//! * [`CountingAllocator`], [`Allocations`]: the memory that something takes.
//! * [`Stopwatch`]: processor time, for limits that must hold on a busy machine.
//!
//! Builders of the bytes of structures and partially fetched files are in `hyperslab_format::testing` (feature
//! `testing`), because they need the types of the format. This crate depends only on `hyperslab-io`, so that the tests
//! of a crate need not wait for the library of that crate to be compiled.

mod allocations;
mod distant;
pub mod files;
mod link;
mod scale;
mod server;
mod skip;
mod stopwatch;

pub use allocations::{Allocations, CountingAllocator};
pub use distant::DistantSource;
pub use link::{Counts, Fault, Link};
pub use scale::{Scale, scale};
pub use server::RangeServer;
pub use skip::{Missing, is_ci, skipped};
pub use stopwatch::Stopwatch;
