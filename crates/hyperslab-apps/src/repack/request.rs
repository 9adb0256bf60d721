//! Which files are rewritten, and how.

use crate::Error;
use hyperslab_convert::classic::Version;
use hyperslab_repack::{CMIP7_BOUND, LowBound};
use hyperslab_storage::GzipEncoder;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Which files are rewritten, and how. Words are those of the command line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// Files and folders.
    pub inputs: Vec<PathBuf>,
    /// A list of more files, one a line; `-` for standard input.
    pub files_from: Option<PathBuf>,
    /// The new file or folder; none where files are replaced in place.
    pub output: Option<PathBuf>,
    /// Chunk shapes: `[OBJECTS:]SHAPE`.
    pub chunks: Vec<String>,
    /// Chunks of at most so many bytes: `[OBJECTS:]SIZE`.
    pub chunk_bytes: Vec<String>,
    /// Chunks that serve reads in blocks of this shape.
    pub reads_for: Option<String>,
    /// Filters: `[OBJECTS:]FILTERS`.
    pub filters: Vec<String>,
    /// The format of the new file; netCDF-4 for files of older formats if nothing is said.
    pub to: Option<NewFormat>,
    /// Which encoder writes the gzip filter.
    pub encoder: GzipEncoder,
    /// Datasets that are stored in one block.
    pub contiguous: Vec<String>,
    /// Datasets that are stored in their object headers.
    pub compact: Vec<String>,
    /// Objects that are copied; all if there are none.
    pub only: Vec<String>,
    /// Objects that are left out.
    pub drop: Vec<String>,
    /// Names of dimensions that get no limit.
    pub unlimited: Vec<String>,
    /// New names or paths of objects: `PATH=NEW`.
    pub rename: Vec<String>,
    /// Changes of many datasets, in a TOML file.
    pub recipe: Option<PathBuf>,
    /// Takes the fixes that the doctor gives for the file.
    pub like_doctor: bool,
    /// Packs the file as a project requires.
    pub profile: Option<Profile>,
    /// The oldest releases that can read the file; [`LowBound::default`] if nothing is said.
    pub libver: Option<Libver>,
    /// The size of pages.
    pub page_bytes: Option<u64>,
    /// True where something was said about pages: those of the file are then not kept.
    pub sets_pages: bool,
    /// Size of the user block.
    pub user_block: Option<u64>,
    /// Memory of all files that are rewritten at a time; a quarter of the machine's if nothing is said.
    pub memory: Option<u64>,
    /// Folder for temporary files; that of the new file if nothing is said.
    pub folder: Option<PathBuf>,
    /// Replaces a file that has the name of the new one.
    pub overwrite: bool,
    /// Replaces each file by its new version.
    pub in_place: bool,
    /// Does not read the new file back and compare it.
    pub no_verify: bool,
    /// Replaces what cannot be read by fill values, or leaves it out.
    pub keep_going: bool,
    /// Makes the plan, and writes nothing.
    pub dry_run: bool,
    /// Layouts as h5repack spells them.
    pub h5repack_layouts: Vec<String>,
    /// Filters as h5repack spells them.
    pub h5repack_filters: Vec<String>,
}

/// Low bounds, as libhdf5 names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Libver {
    /// HDF5 1.6 and later.
    Earliest,
    /// HDF5 1.8 and later.
    V18,
    /// HDF5 1.10 and later.
    V110,
    /// HDF5 2.0 and later.
    Latest,
}

/// Formats of new files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NewFormat {
    /// HDF5 by the conventions of netCDF-4; files of HDF5 stay what they are.
    Netcdf4,
    /// HDF5 as h4toh5 makes it of HDF4.
    #[serde(rename = "hdf5-h4")]
    Hdf5H4,
    /// netCDF classic.
    Classic,
    /// netCDF classic with 64-bit offsets.
    #[serde(rename = "64bit")]
    Offset64,
    /// netCDF classic with 64-bit data.
    Cdf5,
}

impl NewFormat {
    /// The version of netCDF classic, if it is one.
    pub(super) fn classic(self) -> Option<Version> {
        match self {
            Self::Netcdf4 | Self::Hdf5H4 => None,
            Self::Classic => Some(Version::Classic),
            Self::Offset64 => Some(Version::Offset64),
            Self::Cdf5 => Some(Version::Data64),
        }
    }
}

/// Requirements of projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// CMIP7: time in one chunk, chunks of data of about 4 MiB, metadata in front, for readers of HDF5 1.6.
    Cmip7,
}

impl Request {
    /// The low bound.
    pub(super) fn low(&self) -> LowBound {
        match (self.libver, self.profile) {
            (Some(Libver::Earliest), _) => LowBound::Earliest,
            (Some(Libver::V18), _) => LowBound::V18,
            (Some(Libver::V110), _) => LowBound::V110,
            (Some(Libver::Latest), _) => LowBound::Latest,
            (None, Some(Profile::Cmip7)) => CMIP7_BOUND,
            (None, None) => LowBound::default(),
        }
    }

    /// The version of netCDF classic that is asked for, if one is.
    ///
    /// # Errors
    /// Options that such a file has no place for.
    pub(super) fn classic(&self) -> Result<Option<Version>, Error> {
        let Some(version) = self.to.and_then(NewFormat::classic) else { return Ok(None) };
        let given = [
            ("--chunks", !self.chunks.is_empty()),
            ("--chunk-bytes", !self.chunk_bytes.is_empty()),
            ("--for", self.reads_for.is_some()),
            ("--filter", !self.filters.is_empty()),
            ("--contiguous", !self.contiguous.is_empty()),
            ("--compact", !self.compact.is_empty()),
            ("--only", !self.only.is_empty()),
            ("--drop", !self.drop.is_empty()),
            ("--rename", !self.rename.is_empty()),
            ("--unlimited", !self.unlimited.is_empty()),
            ("--recipe", self.recipe.is_some()),
            ("--like", self.like_doctor),
            ("--profile", self.profile.is_some()),
            ("--libver", self.libver.is_some()),
            ("--page-size", self.sets_pages || self.page_bytes.is_some()),
            ("--user-block", self.user_block.is_some()),
            ("-l", !self.h5repack_layouts.is_empty()),
            ("-f", !self.h5repack_filters.is_empty()),
            ("--keep-going", self.keep_going),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(Some(version)),
            Some((option, _)) => {
                let what = format!("{option} does not go with a file of netCDF classic (--to)");
                Err(Error::wrong_request(what)
                    .hint("such a file has no chunks, filters or pages, and holds all variables with all their values"))
            }
        }
    }

    /// True if a file with pages keeps them: nothing was said about pages, and the programs that read it know them.
    pub(super) fn keeps_pages(&self) -> bool {
        !self.sets_pages && self.page_bytes.is_none() && self.low() >= LowBound::V110
    }
}
