//! The options of `hyperslab bench`, and their help.

use crate::failure::exit_codes;
use clap::builder::RangedU64ValueParser;
use clap::{ArgGroup, Args, ValueEnum, value_parser};
use hyperslab_apps::bench::{
    self, DEFAULT_CELL_SECONDS, DEFAULT_MEMORY, DEFAULT_REPEATS, DEFAULT_SECONDS_MAX, DEFAULT_SEED,
    DEFAULT_TIMEOUT, DEFAULT_WRITE_REPEATS, Request,
};
use hyperslab_apps::files;
use hyperslab_apps::made_up::{DEFAULT_RATIO, at_least_one};
use hyperslab_apps::shell_line::shell_line;
use std::path::{Path, PathBuf};

/// The options of what a recipe decides itself, or does not do.
const NOT_OF_RECIPES: &str = "not of recipes";

/// Which dimensions of a file that is made may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unlimited {
    /// All of them
    All,
    /// None in one file, all in another
    Both,
}

/// A number that JSON can carry.
fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().map_err(|_| "it is not a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("it is not a finite 64-bit number".to_owned()) }
}

fn positive(text: &str) -> Result<f64, String> {
    finite(text)
        .and_then(|number| if number > 0.0 { Ok(number) } else { Err("it has to be above 0".to_owned()) })
}

fn one_or_more() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::<usize>::new().range(1..)
}

/// Measure reads and writes with other chunks, filters and caches, on your own libraries and on hyperslab
///
/// Every list of options is multiplied with every other; each cell of the matrix is measured in processes of its own,
/// its values compared between all engines. The file is only read: what is written goes to a temporary folder.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new(NOT_OF_RECIPES).multiple(true), after_long_help = concat!(
    "\
EXAMPLES
  hyperslab bench era5.nc
      the largest dataset by the usual reads, behind each library's cache and one of 1 MiB; lists the other datasets
  hyperslab bench era5.nc /t2m --read 1x361x720 --read :x1x1
      a time step and a time series, in the libhdf5 of your h5py and in hyperslab
  hyperslab bench era5.nc /t2m --read 1x1x720 --cache 1MiB --cache 8MiB --cache 64MiB
      rows, under three chunk caches
  hyperslab bench era5.nc /t2m --read :x1x1 --chunks 1x361x720 --chunks 365x25x25 --filter gzip=4 --filter shuffle+gzip=4
      the file as it is, and its values rewritten in two chunk shapes with two pipelines each
  hyperslab bench era5.nc /t2m --read 1x361x720@10 --read :x1x1 --filter none --filter shuffle+gzip=4 --dry-run
      what that would take: cells, seconds, disk; maps count ten times as much as series
  hyperslab bench --synthetic 1000x1000x100 --type '<i2' --ratio 2 --chunks 1MiB --read 100x100x1 --order all
      made-up values, all orders of the dimensions
  hyperslab bench --synthetic 1000x1000x100 --chunks 100x100x10 --filter gzip --write 4MiB --write-order all --write-cache 1MiB --write-cache 64MiB
      what writing costs in buffers of 4 MiB, in all orders of the dimensions, under two chunk caches
  hyperslab bench --synthetic 365x180x360 --format netcdf4 --format classic --unlimited --read 1x180x360 --read :x1x1
      time steps and time series in netCDF-4 and classic files that netCDF-C writes
  hyperslab bench era5.nc /t2m --read :x1x1 --cache 4MiB --cache 16MiB --cache 64MiB --json --html t2m.html > t2m.json
      a page with figures beside the results, from which it is drawn again by --from t2m.json --html t2m.html
  hyperslab bench --list
      which libraries were found
  hyperslab bench --recipe list
      published studies that can be run again, and how long each takes
  hyperslab bench --recipe compression-2015 --scale 0.1
      one of them, with data and caches a tenth of the published size

A pipeline is its filters joined by `+`: none, gzip=6, shuffle, fletcher32, szip=nn,8, nbit, scaleoffset=2, zstd=3 ..., or
the number of a registered filter with its parameters, 32015=3.

