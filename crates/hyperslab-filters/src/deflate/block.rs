//! Writes a block: with codes of its own, with those that every reader knows, or as it is, whichever is the shortest.

use super::bits::Bits;
use super::huffman::{self, Code, parts};
use super::matches::Matches;
use super::symbols::{
    DISTANCES, END_OF_BLOCK, LENGTH_BASE, LENGTH_EXTRA, LENGTH_MIN, LENGTH_SYMBOL, LITERALS, distance_extra,
};

/// Four codes of literals are written at once: with 7 bits before, they fit in 63.
const LITERAL_BITS_MAX: usize = 14;
const DISTANCE_BITS_MAX: usize = 15;
const HEADER_BITS_MAX: usize = 7;
/// The most bytes of a stored block.
const STORED_MAX: usize = 65_535;
/// The order in which the lengths of the header's own codes are written.
const HEADER_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Kinds of blocks, as their second and third bit.
const STORED: u64 = 0;
const FIXED: u64 = 1;
const DYNAMIC: u64 = 2;

/// The codes of a block.
pub(super) struct Codes {
    literal_lengths: [u8; LITERALS],
    distance_lengths: [u8; DISTANCES],
    literals: [Code; LITERALS],
    distances: [Code; 32],
    /// The code of each length with its extra bits; by the length less 3.
    lengths: [Code; 256],
    header: Header,
}

/// The lengths of the codes, as they are written: repetitions are counted.
struct Header {
    literals: usize,
    distances: usize,
    /// Lengths of the header's own codes, and how many are written.
    lengths: [u8; 19],
    count: usize,
    items: [(u8, u8); LITERALS + DISTANCES],
    items_len: usize,
}

impl Codes {
    pub(super) fn new() -> Self {
        Self {
            literal_lengths: [0; LITERALS],
            distance_lengths: [0; DISTANCES],
            literals: [0; LITERALS],
            distances: [0; 32],
            lengths: [0; 256],
            header: Header {
                literals: 0,
                distances: 0,
                lengths: [0; 19],
                count: 0,
                items: [(0, 0); LITERALS + DISTANCES],
                items_len: 0,
            },
        }
    }

    /// Writes a block of these bytes.
    pub(super) fn write(&mut self, bytes: &[u8], found: &Matches, is_last: bool, out: &mut Bits<'_>) {
        huffman::lengths(&found.literal_counts, LITERAL_BITS_MAX, &mut self.literal_lengths);
        huffman::lengths(&found.distance_counts, DISTANCE_BITS_MAX, &mut self.distance_lengths);
        self.header.set(&self.literal_lengths, &self.distance_lengths);
        let dynamic = self.header.bits() + self.bits(found);
        let (own_literals, own_distances) = (self.literal_lengths, self.distance_lengths);
        (self.literal_lengths, self.distance_lengths) = fixed_lengths();
        let fixed = self.bits(found);
        // With the bits to the next whole byte. What does not become shorter by a few bytes is stored: so no number of blocks
        // makes the whole longer than stored blocks would.
        let stored = 8 * (bytes.len() as u64 + 5 * bytes.len().div_ceil(STORED_MAX).max(1) as u64);
        if fixed.min(dynamic) + 8 * 6 >= stored {
            return store(bytes, is_last, out);
        }
        let kind = if fixed <= dynamic { FIXED } else { DYNAMIC };
        out.put(u64::from(is_last) | kind << 1, 3);
        if kind == DYNAMIC {
            (self.literal_lengths, self.distance_lengths) = (own_literals, own_distances);
            self.header.write(out);
        }
        self.set_codes();
        self.write_symbols(found, out);
    }

    /// The bits of the symbols of a block, with its kind.
    fn bits(&self, found: &Matches) -> u64 {
        let literals = found.literal_counts.iter().zip(&self.literal_lengths);
        let literals: u64 = literals.map(|(count, length)| u64::from(*count) * u64::from(*length)).sum();
        let extra = found.literal_counts[END_OF_BLOCK + 1..].iter().zip(LENGTH_EXTRA);
        let extra: u64 = extra.map(|(count, extra)| u64::from(*count) * u64::from(extra)).sum();
        let distances = found.distance_counts.iter().zip(&self.distance_lengths).zip(0..);
        let of = |((count, length), symbol): ((&u32, &u8), u32)| {
            u64::from(*count) * u64::from(u32::from(*length) + distance_extra(symbol))
        };
        3 + literals + extra + distances.map(of).sum::<u64>()
    }

    fn set_codes(&mut self) {
        huffman::codes(&self.literal_lengths, &mut self.literals);
        huffman::codes(&self.distance_lengths, &mut self.distances[..DISTANCES]);
        for (code, length) in self.lengths.iter_mut().zip(LENGTH_MIN..) {
            let symbol = usize::from(LENGTH_SYMBOL[length - LENGTH_MIN]);
            let (bits, count) = parts(self.literals[END_OF_BLOCK + 1 + symbol]);
            let extra = (length - usize::from(LENGTH_BASE[symbol])) as u32;
            let all = bits as u32 | extra << count;
            *code = all << 8 | (count + u32::from(LENGTH_EXTRA[symbol]));
        }
    }

