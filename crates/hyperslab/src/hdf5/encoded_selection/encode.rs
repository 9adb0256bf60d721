//! Encodes selections of the engine as files store them.

use crate::{Axis, Error, Points, Result, Selection};
use hyperslab_array::selection::Resolved;
use hyperslab_format::selection::{EncodedAxis, EncodedSelection};
use hyperslab_format::{Encoder, Widths};

/// More blocks are not listed one by one, if they are regular: HDF5 1.10 introduced a form that describes them.
const LISTED_BLOCKS_MAX: usize = 1024;
/// What is listed must fit an object of the global heap, and memory.
const LISTED_NUMBERS_MAX: usize = 1 << 26;

/// Encodes a selection of a dataset of the sizes `dims` for a region reference; [`region_selection`](crate::region_selection)
/// reads it.
///
/// Up to 1,024 blocks are listed, in the form that every version of HDF5 reads. More of them need HDF5 1.10 where they are
/// regular along each axis, and are listed as well where they are not.
///
/// # Errors
/// `ErrorKind::OutOfRange` if the dataset does not have the elements; `ErrorKind::Invalid` for indexes that are not in
/// ascending order, which a selection of a file cannot express; `ErrorKind::Limit` for too many blocks.
pub fn encode_region(selection: &Selection, dims: &[u64]) -> Result<Vec<u8>> {
    let encoded = match selection {
        Selection::All => EncodedSelection::All,
        _ => match selection.resolve(dims)? {
            Resolved::Points(points) => of_points(points),
            Resolved::Slab(axes) => of_axes(&axes)?,
        },
    };
    let mut out = Encoder::new("region reference", Widths::default());
    encoded.encode(&mut out);
    out.finish().map_err(|error| Error::invalid(error.to_string()))
}

fn of_points(points: &Points) -> EncodedSelection {
    match points.coordinates.is_empty() {
        true => EncodedSelection::None,
        false => EncodedSelection::Points { rank: points.rank, coordinates: points.coordinates.clone() },
    }
}

fn of_axes(axes: &[Axis]) -> Result<EncodedSelection> {
    if axes.is_empty() {
        return Ok(EncodedSelection::All);
    }
    if axes.iter().any(Axis::is_empty) {
        return Ok(EncodedSelection::None);
    }
    let regular: Option<Vec<EncodedAxis>> = axes.iter().map(regular).collect();
    let blocks = regular.as_ref().and_then(|axes| {
        axes.iter().try_fold(1u64, |product, axis| product.checked_mul(axis.count.unwrap_or(1)))
    });
    if let Some(regular) = regular
        && blocks.is_none_or(|blocks| blocks > LISTED_BLOCKS_MAX as u64)
    {
        return Ok(EncodedSelection::Regular(regular));
    }
    let runs: Vec<Vec<(u64, u64)>> = axes.iter().map(runs).collect::<Result<_>>()?;
    let rank = axes.len();
    let numbers = runs.iter().try_fold(2 * rank, |product, runs| product.checked_mul(runs.len()));
    if numbers.is_none_or(|numbers| numbers > LISTED_NUMBERS_MAX) {
        return Err(Error::limit("a region of too many blocks").with_hint("select fewer indexes"));
    }
    let mut corners = Vec::with_capacity(numbers.unwrap_or(0));
    let mut at = vec![0; rank];
    loop {
        corners.extend(at.iter().zip(&runs).map(|(&number, runs)| runs[number].0));
        corners.extend(at.iter().zip(&runs).map(|(&number, runs)| runs[number].1));
        let Some(axis) = (0..rank).rev().find(|&axis| at[axis] + 1 < runs[axis].len()) else { break };
        at[axis] += 1;
        at[axis + 1..].fill(0);
    }
    Ok(EncodedSelection::Blocks { rank, corners })
}

/// An axis of evenly spaced indexes; `None` for others.
fn regular(axis: &Axis) -> Option<EncodedAxis> {
    let Axis::Blocks(blocks) = axis else { return None };
    let (start, _) = blocks.bounds()?;
    if blocks.is_span() {
        return Some(EncodedAxis { start, stride: blocks.len(), count: Some(1), block: Some(blocks.len()) });
    }
    let stride = blocks.step()?;
    Some(EncodedAxis { start, stride, count: Some(blocks.len()), block: Some(1) })
}

