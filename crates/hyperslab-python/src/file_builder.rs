//! `FileBuilder`: a new file as `hyperslab.NewFile` describes it.
//!
//! `python/hyperslab/_new_file/` has h5py's names and keeps the values; here NumPy's dtypes become datatypes, and what is read
//! of the values becomes elements.

mod datatype;
mod elements;
mod packed;
mod source;
mod string_dtype;

pub use packed::{packed_arrays, packed_texts};
pub use string_dtype::packed_string_array;

use crate::selection::{self, Assignment, Index};
use crate::{errors, interrupt};
use hyperslab::{Cancel, Selection};
use hyperslab_create::{
    CreateError, CreateOptions, Data, FilterRequest, Layout, LinkTarget, LowBound, Monitor, NewAttribute,
    NewDataset, NewFile, ObjectId, WriteOptions,
};
use hyperslab_storage::WordError;
use numpy::PyArrayDescr;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use source::{ArrayBytes, PythonSource};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The objects of a new file, each by the number that its creation returned; 0 is the root group.
#[pyclass(frozen, module = "hyperslab._hyperslab")]
pub struct FileBuilder {
    /// `None` once it was written.
    file: Mutex<Option<NewFile<'static>>>,
}

/// The filters of a dataset: their numbers, and the parameters that a user gives.
type Filters = Vec<(u16, Vec<u32>)>;

#[pymethods]
impl FileBuilder {
    /// An empty file. With `track_order`, its groups keep the order in which links and attributes were created.
    #[new]
    #[pyo3(signature = (track_order=false))]
    fn new(track_order: bool) -> Self {
        let file = if track_order { NewFile::new().in_creation_order() } else { NewFile::new() };
        Self { file: Mutex::new(Some(file)) }
    }

    /// Create a group.
    fn group(&self, path: &str) -> PyResult<u32> {
        Ok(self.change(|file| file.group(path))?.0)
    }

