//! Encoded selections: which elements a region reference means, or a mapping of a virtual dataset
//! (specification, "Dataspace Selection").
//!
//! ```text
//! all, none    type 4 | version 4 = 1 | reserved 4 | length 4
//! points       type 4 | version 4 | version 1: reserved 4, length 4; version 2: width 1 | rank 4 | count | coordinates
//! hyperslab    type 4 | version 4 | version 1: reserved 4, length 4; version 2: flags 1, length 4;
//!              version 3: flags 1, width 1 | rank 4
//!              regular: (start, stride, count, block) per axis
//!              irregular: count of blocks | (first corner, opposite corner) per block
//! ```
//! Numbers of versions 1 are 4 bytes wide, those of hyperslab version 2 are 8, later ones say their width.

use crate::limits::RANK_MAX;
use crate::{Cursor, Encoder, FormatError};

/// Elements of a dataspace, as the file encodes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EncodedSelection {
    /// No element.
    None,
    /// Every element.
    All,
    /// Single elements.
    Points {
        /// Axes.
        rank: usize,
        /// `rank` numbers a point.
        coordinates: Vec<u64>,
    },
    /// Blocks at even distances.
    Regular(Vec<EncodedAxis>),
    /// Any blocks.
    Blocks {
        /// Axes.
        rank: usize,
        /// For each block its first and its last element: `2 * rank` numbers.
        corners: Vec<u64>,
    },
}

/// One axis of a regular hyperslab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedAxis {
    /// First element.
    pub start: u64,
    /// Distance of the blocks.
    pub stride: u64,
    /// How many blocks; `None` is unlimited.
    pub count: Option<u64>,
    /// Elements of a block; `None` is unlimited.
    pub block: Option<u64>,
}

impl EncodedAxis {
    /// True where only the extent of a dataset ends it.
    pub fn is_unlimited(&self) -> bool {
        self.count.is_none() || self.block.is_none()
    }
}

const NONE: u32 = 0;
const POINTS: u32 = 1;
const HYPERSLAB: u32 = 2;
const ALL: u32 = 3;
const REGULAR: u8 = 0x01;

impl EncodedSelection {
    /// Reads a selection; the cursor is left behind it.
    pub fn parse(cursor: &mut Cursor) -> Result<Self, FormatError> {
        let kind = cursor.u32("selection type")?;
        match kind {
            NONE | ALL => {
                version(cursor, 1)?;
                cursor.skip("reserved", 8)?;
                Ok(if kind == ALL { EncodedSelection::All } else { EncodedSelection::None })
            }
            POINTS => points(cursor),
            HYPERSLAB => hyperslab(cursor),
            _ => Err(cursor.invalid("selection type", format!("{kind} is none of 0 to 3"))),
        }
    }

    /// Encodes the selection: points and blocks in version 1, whose numbers have 32 bits, and regular hyperslabs in
    /// version 2 (HDF5 1.10), whose numbers have 64 bits; points and blocks that need more are encoded in version 2 of
    /// points and version 3 of hyperslabs (HDF5 1.12).
    pub fn encode(&self, out: &mut Encoder) {
        match self {
            Self::None | Self::All => {
                out.u32(if *self == Self::All { ALL } else { NONE });
                out.u32(1);
                out.zeros(8);
            }
            Self::Points { rank, coordinates } => {
                let count = coordinates.len() / (*rank).max(1);
                out.u32(POINTS);
                let width = width_of(out, coordinates, 2);
                encode_numbers(out, (*rank, count, width), coordinates);
            }
            Self::Blocks { rank, corners } => {
                let count = corners.len() / (2 * *rank).max(1);
                out.u32(HYPERSLAB);
                let width = width_of(out, corners, 3);
                encode_numbers(out, (*rank, count, width), corners);
            }
            Self::Regular(axes) => {
                out.u32(HYPERSLAB);
                out.u32(2);
                out.u8(REGULAR);
                out.count("length", 4 + 32 * axes.len(), 4);
                out.count("rank", axes.len(), 4);
                for axis in axes {
                    out.u64(axis.start);
                    out.u64(axis.stride);
                    out.u64(axis.count.unwrap_or(u64::MAX));
                    out.u64(axis.block.unwrap_or(u64::MAX));
                }
            }
        }
    }
}

/// Writes the version: 1, or `wide` if a number does not fit in 32 bits. Returns the width of numbers in bytes. In
/// version 1 the length of the rest follows the width's place; [`encode_numbers`] writes it.
fn width_of(out: &mut Encoder, numbers: &[u64], wide: u32) -> usize {
    if numbers.iter().all(|&number| u32::try_from(number).is_ok()) {
        out.u32(1);
        out.zeros(4);
        return 4;
    }
    out.u32(wide);
    if wide == 3 {
        out.u8(0);
    }
    out.u8(8);
    8
}

fn encode_numbers(out: &mut Encoder, (rank, count, width): (usize, usize, usize), numbers: &[u64]) {
    if width == 4 {
        out.count("length", 8 + 4 * numbers.len(), 4);
    }
    out.count("rank", rank, 4);
    out.count("count", count, width);
    numbers.iter().for_each(|&number| out.uint("coordinates", number, width));
}

fn version(cursor: &mut Cursor, max: u32) -> Result<u32, FormatError> {
    let version = cursor.u32("version")?;
    if (1..=max).contains(&version) {
        return Ok(version);
    }
    Err(cursor.unsupported("version", format!("version {version} is not known (1 to {max} are)")))
}

/// The width of the numbers that follow.
fn width(cursor: &mut Cursor) -> Result<usize, FormatError> {
    match cursor.u8("size of numbers")? {
        width @ (2 | 4 | 8) => Ok(usize::from(width)),
        width => Err(cursor.invalid("size of numbers", format!("{width} bytes are none of 2, 4, 8"))),
    }
}

