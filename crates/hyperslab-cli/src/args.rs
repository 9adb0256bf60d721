//! The command line: subcommands, options, and their help.

use crate::advise::arguments::AdviseArgs;
use crate::archive::arguments::SummaryArgs;
use crate::bench::arguments::BenchArgs;
use crate::failure::exit_codes;
use crate::index::arguments::IndexArgs;
use crate::network_args::NetworkArgs;
use crate::pattern_args::{BLOCKS, PatternArgs};
use crate::repack::arguments::RepackArgs;
use crate::run_options::RunOptions;
#[cfg(target_os = "linux")]
use crate::{run::arguments::RunArgs, trace::arguments::TraceArgs};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use hyperslab_apps::forecast::DEFAULT_STORE;
use std::path::PathBuf;

/// What `--version` prints: also which encoders write gzip, since their speeds differ. They are in every build.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ngzip is written by hyperslab's own encoder (fast) and by libdeflate (small)"
);

/// Inspect HDF5, netCDF and HDF4 files: list their contents, explain reads, diagnose slow ones, compare libraries
#[derive(Debug, Parser)]
#[command(
    name = "hyperslab",
    bin_name = "hyperslab",
    version,
    long_version = VERSION,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Start with `hyperslab doctor FILE`. For help on a command, run `hyperslab help COMMAND`."
)]
#[command(after_long_help = exit_codes!())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub network: NetworkArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Ls(LsArgs),
    Explain(ExplainArgs),
    Chunks(ChunksArgs),
    Digest(DigestArgs),
    Doctor(Box<DoctorArgs>),
    Advise(Box<AdviseArgs>),
    Bench(Box<BenchArgs>),
    Check(CheckArgs),
    Index(IndexArgs),
    Repack(Box<RepackArgs>),
    #[cfg(target_os = "linux")]
    Run(RunArgs),
    #[cfg(target_os = "linux")]
    Trace(TraceArgs),
    /// Runs one measurement of a bench, in a process of its own
    #[command(hide = true)]
    BenchWorker,
}

/// List the objects of a file: shapes, types, chunks, filters, sizes
///
/// Lists the members of a group (the root group unless PATH is given) or one dataset. The stored size is that of the
/// data in the file; the ratio is the logical size divided by the stored size.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab ls era5.nc                  members of the root group
  hyperslab ls -r era5.nc               all objects, with full paths
  hyperslab ls -v era5.nc /t2m          one dataset with its attributes
  hyperslab ls -r --json era5.nc        as one JSON document
  hyperslab ls --bytes era5.nc          what the bytes of the file belong to
  hyperslab ls --netcdf era5.nc         dimensions and variables, as ncdump -hs prints them
  hyperslab ls --netcdf era5.nc /model  one group or variable, with the dimensions that it uses

A hard link to an object that was already listed is shown as `same as` with its path. Soft and external links are
shown with their target and are not followed.