A file is read as it is, too, where it is rewritten: all else is compared with it. What a file has and no option names
(chunks, filters) stays.

A cell that was not measured, and engines that read different values, end with exit code 1; the other cells are reported.

",
    exit_codes!()
))]
pub(crate) struct BenchArgs {
    /// HDF5, netCDF or HDF4 file; it is only read. Of a URL, a copy is fetched and measured
    #[arg(required_unless_present_any = ["synthetic", "list", "from", "recipe", "render"], group = NOT_OF_RECIPES)]
    pub file: Option<PathBuf>,
    /// Dataset in the file; without it, the largest
    pub dataset: Option<String>,
    /// Made-up values of this shape instead of a file
    #[arg(long, value_name = "SHAPE", conflicts_with = "file", group = NOT_OF_RECIPES)]
    pub synthetic: Option<String>,
    /// Run a published study, with its figures and yours; `list` names them
    #[arg(long, value_name = "NAME", conflicts_with = NOT_OF_RECIPES, help_heading = "Recipes")]
    pub recipe: Option<String>,
    /// Data and caches of a recipe smaller by this factor, such as 0.1
    #[arg(long, value_name = "FACTOR", help_heading = "Recipes")]
    pub scale: Option<f64>,
    /// Print a page about reports of recipes that were kept as JSON
    #[arg(long, value_name = "FILE", hide = true, num_args = 1.., conflicts_with_all = ["recipe", "file", "synthetic", "list"])]
    pub render: Vec<PathBuf>,
    /// Say what a recipe runs and what was published, and end
    #[arg(long, help_heading = "Recipes")]
    pub about: bool,
    /// Type of the values that are written: <f4, >i2, u1, S16, records {a:<f4,b:<i2,c:<f4[3],d:S1} (struct{...} with the
    /// gaps of a C struct in the file); may be repeated for made-up values
    #[arg(long = "type", value_name = "TYPE", group = NOT_OF_RECIPES)]
    pub element: Vec<String>,
    /// Only these fields of records: a,c
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Access", group = NOT_OF_RECIPES)]
    pub fields: Vec<String>,
    /// How records lie in memory: as-stored, struct (a C struct, which libhdf5 converts to), columns (which HDF4 packs
    /// and unpacks)
    #[arg(long, value_name = "LAYOUT", default_value = DEFAULT_MEMORY, help_heading = "Access", group = NOT_OF_RECIPES)]
    pub memory: String,
    /// Ratio by which gzip makes made-up values smaller
    #[arg(long, value_parser = at_least_one, default_value_t = DEFAULT_RATIO, group = NOT_OF_RECIPES)]
    pub ratio: f64,
    /// Seed of made-up values and of random blocks
    #[arg(long, default_value_t = DEFAULT_SEED, group = NOT_OF_RECIPES)]
    pub seed: u64,
    /// Block that is read, swept over the dataset: a shape, or the bytes of a buffer (1MiB), and its relative
    /// weight; may be repeated
    #[arg(long, value_name = "SHAPE[@WEIGHT]", help_heading = "Access", group = NOT_OF_RECIPES)]
    pub read: Vec<String>,
    /// The reads that a program made: the folder of `hyperslab trace`, one of its files, or JSON lines such as
    /// {"dataset": "/t2m", "shape": [1, 361, 720], "count": 365}
    #[arg(
        long,
        value_name = "TRACE",
        help_heading = "Access",
        conflicts_with_all = ["read", "order", "stride", "random", "moved", "synthetic"],
        group = NOT_OF_RECIPES
    )]
    pub reads_from: Option<PathBuf>,
    /// Order of the dimensions in which blocks move, slowest first: their numbers, their names in netCDF, or x,y,z where
    /// they have none; or `all`; may be repeated
    #[arg(long, value_name = "ORDER", help_heading = "Access", group = NOT_OF_RECIPES)]
    pub order: Vec<String>,
    /// Only every n-th element of each block, by dimension; may be repeated
    #[arg(long, value_name = "STEPS", help_heading = "Access", group = NOT_OF_RECIPES)]
    pub stride: Vec<String>,
    /// Blocks at this number of random places instead of a sweep
    #[arg(long, value_name = "COUNT", value_parser = value_parser!(u64).range(1..), help_heading = "Access", conflicts_with = "moved", group = NOT_OF_RECIPES)]
    pub random: Option<u64>,
    /// Each block moved along every axis and along the diagonal instead of a sweep; `=AXIS` or `=diagonal` for one
    #[arg(
        long,
        value_name = "AXIS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        help_heading = "Access",
        group = NOT_OF_RECIPES
    )]
    pub moved: Option<String>,
    /// At most this number of reads of each access; the time of all is extrapolated, and marked by ≈
    #[arg(long, value_name = "COUNT", value_parser = value_parser!(u64).range(1..), help_heading = "Access", group = NOT_OF_RECIPES)]
    pub reads: Option<u64>,
    /// Rewrite as a file of this format: hdf5, netcdf4, classic (64-bit offsets), cdf5, hdf4; may be repeated
    #[arg(long, value_name = "FORMAT", help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub format: Vec<String>,
    /// Rewrite with chunks of this shape, of this many bytes (1MiB), `contiguous`, `default` (those that netCDF-C
    /// chooses), or `as-is`; may be repeated; without it, the chunks of the file
    #[arg(long, value_name = "CHUNKS", help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub chunks: Vec<String>,
    /// Rewrite with this pipeline of filters; may be repeated; without it, that of the file
    #[arg(long, value_name = "FILTERS", help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub filter: Vec<String>,
    /// Rewrite with pages of this size; may be repeated
    #[arg(long, value_name = "SIZE", help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub page_size: Vec<String>,
    /// Rewrite for these versions of the format: default, earliest, latest; may be repeated
    #[arg(long, value_name = "VERSIONS", help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub libver: Vec<String>,
    /// Rewrite with this fill value
    #[arg(long, value_name = "NUMBER", value_parser = finite, help_heading = "Storage", allow_hyphen_values = true, group = NOT_OF_RECIPES)]
    pub fill_value: Option<f64>,
    /// When fill values are written: if-set, alloc, never; may be repeated
    #[arg(long, value_name = "TIME", help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub fill_time: Vec<String>,
    /// When space is allocated: default, early, late, incremental; may be repeated
    #[arg(long, value_name = "TIME", help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub alloc_time: Vec<String>,
    /// Rewrite with unlimited dimensions, or with `=both`, fixed and unlimited; in files that netCDF-C or HDF4 write, the
    /// first alone is
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        help_heading = "Storage",
        group = NOT_OF_RECIPES
    )]
    pub unlimited: Option<Unlimited>,
    /// Leave out the file as it is, with which files that are rewritten are compared
    #[arg(long, help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub no_baseline: bool,
    /// Keep the file that is written; for one storage
    #[arg(long, value_name = "FILE", help_heading = "Storage", group = NOT_OF_RECIPES)]
    pub keep: Option<PathBuf>,
    /// Block in which files are written, a shape or the bytes of a buffer; chunk by chunk without; may be repeated
    #[arg(long, value_name = "SHAPE", help_heading = "Writing", group = NOT_OF_RECIPES)]
    pub write: Vec<String>,
    /// Order of the dimensions in which blocks are written, slowest first, or `all`; may be repeated
    #[arg(long, value_name = "ORDER", help_heading = "Writing", group = NOT_OF_RECIPES)]
    pub write_order: Vec<String>,
    /// Chunk cache while writing, as in --cache; may be repeated
    #[arg(long, value_name = "CACHE", help_heading = "Writing", group = NOT_OF_RECIPES)]
    pub write_cache: Vec<String>,
    /// How often each file is written
    #[arg(long, value_name = "COUNT", value_parser = one_or_more(), default_value_t = DEFAULT_WRITE_REPEATS, help_heading = "Writing", group = NOT_OF_RECIPES)]
    pub write_repeats: usize,
    /// Chunk cache of libraries that have one, NBYTES[,NSLOTS[,W0]] or `default`; may be repeated
    #[arg(long, value_name = "CACHE", help_heading = "Engines", group = NOT_OF_RECIPES)]
    pub cache: Vec<String>,
    /// Page buffer of libraries that have one, for paged files; may be repeated
    #[arg(long, value_name = "SIZE", help_heading = "Engines", group = NOT_OF_RECIPES)]
    pub page_buffer: Vec<String>,
    /// Metadata cache of libraries that have one, of this size while a file is open; may be repeated
    #[arg(long, value_name = "SIZE", help_heading = "Engines", group = NOT_OF_RECIPES)]
    pub metadata_cache: Vec<String>,
    /// Engine that reads: hyperslab, libhdf5, netcdf, hdf4, null (what the harness itself costs); may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Engines", group = NOT_OF_RECIPES)]
    pub engine: Vec<String>,
    /// A libhdf5 at this place instead of the one that is found first; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Engines")]
    pub libhdf5: Vec<PathBuf>,
    /// A libmfhdf at this place, with libdf beside it, instead of the one that is found first; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Engines")]
    pub hdf4: Vec<PathBuf>,
    /// A netCDF-C at this place instead of the one that is found first; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Engines")]
    pub netcdf: Vec<PathBuf>,
    /// All libraries that are found, not only the first
    #[arg(long, help_heading = "Engines")]
    pub all_libraries: bool,
    /// Say which libraries are found, with their versions, and end
    #[arg(long, help_heading = "Engines", group = NOT_OF_RECIPES)]
    pub list: bool,
    /// How often each cell is measured
    #[arg(long, value_name = "COUNT", value_parser = one_or_more(), default_value_t = DEFAULT_REPEATS, help_heading = "Measuring")]
    pub repeats: usize,
    /// A cell is not repeated once its runs took this number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = positive, default_value_t = DEFAULT_CELL_SECONDS, help_heading = "Measuring")]
    pub cell_seconds: f64,
    /// What all cells together may take: those that are predicted to take more are left out, and named
    #[arg(long, value_name = "SECONDS", value_parser = positive, default_value_t = DEFAULT_SECONDS_MAX, help_heading = "Measuring", group = NOT_OF_RECIPES)]
    pub max_seconds: f64,
    /// Say what would be measured, how long that is predicted to take and what it writes, and end
    #[arg(long, help_heading = "Measuring", conflicts_with = "from", group = NOT_OF_RECIPES)]
    pub dry_run: bool,
    /// A run that takes longer is ended
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..), default_value_t = DEFAULT_TIMEOUT, help_heading = "Measuring")]
    pub timeout: u64,
    /// Take the file out of the system's page cache before each run
    #[arg(long, help_heading = "Measuring", group = NOT_OF_RECIPES)]
    pub cold: bool,
    /// Folder for what is written; without it, the system's temporary one
    #[arg(long, value_name = "DIR", help_heading = "Measuring")]
    pub folder: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Also write the rows as CSV
    #[arg(long, value_name = "FILE", help_heading = "Output", group = NOT_OF_RECIPES)]
    pub csv: Option<PathBuf>,
    /// Also write a page with figures: one file, to be opened in any browser
    #[arg(long, value_name = "FILE", help_heading = "Output", group = NOT_OF_RECIPES)]
    pub html: Option<PathBuf>,
    /// Measure nothing: report what `--json` printed before
    #[arg(long, value_name = "RESULTS", help_heading = "Output", conflicts_with_all = ["file", "synthetic", "resume"], group = NOT_OF_RECIPES)]
    pub from: Option<PathBuf>,
    /// Say what changed since an older document, by more than the spread of the runs
    #[arg(long, value_name = "RESULTS", help_heading = "Output", group = NOT_OF_RECIPES)]
    pub compare: Option<PathBuf>,
    /// Continue an earlier run of this command that was interrupted; `=FILE` keeps what is measured in that file
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Output",
        group = NOT_OF_RECIPES
    )]
    pub resume: Option<Option<PathBuf>>,
}

