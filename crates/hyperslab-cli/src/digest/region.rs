//! What a dataset region reference refers to: an object and a selection of its elements.
//!
//! The global heap object holds the address of the dataset's object header, then the selection as libhdf5 serializes
//! it (the format specification leaves it to the library):
//!
//! ```text
//! type 4            0 none, 1 points, 2 hyperslabs, 3 all
//! version 4
//! version 1         reserved 4 | length 4                            | widths are 4
//! points 2          width 1
//! hyperslabs 2      flags 1 | length 4                               | widths are 8
//! hyperslabs 3      flags 1 | width 1
//! rank 4            (points and hyperslabs only, as all that follows)
//! points            count | count × rank coordinates
//! hyperslabs        count | count × (rank first corners, rank last corners)
//!   flag 1          rank × (start, stride, count, block)
//! ```

use hyperslab::Dataspace;
use hyperslab::format::limits::RANK_MAX;
use hyperslab::format::{Bytes, Cursor, FormatError};

/// A selection, as far as it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    /// `none`, `all`, `points` or `hyperslab`.
    pub kind: &'static str,
    /// How many elements are selected.
    pub elements: u64,
    /// First and last corner of the smallest box around them; `None` where nothing is selected.
    pub bounds: Option<(Vec<u64>, Vec<u64>)>,
}

const REGULAR: u8 = 0x01;

impl Region {
    /// Reads a serialized selection of a dataset of this extent.
    pub fn parse(mut cursor: Cursor, extent: &Dataspace) -> Result<Self, FormatError> {
        let at = cursor.at();
        match cursor.u32("selection type")? {
            0 => Ok(Self { kind: "none", elements: 0, bounds: None }),
            1 => points(&mut cursor, extent),
            2 => hyperslabs(&mut cursor, extent),
            3 => Ok(all(extent)),
            other => Err(cursor.invalid_at(at, "selection type", format!("type {other} does not exist"))),
        }
    }

    /// Splits the heap object into the address of the dataset and the selection.
    pub fn cursor(object: Bytes, widths: hyperslab::format::Widths) -> Cursor {
        Cursor::new("dataset region", 0, object, widths)
    }
}

fn all(extent: &Dataspace) -> Region {
    let dims = extent.dims();
    let elements = extent.elements().unwrap_or(u64::MAX);
    let last = dims.iter().map(|dim| dim.saturating_sub(1)).collect();
    Region { kind: "all", elements, bounds: (elements > 0).then(|| (vec![0; dims.len()], last)) }
}

fn points(cursor: &mut Cursor, extent: &Dataspace) -> Result<Region, FormatError> {
    let width = match cursor.u32("version")? {
        1 => {
            cursor.skip("reserved and length", 8)?;
            4
        }
        2 => width(cursor)?,
        other => return Err(cursor.unsupported("version", format!("point selection of version {other}"))),
    };
    let rank = rank(cursor, extent)?;
    let count = cursor.uint("number of points", width)?;
    let mut corners = Corners::default();
    for _ in 0..count {
        let point = coordinates(cursor, rank, width)?;
        corners.add(&point, &point);
    }
    Ok(Region { kind: "points", elements: count, bounds: corners.0 })
}

fn hyperslabs(cursor: &mut Cursor, extent: &Dataspace) -> Result<Region, FormatError> {
    let version = cursor.u32("version")?;
    let (flags, width) = match version {
        1 => {
            cursor.skip("reserved and length", 8)?;
            (0, 4)
        }
        2 => {
            let flags = cursor.flags(REGULAR)?;
            cursor.skip("length", 4)?;
            (flags, 8)
        }
        3 => (cursor.flags(REGULAR)?, width(cursor)?),
        other => return Err(cursor.unsupported("version", format!("hyperslab selection of version {other}"))),
    };
    let rank = rank(cursor, extent)?;
    if flags & REGULAR != 0 {
        return regular(cursor, rank, width);
    }
    let count = cursor.uint("number of blocks", width)?;
    let mut elements = 0u64;
    let mut corners = Corners::default();
    for _ in 0..count {
        let first = coordinates(cursor, rank, width)?;
        let last = coordinates(cursor, rank, width)?;
        let sizes = first
            .iter()
            .zip(&last)
            .map(|(first, last)| last.checked_sub(*first).and_then(|n| n.checked_add(1)));
        let block = sizes.reduce(|a, b| a?.checked_mul(b?)).flatten();
        let block =
            block.ok_or_else(|| cursor.invalid("block", format!("a block from {first:?} to {last:?}")))?;
        elements = elements.saturating_add(block);
        corners.add(&first, &last);
    }
    Ok(Region { kind: "hyperslab", elements, bounds: corners.0 })
}