",
    exit_codes!()
))]
pub(crate) struct LsArgs {
    /// HDF5, netCDF or HDF4 file
    pub file: PathBuf,
    /// Group or dataset in the file
    #[arg(default_value = "/")]
    pub path: String,
    /// List the members of groups too
    #[arg(short, long)]
    pub recursive: bool,
    /// Show attributes, maximum extents and fill values
    #[arg(short, long)]
    pub verbose: bool,
    /// Show the file as netCDF-4 sees it: dimensions, variables, attributes, storage (like `ncdump -hs`)
    #[arg(long, conflicts_with_all = ["recursive", "verbose"])]
    pub netcdf: bool,
    /// Show what the bytes of the whole file belong to: raw data, each kind of metadata, free space, bytes that are unaccounted for
    #[arg(long, conflicts_with_all = ["recursive", "verbose", "netcdf", "path"])]
    pub bytes: bool,
    /// With --netcdf: print plain CDL, which ncgen reads (like `ncdump -h`)
    #[arg(long, requires = "netcdf", conflicts_with = "json")]
    pub cdl: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Show what a read will do, without reading
///
/// Prints the plan of a read: how many chunks it touches and decodes, which byte ranges it fetches in which requests,
/// which filters it reverses, and where each part goes in the result.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab explain era5.nc /t2m '0, :, :'        one time step
  hyperslab explain era5.nc /t2m ':, 180, 360'    a time series
  hyperslab explain era5.nc /t2m '::10, ..., -1'  steps, ellipsis and negative indexes, as in NumPy
  hyperslab explain --json era5.nc /t2m ''        everything, as JSON
  hyperslab explain --cloud era5.nc /t2m '0, :, :'        what it takes in an object store, for each kind of reader

SELECTION is written as in NumPy: an index or start:stop:step for each dimension, separated by commas. Omitted
dimensions are selected whole. start:stop:step:block selects `block` elements every `step`, as HDF5's hyperslabs do.

",
    exit_codes!()
))]
pub(crate) struct ExplainArgs {
    /// HDF5, netCDF or HDF4 file
    pub file: PathBuf,
    /// Dataset in the file
    pub dataset: String,
    /// Selection to read
    #[arg(allow_hyphen_values = true, default_value = "")]
    pub selection: String,
    /// Also forecast what the read takes in an object store, for each kind of reader
    #[arg(long)]
    pub cloud: bool,
    /// The object store of --cloud: s3, gs, az, or numbers such as latency=40ms,bandwidth=80MB/s,connections=8
    #[arg(long, value_name = "PLACE", default_value = DEFAULT_STORE, requires = "cloud")]
    pub place: String,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// List where chunks lie in the file: offset, address, stored size, filter mask
///
/// Lists the existing chunks of a dataset, or of all chunked datasets, in row-major order. A chunk that is not listed
/// was never written and reads as the fill value. No values are read.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab chunks era5.nc /t2m              one dataset, as a table
  hyperslab chunks --csv era5.nc             all chunked datasets, as CSV
  hyperslab chunks --csv era5.nc | wc -l     how many chunks there are, and a header line
  hyperslab chunks --json era5.nc /t2m       one JSON document

The offset of a chunk is the index of its first element along each dimension, as h5py's `chunk_offset`. The address
counts from the first byte of the file, the size is in bytes as stored, and bit i of the filter mask is set where
filter i was skipped. The header line of the CSV is path,offset,address,size,filter_mask; the numbers of an offset
are joined by `;`. Tables and CSV are written while the chunk index is read.

",
    exit_codes!()
))]
pub(crate) struct ChunksArgs {
    /// HDF5, netCDF or HDF4 file
    pub file: PathBuf,
    /// Dataset in the file; of a group, all chunked datasets below it
    #[arg(value_name = "DATASET", default_value = "/")]
    pub path: String,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Print every object and a checksum of every value, as JSON lines
///
/// Prints a record for each object and link of the file, depth first, in order of name. The SHA-256 of a value is
/// computed over its elements in native types, so it does not depend on layout, filters or byte order. A part that
/// cannot be read has an `error` in its record.
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
    /// HDF5, netCDF or HDF4 files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Omit the file's name and the file's own record, so that two digests can be compared line by line
    #[arg(long)]
    pub bare: bool,
    /// Skip values larger than this
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = hyperslab::parse_bytes)]
    pub max_bytes: u64,
}

/// Diagnose which reads of a file are slow, why, and how to fix them
///
/// Simulates reading a dataset block by block and counts, chunk by chunk, what libhdf5 would do with the chunk caches
/// of its versions, that of your own h5py first. The time is predicted from the speed at which this file's own chunks
/// decode. How the data is stored is checked for every dataset.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab doctor era5.nc                              the largest datasets, the usual reads
  hyperslab doctor era5.nc /t2m --read 1x361x720        time step by time step
  hyperslab doctor era5.nc /t2m --read :x1x1            a time series at every point
  hyperslab doctor era5.nc /t2m --read 1x361x720@10 --read :x1x1   fixes must suit both, steps above all
  hyperslab doctor era5.nc /t2m --read 1x1x720 --order 1,0,2
  hyperslab doctor era5.nc /t2m --read 1x64x64 --random 5000       patches of a shuffled training loop
  hyperslab doctor era5.nc /t2m --read 1x361x720 --stride 1x2x2    every other point of each map
  hyperslab doctor era5.nc /t2m --write 1x361x720       how often chunks are encoded if it is written map by map
  hyperslab doctor era5.nc /t2m --cache 16MiB,521,0.75
  hyperslab doctor era5.nc --html era5.html             also a page, with a map of the file
  hyperslab doctor archive/ --jobs 8                    all files of a folder, and a summary
  hyperslab doctor --summary archive/                   files and variables, by what repacking would save
  hyperslab doctor --summary archive/ --resume done.jsonl --html archive.html
  hyperslab doctor --summary --json s3://bucket/archive/ --shard 2/8 --place s3 > 2.jsonl
  hyperslab doctor --summary 1.jsonl 2.jsonl            of the lines of several runs
  hyperslab doctor --json archive/ > baseline.jsonl     one JSON document a line
  hyperslab doctor --baseline baseline.jsonl archive/   only what is new
  hyperslab doctor --fail-on high era5.nc               exit code 3 if a finding is severe, for scripts
  hyperslab doctor --cloud era5.nc                      also whether it is fit for object stores, and what it takes there
  hyperslab doctor --why CODE                           explains a finding

A block is written as its size along each dimension; `:` stands for the whole extent. The blocks are read in row-major
order unless --order gives another order of the dimensions, slowest first.

Findings that a file `.hyperslabignore` lists, in the folder of the data or above it, are not reported. Each of its lines
is a code, or a code and the path of a dataset, or of a group and a `/` for all that is below it.

