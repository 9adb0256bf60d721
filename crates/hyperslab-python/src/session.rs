//! An open file, shared by all Python objects opened from it.

use crate::errors;
use crate::source::Closable;
use hyperslab::io::{Location, LockedFiles, Source};
use hyperslab::{Driver, LinkTarget, Object, OpenOptions};
use hyperslab_format::Address;
use hyperslab_index::NativeIndex;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// An open file.
pub struct Session {
    /// The engine's file.
    pub file: hyperslab::File,
    /// The path as it was given, or a description for files that are not local.
    pub filename: PathBuf,
    /// The driver that h5py would report.
    pub driver: &'static str,
    /// The path with symbolic links resolved, if it is a local file.
    canonical: Option<PathBuf>,
    /// `None` for a file that another one refers to, which the engine opened.
    source: Option<Arc<Closable>>,
    /// The locks of the file and of those that it refers to.
    locks: Option<Arc<LockedFiles>>,
    /// The session through which the file was reached by an external link, if any. Closing that session closes this
    /// one.
    parent: Option<Arc<Session>>,
    open: AtomicBool,
    paths: OnceLock<HashMap<Address, String>>,
    /// `cache_bytes`, `threads` and `locking`, as the program gave them to a local file.
    given: OnceLock<Given>,
}

/// The cache budget in bytes, the number of threads and `locking` of a file, if the program set them.
pub type Given = (Option<usize>, Option<usize>, Option<&'static str>);

impl Session {
    /// Opens an HDF5 file.
    pub fn open(
        driver: &'static str,
        source: Arc<dyn Source>,
        filename: PathBuf,
        options: &OpenOptions,
        index: Option<&NativeIndex>,
    ) -> hyperslab::Result<Self> {
        let source = Arc::new(Closable::new(source));
        let file = match index {
            None => options.open_source(source.clone())?,
            Some(index) => index.open(|wrap| options.open_source(wrap(source.clone())))?,
        };
        Ok(Self::new(file, filename, driver, None, Some(source), None, None))
    }

    /// Opens an HDF5 file by its path or its URL, or the several files that it consists of.
    pub fn open_at(
        path: PathBuf,
        opener: Arc<LockedFiles>,
        options: &OpenOptions,
        index: Option<&NativeIndex>,
    ) -> hyperslab::Result<Self> {
        let mut closable = None;
        let mut closing =
            |source| -> Arc<dyn Source> { closable.insert(Arc::new(Closable::new(source))).clone() };
        let file = match index {
            None => options.open_through(opener.clone(), path.clone(), closing)?,
            Some(index) => index.open(|wrap| {
                options.open_through(opener.clone(), path.clone(), |source| wrap(closing(source)))
            })?,
        };
        let is_url = Location::from(path.clone()).is_url();
        let canonical = if is_url { None } else { PathBuf::from(file.name()).canonicalize().ok() };
        let driver = file.driver().map_or(if is_url { "ros3" } else { "sec2" }, Driver::name);
        // A URL without the signature that it may contain.
        let path = if is_url { PathBuf::from(file.name()) } else { path };
        Ok(Self::new(file, path, driver, canonical, closable, Some(opener), None))
    }

    /// The session of a file that was reached through an external link.
    pub fn of(self: &Arc<Self>, file: hyperslab::File) -> Arc<Self> {
        if file.is_same(&self.file) {
            return self.clone();
        }
        let filename = PathBuf::from(file.name());
        let canonical = filename.canonicalize().ok();
        Arc::new(Self::new(file, filename, self.driver, canonical, None, None, Some(self.clone())))
    }

    fn new(
        file: hyperslab::File,
        filename: PathBuf,
        driver: &'static str,
        canonical: Option<PathBuf>,
        source: Option<Arc<Closable>>,
        locks: Option<Arc<LockedFiles>>,
        parent: Option<Arc<Session>>,
    ) -> Self {
        let (open, paths, given) = (AtomicBool::new(true), OnceLock::new(), OnceLock::new());
        Self { file, filename, driver, canonical, source, locks, parent, open, paths, given }
    }

    /// The same session, which remembers what the program set.
    pub fn remembering(self, given: Given) -> Self {
        let _ = self.given.set(given);
        self
    }

    /// What another process needs to open the file again: its path, and what the program set. An error for a file that has
    /// no path.
    pub fn recipe(&self) -> PyResult<(PathBuf, Given)> {
        self.check_open()?;
        let given = self.given.get().copied().or_else(|| self.parent.as_ref()?.given.get().copied());
        match (&self.canonical, given) {
            (Some(path), Some(given)) => Ok((path.clone(), given)),
            _ => Err(crate::errors::wrong_type("only files with a path can be pickled, by that path")),
        }
    }

    /// False after [`Self::close`].
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed) && self.parent.as_ref().is_none_or(|parent| parent.is_open())
    }

    /// An error after [`Self::close`].
    #[inline]
    pub fn check_open(&self) -> PyResult<()> {
        if self.is_open() { Ok(()) } else { Err(errors::closed(&self.filename.display().to_string())) }
    }

    /// True if both are open and are the same file.
    pub fn is_same_file(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.is_open()
                && other.is_open()
                && self.canonical.is_some()
                && self.canonical == other.canonical)
    }

    /// Ends all reading through this session.
    pub fn close(&self) {
        self.open.store(false, Ordering::Relaxed);
        if let Some(source) = &self.source {
            source.close();
        }
        if let Some(locks) = &self.locks {
            locks.release();
        }
    }

    /// The first path, in order of names, to an object that was reached by a reference; `None` if there is none. The
    /// first call searches the whole file.
    pub fn path_of(&self, address: Address) -> Option<&str> {
        self.paths.get_or_init(|| self.collect_paths()).get(&address).map(String::as_str)
    }

    fn collect_paths(&self) -> HashMap<Address, String> {
        let Ok(root) = self.file.root() else { return HashMap::new() };
        let mut paths = HashMap::new();
        paths.insert(self.file.root_address(), "/".to_string());
        let mut groups = vec![root];
        while let Some(group) = groups.pop() {
            for link in group.links().into_iter().flatten().flatten() {
                let LinkTarget::Hard(address) = link.target else { continue };
                if paths.contains_key(&address) {
                    continue;
                }
                let slash = if group.path().ends_with('/') { "" } else { "/" };
                paths.insert(address, format!("{}{slash}{}", group.path(), link.name));
                if let Ok(Object::Group(group)) = group.open(&link) {
                    groups.push(group);
                }
            }
        }
        paths
    }
}