fn rank(cursor: &mut Cursor) -> Result<usize, FormatError> {
    let rank = u64::from(cursor.u32("rank")?);
    if rank == 0 {
        return Err(cursor.invalid("rank", "the rank is 0"));
    }
    if rank > RANK_MAX {
        return Err(cursor.limit("rank", "RANK_MAX", RANK_MAX, rank));
    }
    Ok(rank as usize)
}

/// `count` times `numbers` numbers, if the bytes for them are there.
fn numbers(
    cursor: &mut Cursor,
    field: &'static str,
    count: u64,
    numbers: usize,
    width: usize,
) -> Result<Vec<u64>, FormatError> {
    let total = usize::try_from(count).ok().and_then(|count| count.checked_mul(numbers));
    let bytes = total.and_then(|total| total.checked_mul(width)).unwrap_or(usize::MAX);
    let mut part = cursor.sub(field, bytes)?;
    (0..bytes / width).map(|_| part.uint(field, width)).collect()
}

fn points(cursor: &mut Cursor) -> Result<EncodedSelection, FormatError> {
    let width = if version(cursor, 2)? == 1 {
        cursor.skip("reserved", 8)?;
        4
    } else {
        width(cursor)?
    };
    let rank = rank(cursor)?;
    let count = cursor.uint("number of points", width)?;
    let coordinates = numbers(cursor, "coordinates", count, rank, width)?;
    Ok(EncodedSelection::Points { rank, coordinates })
}

fn hyperslab(cursor: &mut Cursor) -> Result<EncodedSelection, FormatError> {
    let version = version(cursor, 3)?;
    let (mut flags, mut number_width) = (0, 4);
    match version {
        1 => cursor.skip("reserved", 8)?,
        2 => {
            flags = cursor.u8("flags")?;
            cursor.skip("length", 4)?;
            number_width = 8;
        }
        _ => {
            flags = cursor.u8("flags")?;
            number_width = width(cursor)?;
        }
    }
    if flags & !REGULAR != 0 {
        return Err(cursor.invalid("flags", format!("unknown bits in {flags:#04x}")));
    }
    let rank = rank(cursor)?;
    if flags & REGULAR == 0 {
        let count = cursor.uint("number of blocks", number_width)?;
        let corners = numbers(cursor, "blocks", count, 2 * rank, number_width)?;
        let reversed =
            corners.chunks_exact(2 * rank).any(|block| (0..rank).any(|i| block[i] > block[rank + i]));
        if reversed {
            return Err(cursor.invalid("blocks", "a block ends before it begins"));
        }
        return Ok(EncodedSelection::Blocks { rank, corners });
    }
    let unlimited = if number_width == 8 { u64::MAX } else { (1 << (8 * number_width)) - 1 };
    let fields = numbers(cursor, "start, stride, count, block", rank as u64, 4, number_width)?;
    let limited = |value: u64| (value != unlimited).then_some(value);
    let axes = fields.chunks_exact(4).map(|axis| EncodedAxis {
        start: axis[0],
        stride: axis[1],
        count: limited(axis[2]),
        block: limited(axis[3]),
    });
    Ok(EncodedSelection::Regular(axes.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, Widths};

    fn encode(numbers: &[(u64, usize)]) -> Vec<u8> {
        numbers.iter().flat_map(|&(value, width)| value.to_le_bytes()[..width].to_vec()).collect()
    }

    fn parse(bytes: Vec<u8>) -> Result<EncodedSelection, FormatError> {
        let mut cursor = Cursor::new("selection", 0, Bytes::from(bytes), Widths::default());
        EncodedSelection::parse(&mut cursor)
    }

    #[test]
    fn reads_every_form() {
        assert_eq!(parse(encode(&[(3, 4), (1, 4), (0, 8)])), Ok(EncodedSelection::All));
        let points = encode(&[(1, 4), (2, 4), (2, 1), (2, 4), (2, 2), (7, 2), (1, 2), (3, 2), (9, 2)]);
        assert_eq!(parse(points), Ok(EncodedSelection::Points { rank: 2, coordinates: vec![7, 1, 3, 9] }));
        let blocks = encode(&[(2, 4), (1, 4), (0, 8), (1, 4), (2, 4), (0, 4), (2, 4), (8, 4), (8, 4)]);
        assert_eq!(parse(blocks), Ok(EncodedSelection::Blocks { rank: 1, corners: vec![0, 2, 8, 8] }));
        let axis = |count| EncodedAxis { start: 5, stride: 10, count, block: Some(2) };
        let regular = [(2, 4), (3, 4), (1, 1), (4, 1), (1, 4), (5, 4), (10, 4), (3, 4), (2, 4)];
        assert_eq!(parse(encode(&regular)), Ok(EncodedSelection::Regular(vec![axis(Some(3))])));
        let unlimited = [(2, 4), (2, 4), (1, 1), (0, 4), (1, 4), (5, 8), (10, 8), (u64::MAX, 8), (2, 8)];
        assert_eq!(parse(encode(&unlimited)), Ok(EncodedSelection::Regular(vec![axis(None)])));
        assert!(axis(None).is_unlimited() && !axis(Some(3)).is_unlimited());
    }

    #[test]
    fn every_truncation_is_an_error() {
        let regular = encode(&[(2, 4), (3, 4), (1, 1), (4, 1), (1, 4), (5, 4), (10, 4), (3, 4), (2, 4)]);
        for len in 0..regular.len() {
            assert!(parse(regular[..len].to_vec()).is_err());
        }
        let many_points = encode(&[(1, 4), (2, 4), (8, 1), (2, 4), (u64::MAX / 3, 8)]);
        assert!(parse(many_points).is_err());
    }
}
