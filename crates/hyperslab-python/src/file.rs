//! `hyperslab.File`.

use crate::group::Group;
use crate::session::Session;
use crate::source::FileLike;
use crate::stores::StoredFile;
use crate::{errors, interrupt, remote, settings};
use hyperslab::io::{LocalFile, Location, LockedFiles, Locking, Memory, Source};
use hyperslab::{ErrorKind, OpenOptions};
use hyperslab_index::NativeIndex;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple, PyType};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// An HDF5 file open for reading, and its root group.
#[pyclass(frozen, subclass, extends = Group, module = "hyperslab", weakref, dict)]
pub struct File {
    /// Set by `__init__`, which subclasses may have their own of.
    session: OnceLock<Arc<Session>>,
}

/// A file of the engine, and its root group.
type Opened = (Arc<Session>, hyperslab::Group);

/// Arguments of `h5py.File` that tune libhdf5 or concern writing; accepted without effect.
const WITHOUT_EFFECT: &[&str] = &[
    "libver",
    "userblock_size",
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
    "alignment_threshold",
    "alignment_interval",
    "meta_block_size",
    "track_times",
    "memb_size",
    "meta_ext",
    "raw_ext",
    "backing_store",
    "block_size",
];

impl File {
    /// What the file's objects share. An error if the file is closed, or was never opened.
    pub fn session(&self) -> PyResult<&Arc<Session>> {
        let session = self.session.get().ok_or_else(errors::never_opened)?;
        session.check_open()?;
        Ok(session)
    }

    /// The file of a session.
    pub fn of<'py>(py: Python<'py>, session: &Arc<Session>) -> PyResult<Bound<'py, PyAny>> {
        session.check_open()?;
        let group = interrupt::detach(py, || session.file.root())?.map_err(errors::raise)?;
        let file = Bound::new(py, Self::unopened())?;
        Self::set(&file, (session.clone(), group))?;
        Ok(file.into_any())
    }

    fn unopened() -> PyClassInitializer<Self> {
        PyClassInitializer::from(Group::unopened()).add_subclass(File { session: OnceLock::new() })
    }

    fn set(slf: &Bound<'_, Self>, (session, group): Opened) -> PyResult<()> {
        slf.as_super().get().set(session.clone(), group)?;
        // It is set together with the group, which was not set before.
        let _ = slf.get().session.set(session);
        Ok(())
    }

    fn open(py: Python<'_>, session: impl FnOnce() -> hyperslab::Result<Session> + Send) -> PyResult<Opened> {
        let open = || {
            let session = session()?;
            let group = session.file.root()?;
            Ok((Arc::new(session), group))
        };
        interrupt::detach(py, open)?.map_err(errors::raise_opening)
    }
}

/// Checks that the mode is one for reading.
pub fn check_mode(mode: &str) -> PyResult<()> {
    match mode {
        "r" => Ok(()),
        "r+" | "w" | "w-" | "x" | "a" => {
            let what = format!("hyperslab.File only reads: open the file with mode 'r', not {mode:?}");
            Err(errors::invalid(format!("{what}; hyperslab.NewFile(path) writes a new file")))
        }
        _ => Err(errors::invalid(format!("unknown mode {mode:?}; open the file with mode 'r'"))),
    }
}

/// The word of h5py for what a value of `locking` means; `None` for the default.
pub fn check_locking(locking: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    if locking.is_none() {
        return Ok(None);
    }
    let word = match locking.extract::<bool>() {
        Ok(locks) if locking.is_instance_of::<PyBool>() => locks.to_string(),
        _ => locking.extract().unwrap_or_default(),
    };
    match word.as_str() {
        "true" => Ok(Some("true")),
        "false" => Ok(Some("false")),
        "best-effort" => Ok(Some("best-effort")),
        _ => Err(errors::invalid(format!(
            "locking must be True, False or \"best-effort\", not {}",
            locking.repr()?
        ))),
    }
}

/// The locking that a word of h5py stands for. The environment counts more, as in libhdf5.
fn locking_of(word: Option<&str>) -> Locking {
    Locking::from_environment().unwrap_or(match word {
        Some("true") => Locking::Strict,
        Some("false") => Locking::Off,
        _ => Locking::BestEffort,
    })
}

