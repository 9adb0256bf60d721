//! Shapes as combinations of lengths along each axis.

/// All combinations of the lengths of each axis, if they are at most `most`. `lengths(dim, step)` are those that an axis of
/// extent `dim` is divided into; a larger step means fewer, and the smallest step whose combinations are few enough is
/// taken. No shape if there is none.
pub fn lattice(shape: &[u64], most: usize, lengths: impl Fn(u64, u32) -> Vec<u64>) -> Vec<Vec<u64>> {
    let few_enough = |axes: &Vec<Vec<u64>>| {
        axes.iter().try_fold(1usize, |n, lengths| n.checked_mul(lengths.len())).is_some_and(|n| n <= most)
    };
    let axes = (0..64).map(|step| shape.iter().map(|dim| lengths(*dim, step)).collect()).find(few_enough);
    let Some(axes) = axes else { return Vec::new() };
    axes.iter().fold(vec![Vec::new()], |shapes, lengths| {
        let longer =
            |shape: &Vec<u64>| lengths.iter().map(|n| [&shape[..], &[*n]].concat()).collect::<Vec<_>>();
        shapes.iter().flat_map(longer).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_in_the_order_of_their_lengths() {
        let halves = |dim: u64, _| vec![dim, dim / 2];
        assert_eq!(lattice(&[4, 6], 4, halves), [[4, 6], [4, 3], [2, 6], [2, 3]]);
        assert_eq!(lattice(&[], 1, halves), [[0u64; 0]]);
    }

    #[test]
    fn larger_steps_where_they_are_too_many() {
        let some =
            |dim: u64, step: u32| (1..=4u64.saturating_sub(u64::from(step))).map(|n| dim / n).collect();
        assert_eq!(lattice(&[12, 12], 4, some).len(), 4, "two lengths for each axis");
        assert!(lattice(&[12; 70], 0, |dim, _| vec![dim]).is_empty());
    }
}
