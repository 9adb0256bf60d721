//! Single elements, as the native types that h5py reads them as.

mod enumeration;
mod text;

pub(crate) use enumeration::Enumeration;
pub(crate) use hyperslab::internal::number::{
    NativeFloat, half_to_double, integer_value, is_native_integer, is_whole, native_float, significant_bits,
};
pub(crate) use text::{text, text_len};
