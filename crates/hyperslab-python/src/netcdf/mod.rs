//! The netCDF view of a file as Python values, made in one pass for xarray: no object of the file is opened again.

mod attribute;

use crate::dataset::Dataset;
use crate::file::File;
use crate::session::Session;
use crate::{errors, interrupt};
use hyperslab::Heap;
use hyperslab_netcdf::{Below, DimensionId, DimensionKind, Netcdf, UserKind, VariableType};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Arc;

/// A group of the netCDF view.
#[pyclass(frozen, get_all, module = "hyperslab")]
pub struct NetcdfGroup {
    /// Its path from the root group.
    path: String,
    /// Its own dimensions, in the order of netCDF's numbers.
    dimensions: Py<PyTuple>,
    /// Its variables, in the order of the file.
    variables: Py<PyTuple>,
    /// Its attributes, without those that netCDF reserves.
    attributes: Py<PyDict>,
}

/// A dimension of the netCDF view.
#[pyclass(frozen, get_all, module = "hyperslab")]
pub struct NetcdfDimension {
    /// Its name.
    name: String,
    /// Its length. For an unlimited dimension, that of the longest variable that uses it.
    length: u64,
    /// True where it can grow.
    is_unlimited: bool,
    /// True if it was made for an axis that the file gives no dimension.
    is_phony: bool,
}

/// A variable of the netCDF view.
#[pyclass(frozen, get_all, module = "hyperslab")]
pub struct NetcdfVariable {
    /// Its netCDF name.
    name: String,
    /// The path of its dataset, from the root group of the file.
    path: String,
    /// The dataset of its values.
    dataset: Py<Dataset>,
    /// Its dimensions, slowest first.
    dimensions: Py<PyTuple>,
    /// Length along each axis. The dataset is shorter along an unlimited dimension that another variable made longer.
    shape: Py<PyTuple>,
    /// True where the file says what the dimensions of its axes are.
    has_labels: bool,
    /// "enum", "compound", "vlen", "opaque" or "atomic" and the name, if its type is a user-defined one.
    user_type: Option<(&'static str, String)>,
    /// Its attributes, without those that netCDF reserves.
    attributes: Py<PyDict>,
}

/// Groups, and what could not be read: path and reason.
type GroupsAndOmitted<'py> = (Bound<'py, PyList>, Vec<(String, String)>);

/// The group at a path with the groups around it and, with `below`, those below it; a group comes before the groups in it.
/// The second list says what could not be read: path and reason.
#[pyfunction]
pub fn netcdf_groups<'py>(
    py: Python<'py>,
    file: &Bound<'py, File>,
    path: &str,
    below: bool,
) -> PyResult<GroupsAndOmitted<'py>> {
    let session = file.get().session()?;
    let below = if below { Below::All } else { Below::Nothing };
    let netcdf =
        interrupt::detach(py, || Netcdf::open_group(&session.file, path, below))?.map_err(errors::raise)?;
    let heap = netcdf.file().heap();
    let mut view = View { py, session, netcdf: &netcdf, dimensions: Vec::new(), heap, omitted: Vec::new() };
    view.dimensions =
        netcdf.dimensions.iter().map(|dimension| view.dimension(dimension)).collect::<PyResult<_>>()?;
    let groups = PyList::empty(py);
    for group in &netcdf.groups {
        groups.append(view.group(group)?)?;
    }
    let mut omitted = view.omitted;
    omitted.extend(netcdf.left_out().map(|omitted| (omitted.path.clone(), omitted.reason.clone())));
    Ok((groups, omitted))
}

/// A file of netCDF classic or HDF4 as the netCDF-4 file that it would be converted to. It is open as long as the file is.
#[pyfunction]
pub fn as_netcdf4<'py>(py: Python<'py>, file: &Bound<'py, File>) -> PyResult<Bound<'py, PyAny>> {
    let session = file.get().session()?;
    let converted = interrupt::detach(py, || hyperslab_convert::as_netcdf4(&session.file, false))?;
    File::of(py, &session.of(converted.map_err(errors::raise)?.file))
}

/// Makes Python objects of a view.
struct View<'py, 'v> {
    py: Python<'py>,
    session: &'v Arc<Session>,
    netcdf: &'v Netcdf,
    /// The object of each dimension, by its number.
    dimensions: Vec<Bound<'py, NetcdfDimension>>,
    /// Where the file's text of variable length lies. Neighbouring variables have theirs in the same collection.
    heap: Heap,
    /// Paths of attributes that could not be read, and the reasons.
    omitted: Vec<(String, String)>,
}

