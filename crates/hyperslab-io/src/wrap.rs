//! Sources and sinks that wrap another one.

mod early_sync;
mod forward;
mod known;
mod record;

pub use early_sync::EarlySync;
pub use known::KnownBytes;
pub use record::{Recorder, Recording};
