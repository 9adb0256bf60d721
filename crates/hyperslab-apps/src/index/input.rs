//! The files to index: opened by path or URL, or with an index that hyperslab made before.

use super::format::native;
use crate::{Result, files};
use hyperslab::File;
use hyperslab_index::NativeIndex;
use std::path::Path;

/// Opens a file, or the file of an index.
pub(super) fn open(path: &Path) -> Result<File> {
    if path.extension().is_none_or(|ending| ending != native::FORMAT.ending) || files::is_url(path) {
        return files::open(path);
    }
    let index = NativeIndex::read(path)?;
    Ok(index.open(|wrap| files::open_through(Path::new(index.url()), wrap))?)
}
