//! The common reads, simulated if the user requests none.

/// A block and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRead {
    /// `row by row`, `plane along axis 0` …
    pub name: String,
    /// Extent of the block.
    pub block: Vec<u64>,
    /// True for reads that follow the storage order of the data: a program that simply goes through a dataset does one
    /// of these. The others cross that order, and no layout suits all of them.
    pub is_natural: bool,
}

/// Row by row, a plane at a time along each axis, the series along each axis, whole chunks, everything. If two are the
/// same block for this shape, only the first is returned.
pub fn default_reads(shape: &[u64], chunk: Option<&[u64]>) -> Vec<NamedRead> {
    let rank = shape.len();
    let whole: Vec<u64> = shape.iter().map(|dim| (*dim).max(1)).collect();
    let mut reads: Vec<NamedRead> = Vec::new();
    let mut add = |name: String, block: Vec<u64>, is_natural: bool| {
        if !reads.iter().any(|read| read.block == block) {
            reads.push(NamedRead { name, block, is_natural });
        }
    };
    let only = |axis: usize| (0..rank).map(|at| if at == axis { whole[at] } else { 1 }).collect::<Vec<_>>();
    let without =
        |axis: usize| (0..rank).map(|at| if at == axis { 1 } else { whole[at] }).collect::<Vec<_>>();
    if rank >= 2 {
        add("row by row".to_owned(), only(rank - 1), true);
    }
    if rank >= 3 {
        for axis in 0..rank {
            add(format!("plane along axis {axis}"), without(axis), axis == 0);
        }
    }
    if rank >= 2 {
        for (axis, dim) in whole[..rank - 1].iter().enumerate() {
            // A series of one element is a single point, which nobody sweeps over a dataset.
            if *dim > 1 {
                add(format!("series along axis {axis}"), only(axis), false);
            }
        }
    }
    if let Some(chunk) = chunk {
        let block = chunk.iter().zip(&whole).map(|(chunk, dim)| (*chunk).min(*dim).max(1)).collect();
        add("whole chunks".to_owned(), block, true);
    }
    add("everything".to_owned(), whole.clone(), true);
    reads
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(shape: &[u64], chunk: Option<&[u64]>) -> Vec<String> {
        default_reads(shape, chunk).into_iter().map(|read| read.name).collect()
    }

    #[test]
    fn four_dimensions_are_read_in_ten_ways() {
        let reads = default_reads(&[60, 30, 9, 717], Some(&[4, 30, 9, 717]));
        assert_eq!(reads.len(), 10);
        assert_eq!(reads[0].block, [1, 1, 1, 717]);
        assert_eq!(reads[1].block, [1, 30, 9, 717]);
        assert_eq!(
            (reads[5].name.as_str(), reads[5].block.as_slice()),
            ("series along axis 0", &[60, 1, 1, 1][..])
        );
        assert_eq!(reads[8].name, "whole chunks");
        assert_eq!(reads[9].block, [60, 30, 9, 717]);
    }

    #[test]
    fn reads_that_coincide_are_tried_once() {
        assert_eq!(names(&[100], Some(&[10])), ["whole chunks", "everything"]);
        assert_eq!(names(&[100], None), ["everything"]);
        assert_eq!(names(&[4, 5], None), ["row by row", "series along axis 0", "everything"]);
        assert_eq!(names(&[1, 5], Some(&[1, 5])), ["row by row"]);
        assert_eq!(names(&[], None), ["everything"]);
    }
}
