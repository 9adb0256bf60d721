//! The log of `--resume`: the files that are finished, a name a line.

use crate::Error;
use crate::error::system_text;
use crate::files::lasting_name;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A log that is open for more names.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: fs::File,
}

impl Log {
    /// Opens a log, or makes one, before any file is begun. Returns it with the names that it has.
    ///
    /// # Errors
    /// If it can be neither read nor written.
    pub fn open(path: &Path) -> Result<(Self, BTreeSet<String>), Error> {
        let opened = fs::OpenOptions::new().create(true).append(true).open(path);
        let file = opened.map_err(|error| failed(path, &error))?;
        Ok((Self { path: path.to_owned(), file }, Self::read(path)?))
    }

    /// The names in a log; none if there is no such file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> Result<BTreeSet<String>, Error> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
            Err(error) => Err(failed(path, &error)),
        }
    }

    /// Adds a file that is finished.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn note(&self, path: &Path) -> Result<(), Error> {
        // One call, so that lines of several threads and processes do not mix.
        let line = lasting_name(path) + "\n";
        (&self.file).write_all(line.as_bytes()).map_err(|error| failed(&self.path, &error))
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::unreadable(format!("the log {} of --resume: {}", path.display(), system_text(error)))
}
