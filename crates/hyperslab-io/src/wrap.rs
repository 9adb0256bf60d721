//! Sources and sinks that wrap another one.

mod early_sync;
mod record;

pub use early_sync::EarlySync;
pub use record::{Recorder, Recording};
