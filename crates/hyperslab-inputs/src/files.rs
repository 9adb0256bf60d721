//! The files that applications read: paths and, with the feature `remote`, URLs.

use crate::{Error, Result};
use hyperslab::{ErrorKind, File, OpenOptions};
use hyperslab_io::locking::OnWriter;
use hyperslab_io::{Location, LockedFiles, Locking, Opener, Source};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Opens a file. One that another program has open for writing is refused: what is read of it would be taken for the whole file.
///
/// # Errors
/// A file that cannot be read, and a folder.
pub fn open(path: &Path) -> Result<File> {
    opened(path, open_file(path, &File::options()))
}

/// Opens a file only to look at it. Of one that another program has open for writing, [`on_written_file`] hears once.
///
/// # Errors
/// A file that cannot be read, and a folder.
pub fn look(path: &Path) -> Result<File> {
    opened(path, look_with(path, &File::options()))
}

/// A folder is a wrong request, not an unreadable file.
fn opened(path: &Path, file: hyperslab::Result<File>) -> Result<File> {
    file.map_err(|error| match Error::from(error) {
        error if path.is_dir() => Error { kind: ErrorKind::Invalid, errno: Some(libc::EISDIR), ..error },
        error => error,
    })
}

/// Opens a file with these settings, as [`open`] does.
///
/// # Errors
/// A file that cannot be read.
pub fn open_file(path: &Path, options: &OpenOptions) -> hyperslab::Result<File> {
    options.open_with(opener(WrittenFiles::Refused), path)
}

/// Opens a file, as [`open`] does, and reads it through the source that `wrap` returns for the file's own source.
///
/// # Errors
/// A file that cannot be read.
pub fn open_through(
    path: &Path,
    wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
) -> hyperslab::Result<File> {
    File::options().open_through(opener(WrittenFiles::Refused), path, wrap)
}

/// Opens a file with these settings, as [`look`] does.
///
/// # Errors
/// A file that cannot be read.
pub fn look_with(path: &Path, options: &OpenOptions) -> hyperslab::Result<File> {
    options.open_with(opener(WrittenFiles::Shown), path)
}

/// Opens a file of which the source is open already, unless that is `None`. Files that it refers to are opened as by
/// [`open_file`].
pub fn open_file_of(
    source: Option<&Arc<dyn Source>>,
    path: &Path,
    options: &OpenOptions,
) -> hyperslab::Result<File> {
    let Some(source) = source else { return open_file(path, options) };
    let opened = Mutex::new(Some((Location::from(path), source.clone())));
    options.open_with(Arc::new(AlreadyOpen { opened, others: opener(WrittenFiles::Refused) }), path)
}

/// Opens one source, which is open already, without opening it again; and others.
struct AlreadyOpen {
    opened: Mutex<Option<(Location, Arc<dyn Source>)>>,
    others: Arc<dyn Opener>,
}

impl Opener for AlreadyOpen {
    fn open(&self, location: &Location) -> io::Result<Arc<dyn Source>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        match opened.take_if(|(known, _)| known == location) {
            Some((_, source)) => Ok(source),
            None => self.others.open(location),
        }
    }

    fn is_file(&self, location: &Location) -> bool {
        self.others.is_file(location)
    }
}

/// The bytes of a file, whatever they are.
pub fn open_source(path: &Path) -> io::Result<Arc<dyn Source>> {
    opener(WrittenFiles::Refused).open(&Location::from(path))
}

/// The name by which a file is recognized in a later run: a path as it is; a URL without the secrets that it may contain.
/// URLs that differ in their queries have different names.
pub fn lasting_name(path: &Path) -> String {
    let location = Location::from(path);
    let (shown, identity) = (location.to_string(), location.identity());
    if !location.is_url() || shown == identity {
        return shown;
    }
    let hash: String = Sha256::digest(identity).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{shown} query {hash}")
}

/// True for a URL.
pub fn is_url(path: &Path) -> bool {
    Location::from(path).is_url()
}

/// True for a folder: a local one, or a URL that ends with a slash.
pub fn is_folder(path: &Path) -> bool {
    match is_url(path) {
        true => path.as_os_str().as_encoded_bytes().ends_with(b"/"),
        false => path.is_dir(),
    }
}

