//! `hyperslab.Group`: a mapping of names to objects.

use crate::attrs::AttributeManager;
use crate::dataset::Dataset;
use crate::datatype::Datatype;
use crate::file::{self, File};
use crate::name::text;
use crate::reference::{AttributeReference, Reference, RegionReference};
use crate::session::Session;
use crate::visit::{self, Visit};
use crate::{errors, interrupt};
use hyperslab::{ErrorKind, Link, LinkTarget, Object, ReferenceTarget, RevisedReference};
use hyperslab_format::{Address, Name};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A group of a file.
#[pyclass(frozen, mapping, subclass, module = "hyperslab", weakref, dict)]
pub struct Group {
    /// Empty in a `File` whose `__init__` has not opened it yet.
    opened: OnceLock<OpenGroup>,
}

/// A group of the engine, in the session through which it was opened.
pub struct OpenGroup {
    pub session: Arc<Session>,
    pub group: hyperslab::Group,
}

/// The Python object for an object of the file.
pub fn open<'py>(py: Python<'py>, session: &Arc<Session>, object: Object) -> PyResult<Bound<'py, PyAny>> {
    let session = session.of(object.file());
    Ok(match object {
        Object::Group(group) => Bound::new(py, Group::new(session, group))?.into_any(),
        Object::Dataset(dataset) => Bound::new(py, Dataset::new(session, dataset))?.into_any(),
        Object::Datatype(datatype) => Bound::new(py, Datatype::new(session, datatype))?.into_any(),
    })
}

/// The group at the path without its last name.
pub fn parent<'py>(py: Python<'py>, session: &Arc<Session>, path: &str) -> PyResult<Bound<'py, PyAny>> {
    session.check_open()?;
    let parent = match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((parent, _)) => parent,
    };
    let found = interrupt::detach(py, || session.file.get(parent))?.map_err(errors::raise)?;
    open(py, session, found)
}

/// What pickles an object: the path of its file, the settings, and its path in the file.
pub fn reduce<'py>(py: Python<'py>, session: &Session, path: &str) -> PyResult<Bound<'py, PyAny>> {
    let (file, given) = session.recipe()?;
    let open = crate::helper(py, "hyperslab._reopen", "open_member")?;
    Ok((open, (file, given, path)).into_pyobject(py)?.into_any())
}

/// A name as h5py accepts it: `str`, or `bytes`.
pub fn name_of<'a>(name: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, str>> {
    if let Ok(text) = name.cast::<PyString>() {
        return text.to_cow();
    }
    if let Ok(bytes) = name.cast::<PyBytes>() {
        let names: Vec<_> = bytes.as_bytes().split(|byte| *byte == b'/').map(Name::exactly).collect();
        return Ok(names.join("/").into());
    }
    Err(errors::wrong_type(format!("A name should be string or bytes, not {}", name.get_type())))
}

/// A link as `Group.get(..., getlink=True)` returns it: an object of a link class, or the class.
pub fn describe_link<'py>(py: Python<'py>, link: &Link, class: bool) -> PyResult<Bound<'py, PyAny>> {
    let kind = match &link.target {
        LinkTarget::Hard(_) => "HardLink",
        LinkTarget::Soft(_) => "SoftLink",
        LinkTarget::External { .. } => "ExternalLink",
        LinkTarget::UserDefined { .. } => return Err(errors::wrong_type("Unknown link type")),
    };
    let kind = crate::helper(py, "hyperslab.links", kind)?;
    match &link.target {
        _ if class => Ok(kind),
        LinkTarget::Soft(path) => kind.call1((text(py, path),)),
        LinkTarget::External { file, path } => kind.call1((text(py, file), text(py, path))),
        LinkTarget::Hard(_) | LinkTarget::UserDefined { .. } => kind.call0(),
    }
}

impl Group {
    pub(crate) fn new(session: Arc<Session>, group: hyperslab::Group) -> Self {
        Self { opened: OnceLock::from(OpenGroup { session, group }) }
    }

    /// The root group of a file that is not open yet.
    pub fn unopened() -> Self {
        Self { opened: OnceLock::new() }
    }

