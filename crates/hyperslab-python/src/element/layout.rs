//! How the bytes of one element in the file are converted to one element of a NumPy array.

use super::number::Number;
use hyperslab_format::message::datatype::StringPadding;
use numpy::PyArrayDescr;
use pyo3::prelude::*;

/// How one element, or one member of it, is converted.
pub struct Layout {
    /// Bytes in the file.
    pub file_bytes: usize,
    /// Bytes in memory.
    pub memory_bytes: usize,
    /// The conversion of its bytes.
    pub kind: Kind,
    /// How much work the conversion is.
    pub work: Work,
}

/// The conversion of the bytes of an element.
pub enum Kind {
    /// The bytes are the same.
    Same,
    /// Fixed-length text is truncated where its padding begins, as libhdf5 does for NumPy, which pads with NULs.
    Text(StringPadding),
    /// An enumeration of FALSE and TRUE: every value except 0 is true.
    Bool,
    /// A number of a width or precision that NumPy does not have is widened.
    Number(Number),
    /// Members are moved to their offsets in NumPy's dtype.
    Compound(Vec<Field>),
    /// A fixed number of consecutive elements.
    Array(Box<Layout>),
    /// `bytes`.
    VlenText,
    /// A NumPy array.
    VlenSequence(Box<Layout>, Py<PyArrayDescr>),
    /// `hyperslab.Reference`.
    ObjectReference,
    /// `hyperslab.RegionReference`.
    RegionReference,
    /// Either of the two above, or `hyperslab.AttributeReference`.
    RevisedReference,
}

/// A member of a compound.
pub struct Field {
    /// Its offset in the file's element.
    pub file: usize,
    /// Its offset in memory.
    pub memory: usize,
    /// Its own layout.
    pub layout: Layout,
}

/// How much work the conversion from file to memory is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Work {
    /// None: the engine writes directly into the array.
    None,
    /// The engine writes into the array, then some bytes are changed there.
    InPlace,
    /// Elements are converted one by one, without using Python.
    Rebuild,
    /// Elements are Python objects, or contain them.
    Objects,
}

impl Layout {
    /// A layout; the amount of work is derived from `kind`.
    pub fn new(file_bytes: usize, memory_bytes: usize, kind: Kind) -> Self {
        let work = match &kind {
            Kind::Same => Work::None,
            Kind::Text(_) => Work::InPlace,
            Kind::Bool if file_bytes == memory_bytes => Work::InPlace,
            Kind::Bool | Kind::Number(_) => Work::Rebuild,
            Kind::Array(base) => base.work,
            Kind::Compound(fields) => {
                let moved =
                    file_bytes != memory_bytes || fields.iter().any(|field| field.file != field.memory);
                let own = if moved { Work::Rebuild } else { Work::None };
                fields.iter().map(|field| field.layout.work).fold(own, Work::max)
            }
            _ => Work::Objects,
        };
        Self { file_bytes, memory_bytes, kind, work }
    }

    /// Elements with the same bytes in memory as in the file.
    pub fn same(bytes: usize) -> Self {
        Self::new(bytes, bytes, Kind::Same)
    }

    /// A Python object.
    pub fn object(file_bytes: usize, kind: Kind) -> Self {
        Self::new(file_bytes, size_of::<*mut pyo3::ffi::PyObject>(), kind)
    }

    /// Changes elements in place ([`Work::InPlace`]).
    pub fn change_in_place(&self, elements: &mut [u8]) {
        match &self.kind {
            Kind::Text(padding) => {
                elements.chunks_exact_mut(self.file_bytes).for_each(|element| cut_text(*padding, element));
            }
            Kind::Bool => elements.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0)),
            // The elements of an array are contiguous, so all can be handled together.
            Kind::Array(base) => base.change_in_place(elements),
            Kind::Compound(fields) => {
                for element in elements.chunks_exact_mut(self.file_bytes) {
                    for Field { file, layout, .. } in fields {
                        layout.change_in_place(&mut element[*file..file + layout.file_bytes]);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Overwrites the padding of an element of text with NULs.
pub fn cut_text(padding: StringPadding, element: &mut [u8]) {
    let end = match padding {
        StringPadding::NullPad => element.len(),
        StringPadding::NullTerminate => element.iter().position(|&byte| byte == 0).unwrap_or(element.len()),
        StringPadding::SpacePad => element.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1),
    };
    element[end..].fill(0);
}