/// The URLs of the files below a folder of a store, in order of name.
#[cfg(feature = "remote")]
pub fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = hyperslab_remote::Files::new(remote_options());
    let listed = files.list(&Location::from(folder)).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => Error::wrong_request(error.to_string()),
        _ => Error::unreadable(error.to_string()),
    })?;
    Ok(listed.into_iter().map(PathBuf::from).collect())
}

/// Without the feature `remote`, no store can be listed.
#[cfg(not(feature = "remote"))]
pub fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    Err(Error::wrong_request(format!("{}: this build does not read URLs", shown(folder))))
}

/// The path or the URL, for messages.
pub fn shown(path: &Path) -> String {
    Location::from(path).to_string()
}

/// What is done with a file that another program has open for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WrittenFiles {
    Refused,
    Shown,
}

/// Hears of files that are shown although another program has them open for writing.
static ON_WRITTEN_FILE: RwLock<Option<fn(&str)>> = RwLock::new(None);

/// Who hears, in a sentence, of each file that is looked at although another program has it open for writing. The
/// last one that is set.
pub fn on_written_file(hear: fn(&str)) {
    *ON_WRITTEN_FILE.write().unwrap_or_else(PoisonError::into_inner) = Some(hear);
}

#[cfg(feature = "remote")]
static REMOTE_OPTIONS: RwLock<Option<hyperslab_remote::RemoteOptions>> = RwLock::new(None);

/// Sets how remote files are read from now on. Until then, the environment says it.
#[cfg(feature = "remote")]
pub fn set_remote_options(options: hyperslab_remote::RemoteOptions) {
    *REMOTE_OPTIONS.write().unwrap_or_else(PoisonError::into_inner) = Some(options);
}

#[cfg(feature = "remote")]
fn remote_options() -> hyperslab_remote::RemoteOptions {
    let set = REMOTE_OPTIONS.read().unwrap_or_else(PoisonError::into_inner).clone();
    set.unwrap_or_else(hyperslab_remote::RemoteOptions::from_environment)
}

/// Opens files with a shared lock, as libhdf5 does.
fn opener(written: WrittenFiles) -> Arc<dyn Opener> {
    let locking = Locking::from_environment().unwrap_or_default();
    let on_writer: OnWriter = match written {
        WrittenFiles::Shown => Arc::new(|location, _| {
            warn_of_writer(location);
            Ok(())
        }),
        WrittenFiles::Refused => Arc::new(|_, error| {
            let hint = "close it there, or set HDF5_USE_FILE_LOCKING=FALSE to read it nevertheless";
            Err(io::Error::new(error.kind(), format!("{error}; {hint}")))
        }),
    };
    Arc::new(LockedFiles::with(files(), locking, on_writer))
}

/// Says it once of each file. Files are opened in many places and by many threads, which have no observer.
fn warn_of_writer(location: &Location) {
    static WARNED: Mutex<Vec<Location>> = Mutex::new(Vec::new());
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if !warned.contains(location) {
        warned.push(location.clone());
        let what = "another program has it open for writing; what is shown may be incomplete";
        let hear = *ON_WRITTEN_FILE.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(hear) = hear {
            hear(&format!("{location}: {what}"));
        }
    }
}

#[cfg(feature = "remote")]
fn files() -> Arc<dyn Opener> {
    Arc::new(hyperslab_remote::Files::new(remote_options()))
}

#[cfg(not(feature = "remote"))]
fn files() -> Arc<dyn Opener> {
    Arc::new(hyperslab_io::LocalFiles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_name_has_no_secrets_and_does_not_depend_on_the_signature() {
        let name = |text: &str| lasting_name(Path::new(text));
        assert_eq!(name("a b/c.h5"), "a b/c.h5");
        assert_eq!(name("s3://bucket/c.h5"), "s3://bucket/c.h5");
        assert_eq!(name("https://u:p@host/c.h5?X-Amz-Signature=secret"), "https://host/c.h5");
        let (one, other) =
            (name("https://host/get?token=secret&file=1"), name("https://host/get?token=secret&file=2"));
        assert!(
            one.starts_with("https://host/get query ") && !one.contains("secret") && one != other,
            "{one} {other}"
        );
        assert_eq!(one, name("https://host/get?token=secret&file=1&X-Amz-Signature=x"));
    }
}