    fn write_symbols(&self, found: &Matches, out: &mut Bits<'_>) {
        let mut literals = found.literals();
        for one in found.matches() {
            let mut left = one.literals as usize;
            while left >= 4 {
                self.write_four(&literals[..4], out);
                literals = &literals[4..];
                left -= 4;
            }
            self.write_up_to_three(&literals[..4], left, out);
            literals = &literals[left..];
            let Some((length, symbol, distance)) = one.parts() else { continue };
            let (length_bits, length_count) = parts(self.lengths[usize::from(length)]);
            let (distance_bits, distance_count) = parts(self.distances[symbol as usize & 31]);
            let extra = distance_extra(symbol);
            out.put(length_bits | distance_bits << length_count, length_count + distance_count);
            out.put(u64::from(distance & ((1 << extra) - 1)), extra);
            out.flush();
        }
        let (bits, count) = parts(self.literals[END_OF_BLOCK]);
        out.put(bits, count);
        out.flush();
    }

    /// Joined in pairs, so that no code waits for all before it.
    #[inline(always)]
    fn write_four(&self, four: &[u8], out: &mut Bits<'_>) {
        let code = |at: usize| self.literals[usize::from(four[at])];
        let pair = |one: Code, other: Code| {
            ((u64::from(one >> 8) | u64::from(other >> 8) << (one & 63)), (one + other) & 63)
        };
        let (first, first_count) = pair(code(0), code(1));
        let (second, second_count) = pair(code(2), code(3));
        out.put(first | second << first_count, first_count + second_count);
        out.flush();
    }

    /// The first `count` of these, without asking how many.
    #[inline(always)]
    fn write_up_to_three(&self, four: &[u8], count: usize, out: &mut Bits<'_>) {
        const KEPT: [[Code; 3]; 4] = [[0, 0, 0], [!0, 0, 0], [!0, !0, 0], [!0, !0, !0]];
        for (byte, kept) in four.iter().zip(KEPT[count & 3]) {
            let (bits, count) = parts(self.literals[usize::from(*byte)] & kept);
            out.put(bits, count);
        }
        out.flush();
    }
}

impl Header {
    fn set(&mut self, literals: &[u8; LITERALS], distances: &[u8; DISTANCES]) {
        let used = |lengths: &[u8], min: usize| {
            lengths.iter().rposition(|length| *length > 0).map_or(min, |last| (last + 1).max(min))
        };
        (self.literals, self.distances) = (used(literals, END_OF_BLOCK + 1), used(distances, 1));
        self.items_len = 0;
        let mut counts = [0; 19];
        let all = literals[..self.literals].iter().chain(&distances[..self.distances]);
        let mut all = all.copied().peekable();
        while let Some(length) = all.next() {
            let mut run = 1;
            while all.next_if_eq(&length).is_some() {
                run += 1;
            }
            let mut add = |symbol: u8, extra: usize| {
                self.items[self.items_len] = (symbol, extra as u8);
                self.items_len += 1;
                counts[usize::from(symbol)] += 1;
            };
            // 16 repeats the length before, 17 and 18 are zeros.
            if length > 0 {
                add(length, 0);
                run -= 1;
            }
            while run >= 3 {
                let (symbol, min, max) = match (length, run) {
                    (1.., _) => (16, 3, 6),
                    (0, ..=10) => (17, 3, 10),
                    (0, _) => (18, 11, 138),
                };
                let part = max.min(run);
                add(symbol, part - min);
                run -= part;
            }
            (0..run).for_each(|_| add(length, 0));
        }
        huffman::lengths(&counts, HEADER_BITS_MAX, &mut self.lengths);
        let last = HEADER_ORDER.iter().rposition(|symbol| self.lengths[*symbol] > 0);
        self.count = last.map_or(4, |last| (last + 1).max(4));
    }

    fn items(&self) -> &[(u8, u8)] {
        &self.items[..self.items_len]
    }

    fn bits(&self) -> u64 {
        let of = |(symbol, _): &(u8, u8)| {
            u64::from(self.lengths[usize::from(*symbol)]) + u64::from(repeat_bits(*symbol))
        };
        14 + 3 * self.count as u64 + self.items().iter().map(of).sum::<u64>()
    }

    fn write(&self, out: &mut Bits<'_>) {
        out.put((self.literals - END_OF_BLOCK - 1) as u64, 5);
        out.put((self.distances - 1) as u64, 5);
        out.put((self.count - 4) as u64, 4);
        out.flush();
        for symbol in &HEADER_ORDER[..self.count] {
            out.put(self.lengths[*symbol].into(), 3);
            out.flush();
        }
        let mut codes = [0; 19];
        huffman::codes(&self.lengths, &mut codes);
        for (symbol, extra) in self.items() {
            let (bits, count) = parts(codes[usize::from(*symbol)]);
            out.put(bits, count);
            out.put((*extra).into(), repeat_bits(*symbol));
            out.flush();
        }
    }
}

/// The extra bits of a symbol of the header.
fn repeat_bits(symbol: u8) -> u32 {
    match symbol {
        16 => 2,
        17 => 3,
        18 => 7,
        _ => 0,
    }
}

/// The codes that every reader knows (RFC 1951, section 3.2.6).
fn fixed_lengths() -> ([u8; LITERALS], [u8; DISTANCES]) {
    let mut literals = [8; LITERALS];
    literals[144..256].fill(9);
    literals[256..280].fill(7);
    (literals, [5; DISTANCES])
}

/// Writes blocks of bytes as they are.
pub(super) fn store(bytes: &[u8], is_last: bool, out: &mut Bits<'_>) {
    let mut parts = bytes.chunks(STORED_MAX).peekable();
    // Even nothing is a block.
    let mut next = Some(parts.next().unwrap_or_default());
    while let Some(part) = next {
        next = parts.next();
        out.put(u64::from(is_last && next.is_none()) | STORED << 1, 3);
        let len = part.len() as u16;
        out.bytes(&len.to_le_bytes());
        out.bytes(&(!len).to_le_bytes());
        out.bytes(part);
    }
}
