//! The command line: subcommands, options, and their help.

use crate::bench::arguments::BenchArgs;
use crate::failure::exit_codes;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// HDF5 without performance cliffs: look into a file, see what a read will do, find out why reads are slow
#[derive(Debug, Parser)]
#[command(
    name = "hyperslab",
    bin_name = "hyperslab",
    version,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Try `hyperslab doctor FILE` for a start, or `hyperslab help COMMAND` for one command."
)]
#[command(after_long_help = exit_codes!())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What can be asked.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Ls(LsArgs),
    Explain(ExplainArgs),
    Digest(DigestArgs),
    Doctor(DoctorArgs),
    Bench(Box<BenchArgs>),
    /// Serves one run of a bench
    #[command(hide = true)]
    BenchWorker,
}

/// List the objects of a file: shapes, types, chunks, filters, sizes
///
/// Lists the members of a group (of the root, unless PATH says otherwise) or one dataset. Stored sizes are those of
/// the chunks in the file; the ratio is logical by stored bytes.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab ls era5.nc                  members of the root group
  hyperslab ls -r era5.nc               everything, with whole paths
  hyperslab ls -v era5.nc /t2m          one dataset with its attributes
  hyperslab ls -r --json era5.nc        one JSON document

A hard link to an object that was listed before is shown as `same as`; soft and external links are shown with
their target and are not followed.

",
    exit_codes!()
))]
pub(crate) struct LsArgs {
    /// HDF5 or netCDF-4 file
    pub file: PathBuf,
    /// Group or dataset in the file
    #[arg(default_value = "/")]
    pub path: String,
    /// List the members of members, too
    #[arg(short, long)]
    pub recursive: bool,
    /// Show attributes, largest extents and fill values
    #[arg(short, long)]
    pub verbose: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Show what a read will do, without doing it
///
/// Prints the plan of a read: how many chunks it touches and decodes, which bytes it fetches in which requests, which
/// filters it undoes, and where each piece lands in the result.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab explain era5.nc /t2m '0, :, :'        one time step
  hyperslab explain era5.nc /t2m ':, 180, 360'    a time series
  hyperslab explain era5.nc /t2m '::10, ..., -1'  steps, ellipsis and negative indexes, as in NumPy
  hyperslab explain --json era5.nc /t2m ''        everything, as JSON

SELECTION is written as in NumPy: an index or start:stop:step for each dimension. What is left out is taken whole.
start:stop:step:block takes `block` elements every `step`, as HDF5's hyperslabs do.

",
    exit_codes!()
))]
pub(crate) struct ExplainArgs {
    /// HDF5 or netCDF-4 file
    pub file: PathBuf,
    /// Dataset in the file
    pub dataset: String,
    /// What to read of it
    #[arg(allow_hyphen_values = true, default_value = "")]
    pub selection: String,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Print every object and a checksum of every value, as JSON lines
///
/// A record for each object and link of the file, in the order of their names, depth first; the SHA-256 of every
/// value and attribute is over its elements in native types, so that it does not depend on layout, filters or byte
/// order. A part that cannot be read has an `error` in its record.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab digest era5.nc
  hyperslab digest *.h5 > before.jsonl
  diff <(hyperslab digest --bare a.h5) <(hyperslab digest --bare b.h5)
  hyperslab digest --max-bytes 1TiB large.h5

",
    exit_codes!()
))]
pub(crate) struct DigestArgs {
    /// HDF5 or netCDF-4 files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Leave out the file's name and its own record, so that two digests can be compared line by line
    #[arg(long)]
    pub bare: bool,
    /// Skip values of more bytes than this
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = hyperslab::parse_bytes)]
    pub max_bytes: u64,
}

/// Say which reads of a file are slow and why, and what to do about it
///
/// Sweeps blocks over a dataset and counts, chunk by chunk, what libhdf5 would do under the chunk caches of its
/// versions; the time is predicted from the speed at which this file's own chunks decode.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab doctor era5.nc                              every large dataset, the usual reads
  hyperslab doctor era5.nc /t2m --read 1x361x720        time step by time step
  hyperslab doctor era5.nc /t2m --read :x1x1            a time series at every point
  hyperslab doctor era5.nc /t2m --read 1x1x720 --order 1,0,2
  hyperslab doctor era5.nc /t2m --cache 16MiB,521,0.75
  hyperslab doctor --fail-on high era5.nc               exit code 3 if anything is severe, for scripts
  hyperslab doctor --why CODE                           what a finding means

A block is written as its size along each dimension, `:` being the whole extent. It moves in row-major order unless
--order names another permutation of the dimensions, slowest first.

",
    exit_codes!()
))]
pub(crate) struct DoctorArgs {
    /// HDF5 or netCDF-4 file
    #[arg(required_unless_present = "why")]
    pub file: Option<PathBuf>,
    /// Dataset in the file; without it, the largest
    pub dataset: Option<String>,
    /// Block that is swept over the dataset; may be repeated
    #[arg(long, value_name = "SHAPE")]
    pub read: Vec<String>,
    /// Order of the dimensions in which the block moves, slowest first
    #[arg(long, value_name = "ORDER")]
    pub order: Option<String>,
    /// A chunk cache instead of the usual ones: NBYTES[,NSLOTS[,W0]]
    #[arg(long, value_name = "CACHE")]
    pub cache: Option<String>,
    /// Only these profiles; may be repeated
    #[arg(long, value_name = "NAME")]
    pub profile: Vec<String>,
    /// Exit with 3 if a finding is at least this severe
    #[arg(long, value_name = "LEVEL", value_enum)]
    pub fail_on: Option<FailOn>,
    /// Explain a finding by its code
    #[arg(long, value_name = "CODE", conflicts_with_all = ["file", "dataset"])]
    pub why: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// How severe a finding has to be to make the command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Low,
    Medium,
    High,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }
}
