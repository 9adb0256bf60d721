//! The command line of `hyperslab repack`.

use crate::failure::exit_codes;
use crate::run_options::RunOptions;
use clap::{Args, ValueEnum};
use hyperslab_apps::repack::{self, Request};
use hyperslab_storage::GzipEncoder;
use std::path::PathBuf;

/// Rewrite files with other chunks, filters and file layout
///
/// Writes a new file with the same objects, attributes, links and values, and all metadata together at its front. What no
/// option changes is copied as it is stored. The new file is verified, and gets its name only when it is complete; the
/// input is never changed.
#[derive(Debug, Args)]
#[command(after_long_help = concat!(
    "\
EXAMPLES
  hyperslab repack era5.nc out.nc                                   the same, without holes, metadata first
  hyperslab repack era5.nc out.nc --filter shuffle+gzip=4           other filters for all datasets
  hyperslab repack era5.nc out.nc --filter gzip=6 --encoder small   as small as it gets, several times slower
  hyperslab repack era5.nc out.nc --chunks /t2m:time=1,lat=all,lon=all
  hyperslab repack era5.nc out.nc --chunks 't2m:365x25x25' --filter 't2m:shuffle+zstd=3'
  hyperslab repack era5.nc out.nc --for ':x1x1' --chunk-bytes 1MiB  chunks that serve time series
  hyperslab repack era5.nc out.nc --page-size 4MiB                  for object stores
  hyperslab repack era5.nc out.nc --filter gzip=4 --dry-run         the plan, with predicted size and time
  hyperslab repack era5.nc out.nc --only t2m                        this variable with its dimensions
  hyperslab repack run.h5 out.h5 --drop /debug --rename /a/x=/b/y   without, and with another path
  hyperslab repack era5.nc out.nc --like doctor                     what `hyperslab doctor` would repack
  hyperslab repack tas_day.nc out.nc --profile cmip7                as CMIP7 requires
  hyperslab repack --in-place era5.nc --filter gzip=4               replace the file when the new one is complete
  hyperslab repack MOD04.hdf MOD04.nc                               netCDF-4 of HDF4 or netCDF classic
  hyperslab repack old.nc new.nc --unlimited time                   the time can still grow in the new file
  hyperslab repack era5.nc old.nc --to classic                      netCDF classic, for programs that read nothing else
  hyperslab repack archive/ packed/ --filter gzip=4 --jobs 4        a tree of files
  hyperslab repack -l /t2m:CHUNK=1x361x720 -f GZIP=4 in.h5 out.h5   as h5repack spells it

OBJECTS
  Options that change datasets take `OBJECTS:` in front: a path (/group/t2m), the name of an object anywhere (t2m), or a
  pattern with `*` (any characters of a name), `**` (any groups), `?` and `[ab]`. Without it they are about all datasets.
  Of several options about the same dataset the last one counts. Datasets that a pattern matches, but that cannot be
  changed so (scalars, variable-length values), stay as they are, which the plan says; for a path, it is an error.

FILTERS
  Joined by `+` in the order of writing: gzip[=0..9], shuffle, fletcher32, szip[=nn|ec,PIXELS], scaleoffset (integers), nbit,
  zstd[=LEVEL], lz4, lzf, lzo, blosc, blosc2, bitshuffle, bzip2, vbz, zfp (reversible), or the number of any registered
  filter with its parameters (32015=3). `none` removes all filters, `keep` leaves them alone.
  These round values, and the largest error is reported: scaleoffset=PLACES (floats, to decimal places), zfp-rate=BITS,
  zfp-precision=PLANES, zfp-accuracy=ERROR, bitgroom=DIGITS, granularbitround=DIGITS (both before a compression, such as
  bitgroom=3+shuffle+gzip=4).
  So does round=PLACES, to decimal places, which is not a filter of the file: round=2+shuffle+gzip=4 is read by all.

