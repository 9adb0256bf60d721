//! Files of Python's stores: fsspec file systems and obstore stores. All ranges of a fetch are requested by one call of
//! Python, so that the store has them in flight together.

use crate::errors;
use bytes::Bytes;
use hyperslab::io::{Advice, Cancel, Changed, Deliver, DividedRanges, Source, Version};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A file of a store.
pub struct StoredFile {
    store: Py<PyAny>,
    interface: Interface,
    path: String,
    version: Version,
    /// When it was last compared with the state of the file in the store.
    compared: Mutex<Instant>,
    name: String,
    /// The beginning of the file, which every reader needs.
    head: Bytes,
}

/// How ranges are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interface {
    /// `cat_ranges` of fsspec.
    Fsspec,
    /// `get_ranges` of obstore, and of its protocol obspec.
    Obstore,
}

/// The length of the beginning.
const HEAD_BYTES: u64 = 256 << 10;
/// The most ranges, and about the most bytes, of one call of Python. Between two calls, a read can be cancelled.
const CALL_RANGES_MAX: usize = 512;
const CALL_BYTES_MAX: u64 = 64 << 20;

/// Whether the file has changed is asked at most once in this time, because each time takes a request.
const COMPARED_AFTER: Duration = Duration::from_secs(1);

impl Interface {
    /// The state of a file, as the store describes it: its length, and its entity tag or, without one, the time of its last
    /// change.
    fn version(self, store: &Bound<'_, PyAny>, path: &str) -> PyResult<Version> {
        let found = match self {
            Self::Fsspec => store.call_method1("info", (path,))?,
            Self::Obstore => store.call_method1("head", (path,))?,
        };
        version_of(&found)
    }
}

/// What begins the tag of a file of this machine, whose time says less than its bytes.
const LOCAL: &str = "local ";

/// The state in a description of a file. File systems have different names for it.
fn version_of(found: &Bound<'_, PyAny>) -> PyResult<Version> {
    const TAGS: [&str; 9] =
        ["e_tag", "etag", "ETag", "mtime", "last_modified", "LastModified", "updated", "modified", "created"];
    let tag = TAGS.iter().find_map(|name| found.get_item(name).ok().filter(|tag| !tag.is_none()));
    let tag: Option<String> = tag.map(|tag| tag.str()?.extract()).transpose()?;
    // Only fsspec's local file system names the inode.
    let tag = tag.map(|tag| if found.get_item("ino").is_ok() { format!("{LOCAL}{tag}") } else { tag });
    Ok(Version { len: found.get_item("size")?.extract()?, modified: None, tag })
}

impl StoredFile {
    /// The file at a path in a store or a file system.
    pub fn at(store: &Bound<'_, PyAny>, path: &str) -> PyResult<Self> {
        let interface = match (store.hasattr("cat_ranges")?, store.hasattr("get_ranges")?) {
            (true, _) => Interface::Fsspec,
            (false, true) => Interface::Obstore,
            (false, false) => {
                let what = "`store` must be a file system of fsspec or a store of obstore, with cat_ranges or get_ranges";
                return Err(errors::wrong_type(what));
            }
        };
        Self::new(store, interface, path, interface.version(store, path)?)
    }

    /// The file of an open file of fsspec; `None` if the object is not one, or if its bytes are not those of the store.
    pub fn of_fsspec(file: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let (Ok(store), Ok(path)) = (file.getattr("fs"), file.getattr("path")) else { return Ok(None) };
        let compression = file.getattr("compression").ok().filter(|compression| !compression.is_none());
        let (Ok(path), None, true) = (path.extract::<String>(), compression, store.hasattr("cat_ranges")?)
        else {
            return Ok(None);
        };
        // A file that is open knows its description.
        let version = match file.getattr("details").and_then(|details| version_of(&details)) {
            Ok(version) => version,
            Err(_) => Interface::Fsspec.version(&store, &path)?,
        };
        Self::new(&store, Interface::Fsspec, &path, version).map(Some)
    }

    fn new(store: &Bound<'_, PyAny>, interface: Interface, path: &str, version: Version) -> PyResult<Self> {
        let class = store.get_type().name()?.to_string();
        let name = format!("<{class}: {path}>");
        let file = Self {
            store: store.clone().unbind(),
            interface,
            path: path.into(),
            version,
            compared: Mutex::new(Instant::now()),
            name,
            head: Bytes::new(),
        };
        let first = 0..file.version.len.min(HEAD_BYTES);
        if first.is_empty() {
            return Ok(file);
        }
        let mut found = file.request(store.py(), std::slice::from_ref(&first))?;
        let head = found.pop().expect("one result for one range")?;
        Ok(Self { head, ..file })
    }

    /// Requests ranges by one call; each has its own result.
    fn request(&self, py: Python<'_>, ranges: &[Range<u64>]) -> PyResult<Vec<PyResult<Bytes>>> {
        let store = self.store.bind(py);
        let starts: Vec<u64> = ranges.iter().map(|range| range.start).collect();
        let ends: Vec<u64> = ranges.iter().map(|range| range.end).collect();
        let options = PyDict::new(py);
        let found = match self.interface {
            Interface::Fsspec => {
                options.set_item("on_error", "return")?;
                let paths = PyList::new(py, vec![&self.path; ranges.len()])?;
                store.call_method("cat_ranges", (paths, starts, ends), Some(&options))?
            }
            Interface::Obstore => {
                options.set_item("starts", starts)?;
                options.set_item("ends", ends)?;
                // The engine has merged what is worth it.
                options.set_item("coalesce", 0)?;
                store.call_method("get_ranges", (&self.path,), Some(&options))?
            }
        };
        let found: Vec<Bound<'_, PyAny>> = found.try_iter()?.collect::<PyResult<_>>()?;
        if found.len() != ranges.len() {
            let what = format!("{}: {} results for {} ranges", self.name, found.len(), ranges.len());
            return Err(io::Error::other(what).into());
        }
        Ok(found.iter().zip(ranges).map(|(found, range)| bytes_of(found, range)).collect())
    }

