//! A new file that appears under its name only when it is complete.
//!
//! ```text
//! .NAME.hyperslab-part, locked ──► written ──► synced ──► renamed to NAME ──► folder synced
//! ```
//!
//! A process that is killed leaves the temporary file, which the next one for the same name takes over. One that writes it
//! has it locked, so that two processes for the same name do not mix.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is being written beside its final place. Dropping it without [`Self::publish`] removes it.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    may_replace: bool,
    is_published: bool,
}

impl OutputFile {
    /// Creates the temporary file beside `target`. With `may_replace`, a file that has the name already is replaced when
    /// the new one is complete; of a symbolic link, the file that it leads to.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::AlreadyExists`] for a target that exists and may not be replaced,
    /// [`io::ErrorKind::InvalidInput`] for one that is not a file, such as a device or a pipe,
    /// [`io::ErrorKind::WouldBlock`] if another process writes it, and those of the file system.
    pub fn create(target: &Path, may_replace: bool) -> io::Result<Self> {
        if !may_replace && target.symlink_metadata().is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let followed = target.canonicalize().ok().filter(|_| target.is_symlink());
        let target = followed.as_deref().unwrap_or(target);
        if target.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it exists, and is not a file"));
        }
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(".hyperslab-part");
        let temporary = target.with_file_name(hidden);
        let file = locked(&temporary)?;
        let output = Self { file, temporary, target: target.to_owned(), may_replace, is_published: false };
        output.file.set_len(0)?;
        Ok(output)
    }

    /// The file, opened for reading and writing.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// The name that it has until it is complete.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Lets nobody read the file who may not read another one, while it is written.
    ///
    /// # Errors
    ///
    /// Those of the system.
    #[cfg(unix)]
    pub fn restrict(&self, of: &fs::Metadata) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        // The next process for this name must be able to take it over.
        let mode = of.permissions().mode() & 0o777 | 0o600;
        self.file.set_permissions(fs::Permissions::from_mode(mode))
    }

    /// Lets nobody read the file who may not read another one, while it is written. Only on Unix.
    ///
    /// # Errors
    ///
    /// None.
    #[cfg(not(unix))]
    pub fn restrict(&self, _: &fs::Metadata) -> io::Result<()> {
        Ok(())
    }

    /// Gives the file the permissions and times of another one.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn take_attributes(&self, of: &fs::Metadata) -> io::Result<()> {
        self.file.set_permissions(of.permissions())?;
        let times = fs::FileTimes::new();
        let times = of.accessed().map_or(times, |time| times.set_accessed(time));
        let times = of.modified().map_or(times, |time| times.set_modified(time));
        self.file.set_times(times)
    }

    /// Waits until all bytes are on the device, and gives the file its name. A file that it replaces keeps its owner and group,
    /// where the system lets it.
    ///
    /// # Errors
    ///
    /// Those of the system; [`io::ErrorKind::AlreadyExists`] if the name was taken in the meantime. The temporary file
    /// is then removed.
    pub fn publish(mut self) -> io::Result<()> {
        if self.may_replace
            && let Ok(replaced) = self.target.symlink_metadata()
            && replaced.is_file()
        {
            take_owner(&self.file, &replaced)?;
        }
        self.file.sync_all()?;
        if self.may_replace {
            fs::rename(&self.temporary, &self.target)?;
        } else {
            rename_to_new(&self.temporary, &self.target)?;
        }
        self.is_published = true;
        sync_folder(&self.target)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.is_published {
            // Nothing can be done about an error: the next process for this name takes the file over.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Opens and locks a file, whether it exists or not.
fn locked(path: &Path) -> io::Result<File> {
    loop {
        // Nothing of ours, and a link would lead to a file of another name.
        if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other(format!("{} is in the way", path.display())));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        lock(&file)?;
        // Between opening and locking, the process that had it locked may have given it its final name.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn lock(file: &File) -> io::Result<()> {
    Ok(rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive)?)
}

#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<()> {
    Ok(())
}

