//! A block of an array as runs of adjacent elements, in the order in which libraries read them.

/// Calls `each` with the place of the first element and the number of elements of each run of a block, of which every `step`-th
/// element is wanted. No run crosses from one index of the first `outer` axes to the next.
pub(super) fn each_run(
    (shape, outer): (&[u64], usize),
    (start, count, step): (&[u64], &[u64], &[u64]),
    mut each: impl FnMut(&[u64], u64),
) {
    if count.contains(&0) {
        return;
    }
    let is_whole = |axis: usize| start[axis] == 0 && count[axis] == shape[axis] && step[axis] == 1;
    // The first axis along which a run goes on.
    let mut first = shape.len();
    while first > outer && (first == shape.len() || is_whole(first)) && step[first - 1] == 1 {
        first -= 1;
    }
    let elements = count[first..].iter().product();
    let mut place = start.to_vec();
    loop {
        each(&place, elements);
        let mut axis = first;
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            place[axis] += step[axis];
            if place[axis] < start[axis] + count[axis] {
                break;
            }
            place[axis] = start[axis];
        }
    }
}

/// The last wanted element of a block.
pub(super) fn last(start: &[u64], count: &[u64], step: &[u64]) -> Vec<u64> {
    let axes = start.iter().zip(count).zip(step);
    axes.map(|((start, count), step)| start + count.saturating_sub(1) / step * step).collect()
}

/// The number of an element in row-major order.
pub(super) fn linear(shape: &[u64], place: &[u64]) -> u64 {
    shape.iter().zip(place).fold(0, |linear, (len, at)| linear * len + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(shape: &[u64], outer: usize, block: (&[u64], &[u64], &[u64])) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        each_run((shape, outer), block, |place, elements| found.push((linear(shape, place), elements)));
        found
    }

    #[test]
    fn whole_axes_at_the_end_are_one_run() {
        let whole = (&[0, 0, 0][..], &[4, 3, 5][..], &[1, 1, 1][..]);
        assert_eq!(runs(&[4, 3, 5], 0, whole), [(0, 60)]);
        assert_eq!(runs(&[4, 3, 5], 1, whole), [(0, 15), (15, 15), (30, 15), (45, 15)], "records");
        assert_eq!(runs(&[4, 3, 5], 0, (&[1, 1, 0], &[2, 2, 5], &[1, 1, 1])), [(20, 10), (35, 10)]);
        assert_eq!(runs(&[4, 3, 5], 0, (&[1, 0, 0], &[2, 3, 5], &[1, 1, 1])), [(15, 30)]);
        assert_eq!(runs(&[4, 3, 5], 0, (&[3, 1, 2], &[1, 1, 2], &[1, 1, 1])), [(52, 2)]);
    }

    #[test]
    fn steps_end_runs() {
        assert_eq!(runs(&[4, 5], 0, (&[0, 1], &[4, 4], &[2, 2])), [(1, 1), (3, 1), (11, 1), (13, 1)]);
        assert_eq!(runs(&[4, 5], 0, (&[0, 0], &[4, 5], &[3, 1])), [(0, 5), (15, 5)]);
        assert_eq!(runs(&[4], 0, (&[0], &[0], &[1])), []);
        assert_eq!(last(&[0, 1], &[4, 4], &[3, 2]), [3, 3]);
    }
}
