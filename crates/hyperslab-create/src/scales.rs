//! Dimension scales: datasets that give the coordinates along the axes of others (HDF5 dimension scale specification).
//!
//! | attribute | of | value |
//! |---|---|---|
//! | `CLASS`, `NAME` | a scale | `DIMENSION_SCALE`, and its name |
//! | `REFERENCE_LIST` | a scale that is attached | each dataset and axis that it belongs to |
//! | `DIMENSION_LIST` | a dataset with scales | for each axis a sequence of references to its scales |
//! | `DIMENSION_LABELS` | a dataset with labels | a text for each axis |

use crate::datatypes::{self, Charset, Datatype, StringPadding};
use crate::elements::{Elements, REFERENCE_BYTES, VARIABLE_BYTES};
use crate::error::CreateError;
use crate::new_dataset::NewAttribute;
use crate::new_file::{Kind, NewFile, NewObject};
use hyperslab::Dataspace;
use hyperslab::datatypes::Class;
use hyperslab_write::ObjectId;

/// The bytes of an element of `REFERENCE_LIST`, with padding as in libhdf5: a reference, and the axis as an `int`.
const USE_BYTES: usize = 16;

impl NewFile<'_> {
    /// Makes a dataset a dimension scale.
    ///
    /// # Errors
    ///
    /// An object that is not a dataset, and one that has scales itself.
    pub fn make_scale(&mut self, dataset: ObjectId, name: &str) -> Result<(), CreateError> {
        self.rank(dataset)?;
        let object = self.object_mut(dataset)?;
        if object.scale.of_axes.iter().any(|scales| !scales.is_empty()) {
            return Err(CreateError::invalid(&object.path, "a dataset with scales cannot be a scale itself"));
        }
        object.scale.name = Some(name.into());
        Ok(())
    }

    /// Attaches a scale to an axis of a dataset. A dataset that is not a scale yet becomes one without a name.
    ///
    /// # Errors
    ///
    /// An axis that the dataset does not have, and a scale attached to itself or to another scale.
    pub fn attach_scale(
        &mut self,
        dataset: ObjectId,
        axis: usize,
        scale: ObjectId,
    ) -> Result<(), CreateError> {
        let rank = self.rank(dataset)?;
        self.rank(scale)?;
        let object = self.object_mut(dataset)?;
        if axis >= rank {
            return Err(CreateError::invalid(&object.path, format!("axis {axis} of {rank}")));
        }
        if object.scale.name.is_some() || dataset == scale {
            return Err(CreateError::invalid(&object.path, "a scale cannot have scales"));
        }
        object.scale.of_axes.resize(rank, Vec::new());
        if object.scale.of_axes[axis].contains(&scale) {
            return Ok(());
        }
        object.scale.of_axes[axis].push(scale);
        let scale = self.object_mut(scale)?;
        if scale.scale.name.is_none() {
            scale.scale.name = Some(String::new());
        }
        scale.scale.used_by.push((dataset, axis));
        Ok(())
    }

    /// Gives an axis of a dataset a label.
    ///
    /// # Errors
    ///
    /// An axis that the dataset does not have.
    pub fn label_axis(&mut self, dataset: ObjectId, axis: usize, label: &str) -> Result<(), CreateError> {
        let rank = self.rank(dataset)?;
        let object = self.object_mut(dataset)?;
        if axis >= rank {
            return Err(CreateError::invalid(&object.path, format!("axis {axis} of {rank}")));
        }
        object.scale.labels.resize(rank, String::new());
        object.scale.labels[axis] = label.into();
        Ok(())
    }

    fn rank(&mut self, dataset: ObjectId) -> Result<usize, CreateError> {
        let object = self.object_mut(dataset)?;
        match &object.kind {
            Kind::Dataset(prepared, _) => Ok(prepared.dataspace.rank()),
            Kind::Group(_) | Kind::Datatype(_) => {
                Err(CreateError::invalid(&object.path, "it is not a dataset"))
            }
        }
    }
}

/// The attributes by which a dataset and its scales refer to each other.
pub(crate) fn scale_attributes(object: &NewObject<'_>) -> Vec<(String, NewAttribute)> {
    let scale = &object.scale;
    let mut attributes = Vec::new();
    let mut push = |name: &str, attribute| attributes.push((name.to_owned(), attribute));
    if let Some(name) = &scale.name {
        push("CLASS", text("DIMENSION_SCALE"));
        if !name.is_empty() {
            push("NAME", text(name));
        }
    }
    if !scale.used_by.is_empty() {
        let members = [
            ("dataset", 0, datatypes::reference()),
            ("dimension", REFERENCE_BYTES as u32, datatypes::integer(4, true)),
        ];
        let datatype = datatypes::compound(USE_BYTES as u32, members);
        let mut bytes = vec![0; USE_BYTES * scale.used_by.len()];
        for (field, (_, axis)) in bytes.chunks_exact_mut(USE_BYTES).zip(&scale.used_by) {
            field[REFERENCE_BYTES..REFERENCE_BYTES + 4].copy_from_slice(&(*axis as i32).to_le_bytes());
        }
        let mut elements = Elements::from(bytes);
        for (number, (dataset, _)) in scale.used_by.iter().enumerate() {
            elements.set_reference(number * USE_BYTES, *dataset);
        }
        push("REFERENCE_LIST", NewAttribute::new(datatype, &[scale.used_by.len() as u64], elements));
    }
    if !scale.of_axes.is_empty() {
        let mut elements = Elements::zeros(VARIABLE_BYTES * scale.of_axes.len());
        for (axis, scales) in scale.of_axes.iter().enumerate() {
            let mut references = Elements::zeros(REFERENCE_BYTES * scales.len());
            for (number, scale) in scales.iter().enumerate() {
                references.set_reference(number * REFERENCE_BYTES, *scale);
            }
            elements.set_sequence(axis * VARIABLE_BYTES, scales.len() as u32, references);
        }
        let datatype = datatypes::sequence(datatypes::reference());
        push("DIMENSION_LIST", NewAttribute::new(datatype, &[scale.of_axes.len() as u64], elements));
    }
    if !scale.labels.is_empty() {
        let mut elements = Elements::zeros(VARIABLE_BYTES * scale.labels.len());
        for (axis, label) in scale.labels.iter().enumerate() {
            elements.set_sequence(axis * VARIABLE_BYTES, label.len() as u32, label.as_bytes().to_vec());
        }
        let labels = [scale.labels.len() as u64];
        push("DIMENSION_LABELS", NewAttribute::new(datatypes::string(Charset::Ascii), &labels, elements));
    }
    attributes
}

/// A text as libhdf5's high-level library writes it: with a NUL at its end.
fn text(value: &str) -> NewAttribute {
    let mut bytes = value.as_bytes().to_vec();
    bytes.push(0);
    let charset = if value.is_ascii() { Charset::Ascii } else { Charset::Utf8 };
    let class = Class::FixedString { padding: StringPadding::NullTerminate, charset };
    let datatype = Datatype { size: bytes.len() as u32, class, committed: None };
    NewAttribute { dataspace: Dataspace::Scalar, ..NewAttribute::new(datatype, &[], bytes) }
}
