//! How elements of a source become those of a virtual dataset.

use crate::dataset::DatasetInner;
use crate::number::Converter;
use crate::{Error, Result};
use hyperslab_array::array::{ConvertElements, ElementChange};
use hyperslab_format::message::{ByteOrder, Class, Datatype};

/// What makes elements of one datatype of those of another.
pub(super) enum DatatypeChange {
    None,
    Swap { width: usize },
    Convert(Converter),
}

impl ConvertElements for Converter {
    fn convert(&self, from: &[u8], to: &mut [u8]) {
        Converter::convert(self, from, to);
    }
}

impl DatatypeChange {
    /// From elements of a source into those of the datatype `own`, of a dataset of the file `own_file`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] where there is no conversion, or where elements refer to the file that they
    /// are stored in.
    pub(super) fn new(own: &Datatype, own_file: u64, source: &DatasetInner) -> Result<Self> {
        let (other, path) = (source.datatype(), &source.node.path);
        let is_elsewhere = source.node.file.data.id != own_file;
        if is_elsewhere && (own.is_variable() || own.contains_reference()) {
            let what = format!("elements of the source {path} ({other}) refer to their own file");
            return Err(Error::unsupported(what).with_hint("read the source itself"));
        }
        if own.size == other.size && own.class == other.class {
            return Ok(Self::None);
        }
        if is_swapped(own, other) {
            return Ok(Self::Swap { width: own.size as usize });
        }
        let converter = Converter::new(other, own).ok_or_else(|| {
            let what = format!("the source {path} holds {other}, the virtual dataset {own}");
            Error::unsupported(what).with_hint("read the source itself")
        })?;
        Ok(Self::Convert(converter))
    }

    pub(super) fn of_elements(&self) -> ElementChange<'_> {
        match self {
            Self::None => ElementChange::None,
            Self::Swap { width } => ElementChange::Swap { width: *width },
            Self::Convert(converter) => ElementChange::Convert(converter),
        }
    }
}

/// True where two datatypes of numbers differ in their byte order alone. As in libhdf5 this swaps signed integers into
/// unsigned ones, too, without clipping them: -1 becomes the largest.
fn is_swapped(own: &Datatype, other: &Datatype) -> bool {
    let orders =
        |a, b| matches!((a, b), (ByteOrder::Little, ByteOrder::Big) | (ByteOrder::Big, ByteOrder::Little));
    own.size == other.size
        && matches!(own.size, 2 | 4 | 8 | 16)
        && match (&own.class, &other.class) {
            (Class::Integer(own), Class::Integer(other)) => {
                let mut same = other.clone();
                (same.order, same.signed) = (own.order, own.signed);
                orders(own.order, other.order) && same == *own
            }
            (Class::Float(own), Class::Float(other)) => {
                let mut same = other.clone();
                same.order = own.order;
                orders(own.order, other.order) && same == *own
            }
            _ => false,
        }
}
