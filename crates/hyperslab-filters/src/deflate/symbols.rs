//! The symbols of deflate (RFC 1951, section 3.2.5): lengths of 3 to 258 bytes and distances of 1 to 32,768, each a symbol with
//! extra bits.

/// Symbols of literals, of the end of a block (256) and of lengths (from 257 on). The last two are never written.
pub(super) const LITERALS: usize = 288;
pub(super) const DISTANCES: usize = 30;
pub(super) const END_OF_BLOCK: usize = 256;
pub(super) const LENGTH_MIN: usize = 3;
pub(super) const LENGTH_MAX: usize = 258;
/// How far back a match may lie.
pub(super) const WINDOW: usize = 1 << 15;

/// The smallest length of each symbol, from 257 on.
pub(super) const LENGTH_BASE: [u16; 29] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258,
];
pub(super) const LENGTH_EXTRA: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

/// The symbol of each length, less 257; by the length less 3.
pub(super) const LENGTH_SYMBOL: [u8; 256] = length_symbols();

const fn length_symbols() -> [u8; 256] {
    let mut symbols = [28; 256];
    let mut symbol = 0;
    while symbol < 28 {
        let mut length = LENGTH_BASE[symbol] as usize;
        // Length 258 has a symbol of its own.
        while length < LENGTH_BASE[symbol + 1] as usize && length < LENGTH_MAX {
            symbols[length - LENGTH_MIN] = symbol as u8;
            length += 1;
        }
        symbol += 1;
    }
    symbols
}

/// The symbol of a distance, given less 1.
#[inline(always)]
pub(super) fn distance_symbol(less_one: u32) -> u32 {
    if less_one < 4 {
        return less_one;
    }
    let exponent = less_one.ilog2();
    2 * exponent + (less_one >> (exponent - 1) & 1)
}

/// The extra bits of a distance: its lowest bits, less 1.
#[inline(always)]
pub(super) fn distance_extra(symbol: u32) -> u32 {
    (symbol >> 1).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_that_of_its_symbol_and_extra_bits() {
        for length in LENGTH_MIN..=LENGTH_MAX {
            let symbol = LENGTH_SYMBOL[length - LENGTH_MIN] as usize;
            let extra = length - LENGTH_BASE[symbol] as usize;
            assert!(extra < 1 << LENGTH_EXTRA[symbol], "{length}");
        }
    }

    #[test]
    fn symbols_of_distances_are_those_of_the_rfc() {
        for (distance, symbol) in
            [(1, 0), (4, 3), (5, 4), (6, 4), (7, 5), (24_576, 28), (24_577, 29), (32_768, 29)]
        {
            assert_eq!(distance_symbol(distance - 1), symbol, "{distance}");
        }
        assert_eq!([0, 3, 4, 5, 6, 29].map(distance_extra), [0, 0, 1, 1, 2, 13]);
    }
}
