//! The arguments of `hyperslab run`.

use crate::failure::exit_codes;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Run a program whose reads of HDF5 files become faster
///
/// Runs a program, unchanged. Each dataset that it opens through any shared libhdf5 gets the chunk cache in which its usual reads decode
/// each chunk once, and reads are answered by hyperslab in place of libhdf5 where the result is provably the same. What the program
/// reads, prints and returns stays the same.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab run -- ./rows cris.h5
  hyperslab run --report -- python3 script.py             how many reads were answered, and why others were not
  hyperslab run --verify -- ./rows cris.h5                each read both ways, compared
  hyperslab run --only cache --memory 4GiB -- cdo -timmean in.nc out.nc
  hyperslab run --reads-from rows.trace -- ./rows cris.h5 caches for what an earlier run read

A cache that the program sets itself is never made smaller. Datasets of less than 1 MiB are left as they are. `hyperslab trace` shows
what a program reads, and how much a cache would save.

The exit code is that of the program; 2 if it could not be run.

",
    exit_codes!()
))]
pub(crate) struct RunArgs {
    /// What is done: cache fits chunk caches, and touches nothing else
    #[arg(long, value_enum)]
    pub only: Option<Only>,
    /// Threads that decode (default: all processors, divided among the processes that an MPI launcher started on this machine)
    #[arg(long, value_name = "NUMBER", conflicts_with = "only")]
    pub threads: Option<usize>,
    /// Make each read both ways, and say at the end whether they differ; the program gets what libhdf5 reads
    #[arg(long, conflicts_with = "only")]
    pub verify: bool,
    /// Leave datasets that are smaller than this to libhdf5 (default: 1MiB)
    #[arg(long, value_name = "SIZE", value_parser = hyperslab::parse_bytes, conflicts_with = "only")]
    pub min_dataset: Option<u64>,
    /// Say at the end how many reads were answered, and why others were left to libhdf5
    #[arg(long, conflicts_with = "only")]
    pub report: bool,
    /// Bytes for the caches of all open datasets together (default: an eighth of the memory, at most 8 GiB, divided among the processes
    /// that an MPI launcher started on this machine)
    #[arg(long, value_name = "SIZE", value_parser = hyperslab::parse_bytes)]
    pub memory: Option<u64>,
    /// The chunk caches of the datasets that an earlier run read: those with which these reads decode least, from the folder of
    /// `hyperslab trace`
    #[arg(long, value_name = "TRACE")]
    pub reads_from: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// Chunk caches that fit
    Cache,
}
