//! A summary of a region reference: how many elements of a dataset it selects, and within which bounds.

use super as encoded;
use bytes::Bytes;
use hyperslab_format::message::Dataspace;
use hyperslab_format::selection::{EncodedAxis, EncodedSelection};
use hyperslab_format::{Cursor, Widths};

/// A summary of an encoded selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionSummary {
    /// `none`, `all`, `points` or `hyperslab`.
    pub kind: &'static str,
    /// The number of selected elements.
    pub elements: u64,
    /// The first and the last corner of the smallest box that contains them; `None` if there are none.
    pub bounds: Option<(Vec<u64>, Vec<u64>)>,
}

impl RegionSummary {
    /// Summarizes the encoded selection of a region reference. `extent` is that of its dataset, if it is known.
    ///
    /// `None` if the bytes are not a selection, if they do not fit the extent, or if what is selected depends on an
    /// extent that is not known.
    pub fn parse(encoded: &[u8], extent: Option<&Dataspace>) -> Option<Self> {
        let bytes = Bytes::copy_from_slice(encoded);
        let mut cursor = Cursor::new("region reference", 0, bytes, Widths::default());
        Self::of(&EncodedSelection::parse(&mut cursor).ok()?, extent)
    }

    fn of(selection: &EncodedSelection, extent: Option<&Dataspace>) -> Option<Self> {
        let kind = match selection {
            EncodedSelection::None => return Some(Self { kind: "none", elements: 0, bounds: None }),
            EncodedSelection::All => return all(extent?),
            EncodedSelection::Points { .. } => "points",
            EncodedSelection::Regular(axes) if axes.iter().any(EncodedAxis::is_unlimited) => {
                return unlimited(axes, extent?);
            }
            EncodedSelection::Regular(_) | EncodedSelection::Blocks { .. } => "hyperslab",
        };
        let (elements, bounds) = (encoded::elements(selection)?, encoded::bounds(selection));
        let fits =
            bounds.as_ref().is_none_or(|(first, _)| extent.is_none_or(|extent| first.len() == extent.rank()));
        fits.then_some(Self { kind, elements, bounds })
    }
}

/// The summary of an unlimited selection, which ends at the present extent of its dataset.
fn unlimited(axes: &[EncodedAxis], extent: &Dataspace) -> Option<RegionSummary> {
    let dims = extent.dims();
    if axes.len() != dims.len() {
        return None;
    }
    let blocks: Option<Vec<_>> =
        axes.iter().zip(dims).map(|(axis, &dim)| encoded::blocks(axis, dim, "a selection").ok()).collect();
    let blocks = blocks?;
    let elements = blocks.iter().try_fold(1u64, |elements, axis| elements.checked_mul(axis.len()))?;
    let bounds: Option<Vec<(u64, u64)>> = blocks.iter().map(|axis| axis.bounds()).collect();
    Some(RegionSummary {
        kind: "hyperslab",
        elements,
        bounds: bounds.map(|bounds| bounds.into_iter().unzip()),
    })
}

fn all(extent: &Dataspace) -> Option<RegionSummary> {
    let dims = extent.dims();
    let elements = extent.elements()?;
    let last = dims.iter().map(|dim| dim.saturating_sub(1)).collect();
    Some(RegionSummary { kind: "all", elements, bounds: (elements > 0).then(|| (vec![0; dims.len()], last)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(selection: EncodedSelection) -> Option<RegionSummary> {
        RegionSummary::of(
            &selection,
            Some(&Dataspace::Simple { dims: vec![10, 20], max_dims: vec![None; 2] }),
        )
    }

    #[test]
    fn blocks_and_points_are_counted_and_bounded() {
        let corners = vec![1, 2, 3, 4, 5, 0, 5, 9];
        let bounds = Some((vec![1, 0], vec![5, 9]));
        let expected = RegionSummary { kind: "hyperslab", elements: 9 + 10, bounds };
        assert_eq!(region(EncodedSelection::Blocks { rank: 2, corners }), Some(expected));
        let bounds = Some((vec![1, 0], vec![9, 19]));
        let expected = RegionSummary { kind: "points", elements: 3, bounds };
        let coordinates = vec![1, 2, 9, 0, 4, 19];
        assert_eq!(region(EncodedSelection::Points { rank: 2, coordinates }), Some(expected));
        let axis = |start, stride, count, block| EncodedAxis {
            start,
            stride,
            count: Some(count),
            block: Some(block),
        };
        let bounds = Some((vec![1, 0], vec![4, 4]));
        let expected = RegionSummary { kind: "hyperslab", elements: 10, bounds };
        assert_eq!(
            region(EncodedSelection::Regular(vec![axis(1, 3, 2, 1), axis(0, 1, 1, 5)])),
            Some(expected)
        );
        let nothing = RegionSummary { kind: "hyperslab", elements: 0, bounds: None };
        assert_eq!(
            region(EncodedSelection::Regular(vec![axis(1, 3, 0, 1), axis(0, 1, 1, 5)])),
            Some(nothing)
        );
    }

    #[test]
    fn what_has_no_end_ends_with_the_dataset() {
        let axis = |start, stride, count, block| EncodedAxis { start, stride, count, block };
        let bounds = Some((vec![1, 0], vec![9, 4]));
        let rows = axis(1, 3, None, Some(2));
        let expected =
            RegionSummary { kind: "hyperslab", elements: 6 * 5, bounds: Some((vec![1, 0], vec![8, 4])) };
        assert_eq!(
            region(EncodedSelection::Regular(vec![rows, axis(0, 1, Some(1), Some(5))])),
            Some(expected)
        );
        let rows = axis(1, 4, None, Some(3));
        let expected = RegionSummary { kind: "hyperslab", elements: 7 * 5, bounds };
        assert_eq!(
            region(EncodedSelection::Regular(vec![rows, axis(0, 1, Some(1), Some(5))])),
            Some(expected)
        );
        let beyond = vec![axis(10, 1, None, Some(1)), axis(0, 1, Some(1), Some(5))];
        let nothing = RegionSummary { kind: "hyperslab", elements: 0, bounds: None };
        assert_eq!(region(EncodedSelection::Regular(beyond)), Some(nothing));
    }

    #[test]
    fn everything_and_nothing() {
        let bounds = Some((vec![0, 0], vec![9, 19]));
        assert_eq!(region(EncodedSelection::All), Some(RegionSummary { kind: "all", elements: 200, bounds }));
        assert_eq!(
            region(EncodedSelection::None),
            Some(RegionSummary { kind: "none", elements: 0, bounds: None })
        );
    }

    #[test]
    fn a_selection_of_another_rank_does_not_fit() {
        assert_eq!(region(EncodedSelection::Points { rank: 1, coordinates: vec![1] }), None);
    }
}
