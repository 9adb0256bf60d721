//! Client data as a file carries it: what the user asks for, completed from the dataset's datatype, chunk shape and fill
//! value. It is the work of the `can_apply` and `set_local` callbacks of libhdf5 and of the plug-ins.
//!
//! | filter | asked for | in the file |
//! | --- | --- | --- |
//! | shuffle | | element size |
//! | szip | options mask, pixels per block | mask with byte order, pixels per block, bits per pixel, pixels per line |
//! | nbit | | count, nothing to do, elements, type |
//! | scaleoffset | kind of scaling, digits or bits | these, elements, class, size, sign, order, fill value |
//! | lzf | | versions, chunk size |
//! | blosc, blosc2 | four ignored numbers, level, shuffle, codec | versions, element size, chunk size, and the rest |
//! | bitshuffle | elements of a block, codec, level | versions, element size, and the rest |
//! | LZO | | level, format version, kind of object |
//! | zfp | mode and its limits | version, zfp's header |
//! | BitGroom, Granular BitRound | digits | digits, element size, fill value |
//! | VBZ | level | version, bytes of an integer, whether differences are stored, level |
//! | SZ, SZ3 | kind of bound, four bounds | dimensions, type, sizes, and the rest |
//! | SPERR | bound, missing values | dimensions and type, bound, sizes |
//! | FCIDECOMP | | sample size, components, sizes, bits, components, zeros |
//!
//! For other filters, both are the same, unless a plug-in computes its own in code that needs libhdf5
//! ([`is_computed_by_plugin`]).

mod fcidecomp;
mod nbit;
mod quantize;
mod scaleoffset;
mod sperr;
mod sz;
mod szip;
mod zfp;

use crate::FilterError;
use hyperslab_storage::filter::number::{
    BIT_GROOM, BITSHUFFLE, BLOSC, BLOSC2, FCIDECOMP, GRANULAR_BIT_ROUND, LZF, LZO, NBIT, SCALEOFFSET,
    SHUFFLE, SPERR, SZ, SZ3, SZIP, VBZ, ZFP,
};

/// The dataset whose chunks are filtered.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The datatype in the file.
    pub element: &'a Element,
    /// The shape of a chunk, in elements.
    pub chunk: &'a [u64],
    /// The fill value in the file's type; zeros if it is the default, `None` if it is undefined.
    pub fill: Option<&'a [u8]>,
}

/// A datatype, as far as filters depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its size in bytes.
    pub size: u32,
    /// Its class.
    pub kind: ElementKind,
}

/// The class of a datatype.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElementKind {
    /// Fixed-point numbers.
    Integer {
        /// The place of the value.
        bits: BitLayout,
        /// True if signed (two's complement).
        signed: bool,
    },
    /// Floating-point numbers with bytes in little-endian or big-endian order.
    Float(BitLayout),
    /// An array of elements.
    Array(Box<Element>),
    /// The offsets of the members in bytes, and their types.
    Compound(Vec<(u32, Element)>),
    /// Sequences and texts of variable length.
    VariableLength,
    /// Any other, with the place of the value if it is stored as an integer (enumerations, bitfields).
    Other(Option<BitLayout>),
}

/// The place of a value in the bytes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitLayout {
    /// True if the most significant byte comes first.
    pub big_endian: bool,
    /// The number of significant bits.
    pub precision: u32,
    /// The first bit of the value.
    pub offset: u32,
}

/// The versions of h5py's LZF filter and of LibLZF.
const LZF_VERSIONS: [u32; 2] = [4, 0x0105];
/// The only level of LZO, ten times the format version of PyTables, and a table: chunks with checksums.
const LZO_TABLE: [u32; 3] = [1, 20, 0];
/// The versions of the plug-in and of Blosc's format.
const BLOSC_VERSIONS: [u32; 2] = [2, 2];
/// The version of the plug-in, and a number that is not used.
const BLOSC2_VERSIONS: [u32; 2] = [1, 0];
/// The version of Bitshuffle.
const BITSHUFFLE_VERSIONS: [u32; 2] = [0, 4];
/// Blosc treats larger elements as bytes (`BLOSC_MAX_TYPESIZE`).
const BLOSC_ELEMENT_MAX: u32 = 255;
/// Blosc 2 stores chunks with at least two and at most this many dimensions as arrays (`B2ND_MAX_DIM`).
const BLOSC2_DIMENSIONS_MAX: usize = 8;
/// The numbers of Blosc 2's client data before the shape.
const BLOSC2_BEFORE_SHAPE: usize = 7;
/// The first numbers of Blosc's client data, which the plug-in computes.
const BLOSC_COMPUTED: usize = 4;