impl<'py> View<'py, '_> {
    fn dimension(&self, dimension: &hyperslab_netcdf::Dimension) -> PyResult<Bound<'py, NetcdfDimension>> {
        let hyperslab_netcdf::Dimension { name, len, is_unlimited, kind, .. } = dimension;
        let (name, length, is_unlimited) = (name.clone(), *len, *is_unlimited);
        let is_phony = *kind == DimensionKind::Phony;
        Bound::new(self.py, NetcdfDimension { name, length, is_unlimited, is_phony })
    }

    fn dimensions(&self, ids: &[DimensionId]) -> PyResult<Py<PyTuple>> {
        Ok(PyTuple::new(self.py, ids.iter().map(|id| &self.dimensions[id.0]))?.unbind())
    }

    fn group(&mut self, group: &hyperslab_netcdf::Group) -> PyResult<Bound<'py, NetcdfGroup>> {
        let mut variables = Vec::with_capacity(group.variables.len());
        for variable in &group.variables {
            variables.push(self.variable(group, variable)?);
        }
        let made = NetcdfGroup {
            path: group.path.clone(),
            dimensions: self.dimensions(&group.dimensions)?,
            variables: PyTuple::new(self.py, variables)?.unbind(),
            attributes: self.attributes(&group.attributes, self.netcdf.file(), &group.path)?,
        };
        Bound::new(self.py, made)
    }

    fn variable(
        &mut self,
        group: &hyperslab_netcdf::Group,
        variable: &hyperslab_netcdf::Variable,
    ) -> PyResult<Bound<'py, NetcdfVariable>> {
        let dataset = &variable.dataset;
        // A dataset behind an external link has a path in its own file only.
        let path = match dataset.file().is_same(self.netcdf.file()) {
            true => dataset.path().to_owned(),
            false => format!("{}/{}", group.path.trim_end_matches('/'), variable.name),
        };
        let user_type = match variable.variable_type {
            VariableType::User(id) => {
                let user = self.netcdf.user_type(id);
                Some((kind_name(user.kind), user.name.clone()))
            }
            VariableType::Atomic(_) | VariableType::Other => None,
        };
        let session = self.session.of(dataset.file());
        let made = NetcdfVariable {
            name: variable.name.clone(),
            path,
            dimensions: self.dimensions(&variable.dimensions)?,
            shape: PyTuple::new(self.py, self.netcdf.shape(variable))?.unbind(),
            has_labels: variable.has_labels,
            user_type,
            attributes: self.attributes(&variable.attributes, &dataset.file(), dataset.path())?,
            dataset: Py::new(self.py, Dataset::new(session, dataset.clone()))?,
        };
        Bound::new(self.py, made)
    }

    fn attributes(
        &mut self,
        attributes: &[hyperslab_netcdf::Attribute],
        file: &hyperslab::File,
        path: &str,
    ) -> PyResult<Py<PyDict>> {
        let values = PyDict::new(self.py);
        let mut of_other_file = (!file.is_same(self.netcdf.file())).then(|| file.heap());
        let heap = of_other_file.as_mut().unwrap_or(&mut self.heap);
        let mut attributes: Vec<_> = attributes.iter().collect();
        // h5netcdf lists them by name where the file does not say in which order they were made.
        if !attributes.iter().all(|attribute| attribute.stored.creation_order.is_some()) {
            attributes.sort_by(|a, b| a.stored.name.cmp(&b.stored.name));
        }
        for attribute in attributes {
            match attribute::value(self.py, &attribute.stored, file, path, heap) {
                Ok(value) => values.set_item(&attribute.name, value)?,
                Err(error) => {
                    let place = format!("{path}, attribute {:?}", attribute.name);
                    self.omitted.push((place, error.value(self.py).to_string()));
                }
            }
        }
        Ok(values.unbind())
    }
}

fn kind_name(kind: UserKind) -> &'static str {
    match kind {
        UserKind::Enum => "enum",
        UserKind::Compound => "compound",
        UserKind::Vlen => "vlen",
        UserKind::Opaque => "opaque",
        UserKind::Atomic => "atomic",
    }
}
