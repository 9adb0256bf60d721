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
use crate::{Cursor, FormatError};

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
    Regular(Vec<RegularAxis>),
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
pub struct RegularAxis {
    /// First element.
    pub start: u64,
    /// Distance of the blocks.
    pub stride: u64,
    /// How many blocks; `None` is unlimited.
    pub count: Option<u64>,
    /// Elements of a block; `None` is unlimited.
    pub block: Option<u64>,
}

/// What an axis of a regular hyperslab comes to in a dataset: whole blocks, and perhaps a part of one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitedAxis {
    /// Whole blocks.
    pub count: u64,
    /// Elements of a whole block.
    pub block: u64,
    /// Elements of a block that the extent cuts off.
    pub rest: u64,
}

impl RegularAxis {
    /// The axis in an extent of `dim`: where it is unlimited it ends there, in the middle of a block if need be.
    pub fn limited(&self, dim: u64) -> LimitedAxis {
        let left = dim.saturating_sub(self.start);
        match (self.count, self.block) {
            (Some(count), Some(block)) => LimitedAxis { count, block, rest: 0 },
            // An unlimited block is the only one.
            (count, None) => LimitedAxis { count: count.unwrap_or(1).min(1), block: left, rest: 0 },
            (None, Some(block)) => {
                let stride = self.stride.max(1);
                let count = left.checked_sub(block).map_or(0, |more| more / stride + 1);
                let rest = left.saturating_sub(count.saturating_mul(stride)).min(block);
                LimitedAxis { count, block, rest }
            }
        }
    }

    /// One past the last element in an extent of `dim` (where there is none: the first one's place); `None` where that
    /// cannot be counted.
    pub fn end(&self, dim: u64) -> Option<u64> {
        let limited = self.limited(dim);
        let (before, last) = match limited.rest {
            _ if limited.elements() == Some(0) => (0, 0),
            0 => (limited.count.saturating_sub(1), limited.block),
            rest => (limited.count, rest),
        };
        self.start.checked_add(before.checked_mul(self.stride)?)?.checked_add(last)
    }

    /// True where only the extent of a dataset ends it.
    pub fn is_unlimited(&self) -> bool {
        self.count.is_none() || self.block.is_none()
    }

    /// True where a block begins before the one before it ends, which libhdf5 makes of no selection.
    pub fn overlaps(&self) -> bool {
        self.count.is_none_or(|count| count > 1) && self.block.is_some_and(|block| self.stride < block)
    }
}

