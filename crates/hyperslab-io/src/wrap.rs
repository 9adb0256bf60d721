//! Sources that wrap another source.

mod record;

pub use record::{Recorder, Recording};