/// Checks the options, and returns `locking`.
fn check_options(
    driver: Option<&str>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Option<&'static str>> {
    let mut locking = None;
    if let Some(driver) = driver
        && !matches!(driver, "sec2" | "stdio" | "core" | "fileobj" | "family" | "split" | "multi")
    {
        return Err(errors::invalid(format!("unknown driver {driver:?}; files are read without a driver")));
    }
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        if name == "locking" {
            locking = check_locking(&value)?;
            continue;
        }
        if name == "swmr" {
            if value.is_truthy()? {
                let what = "swmr=True: a file is read as it was when it was opened, and later data of its writer is not seen";
                return Err(errors::invalid(format!(
                    "{what}; open it without swmr, and open it again to see more"
                )));
            }
            continue;
        }
        if !WITHOUT_EFFECT.contains(&name.as_str()) {
            return Err(errors::wrong_type(format!("File() got an unexpected keyword argument {name:?}")));
        }
    }
    Ok(locking)
}

#[pymethods]
impl File {
    // The text is the signature of `__init__`, which opens the file: a subclass may have other arguments than these.
    #[new]
    #[pyo3(signature = (*_arguments, **_options), text_signature = "(name, mode='r', driver=None, *, cache_bytes=None, threads=None, storage_options=None, index=None, store=None, **options)")]
    fn new(
        _arguments: &Bound<'_, PyTuple>,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyClassInitializer<Self> {
        Self::unopened()
    }

    /// Open a file. Arguments that tune libhdf5 (`rdcc_nbytes` and others) are accepted without effect.
    ///
    /// As libhdf5 does, it takes a shared lock on a local file (`locking`, `HDF5_USE_FILE_LOCKING`): a file that another
    /// program has open for writing raises `BlockingIOError`.
    ///
    /// `cache_bytes` (a number, or text such as "2GiB") gives the file a cache of its own; `threads` limits how many
    /// threads of the process its reads use. `name` may be a URL (s3, gs, az, abfs, https, http); `storage_options` are
    /// the options of its store, by the names of fsspec or of object_store. `index` is the path of an index of the format
    /// `hyperslab`: the file is opened with it, without reading its metadata. With `store`, a file system of fsspec or a store
    /// of obstore, `name` is the path of the file in it. `name` may also be an open file of fsspec, or any object with `read`
    /// and `seek`.
    #[expect(clippy::too_many_arguments, reason = "the arguments of the Python class")]
    #[pyo3(signature = (name, mode="r", driver=None, *, cache_bytes=None, threads=None, storage_options=None, index=None, store=None, **options))]
    fn __init__(
        slf: &Bound<'_, Self>,
        name: &Bound<'_, PyAny>,
        mode: &str,
        driver: Option<&str>,
        cache_bytes: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
        storage_options: Option<&Bound<'_, PyDict>>,
        index: Option<PathBuf>,
        store: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let py = slf.py();
        check_mode(mode)?;
        let locking = check_options(driver, options)?;
        let settings = settings::of_file(cache_bytes, threads)?;
        let index = || index.as_deref().map(NativeIndex::read).transpose();
        let stored = match store {
            Some(_) if storage_options.is_some() => {
                return Err(errors::invalid("storage_options are for URLs, not for a store"));
            }
            Some(store) => Some(StoredFile::at(store, &name.extract::<String>()?)?),
            None if name.hasattr("fs")? => StoredFile::of_fsspec(name)?,
            None => None,
        };
        if let Some(source) = stored {
            let filename = source.name().into();
            let session =
                || Session::open("fileobj", Arc::new(source), filename, &settings, index()?.as_ref());
            return Self::set(slf, Self::open(py, session)?);
        }
        if name.hasattr("read")? && name.hasattr("seek")? {
            let source = FileLike::new(name)?;
            let filename = source.name().into();
            let session =
                || Session::open("fileobj", Arc::new(source), filename, &settings, index()?.as_ref());
            return Self::set(slf, Self::open(py, session)?);
        }
        let path = crate::helper(py, "os", "fsdecode")?.call1((name,))?;
        let path = PathBuf::from(path.extract::<OsString>()?);
        let is_url = Location::from(path.clone()).is_url();
        if storage_options.is_some() && !is_url {
            return Err(errors::invalid("storage_options are for URLs"));
        }
        let opener = Arc::new(LockedFiles::new(remote::opener(storage_options)?, locking_of(locking)));
        let given = (cache_bytes.map(settings::size).transpose()?, threads, locking);
        let session =
            || Ok(Session::open_at(path.clone(), opener, &settings, index()?.as_ref())?.remembering(given));
        let opened = Self::open(py, session).map_err(|error| {
            if is_url {
                return error;
            }
            // Errors of the operating system about the file itself become the standard exceptions.
            match py.detach(|| LocalFile::open(&path)) {
                Err(refusal) if refusal.kind() != io::ErrorKind::NotFound => {
                    errors::not_opened(&path.display().to_string(), &refusal)
                }
                _ => error,
            }
        })?;
        Self::set(slf, opened)
    }

