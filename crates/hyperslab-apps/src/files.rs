//! The files that applications read: paths and, with the feature `remote`, URLs.

use crate::Error;
use hyperslab::{ErrorKind, File, OpenOptions};
use hyperslab_io::locking::OnWriter;
use hyperslab_io::{Location, LockedFiles, Locking, Opener, Source};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
#[cfg(feature = "remote")]
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Opens a file. A folder is a wrong request, not an unreadable file.
pub fn open(path: &Path) -> Result<File, Error> {
    open_file(path, &File::options()).map_err(|error| {
        let error = Error::from(error);
        if path.is_dir() { Error { kind: ErrorKind::Invalid, ..error } } else { error }
    })
}

/// Opens a file with these settings.
pub fn open_file(path: &Path, options: &OpenOptions) -> hyperslab::Result<File> {
    options.open_with(opener(), path)
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
    options.open_with(Arc::new(AlreadyOpen { opened, others: opener() }), path)
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
    opener().open(&Location::from(path))
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
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let files = hyperslab_remote::Files::new(remote_options());
    let listed = files.list(&Location::from(folder)).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => Error::wrong_request(error.to_string()),
        _ => Error::unreadable(error.to_string()),
    })?;
    Ok(listed.into_iter().map(PathBuf::from).collect())
}

/// Without the feature `remote`, no store can be listed.
#[cfg(not(feature = "remote"))]
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    Err(Error::wrong_request(format!("{}: this build does not read URLs", shown(folder))))
}

/// The path or the URL, for messages.
pub fn shown(path: &Path) -> String {
    Location::from(path).to_string()
}

/// What a command does with a file that another program has open for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenFiles {
    /// It refuses the file: its result would be taken for that of the whole file.
    Refused,
    /// It looks at the file, and warns once.
    Shown,
}

/// Set when the command begins, before a file is opened.
static SHOWS_WRITTEN_FILES: AtomicBool = AtomicBool::new(false);

/// Sets what is done with files that are open for writing.
pub fn handle_written_files(how: WrittenFiles) {
    SHOWS_WRITTEN_FILES.store(how == WrittenFiles::Shown, Ordering::Relaxed);
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
fn opener() -> Arc<dyn Opener> {
    let locking = Locking::from_environment().unwrap_or_default();
    let on_writer: OnWriter = match SHOWS_WRITTEN_FILES.load(Ordering::Relaxed) {
        true => Arc::new(|location, _| {
            warn_of_writer(location);
            Ok(())
        }),
        false => Arc::new(|_, error| {
            let hint = "close it there, or set HDF5_USE_FILE_LOCKING=FALSE to read it nevertheless";
            Err(io::Error::new(error.kind(), format!("{error}; {hint}")))
        }),
    };
    Arc::new(LockedFiles::with(files(), locking, on_writer))
}

/// Warns once of each file. Files are opened in many places and by many threads, which have no stream for messages.
fn warn_of_writer(location: &Location) {
    static WARNED: Mutex<Vec<Location>> = Mutex::new(Vec::new());
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if !warned.contains(location) {
        warned.push(location.clone());
        let what = "another program has it open for writing; what is shown may be incomplete";
        let _ = writeln!(io::stderr(), "warning: {location}: {what}");
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
