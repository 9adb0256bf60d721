//! A reader of the bits of a byte string, the lowest bit of each byte first.

/// A position in a string of bits. Reading past the end returns zeros and is recorded.
pub(super) struct Stream<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Bits that were taken from `bytes` but not read yet, aligned to the low end.
    window: u64,
    count: u32,
    overrun: bool,
}

impl<'a> Stream<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, window: 0, count: 0, overrun: false }
    }

    /// True once more bits were requested than there are.
    pub fn is_overrun(&self) -> bool {
        self.overrun
    }

    /// The next `bits` bits (0 to 64) as a number, the first bit lowest.
    #[inline]
    pub fn get(&mut self, bits: u32) -> u64 {
        if bits > 32 {
            return self.few(32) | self.few(bits - 32) << 32;
        }
        self.few(bits)
    }

    /// The next bit.
    #[inline]
    pub fn bit(&mut self) -> bool {
        self.few(1) != 0
    }

    pub fn skip(&mut self, bits: u32) {
        for _ in 0..bits / 32 {
            self.few(32);
        }
        self.few(bits % 32);
    }

    #[inline]
    fn few(&mut self, bits: u32) -> u64 {
        if self.count < bits {
            self.fill(bits);
        }
        let value = self.window & ((1 << bits) - 1);
        self.window >>= bits;
        self.count -= bits;
        value
    }

    #[inline]
    fn fill(&mut self, wanted: u32) {
        if let Some(next) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<4>()) {
            // The window has at most 31 bits, because at most 32 were requested.
            self.window |= u64::from(u32::from_le_bytes(*next)) << self.count;
            self.at += 4;
            self.count += 32;
            return;
        }
        while self.at < self.bytes.len() && self.count <= 56 {
            self.window |= u64::from(self.bytes[self.at]) << self.count;
            self.at += 1;
            self.count += 8;
        }
        if self.count < wanted {
            self.overrun = true;
            self.count = wanted;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_bits_one_by_one(
            bytes in proptest::collection::vec(any::<u8>(), 0..60), steps in proptest::collection::vec(0u32..=64, 0..30),
        ) {
            let mut all: Vec<u64> = bytes.iter().flat_map(|byte| (0..8).map(move |i| u64::from(byte >> i & 1))).collect();
            let real = all.len();
            all.resize(4000, 0);
            let (mut at, mut stream) = (0, Stream::new(&bytes));
            for step in steps {
                let value = (0..step as usize).fold(0, |value, i| value | all[at + i] << i);
                if step % 3 == 2 {
                    stream.skip(step);
                } else {
                    prop_assert_eq!(stream.get(step), value);
                }
                at += step as usize;
                prop_assert_eq!(stream.is_overrun(), at > real);
            }
        }
    }
}