",
    exit_codes!()
))]
pub(crate) struct RepackArgs {
    /// Files of HDF5, netCDF or HDF4, or folders, then the new file or folder
    #[arg(required_unless_present = "files_from", value_name = "IN... OUT")]
    pub paths: Vec<PathBuf>,
    /// Chunk shape: 1x361x720, or by the names of dimensions: time=1,lat=all
    #[arg(long, value_name = "[OBJECTS:]SHAPE")]
    pub chunks: Vec<String>,
    /// Chunks of at most this many bytes
    #[arg(long, value_name = "[OBJECTS:]SIZE")]
    pub chunk_bytes: Vec<String>,
    /// Chunks that serve reads in blocks of this shape (`:` or `all` is the whole extent)
    #[arg(long = "for", value_name = "SHAPE")]
    pub read: Option<String>,
    /// Filters, joined by `+`
    #[arg(long, value_name = "[OBJECTS:]FILTERS")]
    pub filter: Vec<String>,
    /// Format of the new file: netCDF-4 for files of netCDF classic and HDF4 if omitted, HDF5 for others
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<Format>,
    /// Which encoder writes the gzip filter: `small` makes the smallest chunks of a level, `fast` is several times as fast, and
    /// `auto` takes it for datasets that it makes at most 5 % larger (10 % at levels 1 to 3, never from 7 on)
    #[arg(long, value_name = "ENCODER", default_value_t)]
    pub encoder: GzipEncoder,
    /// Store these datasets in one block, without filters
    #[arg(long, value_name = "OBJECTS")]
    pub contiguous: Vec<String>,
    /// Store these datasets in their object headers
    #[arg(long, value_name = "OBJECTS")]
    pub compact: Vec<String>,
    /// Copy only these objects, what is below them, and what they need
    #[arg(long, value_name = "OBJECTS")]
    pub only: Vec<String>,
    /// Leave out these objects, and what is below them
    #[arg(long, value_name = "OBJECTS")]
    pub drop: Vec<String>,
    /// Let a dimension grow without limit; what has it gets chunks
    #[arg(long, value_name = "DIMENSION")]
    pub unlimited: Vec<String>,
    /// Give an object another name, or another path in a group that exists
    #[arg(long, value_name = "PATH=NEW")]
    pub rename: Vec<String>,
    /// Changes of many datasets, in a TOML file
    #[arg(long, value_name = "TOML")]
    pub recipe: Option<PathBuf>,
    /// Manage the file in pages of this size (512 to 1GiB), with all metadata in the first ones
    #[arg(long, value_name = "SIZE", value_parser = hyperslab::parse_bytes)]
    pub page_size: Option<u64>,
    /// Take the fixes that `hyperslab doctor` gives for the file
    #[arg(long, value_name = "ADVISER")]
    pub like: Option<Adviser>,
    /// Pack the file as a project requires
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<PackingProfile>,
    /// The oldest HDF5 releases that can read the file; v110 if omitted
    #[arg(long, value_name = "BOUND")]
    pub libver: Option<Libver>,
    /// Size of the user block: 0, or a power of two from 512 on
    #[arg(long, value_name = "SIZE", value_parser = hyperslab::parse_bytes)]
    pub user_block: Option<u64>,
    /// Memory that is used, at least 32 MiB; a quarter of the machine's if omitted
    #[arg(long, value_name = "SIZE", value_parser = hyperslab::parse_bytes)]
    pub memory: Option<u64>,
    /// Folder for temporary files; that of the new file if omitted
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Replace a file that has the name of the new one
    #[arg(long)]
    pub overwrite: bool,
    /// Replace each file by its new version; there is no OUT
    #[arg(long, conflicts_with = "overwrite")]
    pub in_place: bool,
    /// Do not read the new file back and compare it
    #[arg(long)]
    pub no_verify: bool,
    /// Replace chunks that cannot be read by fill values, leave out objects that cannot be read (of truncated files, too), list
    /// them, and end with 1
    #[arg(long)]
    pub keep_going: bool,
    /// Print the plan, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Files to be repacked, one a line, besides IN; `-` for standard input
    #[arg(long, value_name = "LIST")]
    pub files_from: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunOptions,
    /// Print one JSON document, for several files one a line
    #[arg(long)]
    pub json: bool,
    /// h5repack's spelling of a layout: [OBJECTS:]CHUNK=1x2, CONTI, COMPA
    #[arg(short = 'l', value_name = "LAYOUT")]
    pub h5repack_layout: Vec<String>,
    /// h5repack's spelling of a filter: [OBJECTS:]GZIP=4, SHUF, FLET, SZIP=8,NN, NBIT, SOFF=2,DS, UD=..., NONE
    #[arg(short = 'f', value_name = "FILTER")]
    pub h5repack_filter: Vec<String>,
    /// h5repack's spelling of the file space strategy
    #[arg(short = 'S', value_name = "STRATEGY", ignore_case = true)]
    pub h5repack_strategy: Option<Strategy>,
    /// h5repack's spelling of the page size
    #[arg(short = 'G', value_name = "BYTES", conflicts_with = "page_size")]
    pub h5repack_page_size: Option<u64>,
}

