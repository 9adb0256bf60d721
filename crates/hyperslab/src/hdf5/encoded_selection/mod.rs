//! Conversion of the selections that files store (in region references and in mappings of virtual datasets) to
//! selections of the engine, for a dataset of a given extent. No other module converts between the two forms.

mod encode;
mod summary;
mod union;

pub use encode::encode_region;
pub use summary::RegionSummary;

use crate::format_error::OrError;
use crate::{Axis, Blocks, Error, Points, Result, Selection};
use hyperslab_array::selection::Region;
use hyperslab_format::selection::{EncodedAxis, EncodedSelection};
use hyperslab_format::{Cursor, Widths};
use union::Union;

/// The selection that a region reference encodes, for a dataset of the sizes `dims`.
///
/// The result of reading a regular hyperslab has the axes of the dataset. Points, and blocks that are not a product of
/// indexes per axis, are read as an array with one axis: points in the order of the reference, blocks in row-major
/// order.
///
/// # Errors
/// `ErrorKind::Damaged` if the bytes are not a selection of such a dataset. `ErrorKind::OutOfMemory` if its elements
/// must be listed and there is not enough memory for the list.
pub fn region_selection(encoded: &[u8], dims: &[u64]) -> Result<Selection> {
    const WHAT: &str = "a region reference";
    let mut cursor = Cursor::new("region reference", 0, encoded.to_vec().into(), Widths::default());
    let selection = EncodedSelection::parse(&mut cursor).or_error()?;
    check_rank(&selection, dims.len(), WHAT)?;
    match &selection {
        EncodedSelection::None => Ok(Selection::Slab(dims.iter().map(|_| Axis::span(0, 0)).collect())),
        EncodedSelection::All => Ok(Selection::Slab(dims.iter().map(|&dim| Axis::all(dim)).collect())),
        EncodedSelection::Points { rank, coordinates } => {
            Ok(Selection::Points(Points { rank: *rank, coordinates: coordinates.clone() }))
        }
        EncodedSelection::Regular(axes) => {
            let inside = |(axis, &dim): (&EncodedAxis, &u64)| match blocks(axis, dim, WHAT)? {
                empty if empty.is_empty() => Ok(Axis::span(0, 0)),
                found if found.bounds().is_some_and(|(_, last)| last < dim) => Ok(Axis::Blocks(found)),
                _ => Err(Error::damaged("a region reference selects elements outside of its dataset")),
            };
            axes.iter().zip(dims).map(inside).collect::<Result<_>>().map(Selection::Slab)
        }
        EncodedSelection::Blocks { rank, corners } => {
            irregular(&selection, &Union { rank: *rank, corners }, dims)
        }
    }
}

fn irregular(selection: &EncodedSelection, union: &Union<'_>, dims: &[u64]) -> Result<Selection> {
    let inside =
        bounds(selection).is_none_or(|(_, last)| last.iter().zip(dims).all(|(last, dim)| last < dim));
    let all = dims.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim));
    let count = elements(selection).filter(|&count| inside && all >= Some(count));
    let count =
        count.ok_or_else(|| Error::damaged("a region reference selects blocks outside of its dataset"))?;
    let slab = |runs: Vec<Vec<(u64, u64)>>| -> Result<Selection> {
        runs.iter().map(|runs| union::axis(runs)).collect::<Result<_>>().map(Selection::Slab)
    };
    if let Some(runs) = union.product() {
        return slab(runs);
    }
    let points = Points { rank: union.rank, coordinates: union.elements(count)? };
    match union.product_of(points.len() as u64) {
        Some(runs) => slab(runs),
        None => Ok(Selection::Points(points)),
    }
}

