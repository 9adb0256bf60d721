//! The tree of a file: groups and datasets, before any of them is opened.

use super::attribute::Attribute;
use hyperslab_format::Name;
use hyperslab_hdf4::{Field, NumberType, Order};

/// An object of the tree.
pub(super) enum Object {
    Group(Group),
    DataSet(Box<DataSet>),
}

/// A group.
#[derive(Default)]
pub(super) struct Group {
    /// Its members, by their numbers.
    pub(super) links: Vec<(Name, usize)>,
    /// Names that lead to objects which are listed elsewhere.
    pub(super) other_names: Vec<(Name, usize)>,
    pub(super) attributes: Vec<Attribute>,
    /// The offset of its description.
    pub(super) at: u64,
}

/// A dataset.
pub(super) struct DataSet {
    pub(super) element: Element,
    /// Values along each axis, slowest first.
    pub(super) shape: Vec<u64>,
    /// The first axis can grow.
    pub(super) is_unlimited: bool,
    pub(super) values: Values,
    /// The value of elements that were never written, as it would be stored; of an image, the values of a pixel.
    pub(super) fill: Vec<u8>,
    pub(super) attributes: Vec<Attribute>,
    /// The offset of its description.
    pub(super) at: u64,
}

impl DataSet {
    /// The value of elements that were never written, if it is the same for all.
    pub(super) fn same_fill(&self) -> Option<&[u8]> {
        same(&self.fill, self.element.bytes())
    }
}

/// The value of this many bytes that all of these are.
pub(super) fn same(values: &[u8], bytes: u64) -> Option<&[u8]> {
    let (one, others) = values.split_at_checked(bytes as usize)?;
    others.chunks(one.len().max(1)).all(|other| other == one).then_some(one)
}

/// What an element of a dataset is.
#[derive(Debug, Clone)]
pub(super) enum Element {
    Number(NumberType),
    /// A record of a Vdata.
    Record {
        fields: Vec<Field>,
        bytes: u16,
    },
}

impl Element {
    /// Bytes in the file.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Element::Number(number_type) => number_type.bytes.into(),
            Element::Record { bytes, .. } => (*bytes).into(),
        }
    }
}

/// Where the values of a dataset are.
#[derive(Debug, Clone)]
pub(super) enum Values {
    /// They are those of the element with this tag and this reference.
    Of((u16, u16)),
    /// They are the pixels of the element with this tag and this reference, row by row.
    Pixels((u16, u16)),
    /// They begin within an element.
    Within((u16, u16), u64),
    /// Nobody wrote any.
    Nowhere,
    /// They are known, in the order of the file.
    Known(Vec<u8>),
    /// Pixels that JPEG has compressed, in an element; the first part of the stream, the tables, may be another.
    Jpeg { tables: Option<(u16, u16)>, pixels: (u16, u16) },
    /// In an element, in an order that is not that of the axes.
    Reordered((u16, u16), Order),
}

impl Values {
    /// The element whose bytes are all of the data set's own.
    pub(super) fn element(&self) -> Option<(u16, u16)> {
        match self {
            Values::Of(key)
            | Values::Pixels(key)
            | Values::Reordered(key, _)
            | Values::Jpeg { pixels: key, .. } => Some(*key),
            Values::Within(..) | Values::Nowhere | Values::Known(_) => None,
        }
    }
}

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dimension {
    pub(super) name: Name,
    pub(super) len: u64,
    pub(super) is_unlimited: bool,
}