    /// Create a dataset. `shape` is None for one without elements; `chunks` is a shape, True for an automatic one, or False for
    /// none; `fillvalue` is one element as a source returns it; `datatype` is the number of the named datatype that it uses.
    /// Return its number and the shape of its chunks.
    #[expect(clippy::too_many_arguments, reason = "the properties of a dataset")]
    #[pyo3(signature = (
        path, dtype, shape, *, maxshape=None, chunks=None, filters=Vec::new(), fillvalue=None, datatype=None
    ))]
    fn dataset(
        &self,
        path: &str,
        dtype: &Bound<'_, PyArrayDescr>,
        shape: Option<Vec<u64>>,
        maxshape: Option<Vec<Option<u64>>>,
        chunks: Option<Chunks>,
        filters: Filters,
        fillvalue: Option<&Bound<'_, PyAny>>,
        datatype: Option<u32>,
    ) -> PyResult<(u32, Option<Vec<u64>>)> {
        let of_elements = datatype::datatype_of(dtype)?;
        let mut dataset = match &shape {
            Some(shape) => NewDataset::new(of_elements, shape),
            None => NewDataset::null(of_elements),
        };
        if let Some(named) = datatype {
            dataset = dataset.named_datatype(ObjectId(named));
        }
        if let Some(maxshape) = maxshape {
            dataset = dataset.maximum(&maxshape);
        }
        dataset = match chunks {
            Some(Chunks::Shape(shape)) => dataset.chunks(&shape),
            Some(Chunks::Automatic(true)) => dataset.automatic_chunks(),
            Some(Chunks::Automatic(false)) => dataset.layout(Layout::Contiguous),
            None => dataset,
        };
        let filters = filters.into_iter().map(|(id, parameters)| FilterRequest { id, parameters });
        dataset = dataset.filters(filters.collect::<Vec<_>>());
        if let Some(fill) = fillvalue {
            dataset = dataset.fill(elements::elements_of(fill)?);
        }
        self.change(|file| {
            let id = file.dataset(path, dataset)?;
            Ok((id.0, file.chunk_shape(id).map(<[u64]>::to_vec)))
        })
    }

    /// Create a named datatype.
    fn datatype(&self, path: &str, dtype: &Bound<'_, PyArrayDescr>) -> PyResult<u32> {
        let datatype = datatype::datatype_of(dtype)?;
        Ok(self.change(|file| file.datatype(path, datatype))?.0)
    }

    /// Give a link another path.
    fn rename(&self, source: &str, target: &str) -> PyResult<()> {
        self.change(|file| file.rename(source, target))
    }

    /// The selection of an index of a dataset of this shape, as files store it. It is checked like the index of a read.
    #[staticmethod]
    fn region<'py>(
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
        shape: Vec<u64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let selection = match shape.is_empty() {
            true => Selection::All,
            false => match selection::parse(index, &shape)? {
                Index::Selected(selected) => selected.selection,
                Index::Fields(..) => return Err(errors::wrong_type("a region has no names of fields")),
                Index::Region(_) => {
                    return Err(errors::wrong_type("a region is an index, not a region reference"));
                }
            },
        };
        let encoded = hyperslab::encode_region(&selection, &shape).map_err(errors::raise)?;
        Ok(PyBytes::new(py, &encoded))
    }

    /// What an index selects of an array of this shape, by the rules of a read: an index for NumPy that keeps all axes, the
    /// number of elements along each of them, the shape of the result of a read, the axes with an integer, and the kind.
    #[staticmethod]
    fn selected<'py>(index: &Bound<'py, PyAny>, shape: Vec<u64>) -> PyResult<Assignment<'py>> {
        selection::assignment(index, &shape)
    }

    /// As `selected`, for an encoded region.
    #[staticmethod]
    fn selected_region<'py>(py: Python<'py>, region: &[u8], shape: Vec<u64>) -> PyResult<Assignment<'py>> {
        selection::region_assignment(py, region, &shape)
    }

    /// Create a link to an object, to a path, or to a path in another file.
    #[pyo3(signature = (path, *, object=None, target=None, filename=None))]
    fn link(
        &self,
        path: &str,
        object: Option<u32>,
        target: Option<String>,
        filename: Option<String>,
    ) -> PyResult<()> {
        let target = match (object, target, filename) {
            (Some(object), ..) => LinkTarget::Object(ObjectId(object)),
            (None, Some(path), Some(file)) => LinkTarget::External { file, path },
            (None, Some(path), None) => LinkTarget::Soft(path),
            (None, None, _) => return Err(errors::wrong_type("a link has an object or a target")),
        };
        self.change(|file| file.link(path, target))
    }

    /// Set an attribute. `shape` is None for one without a value; `elements` are as a source returns them; `datatype` is the
    /// number of the named datatype that it uses.
    #[pyo3(signature = (object, name, dtype, shape, elements, datatype=None))]
    fn attribute(
        &self,
        object: u32,
        name: &str,
        dtype: &Bound<'_, PyArrayDescr>,
        shape: Option<Vec<u64>>,
        elements: &Bound<'_, PyAny>,
        datatype: Option<u32>,
    ) -> PyResult<()> {
        let of_elements = datatype::datatype_of(dtype)?;
        let mut attribute = match shape {
            Some(shape) => NewAttribute::new(of_elements, &shape, elements::elements_of(elements)?),
            None => NewAttribute::null(of_elements),
        };
        attribute.named_datatype = datatype.map(ObjectId);
        self.change(|file| file.set_attribute(ObjectId(object), name, attribute))
    }

    /// Make a dataset a dimension scale.
    fn make_scale(&self, dataset: u32, name: &str) -> PyResult<()> {
        self.change(|file| file.make_scale(ObjectId(dataset), name))
    }

    /// Attach a dimension scale to an axis of a dataset.
    fn attach_scale(&self, dataset: u32, axis: usize, scale: u32) -> PyResult<()> {
        self.change(|file| file.attach_scale(ObjectId(dataset), axis, ObjectId(scale)))
    }

    /// Give an axis of a dataset a label.
    fn label_axis(&self, dataset: u32, axis: usize, label: &str) -> PyResult<()> {
        self.change(|file| file.label_axis(ObjectId(dataset), axis, label))
    }

    /// Set the elements of a dataset: with `whole`, those of an array of bytes, which must not change until the file is
    /// written; otherwise `source(start, count)` returns the elements of a block.
    fn data(&self, dataset: u32, source: &Bound<'_, PyAny>, whole: bool) -> PyResult<()> {
        let data = if whole {
            Data::memory(ArrayBytes::new(source)?)
        } else {
            Data::blocks(PythonSource::new(source.clone().unbind()))
        };
        self.change(|file| file.set_data(ObjectId(dataset), data))
    }

    /// Drop all attributes, and the elements of datasets.
    fn clear_values(&self) {
        if let Some(file) = self.lock().as_mut() {
            file.clear_values();
        }
    }

    /// Write the file, and return its length in bytes. The builder is empty afterwards; after an error it is as before.
    #[expect(clippy::too_many_arguments, reason = "the options of a file")]
    #[pyo3(signature = (path, *, libver=None, page_size=None, userblock_size=0, overwrite=false, verify=true, threads=None, encoder="auto"))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        libver: Option<&str>,
        page_size: Option<u64>,
        userblock_size: u64,
        overwrite: bool,
        verify: bool,
        threads: Option<usize>,
        encoder: &str,
    ) -> PyResult<u64> {
        let file = self.lock().clone().ok_or_else(written)?;
        let write = WriteOptions {
            low: low_bound(libver)?,
            page_bytes: page_size,
            user_block_bytes: userblock_size,
            ..WriteOptions::default()
        };
        let threads = threads.unwrap_or_else(hyperslab::threads);
        let gzip = encoder.parse().map_err(|error: WordError| errors::invalid(error.to_string()))?;
        let options = CreateOptions { write, overwrite, verify, threads, gzip };
        let created =
            interrupt::detach(py, || file.write(&path, &options, &Monitor::new(Cancel::current())))?;
        let created = created.map_err(raise)?;
        *self.lock() = None;
        Ok(created.bytes)
    }
}