/// The client data of a filter in the file, given what the user asked for.
///
/// # Errors
/// [`FilterError::Inapplicable`] if the filter cannot be used for such a dataset.
pub fn client_data(id: u16, asked: &[u32], target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    match id {
        SHUFFLE => Ok(vec![target.element.size]),
        SZIP => szip::complete(asked, target),
        NBIT => nbit::complete(target),
        SCALEOFFSET => scaleoffset::complete(asked, target),
        LZO if asked.is_empty() => Ok(LZO_TABLE.into()),
        ZFP => zfp::complete(asked, target),
        BIT_GROOM | GRANULAR_BIT_ROUND => quantize::complete(asked, target),
        SZ => sz::complete("sz", asked, target),
        SZ3 => sz::complete("sz3", asked, target),
        SPERR => sperr::complete(asked, target),
        FCIDECOMP => fcidecomp::complete(target),
        LZF => Ok(LZF_VERSIONS.into_iter().chain([target.chunk_bytes("lzf")?]).collect()),
        BLOSC => blosc("blosc", BLOSC_VERSIONS, asked, target),
        BLOSC2 => blosc2(asked, target),
        BITSHUFFLE => {
            let known = BITSHUFFLE_VERSIONS.into_iter().chain([target.element.size]);
            Ok(known.chain(asked.iter().copied()).collect())
        }
        VBZ if asked.len() <= 1 => Ok(vbz(asked, target.element)),
        _ => Ok(asked.to_vec()),
    }
}

/// Version 0 of VBZ packs the differences of integers of 1, 2 or 4 bytes; other elements are only compressed.
fn vbz(asked: &[u32], element: &Element) -> Vec<u32> {
    const LEVEL: u32 = 1;
    let is_integer = matches!(element.kind, ElementKind::Integer { .. }) && matches!(element.size, 1 | 2 | 4);
    let width = if is_integer { element.size } else { 0 };
    vec![0, width, u32::from(is_integer), asked.first().copied().unwrap_or(LEVEL)]
}

/// What the user asked for, of the client data of a file: the numbers that do not follow from the dataset. The reverse of
/// [`client_data`].
pub fn asked(id: u16, stored: &[u32]) -> Vec<u32> {
    match id {
        SHUFFLE | NBIT | LZF | FCIDECOMP => Vec::new(),
        SZ | SZ3 => sz::asked(stored),
        SPERR => sperr::asked(stored),
        // Complete numbers, which are taken as they are.
        VBZ => stored.into(),
        SZIP | SCALEOFFSET => stored.iter().take(2).copied().collect(),
        BITSHUFFLE => stored.iter().skip(3).copied().collect(),
        BLOSC2 => stored.iter().take(BLOSC2_BEFORE_SHAPE).copied().collect(),
        BIT_GROOM | GRANULAR_BIT_ROUND => stored.iter().take(1).copied().collect(),
        ZFP => zfp::asked(stored),
        _ => stored.into(),
    }
}

/// The most that a filter changes a value by, if its client data in the file promises that.
pub fn error_promised(id: u16, stored: &[u32]) -> Option<f64> {
    if id == ZFP { zfp::error_max(stored) } else { None }
}

/// True if a plug-in computes the client data of this filter in code that needs libhdf5, so that it is not known here.
pub fn is_computed_by_plugin(id: u16) -> bool {
    if matches!(id, SZ | SZ3 | SPERR | FCIDECOMP) {
        return false;
    }
    #[cfg(feature = "plugins")]
    return !crate::provide::is_own(id) && crate::plugin::computes_client_data(id);
    #[cfg(not(feature = "plugins"))]
    return false;
}

/// The sizes of a chunk, without dimensions of one element.
fn long_dimensions(target: &Target<'_>, filter: &'static str) -> Result<Vec<u32>, FilterError> {
    let long = target.chunk.iter().filter(|size| **size != 1);
    long.map(|&size| u32::try_from(size).map_err(|_| too_large(filter))).collect()
}

fn blosc(
    filter: &'static str,
    versions: [u32; 2],
    asked: &[u32],
    target: &Target<'_>,
) -> Result<Vec<u32>, FilterError> {
    // An array is shuffled by its elements.
    let size = match &target.element.kind {
        ElementKind::Array(base) => base.size,
        _ => target.element.size,
    };
    let size = if size > BLOSC_ELEMENT_MAX { 1 } else { size };
    let known = versions.into_iter().chain([size, target.chunk_bytes(filter)?]);
    Ok(known.chain(asked.iter().skip(BLOSC_COMPUTED).copied()).collect())
}

