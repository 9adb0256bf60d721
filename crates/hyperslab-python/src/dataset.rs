//! `hyperslab.Dataset`: the names of h5py. What an index selects is in `indexing.rs`.

mod indexing;

use crate::array::{self, Shape};
use crate::attrs::AttributeManager;
use crate::element::{Element, Owner, Text};
use crate::filters::{CompressionOptions, Filters};
use crate::reference::Reference;
use crate::selection::{self, Index, Selected};
use crate::session::Session;
use crate::{chunk_map, errors, explanation, group, interrupt};
use hyperslab::storage::Fill;
use hyperslab::{ChunkMap, Dataspace};
use indexing::read_fields;
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// A dataset of an open file. Indexing it reads values.
#[pyclass(frozen, subclass, module = "hyperslab", weakref, dict)]
pub struct Dataset {
    session: Arc<Session>,
    dataset: hyperslab::Dataset,
    element: PyOnceLock<Element>,
}

impl Dataset {
    pub(crate) fn new(session: Arc<Session>, dataset: hyperslab::Dataset) -> Self {
        Self { session, dataset, element: PyOnceLock::new() }
    }

    #[inline]
    fn element(&self, py: Python<'_>) -> PyResult<&Element> {
        self.element.get_or_try_init(py, || Element::new(py, self.dataset.datatype()))
    }

    #[inline]
    fn dims(&self) -> Option<&[u64]> {
        match self.dataset.dataspace() {
            Dataspace::Simple { dims, .. } => Some(dims),
            Dataspace::Scalar => Some(&[]),
            Dataspace::Null => None,
        }
    }

    /// The engine's dataset.
    pub fn inner(&self) -> &hyperslab::Dataset {
        &self.dataset
    }

    fn filters_of(&self) -> Filters<'_> {
        Filters(self.dataset.filters())
    }
}

#[pymethods]
impl Dataset {
    // Subclasses have arguments of their own after the first.
    #[new]
    #[pyo3(signature = (id, *_arguments, **_options), text_signature = "(id, *_arguments, **_options)")]
    fn again(
        id: &Bound<'_, PyAny>,
        _arguments: &Bound<'_, PyTuple>,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let given = if id.is_instance_of::<Self>() { id.clone() } else { id.getattr("_dataset")? };
        let Self { session, dataset, .. } = given.cast::<Self>()?.get();
        Ok(Self::new(session.clone(), dataset.clone()))
    }

    /// The dataset of a `Dataset.id`, or the same dataset once more: for subclasses.
    #[pyo3(signature = (id, *_arguments, **_options))]
    fn __init__(
        &self,
        id: &Bound<'_, PyAny>,
        _arguments: &Bound<'_, PyTuple>,
        _options: Option<&Bound<'_, PyDict>>,
    ) {
        // `__new__` has opened it; `__init__` is for subclasses that call it.
        let _ = id;
    }

    #[inline]
    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.get();
        this.session.check_open()?;
        let Dataspace::Simple { dims, .. } = this.dataset.dataspace() else {
            return Self::get_scalar(slf, index);
        };
        match selection::parse(index, dims)? {
            Index::Selected(selected) => array::finish(this.read(slf.py(), selected)?),
            Index::Fields(names, rest) => read_fields(slf, names, rest),
            Index::Region(reference) => {
                Ok(this.read(slf.py(), this.region(reference.get(), dims)?)?.into_any())
            }
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        self.len().map(|len| len as usize)
    }

    /// The size of the first axis.
    fn len(&self) -> PyResult<u64> {
        match self.dims() {
            Some([first, ..]) => Ok(*first),
            _ => Err(errors::wrong_type("Attempt to take len() of scalar dataset")),
        }
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        if slf.get().dims().is_none_or(<[u64]>::is_empty) {
            return Err(errors::wrong_type("Can't iterate over a scalar dataset"));
        }
        crate::helper(slf.py(), "hyperslab._views", "rows")?.call1((slf,))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._views", "array")?.call1((slf, dtype, copy))
    }

