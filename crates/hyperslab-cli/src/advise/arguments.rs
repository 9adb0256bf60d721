//! The command line of `hyperslab advise`.

use crate::failure::exit_codes;
use crate::pattern_args::{BLOCKS, PatternArgs};
use clap::Args;
use hyperslab_advise::ErrorBound;
use hyperslab_apps::made_up::{DEFAULT_RATIO, at_least_one};
use hyperslab_engines::Element;
use std::path::PathBuf;

/// Advise on chunks and filters that serve the reads of a dataset
///
/// Tries thousands of chunk shapes on a simulation of the chunk cache of each reader, and filters on samples of the values.
/// Recommends the storage with which all reads together are fastest, for each reader and for all, and gives the lines that
/// make it. The file is only read.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab advise era5.nc                                    the largest variables, the reads that their axes suggest
  hyperslab advise era5.nc /t2m --read 1x361x720 --read :x1x1 maps and time series
  hyperslab advise era5.nc /t2m --read 1x361x720@10 --read :x1x1   maps ten times as often
  hyperslab advise era5.nc /t2m --readers netcdf-4.9,hyperslab     for these programs
  hyperslab advise era5.nc /t2m --readers h5py+zstd           for an h5py with the plug-in for Zstandard
  hyperslab advise era5.nc /t2m --size-bound 2x               it may take twice its present size
  hyperslab advise era5.nc /t2m --write 1x361x720             written map by map
  hyperslab advise era5.nc /t2m --max-error 0.01              values may change by a hundredth
  hyperslab advise era5.nc /t2m --max-error 0.1% --readers hyperslab   each value may change by a thousandth of itself
  hyperslab advise era5.nc /t2m --place s3                    for an object store
  hyperslab advise era5.nc --html era5.html                   also a page, with the trade-off as a picture
  hyperslab advise era5.nc --recipe-out era5.toml             then: hyperslab repack --recipe era5.toml archive/ packed/
  hyperslab advise --json era5.nc > advice.json
  hyperslab advise --synthetic 8760x721x1440 --type '<f4' --ratio 2 --read 1x721x1440 --read :x1x1   before the data exist

A block is written as its size along each dimension; `:` stands for the whole extent. Each read is the whole dataset, read
once in such blocks; a weight is its relative frequency.

READERS
  libhdf5-1.8, libhdf5-1.10, libhdf5-1.14, libhdf5-2, netcdf-4.9, netcdf-4.10, xarray, h5py, matlab, hyperslab, each with its
  default chunk cache. Filters beyond gzip and shuffle are considered if a reader has them: NAME+zstd+blosc+bitshuffle+szip+lzf.
  If none is named, the answer serves every libhdf5 since 1.8, netCDF and MATLAB.

PLACES
  local (in the page cache), hdd, s3, gs, az, or numbers: latency=40ms,bandwidth=80MB/s,connections=8,price=0.0004,egress=0.09,
  storage=0.023. Prices are in dollars, for a thousand requests, a GB read and a GB kept for a month; numbers may follow a
  name: s3,egress=0.

",
    exit_codes!()
))]
pub(crate) struct AdviseArgs {
    /// HDF5, netCDF or HDF4 file
    #[arg(required_unless_present = "synthetic")]
    pub file: Option<PathBuf>,
    /// Datasets in the file; the largest if none is named
    #[arg(value_name = "DATASET")]
    pub datasets: Vec<String>,
    /// Made-up values of this shape instead of a file: advice before data exist
    #[arg(long, value_name = "SHAPE", conflicts_with_all = ["file", "cloud", "recipe_out"])]
    pub synthetic: Option<String>,
    /// Type of the made-up values: <f4, >i2, u1, S16
    #[arg(long = "type", value_name = "TYPE", default_value = "<f4", requires = "synthetic")]
    pub element: Element,
    /// Ratio by which gzip without shuffle makes the made-up values smaller; with shuffle a ratio of 2 becomes about 4
    #[arg(long, value_parser = at_least_one, default_value_t = DEFAULT_RATIO, requires = "synthetic")]
    pub ratio: f64,
    /// Block in which the dataset is read, and its relative weight; may be repeated
    #[arg(long, value_name = "SHAPE[@WEIGHT]", group = BLOCKS)]
    pub read: Vec<String>,
    #[command(flatten)]
    pub pattern: PatternArgs,
    /// The reads that a program made: the folder of `hyperslab trace`, one of its files, or JSON lines: {"dataset": "/t2m", "shape": [1, 361, 720], "count": 365}, perhaps with "order"
    /// (the dimensions, slowest first, or "random") and "step"
    #[arg(long, value_name = "TRACE", conflicts_with = "read")]
    pub reads_from: Option<PathBuf>,
    /// Block in which the dataset is written; whole chunks if omitted
    #[arg(long, value_name = "SHAPE")]
    pub write: Option<String>,
    /// Programs that read the file, separated by commas
    #[arg(long, value_name = "READERS", value_delimiter = ',')]
    pub readers: Vec<String>,
    /// The most that the data may take: 500MiB, 1.2x of what it takes now, or none
    #[arg(long, value_name = "BOUND", default_value = "1.05x")]
    pub size_bound: String,
    /// Also consider filters that round floats, as long as no value changes by more than ERROR, or by more than a share of it, such
    /// as 0.1%; without it, none that are lossy
    #[arg(long, value_name = "ERROR")]
    pub max_error: Option<ErrorBound>,
    /// Where the file will lie; local if omitted, s3 with --cloud
    #[arg(long, value_name = "PLACE")]
    pub place: Option<String>,
    /// Also forecast what the file takes there as it is, for each kind of reader
    #[arg(long)]
    pub cloud: bool,
    /// Seconds for all datasets together
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub seconds: f64,
    /// The libhdf5 whose seconds are predicted; that of the first Python with h5py if omitted
    #[arg(long, value_name = "PATH")]
    pub libhdf5: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Also write a page: the trade-off as a picture, each read before and after, the chunks drawn over the array
    #[arg(long, value_name = "PAGE")]
    pub html: Option<PathBuf>,
    /// Also write the recommendations as a recipe for `hyperslab repack --recipe`
    #[arg(long, value_name = "TOML")]
    pub recipe_out: Option<PathBuf>,
}

/// A time that is worth waiting for.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    let valid = seconds.filter(|seconds| (0.1..=86_400.0).contains(seconds));
    valid.ok_or_else(|| "it is not a number of seconds from 0.1 to 86400".to_owned())
}
