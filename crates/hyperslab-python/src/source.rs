//! The source of a file's bytes, which can be closed while objects still refer to it.

use hyperslab::io::{Advice, Cancel, Deliver, Epoch, Source, Version};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};
use std::{fmt, io};

/// The error of reading from a source that was closed.
#[derive(Debug)]
pub struct Closed;

impl std::error::Error for Closed {}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the file is closed")
    }
}

/// A source that can be closed while datasets of it still exist; reading from them is then an error.
pub struct Closable {
    /// The state that the length is of: the file is opened again to see a later one.
    epoch: Epoch,
    len: u64,
    stored_bytes: u64,
    advice: Advice,
    name: String,
    path: Option<PathBuf>,
    inner: RwLock<Option<Arc<dyn Source>>>,
}

impl Closable {
    /// Wraps a source.
    pub fn new(inner: Arc<dyn Source>) -> Self {
        let (len, advice, name) = (inner.len(), inner.advice(), inner.name());
        let path = inner.path().map(Path::to_path_buf);
        let stored_bytes = inner.stored_bytes();
        Self { epoch: inner.epoch(), len, stored_bytes, advice, name, path, inner: RwLock::new(Some(inner)) }
    }

    /// Drops the source, after the reads in progress have finished.
    pub fn close(&self) {
        *self.inner.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = None;
    }

    fn with<T>(&self, work: impl FnOnce(&dyn Source) -> io::Result<T>) -> io::Result<T> {
        let guard = self.inner.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        match guard.as_deref() {
            Some(source) => work(source),
            None => Err(io::Error::other(Closed)),
        }
    }
}

impl Source for Closable {
    fn len(&self) -> u64 {
        self.len
    }

    fn epoch(&self) -> Epoch {
        self.epoch
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn held_from(&self, at: u64) -> u64 {
        // The error that the file is closed is reported when something is read.
        self.with(|source| Ok(source.held_from(at))).unwrap_or(self.len.saturating_sub(at))
    }

    fn stored_bytes(&self) -> u64 {
        self.stored_bytes
    }

    fn beginning(&self) -> bytes::Bytes {
        self.with(|source| Ok(source.beginning())).unwrap_or_default()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.with(|source| source.read_into(at, out))
    }

    fn read_unwritten<'o>(&self, at: u64, out: &'o mut [MaybeUninit<u8>]) -> io::Result<&'o mut [u8]> {
        self.with(|source| source.read_unwritten(at, out))
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        let fetched = self.with(|source| {
            source.fetch(ranges, cancel, deliver);
            Ok(())
        });
        if let (Err(closed), false) = (fetched, ranges.is_empty()) {
            let _ = deliver(0, Err(closed));
        }
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.with(|source| source.check_unchanged())
    }

    fn version(&self) -> Option<Version> {
        self.with(|source| Ok(source.version())).ok().flatten()
    }

    fn advice(&self) -> Advice {
        self.advice
    }

    fn metadata_gap_bytes(&self) -> u64 {
        self.with(|source| Ok(source.metadata_gap_bytes())).unwrap_or(Advice::METADATA_GAP_BYTES)
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// A Python object with `seek` and `read`.
pub struct FileLike {
    object: Py<PyAny>,
    len: u64,
    name: String,
    turn: Mutex<()>,
}

impl FileLike {
    /// Determines the length of the object.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let len = object.call_method1("seek", (0, 2))?.extract()?;
        Ok(Self {
            object: object.clone().unbind(),
            len,
            name: object.repr()?.to_string(),
            turn: Mutex::new(()),
        })
    }

    fn read(&self, py: Python<'_>, at: u64, out: &mut [u8]) -> PyResult<()> {
        let object = self.object.bind(py);
        object.call_method1("seek", (at,))?;
        let mut filled = 0;
        while filled < out.len() {
            let piece = object.call_method1("read", (out.len() - filled,))?;
            let piece = bytes_of(&piece)?;
            if piece.is_empty() || piece.len() > out.len() - filled {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            out[filled..filled + piece.len()].copy_from_slice(&piece);
            filled += piece.len();
        }
        Ok(())
    }
}

/// The bytes of an object: of `bytes` without copying, of others (those of obstore) as the buffer protocol has them.
pub fn bytes_of<'o>(object: &'o Bound<'_, PyAny>) -> PyResult<Cow<'o, [u8]>> {
    match object.cast::<PyBytes>() {
        Ok(bytes) => Ok(Cow::Borrowed(bytes.as_bytes())),
        Err(_) => Ok(Cow::Owned(PyBuffer::<u8>::get(object)?.to_vec(object.py())?)),
    }
}

impl Source for FileLike {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let read = |py: Python<'_>| {
            // `seek` and `read` must be called together, and the object has a single position: one thread at a time. A
            // waiting thread releases the GIL, because the thread that it waits for may need it.
            let _turn = self.turn.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner());
            self.read(py, at, out)
        };
        Python::attach(read).map_err(io::Error::other)
    }

    fn advice(&self) -> Advice {
        // Every call enters Python, and usually something slow behind it.
        Advice { gap_bytes: 64 << 10, request_bytes_max: 8 << 20, block_bytes: 64 << 10, in_flight_max: 1 }
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