    /// Makes it a group of an open file. An error if it is one already.
    pub fn set(&self, session: Arc<Session>, group: hyperslab::Group) -> PyResult<()> {
        let set = self.opened.set(OpenGroup { session, group });
        set.map_err(|_| errors::invalid("the file was opened before: `__init__` opens it once"))
    }

    /// The engine's group. An error if the file is closed, or was never opened.
    pub fn opened(&self) -> PyResult<&OpenGroup> {
        let opened = self.even_closed()?;
        opened.session.check_open()?;
        Ok(opened)
    }

    /// The engine's group, also of a closed file.
    fn even_closed(&self) -> PyResult<&OpenGroup> {
        self.opened.get().ok_or_else(errors::never_opened)
    }

    /// The engine's group; `None` if the file is closed, or was never opened.
    fn if_open(&self) -> Option<&OpenGroup> {
        self.opened.get().filter(|opened| opened.session.is_open())
    }

    fn view<'py>(slf: &Bound<'py, Self>, class: &str) -> PyResult<Bound<'py, PyAny>> {
        slf.get().opened()?;
        crate::helper(slf.py(), "hyperslab._views", class)?.call1((slf,))
    }
}

impl OpenGroup {
    pub fn object(&self) -> Object {
        Object::Group(self.group.clone())
    }

    fn find(&self, py: Python<'_>, path: &str) -> PyResult<hyperslab::Result<Option<Object>>> {
        if path.is_empty() {
            return Ok(Ok(None));
        }
        interrupt::detach(py, || self.group.find(path))
    }

    /// Like [`Self::find`], but the error suggests the most similar name.
    fn get_object(&self, py: Python<'_>, path: &str) -> PyResult<hyperslab::Result<Object>> {
        if path.is_empty() {
            return Ok(Err(hyperslab::Error::not_found("a name must not be empty")));
        }
        interrupt::detach(py, || self.group.get(path))
    }

    /// The last link of a path; `None` if there is no such link, or if the path is that of a group without one.
    fn find_link(&self, py: Python<'_>, path: &str) -> PyResult<hyperslab::Result<Option<Link>>> {
        let path = path.trim_end_matches('/');
        let (parent, name) = match path.rsplit_once('/') {
            Some(("", name)) => ("/", name),
            Some((parent, name)) => (parent, name),
            None => (".", path),
        };
        interrupt::detach(py, || match self.group.get(parent) {
            Ok(Object::Group(group)) => group.link(name),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            // A name of netCDF classic may have a slash.
            Ok(_) | Err(_) => self.group.link(path.trim_start_matches('/')),
        })
    }

    /// True for a path that ends with a user-defined link, which only its writer can follow.
    fn is_unfollowed(&self, py: Python<'_>, path: &str, error: &hyperslab::Error) -> PyResult<bool> {
        let link = if error.kind() == ErrorKind::Unsupported { self.find_link(py, path)? } else { Ok(None) };
        Ok(matches!(link, Ok(Some(Link { target: LinkTarget::UserDefined { .. }, .. }))))
    }

    fn dereference(&self, py: Python<'_>, target: Option<Address>, file: Option<&Name>) -> PyResult<Object> {
        let target = target.ok_or_else(|| errors::invalid("the reference is null"))?;
        if let Some(file) = file {
            let reference = RevisedReference {
                object: target,
                file: Some(file.clone()),
                target: ReferenceTarget::Object,
            };
            return interrupt::detach(py, || self.group.file().dereference(&reference))?
                .map_err(errors::raise);
        }
        let open = || {
            let found = self.group.file().object_at(target)?;
            // The path of a dataset is determined only when it is needed, because that searches the whole file.
            if matches!(found, Object::Dataset(_)) {
                return Ok(found);
            }
            match self.session.path_of(target) {
                Some(path) => self.session.file.get(path),
                None => Ok(found),
            }
        };
        interrupt::detach(py, open)?.map_err(errors::raise)
    }

