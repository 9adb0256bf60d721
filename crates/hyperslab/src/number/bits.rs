//! Numbers of at most 16 bytes as bits, from any byte order.

use hyperslab_format::message::ByteOrder;

/// The bytes of a number of at most 16 bytes, least significant first.
pub(super) fn little_endian(element: &[u8], order: ByteOrder) -> u128 {
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
pub(super) fn write_bits(bits: u128, order: ByteOrder, element: &mut [u8]) {
    let len = element.len().min(16);
    element[..len].copy_from_slice(&bits.to_le_bytes()[..len]);
    if order == ByteOrder::Big {
        element.reverse();
    }
}

/// The `len` bits of a number from bit `start` on, right-aligned.
pub(super) fn field(raw: u128, start: u32, len: u32) -> u128 {
    raw.checked_shr(start).unwrap_or(0) & ones(len)
}

/// A number whose `len` lowest bits are set.
pub(super) fn ones(len: u32) -> u128 {
    1u128.checked_shl(len).map_or(u128::MAX, |above| above - 1)
}
