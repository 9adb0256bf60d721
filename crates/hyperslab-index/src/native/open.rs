//! Opening a file with its index.

use super::NativeIndex;
use hyperslab::hdf5::use_known_metadata;
use hyperslab::io::Version;
use hyperslab::{Address, Error, ErrorKind, File, Result};

impl NativeIndex {
    /// Where the file lay when the index was made.
    pub fn url(&self) -> &str {
        &self.document.url
    }

    /// The number of chunks in the index.
    pub fn chunks(&self) -> u64 {
        self.document.datasets.iter().map(|dataset| dataset.chunks).sum()
    }

    /// Lets a file that was just opened use the metadata and the chunk maps of this index instead of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if it is not the file that the index was made of, or if it changed since then: its length, its
    /// time of the last change or its entity tag differs, as far as both are known, or its first bytes.
    pub fn apply(&self, file: &File) -> Result<()> {
        let source = file.source();
        let found = source.version().unwrap_or(Version { len: file.len(), modified: None, tag: None });
        let indexed = self.document.file_version();
        let differ = |what: String| {
            let message =
                format!("it is not the file that its index {} was made of: {what}", self.path.display());
            Err(Error::new(ErrorKind::Changed, message)
                .with_hint("make the index again")
                .in_file(file.name()))
        };
        let is_other = |here: bool, there: bool, differs: bool| here && there && differs;
        if found.len != indexed.len
            || is_other(found.tag.is_some(), indexed.tag.is_some(), found.tag != indexed.tag)
        {
            return differ(format!("{found}, in the index {indexed}"));
        }
        // A time alone says little: `touch` changes it. The bytes that the index has of the file decide.
        let is_touched = is_other(
            found.modified.is_some(),
            indexed.modified.is_some(),
            found.modified != indexed.modified,
        );
        if is_touched {
            for (offset, bytes) in &self.extents {
                let mut stored = vec![0; bytes.len()];
                if source.read_into(*offset, &mut stored).is_err() || stored[..] != bytes[..] {
                    return differ(format!(
                        "{found}, in the index {indexed}; the bytes at {offset:#x} differ"
                    ));
                }
            }
        }
        // The only comparison for a copy whose file system or server says nothing that can be compared.
        let beginning = source.beginning();
        for (offset, bytes) in &self.extents {
            let end = (offset.saturating_add(bytes.len() as u64)).min(beginning.len() as u64);
            if *offset < end && beginning[*offset as usize..end as usize] != bytes[..(end - offset) as usize]
            {
                return differ(format!("the bytes at {offset:#x} differ"));
            }
        }
        let maps = self.maps.iter().map(|(&object, map)| (Address(object), map.clone())).collect();
        use_known_metadata(file, self.extents.iter().cloned(), maps);
        Ok(())
    }
}