    fn is_inside(&self, range: &Range<u64>) -> bool {
        range.start <= range.end && range.end <= self.version.len
    }

    /// Returns an error if the store describes another state of the file than the one that was opened. It is not asked
    /// again soon.
    fn compare(&self, py: Python<'_>) -> io::Result<()> {
        {
            let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
            if self.version.tag.is_none() || compared.elapsed() < COMPARED_AFTER {
                return Ok(());
            }
            *compared = Instant::now();
        }
        let found = self.interface.version(self.store.bind(py), &self.path).map_err(io::Error::other)?;
        if found == self.version || self.is_only_touched(py, &found)? {
            return Ok(());
        }
        let (name, opened) = (self.name.clone(), self.version.clone());
        Err(Changed { name, opened, found: found.to_string() }.into())
    }

    /// True for a file of this machine of which only the time of the last change differs: length and first bytes are as they
    /// were.
    fn is_only_touched(&self, py: Python<'_>, found: &Version) -> io::Result<bool> {
        let is_local = found.tag.as_deref().is_some_and(|tag| tag.starts_with(LOCAL));
        if !is_local || found.len != self.version.len || self.head.is_empty() {
            return Ok(false);
        }
        let first = 0..self.head.len() as u64;
        let head = self.request(py, std::slice::from_ref(&first)).map_err(io::Error::other)?;
        Ok(head.into_iter().all(|head| head.is_ok_and(|head| head == self.head)))
    }

    fn in_head(&self, range: &Range<u64>) -> Option<Bytes> {
        let is_known = self.is_inside(range) && range.end <= self.head.len() as u64;
        is_known.then(|| self.head.slice(range.start as usize..range.end as usize))
    }
}

/// The bytes that a store has returned for a range. A file system of fsspec returns its exceptions.
fn bytes_of(found: &Bound<'_, PyAny>, range: &Range<u64>) -> PyResult<Bytes> {
    if found.is_instance_of::<pyo3::exceptions::PyBaseException>() {
        return Err(PyErr::from_value(found.clone()));
    }
    let bytes = crate::source::bytes_of(found)?;
    match bytes.len() as u64 == range.end - range.start {
        true => Ok(Bytes::from(bytes.into_owned())),
        false => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
    }
}

impl Source for StoredFile {
    fn len(&self) -> u64 {
        self.version.len
    }

    fn beginning(&self) -> Bytes {
        self.head.clone()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let range = at..at.checked_add(out.len() as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
        let cancel = Cancel::current();
        let mut result = Err(io::ErrorKind::UnexpectedEof.into());
        self.fetch(&[range], &cancel, &mut |_, bytes| {
            result = bytes.map(|bytes| out.copy_from_slice(&bytes));
            std::ops::ControlFlow::Break(())
        });
        cancel.check().and(result)
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        let mut remote = Vec::with_capacity(ranges.len());
        for (index, range) in ranges.iter().enumerate() {
            let known = match self.is_inside(range) {
                true => self.in_head(range).or_else(|| range.is_empty().then(Bytes::new)).map(Ok),
                false => Some(Err(io::ErrorKind::UnexpectedEof.into())),
            };
            match known {
                None => remote.push((index, range.clone())),
                Some(result) => {
                    if cancel.is_cancelled() || deliver(index, result).is_break() {
                        return;
                    }
                }
            }
        }
        // Long ranges are divided, because each connection has a limited bandwidth.
        let mut divided = DividedRanges::of(remote, self.advice());
        let pieces: Vec<_> = divided.ranges().collect();
        let mut next = 0;
        while next < pieces.len() {
            if cancel.is_cancelled() {
                return;
            }
            let mut bytes = 0;
            let fits = |piece: &&Range<u64>| {
                bytes += piece.end - piece.start;
                bytes <= CALL_BYTES_MAX
            };
            let count = pieces[next..].iter().take(CALL_RANGES_MAX).take_while(fits).count().max(1);
            let found = Python::attach(|py| match self.request(py, &pieces[next..next + count]) {
                Ok(found) => match self.compare(py) {
                    Ok(()) => found.into_iter().map(|found| found.map_err(io::Error::other)).collect(),
                    Err(error) => vec![Err(error)],
                },
                Err(error) => vec![Err(io::Error::other(error))],
            });
            // An error of the whole call is that of its first range, and ends the fetch.
            let is_over = found.len() < count;
            for (number, found) in (next..).zip(found) {
                let whole = divided.add(number, found);
                if whole.is_some_and(|(index, result)| deliver(index, result) == ControlFlow::Break(())) {
                    return;
                }
            }
            if is_over {
                return;
            }
            next += count;
        }
    }

    fn version(&self) -> Option<Version> {
        Some(self.version.clone())
    }

    fn advice(&self) -> Advice {
        Advice { gap_bytes: 64 << 10, request_bytes_max: 4 << 20, block_bytes: 64 << 10, in_flight_max: 64 }
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
