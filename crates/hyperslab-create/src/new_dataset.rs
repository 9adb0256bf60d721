//! What a new dataset or attribute is to be.

use crate::elements::Elements;
use hyperslab::{Dataspace, Datatype};
use hyperslab_storage::{FilterRequest, Layout};
use hyperslab_write::ObjectId;

/// A dataset of a new file.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDataset {
    pub(crate) datatype: Datatype,
    pub(crate) dataspace: Dataspace,
    pub(crate) layout: Requested,
    pub(crate) filters: Vec<FilterRequest>,
    pub(crate) fill: Option<Elements>,
    /// The named datatype that it uses.
    pub(crate) committed: Option<ObjectId>,
}

/// The layout that is requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Requested {
    /// In chunks of an automatic shape if the dataset has filters or can grow; otherwise in the object header if elements are
    /// few, or in one block.
    Automatic,
    /// In chunks of an automatic shape.
    AutomaticChunks,
    /// This one.
    Layout(Layout),
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
            layout: Requested::Automatic,
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

    /// Sets the layout. Without one, the dataset has chunks of an automatic shape if it has filters or can grow; otherwise it is
    /// in the object header if its elements are few, or in one block.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Self {
        Self { layout: Requested::Layout(layout), ..self }
    }

    /// Stores it in chunks of an automatic shape.
    #[must_use]
    pub fn automatic_chunks(self) -> Self {
        Self { layout: Requested::AutomaticChunks, ..self }
    }

    /// Stores it in chunks of this shape, in elements.
    #[must_use]
    pub fn chunks(self, shape: &[u64]) -> Self {
        self.layout(Layout::Chunked(shape.into()))
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
