//! A reader and a writer of the bits of a byte string, the lowest bit of each byte first.

use crate::byte_writer::ByteWriter;

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

/// Writes bits to the start of a slice. Writing past the end has no effect and is recorded.
pub(super) struct StreamWriter<'a> {
    out: ByteWriter<'a>,
    /// Bits that were not written to `out` yet, aligned to the low end; fewer than 8 between calls.
    window: u64,
    count: u32,
    overrun: bool,
}

impl<'a> StreamWriter<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out: ByteWriter::new(out), window: 0, count: 0, overrun: false }
    }

    /// Writes the lowest `bits` bits (0 to 32) of `value`, whose others are zero.
    #[inline]
    pub fn put(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= 32 && value >> bits == 0);
        self.window |= value << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.overrun |= self.out.bytes(&[self.window as u8]).is_none();
            self.window >>= 8;
            self.count -= 8;
        }
    }

    pub fn zeros(&mut self, bits: u32) {
        for _ in 0..bits / 32 {
            self.put(0, 32);
        }
        self.put(0, bits % 32);
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
        fn what_was_written_is_read(values in proptest::collection::vec((any::<u32>(), 0u32..=32), 0..60)) {
            let mut bytes = vec![0xaa; 300];
            let mut writer = StreamWriter::new(&mut bytes);
            let low = |value: u32, bits: u32| u64::from(value) & ((1 << bits) - 1);
            values.iter().for_each(|&(value, bits)| writer.put(low(value, bits), bits));
            let len = writer.finish().unwrap();
            let mut reader = Stream::new(&bytes[..len]);
            for &(value, bits) in &values {
                prop_assert_eq!(reader.get(bits), low(value, bits));
            }
            let mut short = vec![0; len.saturating_sub(1)];
            let mut writer = StreamWriter::new(&mut short);
            values.iter().for_each(|&(value, bits)| writer.put(low(value, bits), bits));
            prop_assert_eq!(writer.finish(), (len == 0).then_some(0));
        }

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
