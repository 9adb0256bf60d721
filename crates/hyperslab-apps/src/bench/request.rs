//! What a bench measures. Words are those of the command line.

use crate::made_up::DEFAULT_RATIO;
use hyperslab_engines::EngineKind;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How records lie in memory.
pub const DEFAULT_MEMORY: &str = "as-stored";
/// The seed of made-up values.
pub const DEFAULT_SEED: u64 = 1;
/// How often each cell is measured.
pub const DEFAULT_REPEATS: usize = 5;
/// How often each file is written.
pub const DEFAULT_WRITE_REPEATS: usize = 3;
/// Seconds after which a cell is not repeated.
pub const DEFAULT_CELL_SECONDS: f64 = 20.0;
/// Seconds of all cells together.
pub const DEFAULT_SECONDS_MAX: f64 = 600.0;
/// Seconds after which a run is ended.
pub const DEFAULT_TIMEOUT: u64 = 900;

/// Which dimensions of a file that is made may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unlimited {
    /// All of them.
    All,
    /// None in one file, all in another.
    Both,
}

/// What a bench measures. Words are those of the command line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// HDF5, netCDF or HDF4 file; it is only read. Of a URL, a copy is fetched and measured.
    pub file: Option<PathBuf>,
    /// Dataset in the file; without it, the largest.
    pub dataset: Option<String>,
    /// Made-up values of this shape instead of a file.
    pub synthetic: Option<String>,
    /// Type of the values that are written: <f4, >i2, u1, S16, records {a:<f4,b:<i2,c:<f4[3],d:S1} (struct{...} with the
    /// gaps of a C struct in the file); may be repeated for made-up values.
    pub element: Vec<String>,
    /// Only these fields of records: a,c.
    pub fields: Vec<String>,
    /// How records lie in memory: as-stored, struct (a C struct, which libhdf5 converts to), columns (which HDF4 packs
    /// and unpacks).
    pub memory: String,
    /// Ratio by which gzip makes made-up values smaller.
    pub ratio: f64,
    /// Seed of made-up values and of random blocks.
    pub seed: u64,
    /// Block that is read, swept over the dataset: a shape, or the bytes of a buffer (1MiB), with @WEIGHT how much it
    /// counts beside others; may be repeated.
    pub read: Vec<String>,
    /// The reads that a program made, instead of these: a trace, one of its files, or JSON lines.
    pub reads_from: Option<PathBuf>,
    /// Order of the dimensions in which blocks move, slowest first: their numbers, their names in netCDF, or x,y,z where
    /// they have none; or `all`; may be repeated.
    pub order: Vec<String>,
    /// Only every n-th element of each block, by dimension; may be repeated.
    pub stride: Vec<String>,
    /// Blocks at this number of random places instead of a sweep.
    pub random: Option<u64>,
    /// Each block moved along every axis and along the diagonal instead of a sweep; `=AXIS` or `=diagonal` for one.
    pub moved: Option<String>,
    /// At most this number of reads of each access; the time of all is extrapolated, and marked by ≈.
    pub reads: Option<u64>,
    /// Rewrite as a file of this format: hdf5, netcdf4, classic (64-bit offsets), cdf5, hdf4; may be repeated.
    pub format: Vec<String>,
    /// Rewrite with chunks of this shape, of this many bytes (1MiB), `contiguous`, `default` (those that netCDF-C
    /// chooses), or `as-is`; may be repeated; without it, the chunks of the file.
    pub chunks: Vec<String>,
    /// Rewrite with this pipeline of filters; may be repeated; without it, that of the file.
    pub filter: Vec<String>,
    /// Rewrite with pages of this size; may be repeated.
    pub page_size: Vec<String>,
    /// Rewrite for these versions of the format: default, earliest, latest; may be repeated.
    pub libver: Vec<String>,
    /// Rewrite with this fill value.
    pub fill_value: Option<f64>,
    /// When fill values are written: if-set, alloc, never; may be repeated.
    pub fill_time: Vec<String>,
    /// When space is allocated: default, early, late, incremental; may be repeated.
    pub alloc_time: Vec<String>,
    /// Rewrite with unlimited dimensions, or with `=both`, fixed and unlimited; in files that netCDF-C or HDF4 write, the
    /// first alone is.
    pub unlimited: Option<Unlimited>,
    /// Leave out the file as it is, with which files that are rewritten are compared.
    pub no_baseline: bool,
    /// Keep the file that is written; for one storage.
    pub keep: Option<PathBuf>,
    /// Block in which files are written, a shape or the bytes of a buffer; chunk by chunk without; may be repeated.
    pub write: Vec<String>,
    /// Order of the dimensions in which blocks are written, slowest first, or `all`; may be repeated.
    pub write_order: Vec<String>,
    /// Chunk cache while writing, as in --cache; may be repeated.
    pub write_cache: Vec<String>,
    /// How often each file is written.
    pub write_repeats: usize,
    /// Chunk cache of libraries that have one, NBYTES[,NSLOTS[,W0]] or `default`; may be repeated.
    pub cache: Vec<String>,
    /// Page buffer of libraries that have one, for paged files; may be repeated.
    pub page_buffer: Vec<String>,
    /// Metadata cache of libraries that have one, of this size while a file is open; may be repeated.
    pub metadata_cache: Vec<String>,
    /// Engine that reads: hyperslab, libhdf5, netcdf, hdf4, null (what the harness itself costs); may be repeated.
    pub engine: Vec<String>,
    /// A libhdf5 at this place instead of the one that is found first; may be repeated.
    pub libhdf5: Vec<PathBuf>,
    /// A libmfhdf at this place, with libdf beside it, instead of the one that is found first; may be repeated.
    pub hdf4: Vec<PathBuf>,
    /// A netCDF-C at this place instead of the one that is found first; may be repeated.
    pub netcdf: Vec<PathBuf>,
    /// All libraries that are found, not only the first.
    pub all_libraries: bool,
    /// How often each cell is measured.
    pub repeats: usize,
    /// A cell is not repeated once its runs took this number of seconds.
    pub cell_seconds: f64,
    /// What all cells together may take: those that are predicted to take more are left out, and named.
    pub max_seconds: f64,
    /// A run that takes longer is ended.
    pub timeout: u64,
    /// Take the file out of the system's page cache before each run.
    pub cold: bool,
    /// Folder for what is written; without it, the system's temporary one.
    pub folder: Option<PathBuf>,
    /// Go on where an earlier run of this command was interrupted; `=FILE` keeps what is measured in that file.
    pub resume: Option<Option<PathBuf>>,
    /// The command line that asked, for the report.
    pub command_line: String,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            file: None,
            dataset: None,
            synthetic: None,
            element: Vec::new(),
            fields: Vec::new(),
            memory: DEFAULT_MEMORY.to_owned(),
            ratio: DEFAULT_RATIO,
            seed: DEFAULT_SEED,
            read: Vec::new(),
            reads_from: None,
            order: Vec::new(),
            stride: Vec::new(),
            random: None,
            moved: None,
            reads: None,
            format: Vec::new(),
            chunks: Vec::new(),
            filter: Vec::new(),
            page_size: Vec::new(),
            libver: Vec::new(),
            fill_value: None,
            fill_time: Vec::new(),
            alloc_time: Vec::new(),
            unlimited: None,
            no_baseline: false,
            keep: None,
            write: Vec::new(),
            write_order: Vec::new(),
            write_cache: Vec::new(),
            write_repeats: DEFAULT_WRITE_REPEATS,
            cache: Vec::new(),
            page_buffer: Vec::new(),
            metadata_cache: Vec::new(),
            engine: Vec::new(),
            libhdf5: Vec::new(),
            hdf4: Vec::new(),
            netcdf: Vec::new(),
            all_libraries: false,
            repeats: DEFAULT_REPEATS,
            cell_seconds: DEFAULT_CELL_SECONDS,
            max_seconds: DEFAULT_SECONDS_MAX,
            timeout: DEFAULT_TIMEOUT,
            cold: false,
            folder: None,
            resume: None,
            command_line: String::new(),
        }
    }
}

impl Request {
    /// The libraries of a kind that are named by their places.
    pub(super) fn libraries(&self, kind: EngineKind) -> &[PathBuf] {
        match kind {
            EngineKind::Libhdf5 => &self.libhdf5,
            EngineKind::Netcdf => &self.netcdf,
            EngineKind::Hdf4 => &self.hdf4,
            EngineKind::Hyperslab => &[],
        }
    }
}