/// The elements that an encoded selection selects in a dataset of the sizes `dims`, in libhdf5's order.
///
/// `what` is the owner of the selection, for errors. `count_listed` is called with the number of elements before they
/// are listed, and may refuse it.
pub(crate) fn region(
    selection: &EncodedSelection,
    dims: &[u64],
    what: &str,
    count_listed: impl FnOnce(Option<u64>) -> Result<()>,
) -> Result<Region> {
    let rank = dims.len();
    check_rank(selection, rank, what)?;
    match selection {
        EncodedSelection::None => Ok(Region::Points(Points { rank: rank.max(1), coordinates: Vec::new() })),
        EncodedSelection::All => product(dims.iter().map(|&dim| Blocks::span(0, dim)).collect(), what),
        EncodedSelection::Regular(axes) => {
            let axes = axes.iter().zip(dims).map(|(axis, &dim)| blocks(axis, dim, what));
            product(axes.collect::<Result<_>>()?, what)
        }
        EncodedSelection::Points { rank, coordinates } => {
            count_listed(elements(selection))?;
            Ok(Region::Points(Points { rank: *rank, coordinates: coordinates.clone() }))
        }
        EncodedSelection::Blocks { rank, corners } => {
            let union = Union { rank: *rank, corners };
            let runs = union.product();
            let axes = runs.and_then(|runs| runs.iter().map(|runs| union::regular(runs)).collect());
            if let Some(axes) = axes {
                return product(axes, what);
            }
            let count = elements(selection);
            count_listed(count)?;
            let count = count.ok_or_else(|| overflow(what))?;
            Ok(Region::Points(Points { rank: *rank, coordinates: union.elements(count)? }))
        }
    }
}

fn product(axes: Vec<Blocks>, what: &str) -> Result<Region> {
    Region::product(axes).ok_or_else(|| overflow(what))
}

fn overflow(what: &str) -> Error {
    Error::damaged(format!("the number of elements of {what} overflows 64 bits"))
}

fn check_rank(selection: &EncodedSelection, rank: usize, what: &str) -> Result<()> {
    let given = match selection {
        EncodedSelection::None | EncodedSelection::All => return Ok(()),
        EncodedSelection::Points { rank, .. } | EncodedSelection::Blocks { rank, .. } => *rank,
        EncodedSelection::Regular(axes) => axes.len(),
    };
    if given == rank {
        return Ok(());
    }
    Err(Error::damaged(format!("{what} selects along {given} axes, its dataset has {rank}")))
}

/// An axis of a regular hyperslab. An unlimited axis ends at the size `dim` of the dataset. `what` is the owner of the
/// hyperslab, for errors.
pub(crate) fn blocks(axis: &EncodedAxis, dim: u64, what: &str) -> Result<Blocks> {
    let EncodedAxis { start, stride, count, block } = *axis;
    if block.is_none() && count.is_none_or(|count| count > 1) {
        return Err(Error::damaged(format!("{what} has several unlimited blocks along one axis")));
    }
    let several = count.is_none_or(|count| count > 1);
    if let Some(block) = block.filter(|&block| several && stride < block) {
        let overlap = format!("blocks of {block} elements with a stride of {stride} overlap");
        return Err(Error::damaged(format!("{overlap} in {what}")));
    }
    match (count, block) {
        (Some(0), _) | (_, Some(0)) => Ok(Blocks::span(start, 0)),
        (Some(count), Some(block)) => Blocks::regular(start, stride, count, block, 0).ok_or_else(|| {
            Error::damaged(format!("the indexes of {what} that start at {start} overflow 64 bits"))
        }),
        (None, Some(block)) => Ok(Blocks::until(start, stride, block, dim)),
        (_, None) => Ok(Blocks::span(start, dim.saturating_sub(start))),
    }
}

/// The number of selected elements; `None` if it depends on the extent or overflows 64 bits. Blocks are taken to be
/// disjoint, as libhdf5 writes them.
pub(crate) fn elements(selection: &EncodedSelection) -> Option<u64> {
    match selection {
        EncodedSelection::None => Some(0),
        EncodedSelection::All => None,
        EncodedSelection::Points { rank, coordinates } => Some((coordinates.len() / rank) as u64),
        EncodedSelection::Regular(axes) => product_of(axes.iter().map(|axis| Some(limited(axis)?.len()))),
        EncodedSelection::Blocks { rank, corners } => {
            corners.chunks_exact(2 * rank).try_fold(0u64, |sum, corners| {
                let (first, last) = corners.split_at(*rank);
                let sizes =
                    first.iter().zip(last).map(|(first, last)| last.checked_sub(*first)?.checked_add(1));
                sum.checked_add(product_of(sizes)?)
            })
        }
    }
}

