//! Finds what a block repeats: in one pass, each place is compared with the last one that had the same hash.
//!
//! ```text
//!   bytes ──hash of the next `width`──► place of the same hash ──same bytes?──► Match: literals before, length, distance
//! ```
//!
//! Where nothing is found for long, not every place is tried. A match is taken if it is shorter to write than its bytes would be
//! as literals (`length_min`, from a sample of the block), which far ones of noise are not.

use super::symbols::{
    DISTANCES, LENGTH_MAX, LENGTH_MIN, LENGTH_SYMBOL, LITERALS, WINDOW, distance_extra, distance_symbol,
};

const HASH_BITS: u32 = 14;
/// Bytes that are read ahead of a place without being looked at one by one.
const AHEAD: usize = 24;
/// Steps are in 64ths of a place: the first 64 places without a match are all tried, then every second, up to every eighth.
const STEP: u32 = 64;
const STEP_MAX: u32 = 8 * STEP;
/// The first bytes of a block, and the share of them that must be in matches, as one in this number: otherwise the rest of the block
/// is not looked at.
const PROBE: usize = 1 << 13;
const MATCHED_MIN: usize = 64;
/// The distance between the places that are remembered of what is not looked at: less than the places that are tried first in a block.
const SEEN_STEP: usize = 32;
/// Literals that are copied at a time.
const COPY: usize = 16;
/// A block ends with the first match that reaches so far.
pub(super) const BLOCK: usize = 1 << 16;

/// Literals, and a match behind them.
#[derive(Clone, Copy, Default)]
pub(super) struct Match {
    /// How many literals are before it.
    pub literals: u32,
    /// Its length less 3, and its distance less 1 with the symbol of that; no match at the end of a block.
    packed: u32,
}

const NO_MATCH: u32 = 1 << 31;

impl Match {
    fn new(literals: u32, length: usize, distance: u32, symbol: u32) -> Self {
        Self { literals, packed: (length - LENGTH_MIN) as u32 | symbol << 8 | (distance - 1) << 13 }
    }

    /// The length less 3, the symbol of the distance, and the distance less 1.
    #[inline(always)]
    pub(super) fn parts(self) -> Option<(u8, u32, u32)> {
        (self.packed != NO_MATCH).then_some((self.packed as u8, self.packed >> 8 & 31, self.packed >> 13))
    }
}

/// A block as matches and literals, and the memory of where bytes were seen.
pub(super) struct Matches {
    /// The last place of each hash, in its lowest 16 bits: places of a multiple of 64 KiB before look near, and differ.
    places: Box<[u16; 1 << HASH_BITS]>,
    /// The matches of the block, and its last literals.
    matches: Box<[Match]>,
    matches_len: usize,
    /// The literals, without what lies between them.
    literals: Box<[u8]>,
    literals_len: usize,
    pub(super) literal_counts: [u32; LITERALS],
    pub(super) distance_counts: [u32; DISTANCES],
}

/// What a sample says about a block.
pub(super) struct Sampled {
    /// Where the block ends, but for a match that reaches further.
    pub end: usize,
    /// The shortest match that is worth while, by the symbol of its distance.
    pub length_min: [u8; 32],
    /// The bytes that are hashed.
    pub width: usize,
}

impl Matches {
    pub(super) fn new() -> Self {
        Self {
            places: Box::new([0; 1 << HASH_BITS]),
            // Matches have 4 bytes at least, and the last one may reach beyond the block: it is several then.
            matches: vec![Match::default(); BLOCK / 4 + BLOCK / LENGTH_MAX + 3].into(),
            matches_len: 0,
            // The last step may go beyond the block, and the last bytes of the data are literals.
            literals: vec![0; BLOCK + 2 * AHEAD + COPY].into(),
            literals_len: 0,
            literal_counts: [0; LITERALS],
            distance_counts: [0; DISTANCES],
        }
    }

    /// Forgets what was seen: what is written must not depend on what was written before.
    pub(super) fn forget(&mut self) {
        self.places.fill(0);
    }

