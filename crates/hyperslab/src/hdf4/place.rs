//! Where the values of a dataset are.

use super::elements::Elements;
use super::extents;
use crate::Result;
use hyperslab_hdf4::{Chunked, Coder, Compressed, External, Special};
use hyperslab_io::Stretch;

/// The place of the bytes of an element.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// The element does not exist or was never written.
    Nowhere,
    /// In parts of the file.
    Extents(Vec<Stretch>),
    /// In one coded stream.
    Coded {
        /// The description.
        compressed: Compressed,
        /// Where it stands.
        at: u64,
        /// The stream.
        stored: Vec<Stretch>,
    },
    /// In chunks.
    Chunked(Box<Chunked>),
    /// In another file.
    External(External),
}

impl Place {
    /// The place of the element with this tag and this reference.
    pub(super) fn of(elements: &Elements, (tag, reference): (u16, u16)) -> Result<Self> {
        let Some(descriptor) = elements.descriptors.get(tag, reference) else { return Ok(Place::Nowhere) };
        let Some(range) = descriptor.range() else { return Ok(Place::Nowhere) };
        let at = range.start;
        Ok(match elements.special(descriptor)? {
            None => Place::Extents(vec![extents::whole(range)]),
            Some(Special::Linked(linked)) => Place::Extents(extents::linked(elements, &linked)?),
            Some(Special::Compressed(compressed)) => {
                let stored = extents::stored(elements, &compressed)?;
                match compressed.coder {
                    Coder::None => Place::Extents(stored),
                    _ => Place::Coded { compressed, at, stored },
                }
            }
            Some(Special::Chunked(chunked)) => Place::Chunked(Box::new(chunked)),
            Some(Special::External(external)) => Place::External(external),
        })
    }

    /// Bytes of the element, decoded.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Place::Nowhere => 0,
            Place::Extents(extents) => extents.iter().map(|extent| extent.len).sum(),
            Place::Coded { compressed, .. } => compressed.length.into(),
            Place::Chunked(chunked) => {
                let values = chunked.dimensions.iter().map(|dimension| u64::from(dimension.length));
                values.fold(chunked.value_bytes.into(), u64::saturating_mul)
            }
            Place::External(external) => external.length.into(),
        }
    }
}
