//! How the bytes of one element in the file become the bytes of one element of a NumPy array.

use super::number::Number;
use hyperslab_format::message::datatype::StringPadding;
use numpy::PyArrayDescr;
use pyo3::prelude::*;

/// How one element, or part of one, is rebuilt.
pub struct Layout {
    /// Bytes in the file.
    pub file_bytes: usize,
    /// Bytes in memory.
    pub memory_bytes: usize,
    /// What happens to them.
    pub kind: Kind,
    /// How much work it is.
    pub work: Work,
}

/// What happens to the bytes of an element.
pub enum Kind {
    /// Nothing.
    Same,
    /// Text of a fixed length is cut where its padding begins, as libhdf5 does for NumPy, which pads with NULs.
    Text(StringPadding),
    /// An enumeration of FALSE and TRUE: everything but 0 is true.
    Bool,
    /// A number of a width or precision that NumPy lacks is widened.
    Number(Number),
    /// Members move to where NumPy has them.
    Compound(Vec<Field>),
    /// Elements in a row.
    Array(Box<Layout>),
    /// `bytes`.
    VlenText,
    /// An array.
    VlenSequence(Box<Layout>, Py<PyArrayDescr>),
    /// `hyperslab.Reference`.
    ObjectReference,
    /// `hyperslab.RegionReference`.
    RegionReference,
    /// Either of the two, or `hyperslab.AttributeReference`.
    RevisedReference,
}

/// A member of a compound.
pub struct Field {
    /// Where it begins in the file's element.
    pub file: usize,
    /// Where it begins in memory.
    pub memory: usize,
    /// Its own layout.
    pub layout: Layout,
}

/// How much work is between file and memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Work {
    /// None: the engine writes into the array.
    None,
    /// The engine writes into the array, where some bytes are then changed.
    InPlace,
    /// Elements are rebuilt one by one, without Python.
    Rebuild,
    /// Elements are, or hold, Python objects.
    Objects,
}

impl Layout {
    /// A layout; how much work it is follows from the rest.
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

    /// The same bytes in memory as in the file.
    pub fn same(bytes: usize) -> Self {
        Self::new(bytes, bytes, Kind::Same)
    }

    /// A Python object.
    pub fn object(file_bytes: usize, kind: Kind) -> Self {
        Self::new(file_bytes, size_of::<*mut pyo3::ffi::PyObject>(), kind)
    }

    /// Changes elements where they lie ([`Work::InPlace`]).
    pub fn change_in_place(&self, elements: &mut [u8]) {
        match &self.kind {
            Kind::Text(padding) => {
                elements.chunks_exact_mut(self.file_bytes).for_each(|element| cut_text(*padding, element));
            }
            Kind::Bool => elements.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0)),
            // Elements of an array follow one another like any others.
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
