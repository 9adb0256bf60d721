//! The types of elements.

use crate::status::Failure;
use hyperslab::datatypes::{ByteOrder, Class as FileClass};
use hyperslab::number::{NativeFloat, is_native_integer, is_whole};
use hyperslab::{Datatype, Heap};

/// A class of types.
#[repr(C)]
#[allow(non_camel_case_types)] // names of C
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// int8_t to int64_t; also enumerations of these, such as h5py's bool.
    HS_SIGNED = 0,
    /// uint8_t to uint64_t; also enumerations of these.
    HS_UNSIGNED = 1,
    /// float, double, and the half precision of two bytes.
    HS_FLOAT = 2,
    /// Text, which hs_read_text() and hs_attribute_text() return.
    HS_TEXT = 3,
    /// Anything else: its elements are read as the bytes of the file.
    HS_OTHER = 4,
}

/// The type of elements.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Type {
    /// Its class.
    pub class_: Class,
    /// The bytes of an element in memory.
    pub bytes: usize,
}

impl Type {
    /// That of a datatype.
    pub fn of(datatype: &Datatype) -> Self {
        let class_ = match &datatype.class {
            FileClass::Enum { base, .. } => return Self::of(base),
            FileClass::Integer(integer) if is_number(datatype) => {
                if integer.signed {
                    Class::HS_SIGNED
                } else {
                    Class::HS_UNSIGNED
                }
            }
            FileClass::Float(_) if is_number(datatype) => Class::HS_FLOAT,
            class if is_text(class) => Class::HS_TEXT,
            _ => Class::HS_OTHER,
        };
        Self { class_, bytes: datatype.size as usize }
    }
}

/// True for numbers that C has.
fn is_number(datatype: &Datatype) -> bool {
    let size = datatype.size;
    match &datatype.class {
        FileClass::Integer(integer) => is_native_integer(size) && is_whole(integer, size),
        FileClass::Float(float) => {
            let native = [NativeFloat::Half, NativeFloat::Single, NativeFloat::Double];
            native.iter().any(|native| native.is(float, size))
        }
        _ => false,
    }
}

fn is_text(class: &FileClass) -> bool {
    matches!(class, FileClass::FixedString { .. } | FileClass::VlenString { .. })
}

/// Turns numbers to the byte order of this machine.
pub fn turn(datatype: &Datatype, elements: &mut [u8]) {
    let (order, size) = match &datatype.class {
        FileClass::Enum { base, .. } => return turn(base, elements),
        FileClass::Integer(integer) => (integer.order, datatype.size as usize),
        FileClass::Float(float) => (float.order, datatype.size as usize),
        _ => return,
    };
    let is_native = (order == ByteOrder::Big) == cfg!(target_endian = "big");
    if !is_native && size > 1 && is_number(datatype) {
        elements.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}

/// Elements as texts, without what pads them.
pub fn texts(datatype: &Datatype, elements: &[u8], mut heap: Heap) -> Result<Vec<Vec<u8>>, Failure> {
    let size = (datatype.size as usize).max(1);
    match &datatype.class {
        FileClass::FixedString { padding, .. } => {
            let text = |element| hyperslab_listing::element::text(*padding, element).to_vec();
            Ok(elements.chunks_exact(size).map(text).collect())
        }
        FileClass::VlenString { .. } => {
            let mut all: Vec<Vec<u8>> = Vec::new();
            heap.each_sequence(elements, 1, |text| {
                // The same as the one before it.
                let text = text.map_or_else(|| all.last().cloned().unwrap_or_default(), <[u8]>::to_vec);
                let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
                all.push(text[..end].to_vec());
                Ok(())
            })?;
            Ok(all)
        }
        _ => Err(Failure::invalid("its elements are not text")),
    }
}
