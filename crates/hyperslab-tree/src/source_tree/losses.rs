//! What cannot be read, and is left out of a copy that keeps going.

use super::Reader;
use crate::damage::Lost;
use hyperslab::ErrorKind;
use hyperslab_encode::RepackError;

impl Reader<'_> {
    /// Those of some parts of an object that can be read; the others are noted.
    pub(super) fn readable<T>(
        &mut self,
        parts: Vec<Result<T, hyperslab::Error>>,
        path: &str,
        what: &'static str,
    ) -> Result<Vec<T>, RepackError> {
        let mut found = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Ok(part) => found.push(part),
                Err(error) => self.lose(path, what, error)?,
            }
        }
        Ok(found)
    }

    /// Notes what cannot be read, if the copy keeps going.
    pub(super) fn lose(
        &mut self,
        path: &str,
        what: &'static str,
        error: hyperslab::Error,
    ) -> Result<(), RepackError> {
        let error = error.at_object(path);
        if !self.keep_going || error.kind() == ErrorKind::Cancelled {
            return Err(error.into());
        }
        self.lost.push(Lost { path: path.into(), what, error: error.to_string() });
        Ok(())
    }
}