/// The first and the last index of each run of adjacent indexes.
fn runs(axis: &Axis) -> Result<Vec<(u64, u64)>> {
    if let Axis::Blocks(blocks) = axis
        && blocks.is_span()
    {
        return Ok(blocks.bounds().into_iter().collect());
    }
    let indexes: Box<dyn Iterator<Item = u64>> = match axis {
        Axis::Blocks(blocks) => Box::new(blocks.iter()),
        Axis::List(list) => Box::new(list.iter().copied()),
    };
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for index in indexes {
        let is_full = runs.len() >= LISTED_NUMBERS_MAX;
        match runs.last_mut() {
            Some((_, last)) if *last >= index => {
                let what = format!("index {index} after {last}: a region has its indexes in ascending order");
                return Err(Error::invalid(what).with_hint("sort the indexes"));
            }
            Some((_, last)) if *last + 1 == index => *last = index,
            _ if is_full => {
                return Err(Error::limit("a region of too many blocks").with_hint("select fewer indexes"));
            }
            _ => runs.push((index, index)),
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region_selection;

    /// The elements of a selection in row-major order.
    fn numbers(selection: &Selection, dims: &[u64]) -> Vec<Vec<u64>> {
        match selection.resolve(dims).unwrap() {
            Resolved::Points(points) => points.coordinates.chunks(dims.len()).map(<[u64]>::to_vec).collect(),
            Resolved::Slab(axes) => axes.iter().fold(vec![Vec::new()], |all, axis| {
                let indexes: Vec<u64> = match axis {
                    Axis::Blocks(blocks) => blocks.iter().collect(),
                    Axis::List(list) => list.clone(),
                };
                let with = |start: &Vec<u64>| {
                    indexes.iter().map(|&index| [&start[..], &[index]].concat()).collect::<Vec<_>>()
                };
                all.iter().flat_map(with).collect()
            }),
        }
    }

    #[test]
    fn what_is_encoded_is_read_again() {
        let dims = [5000, 30];
        let listed = |list: &[u64]| Axis::List(list.to_vec());
        for (selection, version) in [
            (Selection::All, 1),
            (Selection::block(&[3, 4], &[10, 20]), 1),
            (Selection::hyperslab(&[1, 2], &[3, 7], &[40, 4], &[2, 5]).unwrap(), 1),
            (Selection::hyperslab(&[0, 2], &[2, 7], &[2500, 4], &[1, 1]).unwrap(), 2),
            (Selection::Slab(vec![listed(&[1, 2, 5, 6, 7, 99]), Axis::all(30)]), 1),
            (Selection::Points(Points { rank: 2, coordinates: vec![9, 9, 0, 29, 4999, 0] }), 1),
            (Selection::block(&[3, 4], &[0, 20]), 1),
        ] {
            let encoded = encode_region(&selection, &dims).unwrap();
            assert_eq!(encoded[4..8], u32::to_le_bytes(version), "{selection:?}");
            let found = region_selection(&encoded, &dims).unwrap();
            assert_eq!(numbers(&found, &dims), numbers(&selection, &dims), "{selection:?}");
        }
    }

    #[test]
    fn what_a_region_cannot_be_is_refused() {
        let axes = |list: &[u64]| Selection::Slab(vec![Axis::List(list.to_vec())]);
        for list in [[3, 2], [2, 2]] {
            assert!(encode_region(&axes(&list), &[9]).unwrap_err().to_string().contains("ascending order"));
        }
        assert!(encode_region(&axes(&[9]), &[9]).is_err());
        let even: Vec<u64> = (0..1 << 14).map(|number| number * number).collect();
        let wide = Selection::Slab(vec![Axis::List(even.clone()), Axis::List(even)]);
        assert!(encode_region(&wide, &[1 << 28, 1 << 28]).unwrap_err().to_string().contains("too many"));
    }

    #[test]
    fn scalars_have_one_element() {
        let encoded = encode_region(&Selection::Slab(Vec::new()), &[]).unwrap();
        assert_eq!(encoded[..4], 3u32.to_le_bytes());
    }
}