/// Gives a file the owner and the group of another one. Only root may do so, and others may choose among their groups: what
/// is not permitted stays as it is.
///
/// # Errors
///
/// Those of setting the permissions again, which a change of the owner may take away.
#[cfg(unix)]
fn take_owner(file: &File, of: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (of.uid(), of.gid()) {
        return Ok(());
    }
    if fchown(file, Some(of.uid()), Some(of.gid())).is_err() {
        let _ = fchown(file, None, Some(of.gid()));
    }
    file.set_permissions(own.permissions())
}

#[cfg(not(unix))]
fn take_owner(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Renames a file to a name that must be free. File systems without links are asked first, which leaves a moment in which
/// another process may take the name.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if to.symlink_metadata().is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}

/// The new name is on the device when the folder is.
fn sync_folder(target: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_name_appears_with_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.h5");
        let output = OutputFile::create(&target, false).unwrap();
        output.handle().unwrap().write_all(b"bytes").unwrap();
        assert_eq!(names(folder.path()), [".out.h5.hyperslab-part"]);
        output.publish().unwrap();
        assert_eq!(
            (names(folder.path()), fs::read(&target).unwrap()),
            (vec!["out.h5".into()], b"bytes".into())
        );
        let again = OutputFile::create(&target, false).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        let replacing = OutputFile::create(&target, true).unwrap();
        replacing.handle().unwrap().write_all(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"bytes");
        replacing.publish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }

    #[test]
    fn what_is_not_published_goes() {
        let folder = tempfile::tempdir().unwrap();
        drop(OutputFile::create(&folder.path().join("out.h5"), false).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn leftovers_are_taken_over_and_locks_respected() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.h5");
        fs::write(folder.path().join(".out.h5.hyperslab-part"), b"left by a process that was killed")
            .unwrap();
        let output = OutputFile::create(&target, false).unwrap();
        assert_eq!(output.handle().unwrap().metadata().unwrap().len(), 0);
        let second = OutputFile::create(&target, false).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::WouldBlock);
        output.publish().unwrap();
        assert_eq!(names(folder.path()), ["out.h5"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_way_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [target, other] = ["out.h5", "other.h5"].map(|name| folder.path().join(name));
        fs::write(&other, b"another").unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join(".out.h5.hyperslab-part")).unwrap();
        let error = OutputFile::create(&target, false).unwrap_err();
        assert!(error.to_string().contains("is in the way"), "{error}");
        assert_eq!(fs::read(&other).unwrap(), b"another");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_stays_private_while_it_is_written() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [target, source] = ["out.h5", "in.h5"].map(|name| folder.path().join(name));
        fs::write(&source, b"private").unwrap();
        fs::set_permissions(&source, fs::Permissions::from_mode(0o400)).unwrap();
        let source = fs::metadata(&source).unwrap();
        let output = OutputFile::create(&target, false).unwrap();
        output.restrict(&source).unwrap();
        assert_eq!(fs::metadata(output.temporary()).unwrap().permissions().mode() & 0o777, 0o600);
        output.take_attributes(&source).unwrap();
        output.publish().unwrap();
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o400);
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_owner_and_group() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.h5");
        fs::write(&target, b"old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        let owned = |uid, gid| chown(&target, Some(uid), Some(gid));
        // Only root may give files away; for others, there is nothing to be kept.
        if owned(65_534, 65_533).is_err() {
            return;
        }
        let replaced = fs::metadata(&target).unwrap();
        let output = OutputFile::create(&target, true).unwrap();
        output.take_attributes(&replaced).unwrap();
        output.publish().unwrap();
        let found = fs::metadata(&target).unwrap();
        assert_eq!((found.uid(), found.gid(), found.len()), (65_534, 65_533, 0));
        assert_eq!(found.permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_name_that_was_taken_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.h5");
        let output = OutputFile::create(&target, false).unwrap();
        fs::write(&target, b"another").unwrap();
        assert_eq!(output.publish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(
            (names(folder.path()), fs::read(&target).unwrap()),
            (vec!["out.h5".into()], b"another".into())
        );
    }
}
