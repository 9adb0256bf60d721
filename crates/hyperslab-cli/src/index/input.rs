//! The files to index: opened by path or URL, or with an index that hyperslab made before.

use super::arguments::NATIVE_ENDING;
use crate::failure::Failure;
use hyperslab::File;
use hyperslab_apps::files;
use hyperslab_index::NativeIndex;
use std::path::Path;

/// Opens a file, or the file of an index.
pub(super) fn open(path: &Path) -> Result<File, Failure> {
    if path.extension().is_none_or(|ending| ending != NATIVE_ENDING) || files::is_url(path) {
        return Ok(files::open(path)?);
    }
    let index = NativeIndex::read(path)?;
    let file = files::open(Path::new(index.url()))?;
    index.apply(&file)?;
    Ok(file)
}
