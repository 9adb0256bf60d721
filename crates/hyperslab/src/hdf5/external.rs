//! External storage: the raw data of a dataset in other files (specification IV.A.2.h), as one source of bytes.

use super::file::Hdf5File;
use crate::format_error::OrError;
use crate::open_file::FileInner;
use crate::stored_dataset::ExternalFile;
use crate::{Error, Result};
use hyperslab_format::heap::LocalHeap;
use hyperslab_format::message::ExternalFiles;
use hyperslab_io::{Advice, Memory, Piece, Pieces, Source};
use std::io;
use std::sync::{Arc, OnceLock, Weak};

/// The files that the message lists.
pub(super) fn files(owner: &Hdf5File, list: &ExternalFiles) -> Result<Vec<ExternalFile>> {
    let heap = owner.parse(|view| LocalHeap::parse(view, list.heap)?.read(view))?;
    let named = list.slots.iter().map(|slot| {
        let name = heap.text("external file name", slot.name_offset).or_error()?.to_string();
        Ok(ExternalFile { name, offset: slot.offset, size: slot.size })
    });
    named.collect()
}

/// Joins the external files of a dataset of `len` bytes, in their order.
pub(crate) fn join(owner: &Arc<FileInner>, files: &[ExternalFile], len: u64) -> Result<Arc<dyn Source>> {
    let mut pieces = Vec::new();
    let mut start = 0u64;
    for file in files {
        let rest = len - start;
        let len = file.size.unwrap_or(rest).min(rest);
        let segment = Segment {
            file: file.clone(),
            len,
            advice: owner.source.advice(),
            owner: Arc::downgrade(owner),
            opened: OnceLock::new(),
        };
        pieces.push(Piece { start, len, source: Ok(Arc::new(segment)) });
        start += len;
    }
    if start < len {
        let what = format!("the external files have {start} bytes, but the dataset has {len}");
        return Err(Error::damaged(what));
    }
    Ok(match Pieces::new(pieces) {
        Some(pieces) => Arc::new(pieces),
        None => Arc::new(Memory::new(owner.source.name(), Vec::new())),
    })
}

/// The bytes of a dataset in one external file, which is opened when it is first read.
struct Segment {
    file: ExternalFile,
    len: u64,
    advice: Advice,
    owner: Weak<FileInner>,
    /// An error is not cached, because the file may be added later.
    opened: OnceLock<Arc<dyn Source>>,
}

impl Segment {
    fn open(&self) -> io::Result<&dyn Source> {
        if let Some(source) = self.opened.get() {
            return Ok(&**source);
        }
        let owner = self.owner.upgrade().ok_or_else(|| io::Error::other("the file was closed"))?;
        let source = owner.linked_data(&self.file.name).map_err(Error::into_io)?;
        Ok(&**self.opened.get_or_init(|| source))
    }
}

impl Source for Segment {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let end = at.checked_add(out.len() as u64).filter(|&end| end <= self.len);
        end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let source = self.open()?;
        let at = self.file.offset.saturating_add(at);
        // As in libhdf5, the bytes beyond the end of an external file are zero.
        let there = source.len().saturating_sub(at).min(out.len() as u64) as usize;
        let (read, beyond) = out.split_at_mut(there);
        beyond.fill(0);
        source.read_into(at, read)
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.opened.get().map_or(Ok(()), |source| source.check_unchanged())
    }

    fn advice(&self) -> Advice {
        self.advice
    }

    fn name(&self) -> String {
        self.file.name.clone()
    }
}
