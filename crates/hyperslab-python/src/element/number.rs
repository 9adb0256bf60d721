//! Numbers of widths and precisions that NumPy lacks: widened to the next number that holds every value of them.

use hyperslab::internal::number::{NativeFloat, integer_value, native_float};
use hyperslab_format::message::datatype::{ByteOrder, Float, Integer};

/// A number that must be taken apart.
pub enum Number {
    /// An integer whose bits are part of its bytes, or of 3, 5, 6 or 7 bytes.
    Integer(Integer),
    /// A float that is none of NumPy's.
    Float(Float, NativeFloat),
}

impl Number {
    /// Rebuilds one number; it keeps its byte order.
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

/// The NumPy float that holds every value of a float of the file, if this machine's NumPy has it.
pub fn holding(float: &Float, bytes: usize) -> Option<NativeFloat> {
    let has_extended = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    let native = NativeFloat::of(float, u32::try_from(bytes).ok()?)?;
    (native != NativeFloat::Extended || has_extended).then_some(native)
}

/// True where NumPy takes the bytes of the file as they are.
pub fn is_same(native: NativeFloat, float: &Float, bytes: usize) -> bool {
    // NumPy swaps all 16 bytes of an x87 number, padding included.
    let swapped = native == NativeFloat::Extended && float.order == ByteOrder::Big;
    u32::try_from(bytes).is_ok_and(|bytes| native.is(float, bytes)) && !swapped
}
