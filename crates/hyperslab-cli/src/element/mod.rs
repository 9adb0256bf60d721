//! Single elements, as the native types that h5py reads them as.

mod enumeration;
mod float;
mod native;
mod text;

pub(crate) use enumeration::Enumeration;
pub(crate) use float::{convert, half_to_double};
#[cfg(test)]
pub(crate) use native::tests;
pub(crate) use native::{NativeFloat, integer_value, is_native_integer, is_whole, significant_bits};
pub(crate) use text::{text, text_len};
