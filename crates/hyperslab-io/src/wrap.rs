//! Sources around sources.

mod record;

pub use record::{Recorder, Recording};
