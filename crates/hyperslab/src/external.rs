//! Raw data in other files (the external file list, specification IV.A.2.h), as one source of bytes.

use crate::file::FileInner;
use crate::{Error, Result};
use hyperslab_format::heap::LocalHeap;
use hyperslab_format::message::ExternalFiles;
use hyperslab_io::{Advice, LocalFile, Source};
use std::io;
use std::sync::OnceLock;

/// The pieces of a dataset's bytes, one after the other.
pub(crate) struct ExternalData {
    pieces: Vec<Piece>,
    len: u64,
    name: String,
}

struct Piece {
    /// Where it begins among the dataset's bytes.
    start: u64,
    len: u64,
    /// Where it begins in its file.
    offset: u64,
    /// How long the file says that it is; `None` is without end.
    size: Option<u64>,
    name: String,
    /// Opened when it is needed first; a failure is not kept, the file may come.
    file: OnceLock<LocalFile>,
    owner: std::sync::Weak<FileInner>,
}

impl ExternalData {
    /// The pieces that the message lists, as far as the dataset's `len` bytes go.
    pub(crate) fn new(file: &std::sync::Arc<FileInner>, list: &ExternalFiles, len: u64) -> Result<Self> {
        let heap = file.parse(|view| LocalHeap::parse(view, list.heap)?.read(view))?;
        let mut pieces = Vec::new();
        let mut start = 0u64;
        for slot in &list.slots {
            let name = heap.text("external file name", slot.name_offset)?.to_string();
            let rest = len.saturating_sub(start);
            let piece_len = slot.size.unwrap_or(rest).min(rest);
            let (file_cell, owner) = (OnceLock::new(), std::sync::Arc::downgrade(file));
            let (offset, size) = (slot.offset, slot.size);
            pieces.push(Piece { start, len: piece_len, offset, size, name, file: file_cell, owner });
            start += piece_len;
        }
        if start < len {
            return Err(Error::damaged(format!(
                "the external files hold {start} bytes, the extent needs {len}"
            )));
        }
        Ok(Self { pieces, len, name: file.source.name() })
    }

    /// The files as the dataset's own file lists them: name, first byte, bytes.
    pub(crate) fn sources(&self) -> Vec<(String, u64, Option<u64>)> {
        self.pieces.iter().map(|piece| (piece.name.clone(), piece.offset, piece.size)).collect()
    }
}

impl Piece {
    fn open(&self) -> io::Result<&LocalFile> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let owner = self.owner.upgrade().ok_or_else(|| io::Error::other("the file was closed"))?;
        let file = owner.raw_sibling(&self.name).map_err(Error::into_io)?;
        Ok(self.file.get_or_init(|| file))
    }

    fn read_into(&self, within: u64, out: &mut [u8]) -> io::Result<()> {
        let file = self.open()?;
        let at = self.offset.saturating_add(within);
        // As in libhdf5, a file that ends early continues in zeros.
        let there = file.len().saturating_sub(at).min(out.len() as u64) as usize;
        let (read, beyond) = out.split_at_mut(there);
        beyond.fill(0);
        file.read_into(at, read)
    }
}

impl Source for ExternalData {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let end = at.checked_add(out.len() as u64).filter(|&end| end <= self.len);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let first = self.pieces.partition_point(|piece| piece.start + piece.len <= at);
        for piece in self.pieces[first..].iter().take_while(|piece| piece.start < end) {
            let (from, to) = (at.max(piece.start), end.min(piece.start + piece.len));
            if from < to {
                let part = &mut out[(from - at) as usize..(to - at) as usize];
                piece.read_into(from - piece.start, part)?;
            }
        }
        Ok(())
    }

    fn advice(&self) -> Advice {
        Advice::LOCAL
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
