//! Checks an HDF5 file, or one of netCDF's older formats, against the specification: every structure and every field of it, the counts, what refers to what,
//! and that every byte belongs to exactly one structure.
//!
//! ```no_run
//! let file = hyperslab_io::LocalFile::open("era5.nc")?;
//! let report = hyperslab_check::check(&file, hyperslab_check::Options::default())?;
//! for finding in &report.findings {
//!     println!("{}: {} at byte {:#x}: {}", finding.rule.code, finding.structure, finding.at, finding.message);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A reader skips what it does not need, and accepts what the library accepts. Here structures are read a second time,
//! field by field, by code of its own: an error in a parser would otherwise be repeated by the encoder beside it. Values
//! (datatypes, links, layouts) come from the parsers of `hyperslab-format`.
//!
//! Each module has the rules of one structure and the code that checks them. The text of the rules is [`page`].
//!
//! Deliberately absent: repairs, presentation, opening of files.

mod attributes;
mod btree_v1;
mod btree_v2;
mod catalogue;
mod checker;
mod chunk_index;
mod classic;
mod coverage;
mod data;
mod dataset;
mod extents;
mod finding;
mod fractal_heap;
mod free_space;
mod general;
mod global_heap;
mod group;
mod hdf4;
mod input;
mod message;
mod object_header;
mod objects;
mod references;
mod rule;
mod shared_messages;
mod superblock;
mod unfilter;

pub use catalogue::{page, rules_by_structure};
pub use extents::Structure;
pub use finding::{FINDINGS_MAX, Finding, Report};
pub use rule::{Rule, Severity};

use checker::Checker;
use hyperslab_format::message::cache_image::{CacheImage, Overlay, OverlayEntries};
use hyperslab_format::message::{FileSpaceInfo, FileSpaceStrategy};
use hyperslab_format::object_header::SharedMessageTable;
use hyperslab_format::superblock::{SuperblockExtension, locate};
use hyperslab_format::{FormatError, Stop, View};
use hyperslab_io::Source;
use input::Input;
use references::References;
use std::io;

/// What is checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Decodes every chunk, and follows the references in raw data.
    pub data: bool,
}

/// Why a file could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The file has no superblock that can be parsed: it is not an HDF5 file, or damaged in its first bytes.
    #[error("{0}")]
    NoSuperblock(FormatError),
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl CheckError {
    /// True if the file does not contain the signature of an HDF5 file.
    pub fn is_not_hdf5(&self) -> bool {
        matches!(self, Self::NoSuperblock(error) if error.field == "signature")
    }
}

/// Checks a file.
///
/// # Errors
/// If the file cannot be read, or has no superblock.
pub fn check(source: &dyn Source, options: Options) -> Result<Report, CheckError> {
    check_with_structures(source, options).map(|(report, _)| report)
}

/// Checks a file, and returns the structures that it consists of, in the order of their offsets.
///
/// # Errors
/// As [`check`].
pub fn check_with_structures(
    source: &dyn Source,
    options: Options,
) -> Result<(Report, Vec<Structure>), CheckError> {
    for check in [classic::check, hdf4::check] {
        if let Some(report) = check(source)? {
            return Ok((report, Vec::new()));
        }
    }
    let input = Input::new(source);
    let superblock = match locate(View::new(&input)) {
        Ok(superblock) => superblock,
        Err(Stop::Bad(error)) => return Err(CheckError::NoSuperblock(error)),
        Err(Stop::Need(_)) => {
            input.failure()?;
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
    };
    let view = superblock.view(View::new(&input));
    // What the extension says is needed before it is checked itself. Its errors are reported then.
    let extension = SuperblockExtension::parse(view, &superblock).ok().flatten();
    let image = extension.as_ref().and_then(|extension| extension.cache_image);
    let entries = image
        .and_then(|info| CacheImage::parse(view, info).ok())
        .map_or_else(OverlayEntries::default, |image| OverlayEntries::new(view, &image));
    let overlay = Overlay::new(&input, &entries);
    let view = superblock.view(View::new(&overlay));
    let mut checker = Checker::new(&input, view, superblock.clone(), options);
    if let Some(extension) = extension {
        checker.page_bytes = extension.file_space.as_ref().and_then(page_bytes);
        let table = extension.shared_messages.map(|info| SharedMessageTable::parse(view, info));
        checker.shared = table.and_then(Result::ok);
    }
    check_all(&mut checker);
    input.failure()?;
    let structures = checker.extents.structures();
    Ok((checker.report, structures))
}

fn page_bytes(space: &FileSpaceInfo) -> Option<u64> {
    (space.strategy == FileSpaceStrategy::Page).then_some(space.page_size)
}

fn check_all(checker: &mut Checker<'_>) {
    let checked = checker.check_superblock();
    checker.finish(checked);
    let checked = checker.check_extension();
    checker.finish(checked);
    let mut references = References::default();
    checker.check_objects(&mut references);
    checker.check_shared_references();
    checker.find_collections(&mut references.collections);
    checker.check_overlaps();
    checker.check_mixed_pages();
    checker.check_gaps();
    checker.report.file_bytes = checker.input.source().stored_bytes();
    checker.report.structures = checker.extents.len();
}