/// An array of several dimensions is stored as such, with the shape of the chunk.
fn blosc2(asked: &[u32], target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    const DEFAULTS: [u32; 3] = [5, 1, 0];
    let mut values = blosc("blosc2", BLOSC2_VERSIONS, asked, target)?;
    if (2..=BLOSC2_DIMENSIONS_MAX).contains(&target.chunk.len()) {
        values.extend(DEFAULTS.iter().skip(values.len() - BLOSC_COMPUTED));
        values.truncate(BLOSC2_BEFORE_SHAPE);
        values.push(target.chunk.len() as u32);
        for &size in target.chunk {
            values.push(u32::try_from(size).map_err(|_| too_large("blosc2"))?);
        }
    }
    Ok(values)
}

impl Target<'_> {
    fn elements(&self, filter: &'static str) -> Result<u32, FilterError> {
        let count = self.chunk.iter().try_fold(1u64, |count, &size| count.checked_mul(size));
        count.and_then(|count| u32::try_from(count).ok()).ok_or_else(|| too_large(filter))
    }

    fn chunk_bytes(&self, filter: &'static str) -> Result<u32, FilterError> {
        self.elements(filter)?.checked_mul(self.element.size).ok_or_else(|| too_large(filter))
    }
}

impl Element {
    /// The place of the value; that of an array is that of its elements.
    fn bits(&self) -> Option<BitLayout> {
        match &self.kind {
            ElementKind::Integer { bits, .. } | ElementKind::Float(bits) => Some(*bits),
            ElementKind::Other(bits) => *bits,
            ElementKind::Array(base) => base.bits(),
            ElementKind::Compound(_) | ElementKind::VariableLength => None,
        }
    }
}

fn inapplicable(filter: &'static str, what: impl Into<String>) -> FilterError {
    FilterError::Inapplicable { filter, what: what.into() }
}

fn too_large(filter: &'static str) -> FilterError {
    inapplicable(filter, "the size of a chunk needs more than 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_filtered_is_refused() {
        let text = Element { size: 4, kind: ElementKind::Other(None) };
        let bits = BitLayout { big_endian: false, precision: 24, offset: 0 };
        let odd = Element { size: 3, kind: ElementKind::Integer { bits, signed: false } };
        let target = |element, chunk| Target { element, chunk, fill: None };
        let refused = |id, asked: &[u32], target| {
            let found = client_data(id, asked, &target);
            assert!(matches!(found, Err(FilterError::Inapplicable { .. })), "{id} {found:?}");
        };
        refused(SZIP, &[32, 8], target(&text, &[100]));
        refused(SZIP, &[32, 8], target(&odd, &[7]));
        refused(SZIP, &[32], target(&odd, &[70]));
        refused(SZIP, &[32, 7], target(&odd, &[70]));
        refused(SCALEOFFSET, &[2, 0], target(&text, &[100]));
        refused(SCALEOFFSET, &[2, 0], target(&odd, &[100]));
        refused(SCALEOFFSET, &[2], target(&odd, &[100]));
        let whole = Element { size: 4, kind: ElementKind::Integer { bits, signed: false } };
        refused(SCALEOFFSET, &[0, 2], target(&whole, &[100]));
        for id in [NBIT, LZF, BLOSC, BLOSC2, SCALEOFFSET] {
            refused(id, &[2, 0], target(&whole, &[1 << 20, 1 << 20]));
        }
        let vlen = Element { size: 16, kind: ElementKind::VariableLength };
        refused(NBIT, &[], target(&Element { size: 32, kind: ElementKind::Array(Box::new(vlen)) }, &[3]));
    }

    #[test]
    fn an_array_type_is_shuffled_by_its_elements() {
        let bits = BitLayout { big_endian: false, precision: 16, offset: 0 };
        let base = Element { size: 2, kind: ElementKind::Integer { bits, signed: true } };
        let array = Element { size: 6, kind: ElementKind::Array(Box::new(base)) };
        let target = Target { element: &array, chunk: &[10], fill: None };
        assert_eq!(client_data(BLOSC, &[0, 0, 0, 0, 9, 2], &target).unwrap(), [2, 2, 2, 60, 9, 2]);
        assert_eq!(client_data(SHUFFLE, &[], &target).unwrap(), [6]);
        let flat = Target { chunk: &[2, 5], ..target };
        assert_eq!(client_data(BLOSC2, &[0, 0, 0, 0, 9], &flat).unwrap(), [1, 0, 2, 60, 9, 1, 0, 2, 2, 5]);
    }
}
