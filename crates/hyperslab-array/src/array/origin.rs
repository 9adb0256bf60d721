//! Where an array was found, as messages say it.

use crate::{Error, ErrorKind};
use hyperslab_io::Source;
use std::sync::Arc;

/// The file, the path and the place that describes an object.
#[derive(Clone)]
pub struct Origin {
    /// The file.
    pub file: Arc<dyn Source>,
    /// The path in the file, as it was opened.
    pub path: String,
    /// What describes the object, in the words of its format: `object header`.
    pub structure: &'static str,
    /// Where that begins, from the first byte of the file.
    pub at: u64,
}

impl Origin {
    /// Names the object and its file in an error.
    pub fn named(&self, error: Error) -> Error {
        error.in_file(self.file.name()).at_object(self.path.clone())
    }

    /// Names the object in an error and, unless the error points into the file already, the place that describes it.
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
