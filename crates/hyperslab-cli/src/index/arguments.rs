//! The command line of `hyperslab index`.

use crate::failure::exit_codes;
use crate::run_options::RunOptions;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hyperslab_apps::index::{FORMATS, Format, Request};
use std::path::PathBuf;

/// Write where every chunk lies, for other readers: kerchunk, Zarr, Icechunk, Hyrax, HSDS
///
/// Other readers can read the chunks of a file where they are, if they are told their addresses and filters. The index has
/// all variables of the file, with the dimensions and attributes of netCDF. What its format cannot express is inlined if
/// it is small, and is otherwise left out and named.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab index era5.nc -o era5.json                          references for kerchunk and fsspec
  hyperslab index era5.nc --url s3://bucket/era5.nc -o era5.json  for readers of a copy in a bucket
  hyperslab index --format kerchunk-parquet era5.nc -o era5.parq  the same, read piece by piece
  hyperslab index --format dmrpp era5.nc -o era5.nc.dmrpp       for Hyrax
  hyperslab index --format hyperslab s3://bucket/era5.nc -o era5.hyperslab
                                                                for hyperslab.File(url, index=...)
  hyperslab index --concat time tas-*.nc -o tas.json            many files as one, along a dimension
  hyperslab index archive/ -o indexes/ --jobs 8 --shard 2/4     an index of each file
  hyperslab index --strict era5.nc -o era5.json                 exit with 3 if a variable was left out

In Python: xarray.open_dataset(\"era5.json\", engine=\"kerchunk\").

MANY FILES
  Without --concat, OUT is a folder that gets an index of each file. With --concat DIMENSION, all files become one index:
  variables with the dimension follow one another along it in the order of the files, the others must be the same in all
  of them. What decides how values are decoded (type, chunks, filters, scale_factor, units, ...) must agree, and each file
  but the last must end with a whole chunk; else nothing is written, and the message names the file and the variable.
  Indexes of the format `hyperslab` are inputs, too: their files are then opened with them. So the metadata of many files
  can be read by many machines (--format hyperslab --shard), and be combined by one.

",
    exit_codes!()
))]
pub(crate) struct IndexArgs {
    /// HDF5, netCDF or HDF4 files, folders of them, or indexes of the format `hyperslab`
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Format of the index
    #[arg(long, value_parser = format_parser(), default_value = "kerchunk")]
    pub format: &'static Format,
    /// File or folder to write; standard output if not given and the format is text
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Where readers find the file; {name} is its name, {path} its path as given. Its absolute path if not given
    #[arg(long)]
    pub url: Option<String>,
    /// Name the files by paths relative to the folder of OUT
    #[arg(long, conflicts_with = "url", requires = "output")]
    pub relative: bool,
    /// Write the folder of the files once, as a template that can be changed (kerchunk)
    #[arg(long)]
    pub template: bool,
    /// Combine all files along this dimension
    #[arg(long, value_name = "DIMENSION")]
    pub concat: Option<String>,
    /// Exit with 3 if anything was left out
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub run: RunOptions,
}

impl IndexArgs {
    /// What is asked for.
    pub(super) fn request(&self) -> Request {
        Request {
            files: self.files.clone(),
            format: self.format,
            output: self.output.clone(),
            url: self.url.clone(),
            relative: self.relative,
            template: self.template,
            concat: self.concat.clone(),
        }
    }
}

/// The formats, with what each is.
fn format_parser() -> impl TypedValueParser<Value = &'static Format> {
    let values = FORMATS.into_iter().map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(values).map(|name| Format::named(&name).expect("only these names are possible"))
}
