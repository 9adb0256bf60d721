//! Runs in processes of their own.
//!
//! ```text
//!   Task ── JSON ──► worker: load, open, read or write, close ── JSON ──► Outcome
//! ```

mod clock;
mod expect;
mod launch;
mod objects;
mod task;
mod worker;

pub use launch::{Launcher, RunError};
pub use task::{Answer, Check, Objects, Operation, Outcome, Task};
pub use worker::{run, serve};