impl LimitedAxis {
    /// How many elements.
    pub fn elements(&self) -> Option<u64> {
        self.count.checked_mul(self.block)?.checked_add(self.rest)
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

    /// How many elements are selected, if that does not depend on the extent. Blocks are taken to be disjoint, as
    /// libhdf5 writes them.
    pub fn len(&self) -> Option<u64> {
        match self {
            EncodedSelection::None => Some(0),
            EncodedSelection::All => None,
            EncodedSelection::Points { rank, coordinates } => Some((coordinates.len() / rank) as u64),
            EncodedSelection::Regular(axes) => axes
                .iter()
                .try_fold(1u64, |product, axis| product.checked_mul(axis.count?)?.checked_mul(axis.block?)),
            EncodedSelection::Blocks { rank, corners } => {
                corners.chunks_exact(2 * rank).try_fold(0u64, |sum, corners| {
                    let (first, last) = corners.split_at(*rank);
                    let sizes =
                        first.iter().zip(last).map(|(first, last)| last.checked_sub(*first)?.checked_add(1));
                    sum.checked_add(
                        sizes.into_iter().try_fold(1u64, |product, size| product.checked_mul(size?))?,
                    )
                })
            }
        }
    }

    /// True where no element is selected.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The smallest and the largest index along each axis; `None` for none, all and unlimited selections.
    pub fn bounds(&self) -> Option<(Vec<u64>, Vec<u64>)> {
        match self {
            EncodedSelection::None | EncodedSelection::All => None,
            EncodedSelection::Points { rank, coordinates } => bounds(*rank, coordinates.chunks_exact(*rank)),
            EncodedSelection::Blocks { rank, corners } => bounds(*rank, corners.chunks_exact(*rank)),
            EncodedSelection::Regular(axes) => {
                let last = axes.iter().map(|axis| {
                    let blocks = axis.count?.checked_sub(1)?.checked_mul(axis.stride)?;
                    axis.start.checked_add(blocks)?.checked_add(axis.block?.checked_sub(1)?)
                });
                Some((axes.iter().map(|axis| axis.start).collect(), last.collect::<Option<Vec<u64>>>()?))
            }
        }
    }
}

fn bounds<'a>(rank: usize, points: impl Iterator<Item = &'a [u64]>) -> Option<(Vec<u64>, Vec<u64>)> {
    let (mut least, mut most) = (vec![u64::MAX; rank], vec![0; rank]);
    let mut any = false;
    for point in points {
        any = true;
        for axis in 0..rank {
            least[axis] = least[axis].min(point[axis]);
            most[axis] = most[axis].max(point[axis]);
        }
    }
    any.then_some((least, most))
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
    let axes = fields.chunks_exact(4).map(|axis| RegularAxis {
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
    fn an_unlimited_axis_ends_with_the_extent() {
        let axis = |start, stride, count, block| RegularAxis { start, stride, count, block };
        let limited = |count, block, rest| LimitedAxis { count, block, rest };
        assert_eq!(axis(2, 4, None, Some(3)).limited(13), limited(3, 3, 0));
        assert_eq!(axis(2, 4, None, Some(3)).limited(12), limited(2, 3, 2));
        assert_eq!(axis(2, 4, None, Some(3)).limited(10), limited(2, 3, 0));
        assert_eq!(axis(2, 4, None, Some(3)).limited(3), limited(0, 3, 1));
        assert_eq!(axis(2, 4, None, Some(3)).limited(2).elements(), Some(0));
        assert_eq!(axis(2, 4, None, Some(3)).limited(0).elements(), Some(0));
        assert_eq!(axis(2, 1, Some(1), None).limited(9), limited(1, 7, 0));
        assert_eq!(axis(2, 9, Some(4), Some(5)).limited(3), limited(4, 5, 0));
        assert_eq!(axis(0, 1, None, Some(u64::MAX)).limited(5), limited(0, u64::MAX, 5));
    }

    #[test]
    fn an_axis_ends_behind_its_last_block() {
        let axis = |start, stride, count, block| RegularAxis { start, stride, count, block };
        for (dim, end) in [(13, 13), (12, 12), (10, 9), (3, 3), (2, 2), (0, 2)] {
            assert_eq!(axis(2, 4, None, Some(3)).end(dim), Some(end), "in an extent of {dim}");
        }
        assert_eq!(axis(2, 1, Some(1), None).end(9), Some(9));
        assert_eq!(axis(2, 9, Some(4), Some(5)).end(3), Some(34));
        assert_eq!(axis(2, u64::MAX, Some(0), Some(5)).end(9), Some(2));
        assert_eq!(axis(2, u64::MAX, Some(9), Some(0)).end(9), Some(2));
        assert_eq!(axis(2, u64::MAX, Some(9), Some(1)).end(9), None);
        assert_eq!(axis(2, 1, Some(1), Some(u64::MAX)).end(9), None);
    }

    #[test]
    fn several_blocks_longer_than_their_distance_overlap() {
        let overlaps = |stride, count, block| RegularAxis { start: 0, stride, count, block }.overlaps();
        assert!(overlaps(2, Some(2), Some(3)) && overlaps(2, None, Some(3)) && overlaps(0, None, Some(1)));
        assert!(!overlaps(2, Some(1), Some(3)) && !overlaps(3, None, Some(3)) && !overlaps(0, Some(1), None));
    }

    #[test]
    fn reads_every_form() {
        assert_eq!(parse(encode(&[(3, 4), (1, 4), (0, 8)])), Ok(EncodedSelection::All));
        let points = encode(&[(1, 4), (2, 4), (2, 1), (2, 4), (2, 2), (7, 2), (1, 2), (3, 2), (9, 2)]);
        let points = parse(points).unwrap();
        assert_eq!((points.len(), points.bounds()), (Some(2), Some((vec![3, 1], vec![7, 9]))));
        let blocks = encode(&[(2, 4), (1, 4), (0, 8), (1, 4), (2, 4), (0, 4), (2, 4), (8, 4), (8, 4)]);
        let blocks = parse(blocks).unwrap();
        assert_eq!((blocks.len(), blocks.bounds()), (Some(4), Some((vec![0], vec![8]))));
        let regular = [(2, 4), (3, 4), (1, 1), (4, 1), (1, 4), (5, 4), (10, 4), (3, 4), (2, 4)];
        let regular = parse(encode(&regular)).unwrap();
        assert_eq!((regular.len(), regular.bounds()), (Some(6), Some((vec![5], vec![26]))));
        let unlimited = [(2, 4), (2, 4), (1, 1), (0, 4), (1, 4), (5, 8), (10, 8), (u64::MAX, 8), (2, 8)];
        assert_eq!(parse(encode(&unlimited)).unwrap().len(), None);
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
