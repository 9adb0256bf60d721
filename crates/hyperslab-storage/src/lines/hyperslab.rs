//! hyperslab's command line.

use super::{StorageLines, h5repack, shell_word};
use crate::pattern::shape_text;
use crate::storage_change::StorageChange;
use hyperslab_units::bytes_option;

impl StorageChange {
    /// The command line of hyperslab for a file.
    pub fn hyperslab(&self, file: &str) -> String {
        self.hyperslab_to(file, h5repack::OUTPUT)
    }

    /// The command line of hyperslab for a file, and the name of the new one.
    pub fn hyperslab_to(&self, file: &str, output: &str) -> String {
        let mut words = vec!["hyperslab repack".to_owned()];
        words.extend(self.page_bytes().map(|bytes| format!("--page-size {}", bytes_option(bytes))));
        h5repack::line(self, words, file, output)
    }
}

impl StorageLines<'_> {
    /// The command line of hyperslab, with the filters as `--filter` takes them.
    pub fn hyperslab(&self, filters: &str) -> String {
        let mut words = vec!["hyperslab repack".to_owned()];
        words.extend(self.page_bytes.map(|bytes| format!("--page-size {}", bytes_option(bytes))));
        match self.chunks {
            Some(chunks) => words.extend([
                format!("--chunks {}", self.option(&shape_text(chunks))),
                format!("--filter {}", self.option(filters)),
            ]),
            None => words.push(format!("--contiguous {}", shell_word(self.path))),
        }
        words.extend([shell_word(self.file), self.output().to_owned()]);
        words.join(" ")
    }
}