fn regular(cursor: &mut Cursor, rank: usize, width: usize) -> Result<Region, FormatError> {
    let (mut first, mut last, mut elements) = (Vec::new(), Vec::new(), 1u64);
    for _ in 0..rank {
        let at = cursor.at();
        let [start, stride, count, block] = [(); 4].map(|()| cursor.uint("hyperslab", width));
        let (start, stride, count, block) = (start?, stride?, count?, block?);
        if count == 0 || block == 0 {
            return Ok(Region { kind: "hyperslab", elements: 0, bounds: None });
        }
        let end = (count - 1).checked_mul(stride).and_then(|n| n.checked_add(block - 1)?.checked_add(start));
        let Some((end, product)) = end.zip(count.checked_mul(block)) else {
            return Err(cursor.invalid_at(
                at,
                "hyperslab",
                format!("{count} blocks of {block} cannot be counted"),
            ));
        };
        first.push(start);
        last.push(end);
        elements = elements.saturating_mul(product);
    }
    Ok(Region { kind: "hyperslab", elements, bounds: Some((first, last)) })
}

fn width(cursor: &mut Cursor) -> Result<usize, FormatError> {
    let at = cursor.at();
    match cursor.u8("width")? {
        width @ (2 | 4 | 8) => Ok(width.into()),
        other => Err(cursor.invalid_at(at, "width", format!("numbers of {other} bytes"))),
    }
}

fn rank(cursor: &mut Cursor, extent: &Dataspace) -> Result<usize, FormatError> {
    let at = cursor.at();
    let rank = cursor.u32("rank")?;
    if rank == 0 || u64::from(rank) > RANK_MAX || rank as usize != extent.rank() {
        let what = format!("a selection of {rank} dimensions in a dataset of {}", extent.rank());
        return Err(cursor.invalid_at(at, "rank", what));
    }
    Ok(rank as usize)
}

fn coordinates(cursor: &mut Cursor, rank: usize, width: usize) -> Result<Vec<u64>, FormatError> {
    (0..rank).map(|_| cursor.uint("coordinate", width)).collect()
}

/// The smallest box around what was added.
#[derive(Default)]
struct Corners(Option<(Vec<u64>, Vec<u64>)>);

impl Corners {
    fn add(&mut self, first: &[u64], last: &[u64]) {
        let (lowest, highest) = self.0.get_or_insert_with(|| (first.to_vec(), last.to_vec()));
        lowest.iter_mut().zip(first).for_each(|(lowest, first)| *lowest = (*lowest).min(*first));
        highest.iter_mut().zip(last).for_each(|(highest, last)| *highest = (*highest).max(*last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab::format::Widths;

    fn parse(words: &[u32]) -> Result<Region, FormatError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let extent = Dataspace::Simple { dims: vec![10, 20], max_dims: vec![None; 2] };
        let every_prefix =
            |len| Region::parse(Region::cursor(Bytes::copy_from_slice(len), Widths::default()), &extent);
        for len in 0..bytes.len() {
            every_prefix(&bytes[..len]).unwrap_err();
        }
        every_prefix(&bytes)
    }

    #[test]
    fn blocks_are_counted_and_bounded() {
        let region = parse(&[2, 1, 0, 0, 2, 2, 1, 2, 3, 4, 5, 0, 5, 9]).unwrap();
        let bounds = Some((vec![1, 0], vec![5, 9]));
        assert_eq!(region, Region { kind: "hyperslab", elements: 9 + 10, bounds });
        parse(&[2, 1, 0, 0, 2, 1, 1, 2, 0, 4]).unwrap_err();
    }

    #[test]
    fn points_are_counted_and_bounded() {
        let region = parse(&[1, 1, 0, 0, 2, 3, 1, 2, 9, 0, 4, 19]).unwrap();
        let bounds = Some((vec![1, 0], vec![9, 19]));
        assert_eq!(region, Region { kind: "points", elements: 3, bounds });
    }

    #[test]
    fn everything_and_nothing() {
        let bounds = Some((vec![0, 0], vec![9, 19]));
        assert_eq!(parse(&[3]).unwrap(), Region { kind: "all", elements: 200, bounds });
        assert_eq!(parse(&[0]).unwrap(), Region { kind: "none", elements: 0, bounds: None });
    }

    #[test]
    fn regular_hyperslabs_of_later_versions() {
        let mut bytes = [2u32, 3].map(u32::to_le_bytes).concat();
        bytes.extend([1, 2]);
        bytes.extend(2u32.to_le_bytes());
        bytes.extend([1u16, 3, 2, 1, 0, 1, 1, 5].map(u16::to_le_bytes).concat());
        let extent = Dataspace::Simple { dims: vec![10, 20], max_dims: vec![None; 2] };
        let region = Region::parse(Region::cursor(bytes.into(), Widths::default()), &extent).unwrap();
        assert_eq!(
            region,
            Region { kind: "hyperslab", elements: 10, bounds: Some((vec![1, 0], vec![4, 4])) }
        );
    }

    #[test]
    fn a_selection_of_another_rank_is_refused() {
        let wrong_rank = [2u32, 1, 0, 0, 3, 0].map(u32::to_le_bytes).concat();
        let extent = Dataspace::Simple { dims: vec![10, 20], max_dims: vec![None; 2] };
        let region = Region::parse(Region::cursor(wrong_rank.into(), Widths::default()), &extent);
        assert_eq!(region.unwrap_err().field, "rank");
    }
}
