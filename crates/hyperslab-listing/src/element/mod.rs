//! Single elements, converted to the native types that h5py returns for them.

mod enumeration;
mod text;

pub use enumeration::Enumeration;
pub use hyperslab::number::{
    NativeFloat, half_to_double, integer_value, is_native_integer, is_whole, native_float, significant_bits,
};
pub use text::{text, text_len};