    pub(super) fn matches(&self) -> &[Match] {
        &self.matches[..self.matches_len]
    }

    /// The literals, and some bytes more.
    pub(super) fn literals(&self) -> &[u8] {
        &self.literals[..self.literals_len + COPY]
    }

    /// Finds the matches of the block at `start`; returns where it ends. All before `start` was found before.
    pub(super) fn find(&mut self, data: &[u8], start: usize, sampled: &Sampled) -> usize {
        self.literal_counts.fill(0);
        self.distance_counts.fill(0);
        // Distances are checked against the beginning of the data only where it is within 16 bits.
        let end = match (sampled.width, start < 1 << 16) {
            (..=4, true) => self.find_by::<4, true>(data, start, sampled),
            (5, true) => self.find_by::<5, true>(data, start, sampled),
            (6, true) => self.find_by::<6, true>(data, start, sampled),
            (_, true) => self.find_by::<8, true>(data, start, sampled),
            (..=4, false) => self.find_by::<4, false>(data, start, sampled),
            (5, false) => self.find_by::<5, false>(data, start, sampled),
            (6, false) => self.find_by::<6, false>(data, start, sampled),
            (_, false) => self.find_by::<8, false>(data, start, sampled),
        };
        self.count_literals();
        end
    }

    fn find_by<const WIDTH: usize, const IS_FIRST: bool>(
        &mut self,
        data: &[u8],
        start: usize,
        sampled: &Sampled,
    ) -> usize {
        // Places up to here can be looked at.
        let last = data.len().saturating_sub(AHEAD);
        let end = sampled.end.min(last).max(start);
        // The first place that is not yet in a match or among the literals.
        let (mut at, mut written) = (start, start);
        let mut step = STEP;
        (self.matches_len, self.literals_len) = (0, 0);
        let mut matched = 0;
        for stop in [end.min(start + PROBE), end] {
            while at < stop {
                let word = word(data, at);
                let place = &mut self.places[hash::<WIDTH>(word)];
                let distance = (at as u16).wrapping_sub(*place);
                *place = at as u16;
                // Bits instead of conditions, which would be predicted wrongly: whether a place is near is as good as random.
                let mut is_none = u64::from(distance.wrapping_sub(1) / WINDOW as u16);
                let mut from = at.wrapping_sub(distance.into());
                if IS_FIRST {
                    is_none |= from as u64 >> 63;
                    from = (from as isize).max(0) as usize;
                }
                let difference = word ^ self::word(data, from);
                if difference << (64 - 8 * WIDTH) | is_none != 0 {
                    at += (step / STEP) as usize;
                    step = (step + 1).min(STEP_MAX);
                    continue;
                }
                let distance = usize::from(distance);
                let before = same_before(data, written, at, distance);
                let longest = &data[..data.len().min(at + BLOCK)];
                let length = before + same_from(longest, at, distance, difference);
                let symbol = distance_symbol(distance as u32 - 1);
                if length < sampled.length_min[symbol as usize & 31].into() {
                    at += 1;
                    continue;
                }
                let first = at - before;
                self.add(data, written, first, length, distance as u32, symbol);
                written = first + length;
                matched += length;
                if written < last {
                    if written == longest.len() {
                        // It goes on in the next block.
                        self.places[hash::<WIDTH>(self::word(data, written))] = (written - distance) as u16;
                    }
                    for seen in [first + 1, written - 2] {
                        self.places[hash::<WIDTH>(self::word(data, seen))] = seen as u16;
                    }
                }
                at = written;
                step = STEP;
            }
            // Noise: looking on would only take time. What repeats far apart is found by later blocks, from few places.
            if start >= WINDOW && matched * MATCHED_MIN < at - start {
                for seen in (at..end).step_by(SEEN_STEP) {
                    self.places[hash::<WIDTH>(word(data, seen))] = seen as u16;
                }
                at = at.max(end);
            }
        }
        // The last bytes of the data are not looked at.
        let end = if at < last { at } else { data.len() };
        let literals = &data[written..end];
        self.literals[self.literals_len..self.literals_len + literals.len()].copy_from_slice(literals);
        self.literals_len += literals.len();
        self.matches[self.matches_len] = Match { literals: literals.len() as u32, packed: NO_MATCH };
        self.matches_len += 1;
        end
    }

