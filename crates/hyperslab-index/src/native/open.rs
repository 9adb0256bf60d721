//! Opening a file with its index.

use super::NativeIndex;
use hyperslab::hdf5::use_known_metadata;
use hyperslab::io::{Source, Version};
use hyperslab::{Address, Error, ErrorKind, File, Result};
use hyperslab_io::wrap::KnownBytes;
use std::sync::Arc;

impl NativeIndex {
    /// Where the file lay when the index was made.
    pub fn url(&self) -> &str {
        &self.document.url
    }

    /// The number of chunks in the index.
    pub fn chunks(&self) -> u64 {
        self.document.datasets.iter().map(|dataset| dataset.chunks).sum()
    }

    /// Opens a file, which uses the metadata and the chunk maps of this index instead of its own. `open` opens it through what it
    /// is given to wrap the file's own source.
    ///
    /// # Errors
    /// Those of `open`; [`ErrorKind::Changed`] if it is not the file that the index was made of, or if it changed since then: its
    /// length, its time of the last change or its entity tag differs, as far as both are known, or its first bytes.
    pub fn open(
        &self,
        open: impl FnOnce(&mut dyn FnMut(Arc<dyn Source>) -> Arc<dyn Source>) -> Result<File>,
    ) -> Result<File> {
        let maps = || self.maps.iter().map(|(&object, map)| (Address(object), map.clone())).collect();
        if self.document.format.is_none() {
            let file = open(&mut |source| source)?;
            self.check(&*file.source(), file.len())?;
            use_known_metadata(&file, self.extents.iter().cloned(), maps());
            return Ok(file);
        }
        // The structures of older formats are read when the file is opened.
        let mut checked = Ok(());
        let file = open(&mut |source| {
            checked = self.check(&*source, source.stored_bytes());
            match checked {
                Ok(()) => Arc::new(KnownBytes::new(source, self.extents.iter().cloned())),
                Err(_) => source,
            }
        });
        checked?;
        let file = file?;
        use_known_metadata(&file, [], maps());
        Ok(file)
    }

    /// Returns an error if a source of `len` bytes is not the file that the index was made of.
    fn check(&self, source: &dyn Source, len: u64) -> Result<()> {
        let found = source.version().unwrap_or(Version { len, modified: None, tag: None });
        let indexed = self.document.file_version();
        let differ = |what: String| {
            let message =
                format!("it is not the file that its index {} was made of: {what}", self.path.display());
            Err(Error::new(ErrorKind::Changed, message)
                .with_hint("make the index again")
                .in_file(source.name()))
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
        Ok(())
    }
}
