//! `hyperslab.File`.

use crate::errors;
use crate::group::Group;
use crate::session::Session;
use crate::settings;
use crate::source::FileLike;
use hyperslab::io::{LocalFile, Memory, Source};
use hyperslab::{ErrorKind, OpenOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyType};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// An HDF5 file, open for reading; its root group.
#[pyclass(frozen, subclass, extends = Group, module = "hyperslab", weakref)]
pub struct File {
    session: Arc<Session>,
}

/// Arguments of `h5py.File` that tune libhdf5 or concern writing: accepted, and of no effect.
const WITHOUT_EFFECT: &[&str] = &[
    "libver",
    "userblock_size",
    "swmr",
    "rdcc_nslots",
    "rdcc_nbytes",
    "rdcc_w0",
    "track_order",
    "fs_strategy",
    "fs_persist",
    "fs_threshold",
    "fs_page_size",
    "page_buf_size",
    "min_meta_keep",
    "min_raw_keep",
    "locking",
    "alignment_threshold",
    "alignment_interval",
    "meta_block_size",
    "track_times",
    "memb_size",
    "meta_ext",
    "raw_ext",
];

impl File {
    /// The file of a session.
    pub fn of<'py>(py: Python<'py>, session: &Arc<Session>) -> PyResult<Bound<'py, PyAny>> {
        session.check_open()?;
        let group = py.detach(|| session.file.root()).map_err(errors::raise)?;
        Ok(Bound::new(py, Self::initializer(session.clone(), group))?.into_any())
    }

    fn initializer(session: Arc<Session>, group: hyperslab::Group) -> PyClassInitializer<Self> {
        let base = Group { session: session.clone(), group };
        PyClassInitializer::from(base).add_subclass(File { session })
    }

    fn open(
        py: Python<'_>,
        session: impl FnOnce() -> hyperslab::Result<Session> + Send,
    ) -> PyResult<PyClassInitializer<Self>> {
        let open = || {
            let session = session()?;
            let group = session.file.root()?;
            Ok((Arc::new(session), group))
        };
        let (session, group) = py.detach(open).map_err(errors::raise_opening)?;
        Ok(Self::initializer(session, group))
    }
}

/// Only reading is possible.
pub fn check_mode(mode: &str) -> PyResult<()> {
    match mode {
        "r" => Ok(()),
        "r+" | "w" | "w-" | "x" | "a" => {
            Err(errors::invalid(format!("hyperslab reads: a file is opened with mode 'r', not {mode:?}")))
        }
        _ => Err(errors::invalid(format!("there is no mode {mode:?}; a file is opened with mode 'r'"))),
    }
}

/// Files are not locked, whatever is asked for; but it must be something that can be asked for.
pub fn check_locking(locking: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_word = |word: String| matches!(word.as_str(), "true" | "false" | "best-effort");
    if locking.is_none() || locking.is_instance_of::<PyBool>() || locking.extract().is_ok_and(is_word) {
        return Ok(());
    }
    Err(errors::invalid(format!("locking is True, False or \"best-effort\", not {}", locking.repr()?)))
}

fn check_options(driver: Option<&str>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    if let Some(driver) = driver
        && !matches!(driver, "sec2" | "stdio" | "core" | "fileobj" | "family" | "split" | "multi")
    {
        return Err(errors::invalid(format!(
            "there is no driver {driver:?} here; files are read without one"
        )));
    }
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        if name == "locking" {
            check_locking(&value)?;
        }
        if !WITHOUT_EFFECT.contains(&name.as_str()) {
            return Err(errors::wrong_type(format!("File() got an unexpected keyword argument {name:?}")));
        }
    }
    Ok(())
}