/// Low bounds, as libhdf5 names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Libver {
    /// HDF5 1.6 and later
    Earliest,
    /// HDF5 1.8 and later
    V18,
    /// HDF5 1.10 and later
    V110,
    /// HDF5 2.0 and later
    Latest,
}

/// Formats of new files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// HDF5 by the conventions of netCDF-4; HDF5 files stay what they are
    Netcdf4,
    /// HDF5 with the names that h4toh5 gives to what is in HDF4
    #[value(name = "hdf5-h4")]
    Hdf5H4,
    /// netCDF classic: one group, one dimension that grows, variables of up to 2 GiB
    Classic,
    /// netCDF classic with 64-bit offsets: variables of up to 4 GiB
    #[value(name = "64bit")]
    Offset64,
    /// netCDF classic with 64-bit data: all numbers, any size
    Cdf5,
}

/// Who says what is to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Adviser {
    /// The fixes of `hyperslab doctor` that make no other read much slower
    Doctor,
}

/// Requirements of projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackingProfile {
    /// CMIP7: time in one chunk, chunks of data of about 4 MiB, metadata in front, for readers of HDF5 1.6
    Cmip7,
}

/// The strategies that `h5repack -S` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strategy {
    /// In pages.
    #[value(name = "PAGE")]
    Page,
    /// Not in pages, as any other file.
    #[value(name = "FSM_AGGR", alias = "AGGR", alias = "NONE")]
    Unpaged,
}

/// The page size of `h5repack -S PAGE` without `-G`.
const PAGE_BYTES_DEFAULT: u64 = 4096;

impl RepackArgs {
    /// What is asked for.
    pub(super) fn request(&self) -> Request {
        let (inputs, output) = match self.paths.split_last() {
            Some((output, inputs)) if !self.in_place => (inputs.to_vec(), Some(output.clone())),
            _ => (self.paths.clone(), None),
        };
        Request {
            inputs,
            files_from: self.files_from.clone(),
            output,
            chunks: self.chunks.clone(),
            chunk_bytes: self.chunk_bytes.clone(),
            reads_for: self.read.clone(),
            filters: self.filter.clone(),
            encoder: self.encoder,
            to: self.to.map(repack::NewFormat::from),
            contiguous: self.contiguous.clone(),
            compact: self.compact.clone(),
            only: self.only.clone(),
            drop: self.drop.clone(),
            unlimited: self.unlimited.clone(),
            rename: self.rename.clone(),
            recipe: self.recipe.clone(),
            like_doctor: self.like.is_some(),
            profile: self.profile.map(|PackingProfile::Cmip7| repack::Profile::Cmip7),
            libver: self.libver.map(repack::Libver::from),
            page_bytes: self.page_bytes(),
            sets_pages: self.h5repack_strategy.is_some(),
            user_block: self.user_block,
            memory: self.memory,
            folder: self.folder.clone(),
            overwrite: self.overwrite,
            in_place: self.in_place,
            no_verify: self.no_verify,
            keep_going: self.keep_going,
            dry_run: self.dry_run,
            h5repack_layouts: self.h5repack_layout.clone(),
            h5repack_filters: self.h5repack_filter.clone(),
        }
    }

    /// The size of pages, by either spelling.
    fn page_bytes(&self) -> Option<u64> {
        let named = self.page_size.or(self.h5repack_page_size);
        match self.h5repack_strategy {
            Some(Strategy::Unpaged) => None,
            Some(Strategy::Page) => Some(named.unwrap_or(PAGE_BYTES_DEFAULT)),
            None => named,
        }
    }
}

impl From<Format> for repack::NewFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Netcdf4 => Self::Netcdf4,
            Format::Hdf5H4 => Self::Hdf5H4,
            Format::Classic => Self::Classic,
            Format::Offset64 => Self::Offset64,
            Format::Cdf5 => Self::Cdf5,
        }
    }
}

impl From<Libver> for repack::Libver {
    fn from(libver: Libver) -> Self {
        match libver {
            Libver::Earliest => Self::Earliest,
            Libver::V18 => Self::V18,
            Libver::V110 => Self::V110,
            Libver::Latest => Self::Latest,
        }
    }
}
