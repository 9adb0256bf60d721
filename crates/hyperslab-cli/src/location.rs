//! The files of the command line: paths and, with the feature `remote`, URLs.

use crate::failure::{Failure, WRONG_REQUEST};
use hyperslab::{File, OpenOptions};
use hyperslab_io::{Location, Opener, Source};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Opens a file. A folder is a wrong request, not an unreadable file.
pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    open_file(path, &File::options()).map_err(|error| {
        let failure = Failure::from(error);
        if path.is_dir() { Failure { code: WRONG_REQUEST, ..failure } } else { failure }
    })
}

/// Opens a file with these settings.
pub(crate) fn open_file(path: &Path, options: &OpenOptions) -> hyperslab::Result<File> {
    options.open_with(opener(), path)
}

/// The bytes of a file, whatever they are.
pub(crate) fn open_source(path: &Path) -> io::Result<Arc<dyn Source>> {
    opener().open(&Location::from(path))
}

/// True for a URL.
pub(crate) fn is_url(path: &Path) -> bool {
    Location::from(path).is_url()
}

/// The path or the URL, for messages.
pub(crate) fn shown(path: &Path) -> String {
    Location::from(path).to_string()
}

#[cfg(feature = "remote")]
fn opener() -> Arc<dyn Opener> {
    Arc::new(hyperslab_remote::Files::new(crate::network::options()))
}

#[cfg(not(feature = "remote"))]
fn opener() -> Arc<dyn Opener> {
    Arc::new(hyperslab_io::LocalFiles)
}
