//! The origin of an array, for messages: its file, its path and its address.

use crate::{Error, ErrorKind};
use hyperslab_io::Source;
use std::sync::Arc;

/// The file, the path and the address of an object.
#[derive(Clone)]
pub struct Origin {
    /// The file.
    pub file: Arc<dyn Source>,
    /// The path in the file, as it was opened.
    pub path: String,
    /// The structure that describes the object, named as in its format: `object header`.
    pub structure: &'static str,
    /// The offset of that structure in the file.
    pub at: u64,
}

impl Origin {
    /// Adds the object and its file to an error.
    pub fn named(&self, error: Error) -> Error {
        error.in_file(self.file.name()).at_object(self.path.clone())
    }

    /// Adds the object and its file to an error, and the offset of its structure unless the error has an offset.
    pub fn located(&self, error: Error) -> Error {
        let is_located = error.offset().is_some() || error.object().is_some();
        let error = self.named(error);
        if is_located || error.kind() != ErrorKind::Damaged {
            return error;
        }
        error
            .with_context(format_args!("{} at byte {:#x}", self.structure, self.at))
            .at_byte(self.structure, self.at)
    }
}
