//! Running a program with a library preloaded: `hyperslab trace` and `hyperslab run`.

mod child;
mod library;
mod program;

pub(crate) use child::run;
pub(crate) use program::find;