    fn __bool__(&self) -> bool {
        self.session.is_open()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            self.session.is_same_file(&other.session) && self.address() == other.address()
        })
    }

    fn __hash__(&self) -> u64 {
        self.address()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        if !self.session.is_open() {
            return Ok("<Closed HDF5 dataset>".into());
        }
        let name = self.path(py).unwrap_or("(anonymous)").rsplit('/').next().unwrap_or_default();
        let shape = self.shape(py)?;
        let dtype = match self.element(py) {
            Ok(element) => element.dtype.bind(py).getattr("str")?.to_string(),
            Err(_) => self.dataset.datatype().to_string(),
        };
        Ok(format!("<HDF5 dataset \"{name}\": shape {shape}, type \"{dtype}\">"))
    }

    /// Pickled by the path of the file, its settings, and the path in the file.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let anonymous = || errors::wrong_type("an anonymous dataset cannot be pickled");
        group::reduce(py, &self.session, self.path(py).ok_or_else(anonymous)?)
    }

    /// The same in each process, as long as the file does not change: for Dask.
    fn __dask_tokenize__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._reopen", "token")?.call1((slf,))
    }

    /// A table for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._html", "dataset_table")?.call1((slf,))
    }

    /// The path in the file, or None after the file was closed.
    #[getter]
    fn name(&self, py: Python<'_>) -> Option<&str> {
        if self.session.is_open() { self.path(py) } else { None }
    }

    /// The group that contains it: the last but one of its path.
    #[getter]
    fn parent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let anonymous = || errors::invalid("the dataset is anonymous and has no parent");
        group::parent(py, &self.session, self.path(py).ok_or_else(anonymous)?)
    }

    /// The file that contains it.
    #[getter]
    fn file<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::file::File::of(py, &self.session)
    }

    /// The attributes of the dataset.
    #[getter]
    fn attrs(&self) -> PyResult<AttributeManager> {
        AttributeManager::new(&self.session, hyperslab::Object::Dataset(self.dataset.clone()))
    }

    /// The size of each axis, or None if the dataspace is null.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.dims() {
            Some(dims) => Ok(PyTuple::new(py, dims)?.into_any()),
            None => Ok(py.None().into_bound(py)),
        }
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.dataset.shape().len()
    }

    /// The number of elements, or None if the dataspace is null.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.dims().map(|_| self.dataset.elements())
    }

    /// The size of all elements in memory, in bytes.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<u64> {
        let item = self.element(py)?.dtype.bind(py).itemsize() as u64;
        Ok(self.size().unwrap_or(0).saturating_mul(item))
    }

    /// The dtype of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDescr>> {
        Ok(self.element(py)?.dtype.bind(py).clone())
    }

    /// The maximum size of each axis; None for an axis without a limit.
    #[getter]
    fn maxshape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.dims() {
            Some(_) => Ok(PyTuple::new(py, self.dataset.max_shape())?.into_any()),
            None => Ok(py.None().into_bound(py)),
        }
    }

    /// The size of a chunk along each axis, or None if the dataset is not chunked.
    #[getter]
    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.dataset.chunk_shape().map(|chunk| PyTuple::new(py, chunk)).transpose()
    }

    /// The compression filter: "gzip", "lzf", "szip", "unknown" (another filter) or None.
    #[getter]
    fn compression(&self) -> Option<&'static str> {
        self.filters_of().compression()
    }

    /// The level of gzip, or the coding and block size of szip.
    #[getter]
    fn compression_opts<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match self.filters_of().compression_options() {
            Some(CompressionOptions::Level(level)) => Some(level.into_pyobject(py)?.into_any()),
            Some(CompressionOptions::Szip(coding, pixels)) => {
                Some((coding, pixels).into_pyobject(py)?.into_any())
            }
            None => None,
        })
    }

    /// True if bytes are shuffled before they are compressed.
    #[getter]
    fn shuffle(&self) -> bool {
        self.filters_of().shuffle()
    }

    /// True if chunks have a Fletcher-32 checksum.
    #[getter]
    fn fletcher32(&self) -> bool {
        self.filters_of().fletcher32()
    }

    /// The scale factor of the scale-offset filter, or None.
    #[getter]
    fn scaleoffset(&self) -> Option<u32> {
        self.filters_of().scale_offset()
    }

    /// The registered numbers of the filters.
    #[getter]
    fn filter_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.filters_of().ids())
    }

    /// The names of the filters, as stored in the file; empty for a filter without a name.
    #[getter]
    fn filter_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.filters_of().names())
    }

    /// The filters with their parameters, as text: "gzip 4".
    #[getter]
    fn filters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.filters_of().words())
    }

    /// The filters with their parameters, as h5py's attribute of this name has them; libraries use it.
    #[getter]
    fn _filters<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._chunks", "filters_of")?.call1((slf,))
    }

    /// How it is stored, as h5py's attribute of this name says it.
    #[getter]
    fn _dcpl<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._chunks", "CreationProperties")?.call1((slf,))
    }

    /// The registered number of each filter, with its parameters.
    fn _filter_parameters(&self) -> Vec<(u16, Vec<u32>)> {
        self.dataset.filters().iter().map(|filter| (filter.id, filter.parameters.clone())).collect()
    }

    /// The value of elements that were never written.
    #[getter]
    fn fillvalue<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.session.check_open()?;
        let element = self.element(py)?;
        let array = match &self.dataset.fill_value().value {
            Fill::User(bytes) if bytes.len() == element.file_bytes() => {
                let file = self.dataset.file();
                let owner = Owner::dataset(&file, self.dataset.path());
                element.array(py, owner, bytes, Shape::new(), Text::Bytes)?
            }
            _ => element.zero(py)?,
        };
        array::finish(array)
    }

    /// A reference to this dataset.
    #[getter]
    fn r#ref(&self) -> Reference {
        Reference { target: Some(hyperslab_format::Address(self.address())), file: None }
    }

    /// The dimensions and their scales.
    #[getter(dims)]
    fn dimensions<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab.dims", "Dimensions")?.call1((slf,))
    }

    /// True if the dataset is a dimension scale.
    #[getter]
    fn is_scale(slf: &Bound<'_, Self>) -> PyResult<bool> {
        crate::helper(slf.py(), "hyperslab.dims", "is_scale")?.call1((slf,))?.extract()
    }

    /// True if the values are stored in other datasets.
    #[getter]
    fn is_virtual(&self) -> bool {
        self.dataset.layout_name() == "virtual"
    }

    /// The source files and source datasets of a virtual dataset, as named in the file.
    fn virtual_sources<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.session.check_open()?;
        let not_virtual = || errors::invalid("Not a virtual dataset");
        let class = crate::helper(py, "hyperslab._views", "VirtualSource")?;
        let sources = self.dataset.virtual_sources().ok_or_else(not_virtual)?;
        sources.into_iter().map(|source| class.call1(source)).collect()
    }

    /// The external files that contain the raw data, each as (name, offset in bytes, size in bytes), or None if the
    /// raw data is in this file.
    #[getter]
    fn external(&self) -> Option<Vec<(String, u64, u64)>> {
        let files = self.dataset.external_sources()?;
        Some(files.into_iter().map(|(name, start, bytes)| (name, start, bytes.unwrap_or(u64::MAX))).collect())
    }

    /// The storage layout: "contiguous", "chunked", "compact", "virtual" or "external"; of HDF4 also "linked" and "records".
    #[getter]
    fn layout(&self) -> &'static str {
        self.dataset.layout_name()
    }

    /// Read values as another dtype: `dataset.astype("f8")[...]`.
    fn astype<'py>(slf: &Bound<'py, Self>, dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let dtype = crate::helper(py, "numpy", "dtype")?.call1((dtype,))?;
        if dtype.eq(&slf.get().element(py)?.dtype)? {
            return Ok(slf.clone().into_any());
        }
        crate::helper(py, "hyperslab._views", "AsType")?.call1((slf, dtype))
    }

    /// Read text as `str`: `dataset.asstr()[...]`.
    #[pyo3(signature = (encoding=None, errors="strict"))]
    fn asstr<'py>(
        slf: &Bound<'py, Self>,
        encoding: Option<&str>,
        errors: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._views", "AsStr")?.call1((slf, encoding, errors))
    }

    /// Reads text as `str`. Returns None if the dataset has no elements, or they are not text.
    fn _read_text<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
        encoding: &str,
        errors: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let element = self.element(py)?;
        let Some((Selected { selection, shape, .. }, keep)) = self.selected(index)? else { return Ok(None) };
        let text = Text::Str { encoding, errors };
        let found = element.read_text(py, &self.dataset, &selection, shape, text)?;
        found.map(|array| if keep { Ok(array.into_any()) } else { array::finish(array) }).transpose()
    }

    /// Reads only some members of a compound. With one name, returns its values; otherwise a compound of the members.
    /// Returns None if the dataset has no elements.
    fn _read_fields<'py>(
        &self,
        py: Python<'py>,
        names: Vec<String>,
        only: bool,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((Selected { selection, shape, .. }, keep)) = self.selected(index)? else { return Ok(None) };
        let members = hyperslab::Members::new(self.dataset.datatype(), &names).map_err(errors::raise)?;
        let element = Element::of_members(py, members.datatype(), only)?;
        let array = element.read_members(py, &self.dataset, &selection, &members, shape)?;
        if keep { Ok(Some(array.into_any())) } else { array::finish(array).map(Some) }
    }

    /// Read some members of a compound: `dataset.fields(["x", "y"])[...]`.
    fn fields<'py>(slf: &Bound<'py, Self>, names: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._views", "Fields")?.call1((slf, names))
    }

    /// Iterate over the chunks that a region touches, as selections.
    #[pyo3(signature = (sel=None))]
    fn iter_chunks<'py>(
        slf: &Bound<'py, Self>,
        sel: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._views", "Chunks")?.call1((slf, sel))
    }

    /// Where every existing chunk lies, in row-major order: an array with the fields `offset` (index of its first
    /// element along each axis), `address` (its first byte in the file), `size` (bytes as stored) and `filter_mask`.
    fn chunk_map<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyUntypedArray>> {
        chunk_map::records(py, &*self.map_of_chunks(py)?)
    }

    /// The functions of h5py's low-level `DatasetID` that say where values lie, and its shape and type.
    #[getter]
    fn id<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._chunks", "DatasetID")?.call1((slf,))
    }

    /// Where the values begin in the file, if they are one block of it.
    fn _data_offset(&self) -> PyResult<Option<u64>> {
        self.session.check_open()?;
        Ok(self.dataset.data_offset())
    }

    /// The bytes of the values as stored.
    fn _stored_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.session.check_open()?;
        interrupt::detach(py, || self.dataset.stored_bytes())?.map_err(errors::raise)
    }

    /// How many chunks exist.
    fn _chunk_count(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.map_of_chunks(py)?.len())
    }

    /// Offset, filter mask, address and size of a chunk, by its number among those that exist.
    fn _chunk_info<'py>(&self, py: Python<'py>, index: u64) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let map = self.map_of_chunks(py)?;
        let found = usize::try_from(index).ok().and_then(|row| map.nth(row));
        found.map(|(number, location)| chunk_map::info(py, &map, number, location)).transpose()
    }

    /// The same of the chunk that holds an element.
    fn _chunk_info_by_coord<'py>(
        &self,
        py: Python<'py>,
        element: Vec<u64>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let map = self.map_of_chunks(py)?;
        if element.len() != self.ndim() {
            return Err(errors::invalid("Tuple length incompatible with array"));
        }
        if element.iter().zip(self.dataset.shape()).any(|(at, size)| at >= size) {
            return Ok(None);
        }
        chunk_map::info_at(py, &map, &element)
    }

    /// Read into an existing array.
    #[pyo3(signature = (dest, source_sel=None, dest_sel=None))]
    fn read_direct<'py>(
        &self,
        py: Python<'py>,
        dest: &Bound<'py, PyAny>,
        source_sel: Option<&Bound<'py, PyAny>>,
        dest_sel: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        self.session.check_open()?;
        let selected = self.select(source_sel)?;
        let element = self.element(py)?;
        let array = dest.cast::<PyUntypedArray>()?;
        let whole = dest_sel.is_none() && array.is_c_contiguous() && element.reads_into(&array.dtype());
        let writeable = dest.getattr("flags")?.getattr("writeable")?.is_truthy()?;
        if !writeable {
            return Err(errors::invalid("the destination is read-only"));
        }
        if whole && array.shape() == selection::shape_with(&selected.shape, element.dtype.bind(py)) {
            // SAFETY: the array is in row-major order, writeable and contains no objects. The caller must ensure that
            // no other thread uses it during the read, as with any function of NumPy that writes to an array.
            let out = unsafe { array::bytes_mut(array) };
            return element.read_into(py, &self.dataset, &selected.selection, out);
        }
        let found = self.read(py, selected)?;
        crate::helper(py, "hyperslab._cast", "copy_into")?.call1((dest, dest_sel, found))?;
        Ok(())
    }

    /// Await `dataset[index]`, read on another thread. If the task is cancelled, the requests are.
    #[pyo3(signature = (index=None))]
    fn aread<'py>(slf: &Bound<'py, Self>, index: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let all = PyTuple::empty(slf.py()).into_any();
        crate::helper(slf.py(), "hyperslab._async", "read")?.call1((slf, index.unwrap_or(&all)))
    }

    /// Do nothing: hyperslab never writes. For programs that flush every dataset they use.
    fn flush(&self) -> PyResult<()> {
        self.session.check_open()
    }

    /// Describe what a read would do: chunks, byte ranges, requests, filters. It is a text with the same facts as data.
    #[pyo3(signature = (selection=None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        selection: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.session.check_open()?;
        let selected = self.select(selection)?;
        let explained =
            interrupt::detach(py, || self.dataset.explain(&selected.selection))?.map_err(errors::raise)?;
        explanation::of(py, &explained)
    }
}

impl Dataset {
    /// Where all chunks lie. Reads the chunk index at the first call.
    fn map_of_chunks(&self, py: Python<'_>) -> PyResult<Arc<ChunkMap>> {
        self.session.check_open()?;
        if self.dataset.chunk_shape().is_none() {
            return Err(errors::not_chunked(self.dataset.path()));
        }
        interrupt::detach(py, || self.dataset.chunk_map())?.map_err(errors::raise)
    }

    fn address(&self) -> u64 {
        hyperslab::Object::Dataset(self.dataset.clone()).address().0
    }

    /// The path of the dataset. If it was opened through a reference, the first path that leads to it, if any.
    fn path(&self, py: Python<'_>) -> Option<&str> {
        let path = self.dataset.path();
        if path.starts_with('/') {
            return Some(path);
        }
        let address = hyperslab::Object::Dataset(self.dataset.clone()).address();
        py.detach(|| self.session.path_of(address))
    }
}
