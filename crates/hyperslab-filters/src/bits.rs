//! A reader and a writer of the bits of a byte string, the highest bit of each byte first.

use crate::byte_writer::ByteWriter;

/// A position in a string of bits. Reading past the end returns zeros and is recorded.
pub(crate) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Bits that were taken from `bytes` but not read yet, aligned to the high end.
    window: u64,
    count: u32,
    overrun: bool,
}

impl<'a> Bits<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, window: 0, count: 0, overrun: false }
    }

    /// True once more bits were requested than there are.
    pub fn is_overrun(&self) -> bool {
        self.overrun
    }

    /// The next `bits` bits (0 to 56) as a number.
    #[inline]
    pub fn get(&mut self, bits: u32) -> u64 {
        debug_assert!(bits <= 56);
        if self.count < bits {
            self.fill();
            if self.count < bits {
                // No bits are left: the window is zero after its last bits.
                self.overrun = true;
                self.count = bits;
            }
        }
        // In two steps, because shifting by 64 is not possible.
        let value = (self.window >> 1) >> (63 - bits);
        self.skip(bits);
        value
    }

    /// The number of zeros before the next one bit; skips both. Wraps around after 2³² zeros.
    #[cfg(any(test, feature = "szip"))]
    #[inline]
    pub fn zeros(&mut self) -> u32 {
        let mut zeros = 0u32;
        loop {
            let here = self.window.leading_zeros();
            if here < self.count {
                self.skip(here + 1);
                return zeros.wrapping_add(here);
            }
            zeros = zeros.wrapping_add(self.count);
            self.window = 0;
            self.count = 0;
            self.fill();
            if self.count == 0 {
                self.overrun = true;
                return zeros;
            }
        }
    }

    #[inline]
    fn skip(&mut self, bits: u32) {
        self.window = if bits < 64 { self.window << bits } else { 0 };
        self.count -= bits;
    }

    /// Adds whole bytes until the window has more than 56 bits, or to the end.
    #[inline]
    fn fill(&mut self) {
        if let Some(next) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            let bytes = (64 - self.count) / 8;
            let next = u64::from_be_bytes(*next);
            let kept = if bytes == 8 { next } else { next >> (64 - 8 * bytes) << (64 - 8 * bytes) };
            self.window |= kept >> self.count;
            self.at += bytes as usize;
            self.count += 8 * bytes;
        } else {
            while self.count <= 56 && self.at < self.bytes.len() {
                self.window |= u64::from(self.bytes[self.at]) << (56 - self.count);
                self.at += 1;
                self.count += 8;
            }
        }
    }
}

/// Writes bits to the start of a slice. Writing past the end has no effect and is recorded.
pub(crate) struct BitWriter<'a> {
    out: ByteWriter<'a>,
    /// Bits that were not written to `out` yet, aligned to the low end; fewer than 8 between calls.
    window: u64,
    count: u32,
    overrun: bool,
}

impl<'a> BitWriter<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out: ByteWriter::new(out), window: 0, count: 0, overrun: false }
    }

    /// Writes the lowest `bits` bits (0 to 56) of `value`.
    #[inline]
    pub fn put(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= 56);
        self.window = self.window << bits | value & ((1 << bits) - 1);
        self.count += bits;
        while self.count >= 8 {
            self.count -= 8;
            self.overrun |= self.out.bytes(&[(self.window >> self.count) as u8]).is_none();
        }
        self.window &= (1 << self.count) - 1;
    }

    /// Writes so many zeros and a one.
    #[cfg(any(test, feature = "szip"))]
    #[inline]
    pub fn unary(&mut self, zeros: u64) {
        let mut left = zeros;
        while left >= 56 && !self.overrun {
            self.put(0, 56);
            left -= 56;
        }
        self.put(1, (left % 56) as u32 + 1);
    }

    /// True once more bits were written than fit.
    #[cfg(feature = "szip")]
    pub fn is_overrun(&self) -> bool {
        self.overrun
    }

    /// Fills the last byte with zeros; returns the number of bytes, or `None` if they did not fit.
    pub fn finish(mut self) -> Option<usize> {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
        (!self.overrun).then_some(self.out.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(
            values in proptest::collection::vec((any::<u64>(), 0u32..=56, any::<bool>()), 0..60),
        ) {
            let mut bytes = vec![0xaa; 4000];
            let mut writer = BitWriter::new(&mut bytes);
            for &(value, bits, unary) in &values {
                if unary { writer.unary(value % 300) } else { writer.put(value, bits) }
            }
            let len = writer.finish().unwrap();
            let mut reader = Bits::new(&bytes[..len]);
            for &(value, bits, unary) in &values {
                if unary {
                    prop_assert_eq!(u64::from(reader.zeros()), value % 300);
                } else {
                    prop_assert_eq!(reader.get(bits), value & ((1u64 << bits) - 1));
                }
            }
            prop_assert!(!reader.is_overrun());
            let mut short = vec![0; len.saturating_sub(1)];
            let mut writer = BitWriter::new(&mut short);
            for &(value, bits, unary) in &values {
                if unary { writer.unary(value % 300) } else { writer.put(value, bits) }
            }
            prop_assert_eq!(writer.finish(), (len == 0).then_some(0));
        }
    }

    #[test]
    fn reading_past_the_end_gives_zeros() {
        let mut bits = Bits::new(&[0b1010_0000]);
        assert_eq!((bits.zeros(), bits.zeros(), bits.get(5)), (0, 1, 0));
        assert!(!bits.is_overrun());
        assert_eq!(bits.get(1), 0);
        assert!(bits.is_overrun());
        let mut bits = Bits::new(&[0xff]);
        assert_eq!(bits.get(12), 0xff0);
        assert!(bits.is_overrun());
        assert_eq!((bits.zeros(), bits.get(56)), (0, 0));
    }

    proptest! {
        #[test]
        fn equals_bits_one_by_one(
            bytes in proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..60),
            steps in proptest::collection::vec(0u32..60, 1..60),
        ) {
            let mut all = bytes.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1)).collect::<Vec<_>>();
            let real = all.len();
            all.extend([0; 4000]);
            let (mut at, mut bits) = (0, Bits::new(&bytes));
            for step in steps {
                if step > 56 {
                    let zeros = all[at..].iter().take_while(|&&bit| bit == 0).count();
                    if at + zeros >= real {
                        bits.zeros();
                        prop_assert!(bits.is_overrun());
                        return Ok(());
                    }
                    prop_assert_eq!(bits.zeros() as usize, zeros);
                    at += zeros + 1;
                } else {
                    let value = all[at..at + step as usize].iter().fold(0, |value, &bit| value << 1 | u64::from(bit));
                    prop_assert_eq!(bits.get(step), value);
                    at += step as usize;
                }
                prop_assert_eq!(bits.is_overrun(), at > real);
            }
        }
    }
}
