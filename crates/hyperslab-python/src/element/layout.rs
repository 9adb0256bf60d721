//! How the bytes of one element in the file become the bytes of one element of a NumPy array.

use super::number::Number;
use hyperslab::format::message::datatype::StringPadding;
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
    /// The same bytes in memory as in the file.
    pub fn same(bytes: usize) -> Self {
        Self { file_bytes: bytes, memory_bytes: bytes, kind: Kind::Same }
    }

    /// A Python object.
    pub fn object(file_bytes: usize, kind: Kind) -> Self {
        Self { file_bytes, memory_bytes: size_of::<*mut pyo3::ffi::PyObject>(), kind }
    }

    /// How much work it is.
    pub fn work(&self) -> Work {
        match &self.kind {
            Kind::Same => Work::None,
            Kind::Text(_) => Work::InPlace,
            Kind::Bool if self.file_bytes == self.memory_bytes => Work::InPlace,
            Kind::Bool | Kind::Number(_) => Work::Rebuild,
            Kind::Array(base) => base.work(),
            Kind::Compound(fields) => {
                let moved = self.file_bytes != self.memory_bytes
                    || fields.iter().any(|field| field.file != field.memory);
                let own = if moved { Work::Rebuild } else { Work::None };
                fields.iter().map(|field| field.layout.work()).fold(own, Work::max)
            }
            _ => Work::Objects,
        }
    }

    /// True where elements are, or hold, Python objects.
    pub fn has_objects(&self) -> bool {
        self.work() == Work::Objects
    }

    /// Changes elements where they lie ([`Work::InPlace`]).
    pub fn change_in_place(&self, elements: &mut [u8]) {
        if self.file_bytes == 0 || self.work() == Work::None {
            return;
        }
        for element in elements.chunks_exact_mut(self.file_bytes) {
            match &self.kind {
                Kind::Text(padding) => cut_text(*padding, element),
                Kind::Bool => element.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0)),
                Kind::Array(base) => base.change_in_place(element),
                Kind::Compound(fields) => {
                    for Field { file, layout, .. } in fields {
                        layout.change_in_place(&mut element[*file..file + layout.file_bytes]);
                    }
                }
                _ => {}
            }
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
