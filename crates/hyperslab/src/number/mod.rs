//! Numbers of any layout: what the bits of an element say, and the same value in another layout.
//!
//! ```text
//! element ── float.rs, integer.rs ──► value ── the same two ──► element of another datatype
//!                                       └── native.rs: which of NumPy's types holds every value of a datatype
//! ```
//!
//! There is one right answer where the target holds every value of the source; where it does not, libhdf5's is taken.
//! It has two ways of converting, which differ in such cases ([`Manner`]): the processor's own, between types that C
//! has, and its own loops over bits, for everything else (the other byte order is enough).

mod convert;
mod float;
mod integer;
mod native;

pub use convert::Converter;
pub use float::{NativeBytes, half_to_double, native_float};
pub use integer::{integer_value, is_native_integer, is_whole, significant_bits};
pub use native::NativeFloat;

use hyperslab_format::message::ByteOrder;

/// How libhdf5 converts what the target cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// As C does on x86-64, after a check of the range: to the nearest value, to the even one in the middle; what is
    /// above the largest value becomes infinite; what is not a number keeps its upper bits.
    Processor,
    /// Bit by bit: half up between floats, where nothing is rounded to infinity; what is not a number becomes zero
    /// as an integer, and all ones as a float.
    Bits,
    /// Bit by bit from an integer: to the nearest value, to the even one in the middle.
    BitsOfInteger,
}

/// The bytes of a number of at most 16 bytes, least significant first.
fn little_endian(element: &[u8], order: ByteOrder) -> u128 {
    let mut padded = [0u8; 16];
    let len = element.len().min(16);
    padded[..len].copy_from_slice(&element[..len]);
    match order {
        ByteOrder::Little => {}
        ByteOrder::Big => padded[..len].reverse(),
        // Pairs of little-endian bytes, the most significant pair first.
        ByteOrder::Vax => {
            padded[..len].reverse();
            padded[..len].chunks_exact_mut(2).for_each(<[u8]>::reverse);
        }
    }
    u128::from_le_bytes(padded)
}

/// Writes the bits of a number of at most 16 bytes.
fn write_bits(bits: u128, order: ByteOrder, element: &mut [u8]) {
    let len = element.len().min(16);
    element[..len].copy_from_slice(&bits.to_le_bytes()[..len]);
    if order == ByteOrder::Big {
        element.reverse();
    }
}

/// Bits of a number.
fn field(raw: u128, start: u32, len: u32) -> u128 {
    raw.checked_shr(start).unwrap_or(0) & ones(len)
}

/// So many bits, all of them set.
fn ones(len: u32) -> u128 {
    1u128.checked_shl(len).map_or(u128::MAX, |above| above - 1)
}