fn product_of(mut sizes: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    sizes.try_fold(1u64, |product, size| product.checked_mul(size?))
}

/// The smallest and the largest index along each axis; `None` if there are no elements or if it depends on the extent.
pub(crate) fn bounds(selection: &EncodedSelection) -> Option<(Vec<u64>, Vec<u64>)> {
    match selection {
        EncodedSelection::None | EncodedSelection::All => None,
        EncodedSelection::Points { rank, coordinates } => box_around(*rank, coordinates),
        EncodedSelection::Blocks { rank, corners } => box_around(*rank, corners),
        EncodedSelection::Regular(axes) => {
            let bounds: Option<Vec<(u64, u64)>> = axes.iter().map(|axis| limited(axis)?.bounds()).collect();
            Some(bounds?.into_iter().unzip())
        }
    }
}

/// A valid axis that does not depend on the extent.
fn limited(axis: &EncodedAxis) -> Option<Blocks> {
    if axis.is_unlimited() { None } else { blocks(axis, 0, "a selection").ok() }
}

fn box_around(rank: usize, points: &[u64]) -> Option<(Vec<u64>, Vec<u64>)> {
    let along = |axis: usize| points.iter().skip(axis).step_by(rank).copied();
    let bounds: Option<Vec<(u64, u64)>> =
        (0..rank).map(|axis| Some((along(axis).min()?, along(axis).max()?))).collect();
    Some(bounds?.into_iter().unzip())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn axis(start: u64, stride: u64, count: Option<u64>, block: Option<u64>) -> EncodedAxis {
        EncodedAxis { start, stride, count, block }
    }

    fn in_extent(axis: EncodedAxis, dim: u64) -> Blocks {
        blocks(&axis, dim, "a test").unwrap()
    }

    fn all(selection: &EncodedSelection, dims: &[u64]) -> Result<Region> {
        region(selection, dims, "a test", |_| Ok(()))
    }

    fn spell(axis: &EncodedAxis, dim: u64) -> Vec<u64> {
        let mut indexes = Vec::new();
        for number in 0..axis.count.unwrap_or(dim) {
            let start = axis.start + number * axis.stride;
            let end = axis.block.map_or(dim, |block| start + block);
            let endless = axis.count.is_none() || axis.block.is_none();
            indexes.extend((start..end).filter(|&index| !endless || index < dim));
        }
        indexes
    }

    proptest! {
        #[test]
        fn is_what_is_spelled_out(
            start in 0u64..9, stride in 1u64..7, count in prop::option::of(0u64..6), block in 0u64..7, dim in 0u64..40
        ) {
            let axis = EncodedAxis { start, stride, count, block: Some(block) };
            let several = count.is_none_or(|count| count > 1);
            prop_assume!(!several || block <= stride);
            let (blocks, expected) = (in_extent(axis, dim), spell(&axis, dim));
            prop_assert_eq!(&blocks.iter().collect::<Vec<_>>(), &expected);
            let selection = EncodedSelection::Regular(vec![axis]);
            if count.is_some() {
                prop_assert_eq!(elements(&selection), Some(expected.len() as u64));
                let corners = expected.first().zip(expected.last());
                prop_assert_eq!(bounds(&selection), corners.map(|(first, last)| (vec![*first], vec![*last])));
            } else {
                prop_assert_eq!((elements(&selection), bounds(&selection)), (None, None));
            }
        }
    }

    #[test]
    fn an_unlimited_axis_ends_with_the_extent() {
        let rows = axis(2, 4, None, Some(3));
        for (dim, len, last) in [(13, 9, 12), (12, 8, 11), (10, 6, 8), (3, 1, 2)] {
            let found = in_extent(rows, dim);
            assert_eq!((found.len(), found.bounds()), (len, Some((2, last))), "in an extent of {dim}");
        }
        assert!(in_extent(rows, 2).is_empty() && in_extent(rows, 0).is_empty());
        assert_eq!(in_extent(axis(2, 1, Some(1), None), 9), Blocks::span(2, 7));
        assert_eq!(in_extent(axis(3, 0, Some(1), None), 10), Blocks::span(3, 7));
        assert_eq!(in_extent(axis(2, 9, Some(4), Some(5)), 3).bounds(), Some((2, 33)));
        assert_eq!(in_extent(axis(0, u64::MAX, None, Some(u64::MAX)), 5), Blocks::span(0, 5));
        assert_eq!(in_extent(axis(0, 1, None, Some(1)), u64::MAX).len(), u64::MAX);
        assert!(in_extent(axis(2, u64::MAX, Some(0), Some(5)), 9).is_empty());
        assert!(in_extent(axis(2, u64::MAX, Some(9), Some(0)), 9).is_empty());
    }

    #[test]
    fn an_axis_that_cannot_be_is_refused() {
        let refused = [
            axis(0, 2, Some(3), Some(3)),
            axis(0, 2, Some(2), Some(3)),
            axis(0, 2, None, Some(3)),
            axis(0, 0, None, Some(1)),
            axis(0, 1 << 40, Some(1 << 40), Some(1)),
            axis(2, u64::MAX, Some(9), Some(1)),
            axis(2, 1, Some(1), Some(u64::MAX)),
            axis(5, 9, Some(2), None),
            axis(5, 9, None, None),
        ];
        for axis in refused {
            assert!(blocks(&axis, 100, "a test").is_err(), "{axis:?}");
        }
        assert!(
            blocks(&axis(2, 1, Some(1), Some(3)), 100, "a test").is_ok(),
            "a single block does not overlap"
        );
    }

    #[test]
    fn numbers_and_elements_agree() {
        let element = |region: &Region, number: u64| {
            let mut coordinates = Vec::new();
            region.push_element(number, &mut coordinates);
            coordinates
        };
        let axes = vec![axis(1, 4, None, Some(2)), axis(0, 1, Some(1), None)];
        let region = all(&EncodedSelection::Regular(axes), &[8, 3]).unwrap();
        let rows = (0..12).step_by(3).map(|number| element(&region, number)[0]).collect::<Vec<_>>();
        assert_eq!((region.len(), rows), (12, vec![1, 2, 5, 6]));
        for number in 0..region.len() {
            assert_eq!(region.number(&element(&region, number)), Some(number));
        }
        let corners = vec![0, 0, 0, 1, 1, 0, 1, 0];
        let region = all(&EncodedSelection::Blocks { rank: 2, corners }, &[4, 4]).unwrap();
        assert_eq!(region, Region::Points(Points { rank: 2, coordinates: vec![0, 0, 0, 1, 1, 0] }));
        assert_eq!((element(&region, 2), region.numbers()[&[0, 1][..]]), (vec![1, 0], 1));
    }

    #[test]
    fn blocks_that_are_a_regular_product_are_not_listed() {
        let corners = vec![0, 5, 0, 6, 0, 8, 0, 9, 2, 5, 2, 6, 2, 8, 2, 9];
        let blocks = EncodedSelection::Blocks { rank: 2, corners };
        let axes = vec![Blocks::new(0, 2, 2, 1).unwrap(), Blocks::new(5, 3, 2, 2).unwrap()];
        let unasked = |_| panic!("elements are listed");
        assert_eq!(region(&blocks, &[4, 12], "a test", unasked).unwrap(), Region::Product(axes));
    }

    #[test]
    fn a_billion_elements_take_no_memory_and_too_many_are_refused() {
        let region = all(&EncodedSelection::All, &[1 << 40]).unwrap();
        assert_eq!((region.len(), region.number(&[1 << 39])), (1 << 40, Some(1 << 39)));
        assert!(all(&EncodedSelection::All, &[1 << 40, 1 << 40]).is_err());
        let empty = all(&EncodedSelection::All, &[1 << 40, 1 << 40, 0]).unwrap();
        assert_eq!((empty.len(), empty.number(&[1 << 39, 1 << 39, 0])), (0, None));
        let corners = vec![0, u64::MAX];
        assert!(all(&EncodedSelection::Blocks { rank: 1, corners }, &[1]).is_err());
    }
}
