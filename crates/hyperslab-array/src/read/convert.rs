//! Conversion of the byte order, the only one that is done while elements are placed.

#[cfg(target_endian = "big")]
compile_error!("conversion to native order is written for little-endian machines");

/// The conversion of elements from the file to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// None: memory and file have the same bytes.
    None,
    /// The bytes of every number of `width` bytes are reversed.
    Swap {
        /// 2, 4, 8 or 16 bytes.
        width: usize,
    },
}

impl Conversion {
    /// Copies `source` to `target`, which must have the same length, and converts the elements.
    #[inline]
    pub(crate) fn copy(self, source: &[u8], target: &mut [u8]) {
        match self {
            Conversion::None => target.copy_from_slice(source),
            Conversion::Swap { width: 2 } => swap_copy(source, target, swap_2),
            Conversion::Swap { width: 4 } => swap_copy(source, target, swap_4),
            Conversion::Swap { width: 8 } => swap_copy(source, target, swap_8),
            Conversion::Swap { width } => {
                target.copy_from_slice(source);
                target.chunks_exact_mut(width).for_each(<[u8]>::reverse);
            }
        }
    }

    /// Converts in place.
    pub fn in_place(self, bytes: &mut [u8]) {
        match self {
            Conversion::None => {}
            Conversion::Swap { width: 2 } => swap_in_place(bytes, swap_2),
            Conversion::Swap { width: 4 } => swap_in_place(bytes, swap_4),
            Conversion::Swap { width: 8 } => swap_in_place(bytes, swap_8),
            Conversion::Swap { width } => bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse),
        }
    }
}

// Swapping numbers rather than reversing bytes is what the compiler turns into vector instructions.

fn swap_2(number: [u8; 2]) -> [u8; 2] {
    u16::from_ne_bytes(number).swap_bytes().to_ne_bytes()
}

fn swap_4(number: [u8; 4]) -> [u8; 4] {
    u32::from_ne_bytes(number).swap_bytes().to_ne_bytes()
}

fn swap_8(number: [u8; 8]) -> [u8; 8] {
    u64::from_ne_bytes(number).swap_bytes().to_ne_bytes()
}

fn swap_copy<const WIDTH: usize>(
    source: &[u8],
    target: &mut [u8],
    swap: impl Fn([u8; WIDTH]) -> [u8; WIDTH],
) {
    let (source, _) = source.as_chunks();
    let (target, _) = target.as_chunks_mut();
    source.iter().zip(target).for_each(|(from, to)| *to = swap(*from));
}

fn swap_in_place<const WIDTH: usize>(bytes: &mut [u8], swap: impl Fn([u8; WIDTH]) -> [u8; WIDTH]) {
    let (numbers, _) = bytes.as_chunks_mut();
    numbers.iter_mut().for_each(|number| *number = swap(*number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_every_number() {
        let source: Vec<u8> = (0..48).collect();
        for width in [2, 4, 8, 16] {
            let expected: Vec<u8> =
                source.chunks(width).flat_map(|number| number.iter().rev().copied()).collect();
            let mut target = vec![0; 48];
            Conversion::Swap { width }.copy(&source, &mut target);
            assert_eq!(target, expected);
            let mut same = source.clone();
            Conversion::Swap { width }.in_place(&mut same);
            assert_eq!(same, expected);
        }
    }
}
