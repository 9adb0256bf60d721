//! Bits behind one another, the lowest first.

/// Writes bits into a buffer that has room for them, and for seven bytes more.
pub(super) struct Bits<'o> {
    out: &'o mut [u8],
    at: usize,
    held: u64,
    count: u32,
}

impl<'o> Bits<'o> {
    pub(super) fn new(out: &'o mut [u8]) -> Self {
        Self { out, at: 0, held: 0, count: 0 }
    }

    /// Adds `count` bits. There are at most 7 before the first, and 64 before [`Self::flush`].
    #[inline(always)]
    pub(super) fn put(&mut self, bits: u64, count: u32) {
        self.held |= bits << (self.count & 63);
        self.count += count;
    }

    /// Writes whole bytes.
    #[inline(always)]
    pub(super) fn flush(&mut self) {
        self.out[self.at..self.at + 8].copy_from_slice(&self.held.to_le_bytes());
        self.at += (self.count >> 3) as usize;
        self.held >>= self.count & 56;
        self.count &= 7;
    }

    /// Bytes, from the next whole one on.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.count = self.count.next_multiple_of(8);
        self.flush();
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Whole bytes so far.
    pub(super) fn len(&self) -> usize {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bit_is_the_lowest_of_the_first_byte() {
        let mut out = [0xFF; 24];
        let mut bits = Bits::new(&mut out);
        for (value, count) in [(1, 1), (0, 2), (0x7F, 7)] {
            bits.put(value, count);
        }
        bits.flush();
        bits.bytes(b"ab");
        assert_eq!(bits.len(), 4);
        assert_eq!(out[..4], [0b1111_1001, 0b11, b'a', b'b']);
    }
}
