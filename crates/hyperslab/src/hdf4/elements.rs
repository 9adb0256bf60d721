//! The elements of a file: their descriptors, and their bytes wherever these are.

use super::pages::Pages;
use super::{decoder, extents};
use crate::format_error::{OrError, format_error};
use crate::{Error, ErrorKind, Result};
use bytes::{Bytes, BytesMut};
use hyperslab_format::FormatError;
use hyperslab_hdf4::{Compressed, Descriptor, Descriptors, NumberType, Special, tag};
use hyperslab_io::{Source, Stretch};
use std::ops::Range;
use std::sync::Arc;

/// Longer elements are values; no structure is as long.
const STRUCTURE_BYTES_MAX: u64 = 1 << 28;

/// No coder makes more of its bytes: deflate writes 258 for two bits.
const RATIO_MAX: u64 = 1032;

/// The elements of an open file.
pub(super) struct Elements {
    pub(super) descriptors: Descriptors,
    pages: Pages,
}

/// The bytes of an element, and where the first of them is.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) at: u64,
    pub(super) bytes: Bytes,
}

/// An error of reading or of parsing the descriptors.
struct ReadError(Error);

impl From<FormatError> for ReadError {
    fn from(error: FormatError) -> Self {
        Self(format_error(error))
    }
}

impl Elements {
    /// Reads the descriptors of the file that a source contains.
    pub(super) fn read(source: Arc<dyn Source>) -> Result<Self> {
        let pages = Pages::new(source);
        let fetch = |range: Range<u64>| pages.read(range).map(|bytes| bytes.to_vec()).map_err(ReadError);
        let descriptors = Descriptors::read(pages.source.len(), fetch).map_err(|ReadError(error)| error)?;
        Ok(Self { descriptors, pages })
    }

    /// The file.
    pub(super) fn source(&self) -> &Arc<dyn Source> {
        &self.pages.source
    }

    /// The bytes of an element, or `None` if it does not exist or was never written.
    pub(super) fn get(&self, (tag, reference): (u16, u16)) -> Result<Option<Element>> {
        let Some(descriptor) = self.descriptors.get(tag, reference) else { return Ok(None) };
        let Some(range) = descriptor.range() else { return Ok(None) };
        let at = range.start;
        let Some(special) = self.special(descriptor)? else {
            check_len(range.end - range.start, 0, at)?;
            return Ok(Some(Element { at, bytes: self.pages.read(range)? }));
        };
        let bytes = match &special {
            Special::Linked(linked) => self.join(&extents::linked(self, linked)?)?,
            Special::Compressed(compressed) => self.decode(compressed, at)?,
            Special::External(external) => {
                let what = format!("a structure in another file, {}, is not read", external.name);
                return Err(Error::unsupported(what).at_byte("special element", at));
            }
            Special::Chunked(_) => {
                let what = "a structure in chunks is not read";
                return Err(Error::unsupported(what).at_byte("special element", at));
            }
        };
        Ok(Some(Element { at, bytes }))
    }

    /// The bytes of an element that must exist.
    pub(super) fn need(&self, key: (u16, u16)) -> Result<Element> {
        self.get(key)?.ok_or_else(|| missing(key))
    }

    /// The offset of an element; 0 if it does not exist.
    pub(super) fn at(&self, (tag, reference): (u16, u16)) -> u64 {
        self.descriptors.get(tag, reference).map_or(0, |found| found.offset.into())
    }

    /// The number type that an element describes.
    pub(super) fn number_type(&self, key: (u16, u16)) -> Result<NumberType> {
        let element = self.need(key)?;
        NumberType::parse(&element.bytes, element.at).or_error()
    }

    /// The description that stands in place of an element, if one does.
    pub(super) fn special(&self, descriptor: &Descriptor) -> Result<Option<Special>> {
        match descriptor.range() {
            Some(range) if descriptor.is_special() => {
                check_len(range.end - range.start, 0, range.start)?;
                let at = range.start;
                Special::parse(&self.pages.read(range)?, at).or_error().map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The bytes of extents, one after the other; what was never written is zeros.
    pub(super) fn join(&self, extents: &[Stretch]) -> Result<Bytes> {
        let len: u64 = extents.iter().map(|extent| extent.len).sum();
        check_len(len, self.source().len(), extents.iter().find_map(|extent| extent.at).unwrap_or(0))?;
        let mut bytes = BytesMut::with_capacity(len as usize);
        for extent in extents {
            match extent.at {
                Some(at) => bytes.extend_from_slice(&self.pages.read(at..at + extent.len)?),
                None => bytes.resize(bytes.len() + extent.len as usize, 0),
            }
        }
        Ok(bytes.freeze())
    }

    /// The bytes that a compressed element decodes to.
    pub(super) fn decode(&self, compressed: &Compressed, at: u64) -> Result<Bytes> {
        let stored = self.join(&extents::stored(self, compressed)?)?;
        check_len(compressed.length.into(), stored.len() as u64 * RATIO_MAX, at)?;
        let len = compressed.length as usize;
        if len == 0 {
            return Ok(Bytes::new());
        }
        let decoded = decoder::decode(&compressed.coder, &stored, len);
        decoded.map_err(|error| error.at_byte("compressed element", at))
    }
}

/// No more is read at once than a structure may have, or than there can be.
fn check_len(len: u64, possible: u64, at: u64) -> Result<()> {
    let most = STRUCTURE_BYTES_MAX.max(possible);
    if len <= most {
        return Ok(());
    }
    let what = format!("an element of {len} bytes is more than the {most} that are read at once");
    Err(Error::new(ErrorKind::Limit, what).at_byte("element", at))
}

/// The error of an element that another one refers to and that does not exist.
pub(super) fn missing((tag, reference): (u16, u16)) -> Error {
    Error::damaged(format!("there is no element of tag {} and reference {reference}", tag::base(tag)))
}