    /// Adds the literals from `written` on, and the match behind them.
    #[inline(always)]
    fn add(&mut self, data: &[u8], written: usize, first: usize, length: usize, distance: u32, symbol: u32) {
        let mut literals = first - written;
        for copied in (0..literals.max(1)).step_by(COPY) {
            let (from, to) = (written + copied, self.literals_len + copied);
            self.literals[to..to + COPY].copy_from_slice(&data[from..from + COPY]);
        }
        self.literals_len += literals;
        let mut rest = length;
        while rest > 0 {
            // No match is shorter than 3.
            let part = if rest > LENGTH_MAX { LENGTH_MAX.min(rest - LENGTH_MIN) } else { rest };
            self.matches[self.matches_len] = Match::new(literals as u32, part, distance, symbol);
            self.matches_len += 1;
            self.literal_counts[257 + LENGTH_SYMBOL[part - LENGTH_MIN] as usize] += 1;
            self.distance_counts[symbol as usize] += 1;
            literals = 0;
            rest -= part;
        }
    }

    fn count_literals(&mut self) {
        // Four tables, since a count that was just written is slow to read.
        let mut counts = [[0u32; 256]; 4];
        let literals = &self.literals[..self.literals_len];
        let mut fours = literals.chunks_exact(4);
        for four in &mut fours {
            for (counts, byte) in counts.iter_mut().zip(four) {
                counts[usize::from(*byte)] += 1;
            }
        }
        for byte in fours.remainder() {
            counts[0][usize::from(*byte)] += 1;
        }
        for (byte, count) in self.literal_counts[..256].iter_mut().enumerate() {
            *count = counts.iter().map(|counts| counts[byte]).sum();
        }
        self.literal_counts[super::symbols::END_OF_BLOCK] = 1;
    }
}

/// The shortest match that is worth while at each distance, by what a literal costs, in 16ths of a bit.
pub(super) fn length_min(literal_cost: u32) -> [u8; 32] {
    /// Bits of a match without the extra ones of its distance. More than codes have: a match also costs time, and what is rare
    /// makes the codes of all others longer.
    const MATCH_COST: u32 = 20;
    std::array::from_fn(|symbol| {
        let cost = 16 * (MATCH_COST + distance_extra(symbol as u32));
        cost.div_ceil(literal_cost.max(16)).clamp(4, 250) as u8
    })
}

#[inline(always)]
fn word(data: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(data[at..at + 8].try_into().expect("8 bytes"))
}

/// A hash of the first bytes.
#[inline(always)]
fn hash<const WIDTH: usize>(word: u64) -> usize {
    ((word << (64 - 8 * WIDTH)).wrapping_mul(0x9E37_79B1_85EB_CA87) >> (64 - HASH_BITS)) as usize
}

/// How many bytes from `at` on are those at the distance before; of the first eight, the bits that differ are known.
#[inline(always)]
fn same_from(data: &[u8], at: usize, distance: usize, mut difference: u64) -> usize {
    let mut same = at;
    loop {
        if difference != 0 {
            return same - at + (difference.trailing_zeros() / 8) as usize;
        }
        same += 8;
        if same + 8 > data.len() {
            let rest = data[same..].iter().zip(&data[same - distance..]);
            return same - at + rest.take_while(|(one, other)| one == other).count();
        }
        difference = word(data, same) ^ word(data, same - distance);
    }
}

/// How many bytes before `at`, down to `written`, are those at the distance before; at most 8.
#[inline(always)]
fn same_before(data: &[u8], written: usize, at: usize, distance: usize) -> usize {
    if at < distance + 8 {
        return 0;
    }
    let difference = word(data, at - 8) ^ word(data, at - 8 - distance);
    ((difference.leading_zeros() / 8) as usize).min(at - written)
}