impl BenchArgs {
    /// What is asked for.
    pub(super) fn request(&self) -> Request {
        Request {
            file: self.file.clone(),
            dataset: self.dataset.clone(),
            synthetic: self.synthetic.clone(),
            element: self.element.clone(),
            fields: self.fields.clone(),
            memory: self.memory.clone(),
            ratio: self.ratio,
            seed: self.seed,
            read: self.read.clone(),
            reads_from: self.reads_from.clone(),
            order: self.order.clone(),
            stride: self.stride.clone(),
            random: self.random,
            moved: self.moved.clone(),
            reads: self.reads,
            format: self.format.clone(),
            chunks: self.chunks.clone(),
            filter: self.filter.clone(),
            page_size: self.page_size.clone(),
            libver: self.libver.clone(),
            fill_value: self.fill_value,
            fill_time: self.fill_time.clone(),
            alloc_time: self.alloc_time.clone(),
            unlimited: self.unlimited.map(bench::Unlimited::from),
            no_baseline: self.no_baseline,
            keep: self.keep.clone(),
            write: self.write.clone(),
            write_order: self.write_order.clone(),
            write_cache: self.write_cache.clone(),
            write_repeats: self.write_repeats,
            cache: self.cache.clone(),
            page_buffer: self.page_buffer.clone(),
            metadata_cache: self.metadata_cache.clone(),
            engine: self.engine.clone(),
            libhdf5: self.libhdf5.clone(),
            hdf4: self.hdf4.clone(),
            netcdf: self.netcdf.clone(),
            all_libraries: self.all_libraries,
            repeats: self.repeats,
            cell_seconds: self.cell_seconds,
            max_seconds: self.max_seconds,
            timeout: self.timeout,
            cold: self.cold,
            folder: self.folder.clone(),
            resume: self.resume.clone(),
            command_line: command_line(),
        }
    }
}

