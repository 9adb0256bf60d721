//! The conversion from elements of a source to elements of a virtual dataset.

use crate::dataset::DatasetInner;
use crate::number::Converter;
use crate::{Error, Result};
use hyperslab_array::array::{ConvertElements, ElementChange};
use hyperslab_format::message::{ByteOrder, Class, Datatype};

/// The conversion from one datatype to another.
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
    /// The conversion from elements of `source` to the datatype `own` of a virtual dataset of the file `own_file`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] if there is no conversion, or if the elements refer to other bytes of the file
    /// in which they are stored.
    pub(super) fn new(own: &Datatype, own_file: u64, source: &DatasetInner) -> Result<Self> {
        let (other, path) = (source.datatype(), &source.node.path);
        let is_elsewhere = source.node.file.data.id != own_file;
        if is_elsewhere && (own.is_variable() || own.contains_reference()) {
            let what = format!("the source {path} has elements ({other}) that refer to data in its own file");
            return Err(Error::unsupported(what).with_hint("read the source itself"));
        }
        if own.size == other.size && own.class == other.class {
            return Ok(Self::None);
        }
        if is_swapped(own, other) {
            return Ok(Self::Swap { width: own.size as usize });
        }
        let converter = Converter::new(other, own).ok_or_else(|| {
            let what = format!("cannot convert {other} of the source {path} to {own} of the virtual dataset");
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

/// True if two number types differ only in their byte order, or for integers also in their sign. As in libhdf5, a signed
/// integer then becomes an unsigned one without clipping: -1 becomes the largest number.
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