    /// Open a file whose bytes are already in memory.
    #[classmethod]
    fn in_memory<'py>(
        class: &Bound<'py, PyType>,
        file_image: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = class.py();
        let bytes = crate::helper(py, "builtins", "bytes")?.call1((file_image,))?.extract::<Vec<u8>>()?;
        let source = Arc::new(Memory::new("file in memory", bytes));
        let session = || Session::open("core", source, "file in memory".into(), &OpenOptions::new(), None);
        let file = class.call_method1("__new__", (class,))?;
        Self::set(file.cast::<Self>()?, Self::open(py, session)?)?;
        Ok(file)
    }

    /// Close the file. Every object opened from it becomes unusable.
    fn close(&self, py: Python<'_>) {
        if let Some(session) = self.session.get() {
            py.detach(|| session.close());
        }
    }

    /// Do nothing: hyperslab never writes. For programs that flush every file they use.
    fn flush(&self) -> PyResult<()> {
        self.session().map(|_| ())
    }

    fn __enter__<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.get().session()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    /// The path, as it was given.
    #[getter]
    fn filename(&self) -> PyResult<&OsStr> {
        Ok(self.session()?.filename.as_os_str())
    }

    /// Always "r".
    #[getter]
    fn mode(&self) -> PyResult<&'static str> {
        self.session()?;
        Ok("r")
    }

    /// How the file is read: "sec2" for a local file, "family", "split" or "multi" for one that consists of several
    /// files, "core" for one in memory, "fileobj" for a Python object.
    #[getter]
    fn driver(&self) -> PyResult<&'static str> {
        Ok(self.session()?.driver)
    }

    /// The format of the file: "hdf5", "hdf4", or "netcdf-classic-1", "-2" or "-5".
    #[getter]
    fn format(&self) -> PyResult<&'static str> {
        Ok(self.session()?.file.format_word())
    }

    /// Always False: the file is read as it was when it was opened.
    #[getter]
    fn swmr_mode(&self) -> bool {
        false
    }

    /// The size of the user block that precedes the HDF5 file, in bytes.
    #[getter]
    fn userblock_size(&self) -> PyResult<u64> {
        Ok(self.session()?.file.userblock_bytes())
    }

    /// The oldest and the newest version of libhdf5 whose format may be written: always "earliest" and "latest", because
    /// nothing is written.
    #[getter]
    fn libver(&self) -> PyResult<(&'static str, &'static str)> {
        self.session()?;
        Ok(("earliest", "latest"))
    }

    /// The size of the blocks in which libhdf5 would allocate metadata: its default, because nothing is written.
    #[getter]
    fn meta_block_size(&self) -> PyResult<u64> {
        self.session()?;
        Ok(2048)
    }

    /// The number of chunks of this file that have been decoded so far.
    #[getter]
    fn decodes(&self) -> PyResult<u64> {
        Ok(self.session()?.file.decodes())
    }

    /// Pickled by class, path, settings and own attributes: another process opens the file itself. `__init__` of a subclass
    /// is not called there, as usual.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let (path, given) = slf.get().session()?.recipe()?;
        let open = crate::helper(py, "hyperslab._reopen", "open_file")?;
        let attributes = slf.getattr("__dict__")?;
        Ok((open, (slf.get_type(), path, given), attributes).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        let Ok(session) = self.session() else { return "<Closed HDF5 file>".into() };
        let path = &session.filename;
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        format!("<HDF5 file \"{name}\" (mode r)>")
    }
}

/// Return True if `fname` is an HDF5 file, and False if it is not or does not exist.
#[pyfunction]
pub fn is_hdf5(py: Python<'_>, fname: &Bound<'_, PyAny>) -> PyResult<bool> {
    let path = crate::helper(py, "os", "fsdecode")?.call1((fname,))?;
    let path = PathBuf::from(path.extract::<OsString>()?);
    let opener = remote::opener(None)?;
    interrupt::detach(py, || match hyperslab::File::open_with(opener, path) {
        Ok(_) => true,
        // If anything else is wrong with the file, it still begins like an HDF5 file.
        Err(error) => matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Unsupported | ErrorKind::Limit),
    })
}