impl From<Unlimited> for bench::Unlimited {
    fn from(unlimited: Unlimited) -> Self {
        match unlimited {
            Unlimited::All => Self::All,
            Unlimited::Both => Self::Both,
        }
    }
}

/// The command line of this process, as a shell reads it; URLs without what may be secret.
fn command_line() -> String {
    let given = std::env::args_os().skip(1).map(|word| match files::is_url(Path::new(&word)) {
        true => files::shown(Path::new(&word)),
        false => word.to_string_lossy().into_owned(),
    });
    shell_line(&std::iter::once("hyperslab".to_owned()).chain(given).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use crate::args::{Cli, Command};
    use clap::Parser;
    use hyperslab_apps::bench::Request;

    #[test]
    fn what_is_not_said_is_what_a_request_says_by_itself() {
        let Command::Bench(args) = Cli::parse_from(["hyperslab", "bench", "f.h5", "/d"]).command else {
            panic!("another command")
        };
        let asked = args.request();
        let (file, dataset) = (Some("f.h5".into()), Some("/d".to_owned()));
        let command_line = asked.command_line.clone();
        assert_eq!(asked, Request { file, dataset, command_line, ..Request::default() });
    }

    #[test]
    fn what_a_recipe_would_pass_over_is_refused_beside_it() {
        let parsed = |more: &[&str]| {
            Cli::try_parse_from([&["hyperslab", "bench", "--recipe", "list"], more].concat()).map(drop)
        };
        parsed(&["--json", "--repeats", "2", "--folder", "made"]).unwrap();
        for more in [["--html", "page.html"], ["--engine", "null"], ["--read", "1x1"], ["--seed", "2"]] {
            let refused = parsed(&more).unwrap_err().to_string();
            assert!(refused.contains(more[0]) && refused.contains("--recipe"), "{refused}");
        }
        assert!(parsed(&["--cold"]).is_err() && parsed(&["--resume"]).is_err());
    }
}
