//! What a new dataset or attribute is to be.

use crate::elements::Elements;
use hyperslab::{Dataspace, Datatype};
use hyperslab_storage::FilterRequest;
use hyperslab_write::ObjectId;

/// A dataset of a new file.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDataset {
    pub(crate) datatype: Datatype,
    pub(crate) dataspace: Dataspace,
    pub(crate) layout: Layout,
    pub(crate) filters: Vec<FilterRequest>,
    pub(crate) fill: Option<Elements>,
    /// The named datatype that it uses.
    pub(crate) committed: Option<ObjectId>,
}

/// How the elements of a dataset are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Layout {
    /// In chunks of an automatic shape if the dataset has filters or can grow; otherwise in the object header if they are few,
    /// or in one block.
    #[default]
    Automatic,
    /// In one block.
    Contiguous,
    /// In the object header: fewer than 64 KiB.
    Compact,
    /// In chunks of an automatic shape.
    AutomaticChunks,
    /// In chunks of this shape.
    Chunks(Vec<u64>),
}

impl NewDataset {
    /// A dataset of `dims` elements along each axis; of one element (a scalar dataspace) without axes.
    pub fn new(datatype: Datatype, dims: &[u64]) -> Self {
        let max_dims = dims.iter().map(|&dim| Some(dim)).collect();
        let dataspace = match dims {
            [] => Dataspace::Scalar,
            dims => Dataspace::Simple { dims: dims.into(), max_dims },
        };
        Self {
            datatype,
            dataspace,
            layout: Layout::Automatic,
            filters: Vec::new(),
            fill: None,
            committed: None,
        }
    }

    /// A dataset without elements and shape (a null dataspace).
    pub fn null(datatype: Datatype) -> Self {
        Self { dataspace: Dataspace::Null, ..Self::new(datatype, &[]) }
    }

    /// Sets the extent to which each axis can grow; `None` is without a limit.
    #[must_use]
    pub fn maximum(mut self, max: &[Option<u64>]) -> Self {
        if let Dataspace::Simple { max_dims, .. } = &mut self.dataspace {
            *max_dims = max.into();
        }
        self
    }

    /// Sets the layout.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Stores it in chunks of this shape, in elements.
    #[must_use]
    pub fn chunks(self, shape: &[u64]) -> Self {
        self.layout(Layout::Chunks(shape.into()))
    }

    /// Sets the filters, in the order in which they are applied when writing.
    #[must_use]
    pub fn filters(self, filters: impl Into<Vec<FilterRequest>>) -> Self {
        Self { filters: filters.into(), ..self }
    }

    /// Sets the fill value: one element.
    #[must_use]
    pub fn fill(self, element: impl Into<Elements>) -> Self {
        Self { fill: Some(element.into()), ..self }
    }

    /// Uses a named datatype of the file, which must be its datatype.
    #[must_use]
    pub fn named_datatype(self, datatype: ObjectId) -> Self {
        Self { committed: Some(datatype), ..self }
    }
}

/// An attribute of a new file.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAttribute {
    /// The datatype of its elements.
    pub datatype: Datatype,
    /// Its extent.
    pub dataspace: Dataspace,
    /// Its elements; none of a null dataspace.
    pub elements: Elements,
    /// The named datatype of the file that it uses, if it does. It must be its datatype.
    pub named_datatype: Option<ObjectId>,
}

impl NewAttribute {
    /// An attribute of `dims` elements along each axis; of one element without axes.
    pub fn new(datatype: Datatype, dims: &[u64], elements: impl Into<Elements>) -> Self {
        let dataspace = NewDataset::new(datatype.clone(), dims).dataspace;
        Self { datatype, dataspace, elements: elements.into(), named_datatype: None }
    }

    /// An attribute without a value (a null dataspace).
    pub fn null(datatype: Datatype) -> Self {
        let elements = Elements::default();
        Self { datatype, dataspace: Dataspace::Null, elements, named_datatype: None }
    }
}
