//! What a dataset region reference refers to, as it is reported: a dataset and how much of it is selected.

use hyperslab::Dataspace;
use hyperslab::format::selection::{EncodedSelection, RegularAxis};

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

impl Region {
    /// A selection of a dataset of this extent, as far as it is known; `None` where the two do not fit together, or
    /// where it takes an extent to tell what is selected.
    pub fn of(selection: &EncodedSelection, extent: Option<&Dataspace>) -> Option<Self> {
        let kind = match selection {
            EncodedSelection::None => return Some(Self { kind: "none", elements: 0, bounds: None }),
            EncodedSelection::All => return all(extent?),
            EncodedSelection::Points { .. } => "points",
            EncodedSelection::Regular(axes) if axes.iter().any(RegularAxis::is_unlimited) => {
                return unlimited(axes, extent?);
            }
            EncodedSelection::Regular(_) | EncodedSelection::Blocks { .. } => "hyperslab",
        };
        let (elements, bounds) = (selection.len()?, selection.bounds().filter(|_| !selection.is_empty()));
        let fits =
            bounds.as_ref().is_none_or(|(first, _)| extent.is_none_or(|extent| first.len() == extent.rank()));
        fits.then_some(Self { kind, elements, bounds })
    }
}

/// What a selection without an end comes to in the extent of its dataset, as it is now.
fn unlimited(axes: &[RegularAxis], extent: &Dataspace) -> Option<Region> {
    let dims = extent.dims();
    if axes.len() != dims.len() {
        return None;
    }
    let (mut elements, mut first, mut last) = (1u64, Vec::new(), Vec::new());
    for (axis, &dim) in axes.iter().zip(dims) {
        elements = elements.checked_mul(axis.limited(dim).elements()?)?;
        first.push(axis.start);
        last.push(axis.end(dim)?.saturating_sub(1));
    }
    Some(Region { kind: "hyperslab", elements, bounds: (elements > 0).then_some((first, last)) })
}

fn all(extent: &Dataspace) -> Option<Region> {
    let dims = extent.dims();
    let elements = extent.elements()?;
    let last = dims.iter().map(|dim| dim.saturating_sub(1)).collect();
    Some(Region { kind: "all", elements, bounds: (elements > 0).then(|| (vec![0; dims.len()], last)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(selection: EncodedSelection) -> Option<Region> {
        Region::of(&selection, Some(&Dataspace::Simple { dims: vec![10, 20], max_dims: vec![None; 2] }))
    }

    #[test]
    fn blocks_and_points_are_counted_and_bounded() {
        let corners = vec![1, 2, 3, 4, 5, 0, 5, 9];
        let bounds = Some((vec![1, 0], vec![5, 9]));
        let expected = Region { kind: "hyperslab", elements: 9 + 10, bounds };
        assert_eq!(region(EncodedSelection::Blocks { rank: 2, corners }), Some(expected));
        let bounds = Some((vec![1, 0], vec![9, 19]));
        let expected = Region { kind: "points", elements: 3, bounds };
        let coordinates = vec![1, 2, 9, 0, 4, 19];
        assert_eq!(region(EncodedSelection::Points { rank: 2, coordinates }), Some(expected));
        let axis = |start, stride, count, block| RegularAxis {
            start,
            stride,
            count: Some(count),
            block: Some(block),
        };
        let bounds = Some((vec![1, 0], vec![4, 4]));
        let expected = Region { kind: "hyperslab", elements: 10, bounds };
        assert_eq!(
            region(EncodedSelection::Regular(vec![axis(1, 3, 2, 1), axis(0, 1, 1, 5)])),
            Some(expected)
        );
        let nothing = Region { kind: "hyperslab", elements: 0, bounds: None };
        assert_eq!(
            region(EncodedSelection::Regular(vec![axis(1, 3, 0, 1), axis(0, 1, 1, 5)])),
            Some(nothing)
        );
    }

    #[test]
    fn what_has_no_end_ends_with_the_dataset() {
        let axis = |start, stride, count, block| RegularAxis { start, stride, count, block };
        let bounds = Some((vec![1, 0], vec![9, 4]));
        let rows = axis(1, 3, None, Some(2));
        let expected = Region { kind: "hyperslab", elements: 6 * 5, bounds: Some((vec![1, 0], vec![8, 4])) };
        assert_eq!(
            region(EncodedSelection::Regular(vec![rows, axis(0, 1, Some(1), Some(5))])),
            Some(expected)
        );
        let rows = axis(1, 4, None, Some(3));
        let expected = Region { kind: "hyperslab", elements: 7 * 5, bounds };
        assert_eq!(
            region(EncodedSelection::Regular(vec![rows, axis(0, 1, Some(1), Some(5))])),
            Some(expected)
        );
        let beyond = vec![axis(10, 1, None, Some(1)), axis(0, 1, Some(1), Some(5))];
        let nothing = Region { kind: "hyperslab", elements: 0, bounds: None };
        assert_eq!(region(EncodedSelection::Regular(beyond)), Some(nothing));
    }

    #[test]
    fn everything_and_nothing() {
        let bounds = Some((vec![0, 0], vec![9, 19]));
        assert_eq!(region(EncodedSelection::All), Some(Region { kind: "all", elements: 200, bounds }));
        assert_eq!(region(EncodedSelection::None), Some(Region { kind: "none", elements: 0, bounds: None }));
    }

    #[test]
    fn a_selection_of_another_rank_does_not_fit() {
        assert_eq!(region(EncodedSelection::Points { rank: 1, coordinates: vec![1] }), None);
    }
}