",
    exit_codes!()
), group = ArgGroup::new(BLOCKS).multiple(true))]
pub(crate) struct DoctorArgs {
    /// HDF5, netCDF or HDF4 files and folders; after a single file, a dataset in it
    #[arg(required_unless_present = "why", value_name = "FILE [DATASET]")]
    pub paths: Vec<PathBuf>,
    /// Block in which the dataset is read, and its relative weight; may be repeated
    #[arg(long, value_name = "SHAPE[@WEIGHT]", group = BLOCKS)]
    pub read: Vec<String>,
    /// The reads that a program made: the folder of `hyperslab trace`, one of its files, or JSON lines such as
    /// {"dataset": "/t2m", "shape": [1, 361, 720], "count": 365}
    #[arg(long, value_name = "TRACE", conflicts_with = "read")]
    pub reads_from: Option<PathBuf>,
    /// Block in which a program would write a new dataset of this kind, and its relative weight; may be repeated
    #[arg(long, value_name = "SHAPE[@WEIGHT]", group = BLOCKS)]
    pub write: Vec<String>,
    /// Order of the dimensions in which the block moves, slowest first
    #[arg(long, value_name = "ORDER")]
    pub order: Option<String>,
    #[command(flatten)]
    pub pattern: PatternArgs,
    /// Chunk cache to simulate instead of the usual ones: NBYTES[,NSLOTS[,W0]]
    #[arg(long, value_name = "CACHE")]
    pub cache: Option<String>,
    /// The libhdf5 whose seconds are predicted; that of the first Python with h5py if omitted
    #[arg(long, value_name = "PATH")]
    pub libhdf5: Option<PathBuf>,
    /// Simulate only the profiles whose names contain this text; may be repeated
    #[arg(long, value_name = "NAME")]
    pub profile: Vec<String>,
    /// Report findings however little they cost, and simulate the reads of every dataset
    #[arg(long)]
    pub all: bool,
    /// Also check whether the file is fit for object stores: metadata together, chunks and pages of a good size; and forecast
    /// the requests, seconds and bytes of each kind of reader there
    #[arg(long)]
    pub cloud: bool,
    /// Where the files lie: local, hdd, s3, gs, az, or numbers such as latency=40ms,bandwidth=80MB/s,connections=8; if omitted, s3
    /// for --cloud, local for --summary
    #[arg(long, value_name = "PLACE")]
    pub place: Option<String>,
    /// Report only these findings; may be repeated, or separated by commas
    #[arg(long, value_name = "CODE")]
    pub select: Vec<String>,
    /// Do not report these findings; may be repeated, or separated by commas
    #[arg(long, value_name = "CODE")]
    pub ignore: Vec<String>,
    /// Do not report what this earlier report has, as --json printed it
    #[arg(long, value_name = "JSON")]
    pub baseline: Option<PathBuf>,
    /// Exit with 3 if a finding is at least this severe
    #[arg(long, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    #[command(flatten)]
    pub summary: SummaryArgs,
    #[command(flatten)]
    pub run: RunOptions,
    /// Explain a finding
    #[arg(long, value_name = "CODE", conflicts_with_all = ["paths", "json"])]
    pub why: Option<String>,
    /// Print one JSON document, for several files one a line
    #[arg(long)]
    pub json: bool,
    /// Also write a page: the findings, the file as a map of its bytes, what each read costs; one file, for any browser
    #[arg(long, value_name = "PAGE", conflicts_with = "why")]
    pub html: Option<PathBuf>,
}

/// Check whether files follow the HDF5 specification
///
/// Reads every structure and every field: signatures, checksums, reserved bytes, sizes, counts, order, addresses, reference
/// counts, and whether each byte belongs to exactly one structure. An error violates the specification. A warning is
/// allowed but odd, such as bytes that are unaccounted for.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab check era5.nc                     errors and warnings, with their places
  hyperslab check --data era5.nc              decode every chunk, too
  hyperslab check --strict --jobs 4 results/  all files of a folder; warnings fail, too (exit code 3)
  hyperslab check --json era5.nc              as one JSON document
  hyperslab check --rules                     all rules, with their sections of the specification

",
    exit_codes!()
))]
pub(crate) struct CheckArgs {
    /// HDF5, netCDF or HDF4 files and folders
    #[arg(required_unless_present = "rules", value_name = "FILE")]
    pub paths: Vec<PathBuf>,
    /// Decode every chunk, and follow the references in raw data
    #[arg(long)]
    pub data: bool,
    /// Exit with 3 if there are warnings; notes do not count
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub run: RunOptions,
    /// Print one JSON document, for several files one a line
    #[arg(long)]
    pub json: bool,
    /// Print all rules, and check nothing
    #[arg(long, conflicts_with_all = ["paths", "json", "data", "strict"])]
    pub rules: bool,
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
