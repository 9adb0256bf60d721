//! Numbers of widths and precisions that NumPy does not have, widened to the next type that can represent all their
//! values.

use hyperslab::number::{NativeFloat, integer_value, native_float};
use hyperslab_format::message::datatype::{ByteOrder, Float, Integer};

/// A number that is converted bit by bit.
pub enum Number {
    /// An integer with padding bits, or one of 3, 5, 6 or 7 bytes.
    Integer(Integer),
    /// A floating point format that NumPy does not have.
    Float(Float, NativeFloat),
}

impl Number {
    /// Converts one number; its byte order stays the same.
    pub fn rebuild(&self, source: &[u8], target: &mut [u8]) {
        let order = match self {
            Number::Integer(integer) => {
                let little = integer_value(integer, source).to_le_bytes();
                target.copy_from_slice(&little[..target.len()]);
                integer.order
            }
            Number::Float(float, native) => {
                target.copy_from_slice(native_float(float, source, *native).in_memory(target.len()));
                float.order
            }
        };
        if order == ByteOrder::Big {
            target.reverse();
        }
    }
}

/// The NumPy float that can represent all values of a float of the file, if this machine's NumPy has one.
pub fn holding(float: &Float, bytes: usize) -> Option<NativeFloat> {
    let has_extended = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    let native = NativeFloat::of(float, u32::try_from(bytes).ok()?)?;
    (native != NativeFloat::Extended || has_extended).then_some(native)
}

/// True if NumPy can use the bytes of the file without conversion.
pub fn is_same(native: NativeFloat, float: &Float, bytes: usize) -> bool {
    // NumPy swaps all 16 bytes of an x87 extended number, including the padding.
    let swapped = native == NativeFloat::Extended && float.order == ByteOrder::Big;
    u32::try_from(bytes).is_ok_and(|bytes| native.is(float, bytes)) && !swapped
}
