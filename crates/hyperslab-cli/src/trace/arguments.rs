//! The arguments of `hyperslab trace`.

use crate::failure::exit_codes;
use clap::{ArgGroup, Args};
use std::ffi::OsString;
use std::path::PathBuf;

/// Watch what a program reads of HDF5 files, and say what it costs
///
/// Runs a program and notes each read and write of a dataset that it makes through any shared libhdf5: which block, in which order,
/// how many chunks libhdf5 decoded for it, and how many it would have decoded with larger chunk caches. The program is not changed;
/// what it prints and its exit code are its own. At its end, the datasets that took most time are listed, with the line that would
/// help most.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["program", "show"]))]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab trace -- ./rows cris.h5                      what it reads, into rows.trace
  hyperslab trace -o run1 -- python3 train.py --epochs 2
  hyperslab trace -o run2 -- sh -c 'ncks -v t2m in.nc out.nc && cdo timmean in.nc mean.nc'
  hyperslab trace --show run1                            the summary once more
  hyperslab trace --show run1 --json                     as one JSON document
  hyperslab trace --show run1 --html run1.html           as a page: when it waited, for what, and how often each chunk was decoded
  hyperslab doctor era5.nc --reads-from run1             what the doctor says of these reads

The folder has a file of JSON lines for each process. It is written while the program runs, so that a program that is killed leaves
what it did.

The exit code is that of the program; 2 if it could not be run.

",
    exit_codes!()
))]
pub(crate) struct TraceArgs {
    /// Write the trace into this folder, which must not exist (default: PROGRAM.trace)
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "show")]
    pub output: Option<PathBuf>,
    /// Show the trace in this folder, or in one of its files, instead of running a program
    #[arg(long, value_name = "TRACE")]
    pub show: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long, requires = "show")]
    pub json: bool,
    /// Also write a page: what was read and when, how often each chunk was decoded, what would help
    #[arg(long, value_name = "PAGE")]
    pub html: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}