#[pymethods]
impl File {
    /// Opens a file. Arguments that tune libhdf5 (`rdcc_nbytes` and its like) are accepted and have no effect.
    ///
    /// `cache_bytes` (a number, or text such as "2GiB") gives the file a cache of its own; `threads` bounds how many
    /// threads of the process its reads use.
    #[new]
    #[pyo3(signature = (name, mode="r", driver=None, *, cache_bytes=None, threads=None, **options))]
    fn new(
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        mode: &str,
        driver: Option<&str>,
        cache_bytes: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        check_mode(mode)?;
        check_options(driver, options)?;
        let settings = settings::of_file(cache_bytes, threads)?;
        if name.hasattr("read")? && name.hasattr("seek")? {
            let source = FileLike::new(name)?;
            let filename = source.name().into();
            return Self::open(py, || Session::open("fileobj", Arc::new(source), filename, &settings));
        }
        let path = crate::helper(py, "os", "fsdecode")?.call1((name,))?;
        let path = PathBuf::from(path.extract::<OsString>()?);
        Self::open(py, || Session::open_local(path.clone(), &settings)).map_err(|error| {
            // What the system says against the file itself is told in its own exceptions.
            match py.detach(|| LocalFile::open(&path)) {
                Err(refusal) if refusal.kind() != io::ErrorKind::NotFound => {
                    errors::not_opened(&path.display().to_string(), &refusal)
                }
                _ => error,
            }
        })
    }

    /// Opens a file whose bytes are in memory already.
    #[classmethod]
    fn in_memory<'py>(
        class: &Bound<'py, PyType>,
        file_image: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = class.py();
        let bytes = crate::helper(py, "builtins", "bytes")?.call1((file_image,))?.extract::<Vec<u8>>()?;
        let source = Arc::new(Memory::new("file in memory", bytes));
        let session = || Session::open("core", source, "file in memory".into(), &OpenOptions::new());
        Ok(Bound::new(py, Self::open(py, session)?)?.into_any())
    }

    /// Closes the file; every object of it becomes unusable.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.session.close());
    }

    /// Nothing is ever written; for programs that flush whatever they use.
    fn flush(&self) -> PyResult<()> {
        self.session.check_open()
    }

    fn __enter__<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.get().session.check_open()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(py);
    }

    /// The path, as it was given.
    #[getter]
    fn filename(&self) -> PyResult<&OsStr> {
        self.session.check_open()?;
        Ok(self.session.filename.as_os_str())
    }

    /// Always "r".
    #[getter]
    fn mode(&self) -> PyResult<&'static str> {
        self.session.check_open()?;
        Ok("r")
    }

    /// "sec2" for a local file, "family", "split" or "multi" for one that consists of several, "core" for one in
    /// memory, "fileobj" for a Python object.
    #[getter]
    fn driver(&self) -> PyResult<&'static str> {
        self.session.check_open()?;
        Ok(self.session.driver)
    }

    /// Always False: the file is read as it was when it was opened.
    #[getter]
    fn swmr_mode(&self) -> bool {
        false
    }

    /// Bytes before the HDF5 file proper.
    #[getter]
    fn userblock_size(&self) -> PyResult<u64> {
        self.session.check_open()?;
        Ok(self.session.file.superblock().base)
    }

    /// How many chunks of this file were decoded so far.
    #[getter]
    fn decodes(&self) -> PyResult<u64> {
        self.session.check_open()?;
        Ok(self.session.file.decodes())
    }

    fn __repr__(&self) -> String {
        if !self.session.is_open() {
            return "<Closed HDF5 file>".into();
        }
        let path = &self.session.filename;
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        format!("<HDF5 file \"{name}\" (mode r)>")
    }
}

/// True where `fname` is an HDF5 file; False where it is none, or is not there.
#[pyfunction]
pub fn is_hdf5(py: Python<'_>, fname: &Bound<'_, PyAny>) -> PyResult<bool> {
    let path = crate::helper(py, "os", "fsdecode")?.call1((fname,))?;
    let path = PathBuf::from(path.extract::<OsString>()?);
    Ok(py.detach(|| match hyperslab::File::open(path) {
        Ok(_) => true,
        // Whatever else is wrong with it, it began like one.
        Err(error) => matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Unsupported | ErrorKind::Limit),
    }))
}