    /// The names in h5py's order: that of creation if the group tracks it, otherwise ascending.
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = || self.group.links().map(|links| (links, self.group.tracks_creation_order()));
        let (found, tracked) = interrupt::detach(py, list)?.map_err(errors::raise)?;
        let mut links = Vec::with_capacity(found.len());
        for link in found {
            match link {
                Ok(link) => links.push(link),
                Err(error) => errors::skipped(py, "a link", error)?,
            }
        }
        if tracked {
            links.sort_by_key(|link| link.creation_order);
        }
        PyList::new(py, links.iter().map(|link| text(py, &link.name)))
    }
}

#[pymethods]
impl Group {
    /// Pickled by the path of the file, its settings, and the path in the file.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let this = self.opened()?;
        reduce(py, &this.session, this.group.path())
    }

    /// A table of the members for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._html", "group_table")?.call1((slf,))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let this = self.opened()?;
        let object = if let Ok(reference) = name.cast::<Reference>() {
            this.dereference(py, reference.get().target, reference.get().file.as_ref())?
        } else if let Ok(reference) = name.cast::<RegionReference>() {
            this.dereference(py, reference.get().target, reference.get().file.as_ref())?
        } else if let Ok(reference) = name.cast::<AttributeReference>() {
            this.dereference(py, Some(reference.get().target), reference.get().file.as_ref())?
        } else if name.is_instance_of::<PyString>() || name.is_instance_of::<PyBytes>() {
            let path = name_of(name)?;
            match this.get_object(py, &path)? {
                Ok(object) => object,
                Err(error) if this.is_unfollowed(py, &path, &error)? => {
                    return Err(errors::raise_unfollowed(error));
                }
                Err(error) => return Err(errors::raise(error)),
            }
        } else {
            let what = format!("Accessing a group is done with bytes or str, not {}", name.get_type());
            return Err(errors::wrong_type(what));
        };
        open(py, &this.session, object)
    }

    /// Fetch the metadata of all objects below this group in a few rounds of concurrent requests, if the file is remote.
    /// With `chunk_indexes`, also where all chunks lie. What is read afterwards takes no requests for metadata.
    #[pyo3(signature = (*, chunk_indexes=false))]
    fn prefetch(&self, py: Python<'_>, chunk_indexes: bool) -> PyResult<()> {
        let this = self.opened()?;
        let prefetch = hyperslab::Prefetch { depth: usize::MAX, chunk_indexes, attributes: true };
        interrupt::detach(py, || this.group.prefetch(&prefetch))?;
        Ok(())
    }

    /// Await `group[name][index]`: the values of a dataset below this group, read on another thread.
    #[pyo3(signature = (name, index=None))]
    fn aread<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        index: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = pyo3::types::PyTuple::empty(slf.py()).into_any();
        crate::helper(slf.py(), "hyperslab._async", "read_member")?.call1((slf, name, index.unwrap_or(&all)))
    }

    /// Return an object, its class, its link or the class of its link; `default` if there is no object with this name.
    /// Files behind external links are opened in the same way as this one; `elink_locking` and `elink_swmr` have no
    /// effect.
    #[pyo3(signature = (
        name, default=None, getclass=false, getlink=false, elink_mode=None, elink_locking=None, elink_swmr=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are h5py's")]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
        getclass: bool,
        getlink: bool,
        elink_mode: Option<&str>,
        elink_locking: Option<&Bound<'py, PyAny>>,
        elink_swmr: Option<bool>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let _ = elink_swmr;
        elink_mode.map_or(Ok(()), file::check_mode)?;
        elink_locking.map(file::check_locking).transpose()?;
        if !getclass
            && !getlink
            && (name.cast::<Reference>().is_ok()
                || name.cast::<RegionReference>().is_ok()
                || name.cast::<AttributeReference>().is_ok())
        {
            return self.__getitem__(py, name).map(Some);
        }
        let (this, path) = (self.opened()?, name_of(name)?);
        if getlink {
            let link = this.find_link(py, &path)?.map_err(errors::raise)?;
            return link.map_or(Ok(default), |link| describe_link(py, &link, getclass).map(Some));
        }
        match this.find(py, &path)? {
            Ok(Some(object)) if getclass => Ok(Some(match object {
                Object::Group(_) => py.get_type::<Group>().into_any(),
                Object::Dataset(_) => py.get_type::<Dataset>().into_any(),
                Object::Datatype(_) => py.get_type::<Datatype>().into_any(),
            })),
            Ok(Some(object)) => open(py, &this.session, object).map(Some),
            Ok(None) => Ok(default),
            Err(error) if this.is_unfollowed(py, &path, &error)? => Ok(default),
            Err(error) => Err(errors::raise(error)),
        }
    }

    fn __contains__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some(this) = self.if_open() else { return Ok(false) };
        let path = name_of(name)?;
        if path.split('/').all(|part| part.is_empty() || part == ".") {
            return Ok(!path.is_empty());
        }
        Ok(this.find_link(py, &path)?.map_err(errors::raise)?.is_some())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let this = self.opened()?;
        let count = interrupt::detach(py, || this.group.len())?.map_err(errors::raise)?;
        Ok(usize::try_from(count)?)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.opened()?.names(py)?.try_iter().map(Bound::into_any)
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let names = self.opened()?.names(py)?;
        names.reverse()?;
        names.try_iter().map(Bound::into_any)
    }

    /// The names of the members.
    fn keys<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "Keys")
    }

    /// The members.
    fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "Values")
    }

    /// The names and members.
    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "Items")
    }

    /// Call `func(name)` for every object below this group, until it returns something other than None.
    fn visit<'py>(slf: &Bound<'py, Self>, func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        visit::visit_below(slf, Visit::Objects, func)
    }

    /// Call `func(name, object)` for every object below this group, until it returns something other than None.
    fn visititems<'py>(slf: &Bound<'py, Self>, func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        visit::visit_below(slf, Visit::ObjectItems, func)
    }

    /// Call `func(name)` for every link below this group, until it returns something other than None.
    fn visit_links<'py>(slf: &Bound<'py, Self>, func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        visit::visit_below(slf, Visit::Links, func)
    }

    /// Call `func(name, link)` for every link below this group, until it returns something other than None.
    fn visititems_links<'py>(
        slf: &Bound<'py, Self>,
        func: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        visit::visit_below(slf, Visit::LinkItems, func)
    }

    /// The path in the file, or None after the file was closed.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.if_open().map(|this| this.group.path())
    }

    /// The group that contains it: the last but one of its path.
    #[getter]
    fn parent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let this = self.opened()?;
        parent(py, &this.session, this.group.path())
    }

    /// A reference to this group.
    #[getter]
    fn r#ref(&self) -> PyResult<Reference> {
        Ok(Reference { target: Some(self.even_closed()?.object().address()), file: None })
    }

    /// An identifier as h5py's: equal for the same object, true while the file is open.
    #[getter]
    fn id<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::helper(slf.py(), "hyperslab._chunks", "GroupID")?.call1((slf,))
    }

    /// The file that contains it.
    #[getter]
    fn file<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        File::of(py, &self.opened()?.session)
    }

    /// The attributes of the group.
    #[getter]
    fn attrs(&self) -> PyResult<AttributeManager> {
        let this = self.opened()?;
        AttributeManager::new(&this.session, this.object())
    }

    fn __bool__(&self) -> bool {
        self.if_open().is_some()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Self>() else { return false };
        match (self.opened.get(), other.get().opened.get()) {
            (Some(this), Some(other)) => {
                this.session.is_same_file(&other.session)
                    && this.object().address() == other.object().address()
            }
            _ => std::ptr::eq(self, other.get()),
        }
    }

    fn __hash__(&self) -> PyResult<u64> {
        Ok(self.even_closed()?.object().address().0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Some(this) = self.if_open() else { return Ok("<Closed HDF5 group>".into()) };
        Ok(format!("<HDF5 group \"{}\" ({} members)>", this.group.path(), self.__len__(py)?))
    }

    fn _ipython_key_completions_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.opened()?.names(py)
    }
}