/// What a dataset's chunks are to be.
#[derive(FromPyObject)]
enum Chunks {
    Automatic(bool),
    Shape(Vec<u64>),
}

impl FileBuilder {
    fn lock(&self) -> MutexGuard<'_, Option<NewFile<'static>>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut NewFile<'static>) -> Result<T, CreateError>) -> PyResult<T> {
        let mut file = self.lock();
        change(file.as_mut().ok_or_else(written)?).map_err(raise)
    }
}

/// The filters of a pipeline that is written as `hyperslab repack` reads it (`shuffle+gzip=4`): the number of each, and the
/// parameters that were given.
#[pyfunction]
pub fn parse_filters(text: &str) -> PyResult<Filters> {
    let filters = FilterRequest::parse_pipeline(text).map_err(errors::invalid)?;
    Ok(filters.into_iter().map(|filter| (filter.id, filter.parameters)).collect())
}

fn low_bound(libver: Option<&str>) -> PyResult<LowBound> {
    match libver {
        None | Some("v110" | "v112" | "v114") => Ok(LowBound::V110),
        Some("earliest") => Ok(LowBound::Earliest),
        Some("v18" | "v108") => Ok(LowBound::V18),
        Some("latest" | "v200") => Ok(LowBound::Latest),
        Some(other) => {
            let what = format!("libver must be 'earliest', 'v18', 'v110' or 'latest', not {other:?}");
            Err(errors::invalid(what))
        }
    }
}

fn written() -> PyErr {
    errors::closed("new file")
}

fn raise(error: CreateError) -> PyErr {
    match error {
        CreateError::Data { object, error } => match error.downcast::<PyErr>() {
            // What the source of the data raised.
            Ok(raised) => *raised,
            Err(error) => errors::invalid(format!("{object}: {error}")),
        },
        CreateError::Io { path, error } => match error.kind() {
            io::ErrorKind::AlreadyExists => errors::existing_file(&path),
            io::ErrorKind::WouldBlock => {
                let message = format!("{path}: another process is writing this file");
                errors::not_written(message, Some(libc::EAGAIN))
            }
            _ => errors::not_written(format!("{path}: {error}"), error.raw_os_error()),
        },
        error @ CreateError::Invalid { .. } => errors::invalid(error.to_string()),
        CreateError::Write(error) => {
            let errno = error.system().and_then(io::Error::raw_os_error);
            errors::not_written(error.to_string(), errno)
        }
    }
}
