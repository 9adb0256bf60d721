//! A range of the elements of an array in row-major order, as blocks; and a block of an array that is shorter than its dimensions.

use hyperslab::storage::Fill;
use hyperslab::{Dataset, Endianness, Result, Selection};
use hyperslab_create::Block;
use hyperslab_encode::block::copy_common;
use std::ops::Range;

/// The elements of a block of a dataset, as they are stored. A dataset may be shorter than its dimensions are, which others have grown:
/// what it lacks has its fill value.
pub(crate) fn padded(dataset: &Dataset, block: &Block) -> Result<Vec<u8>> {
    let axes = block.start.iter().zip(&block.count).zip(dataset.shape());
    let count = axes.map(|((start, count), len)| len.saturating_sub(*start).min(*count)).collect();
    let there = Block { start: block.start.clone(), count };
    let read = || dataset.read_bytes(&selection(&there), Endianness::File);
    if there.count == block.count {
        return read();
    }
    let mut bytes = unwritten(dataset, block.elements());
    if there.elements() > 0 {
        copy_common((&read()?, &there), (&mut bytes, block), dataset.datatype().size as usize);
    }
    Ok(bytes)
}

/// The elements of a block.
pub(crate) fn selection(block: &Block) -> Selection {
    if block.count.is_empty() { Selection::All } else { Selection::block(&block.start, &block.count) }
}

/// The bytes of elements that were never written.
pub(crate) fn unwritten(dataset: &Dataset, elements: u64) -> Vec<u8> {
    match &dataset.fill_value().value {
        Fill::User(fill) => fill.repeat(elements as usize),
        _ => vec![0; elements as usize * dataset.datatype().size as usize],
    }
}

/// The blocks whose elements, one after the other, are those of a range. There are fewer than twice as many as there are axes.
pub(crate) fn blocks(shape: &[u64], range: Range<u64>) -> Vec<Block> {
    let mut found = Vec::new();
    if shape.is_empty() {
        if !range.is_empty() {
            found.push(Block { start: Vec::new(), count: Vec::new() });
        }
        return found;
    }
    add(shape, &mut Vec::new(), range, &mut found);
    found
}

/// Adds the blocks of a range of the elements below `above`, which are indexes along the first axes.
fn add(shape: &[u64], above: &mut Vec<u64>, range: Range<u64>, found: &mut Vec<Block>) {
    if range.is_empty() {
        return;
    }
    let axis = above.len();
    let inner: u64 = shape[axis + 1..].iter().product();
    let whole = range.start.div_ceil(inner)..range.end / inner;
    if whole.start > whole.end {
        // It begins and ends below one index.
        let index = range.start / inner;
        above.push(index);
        add(shape, above, range.start - index * inner..range.end - index * inner, found);
        above.pop();
        return;
    }
    let head = range.start..whole.start * inner;
    if !head.is_empty() {
        let index = whole.start - 1;
        above.push(index);
        add(shape, above, head.start - index * inner..inner, found);
        above.pop();
    }
    if !whole.is_empty() {
        let mut start = above.clone();
        let mut count = vec![1; axis];
        start.push(whole.start);
        count.push(whole.end - whole.start);
        start.resize(shape.len(), 0);
        count.extend(&shape[axis + 1..]);
        found.push(Block { start, count });
    }
    let tail = whole.end * inner..range.end;
    if !tail.is_empty() {
        above.push(whole.end);
        add(shape, above, 0..tail.end - tail.start, found);
        above.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, blocks};

    /// The numbers of the elements of blocks, in row-major order.
    fn elements(shape: &[u64], found: &[Block]) -> Vec<u64> {
        let mut numbers = Vec::new();
        for Block { start, count } in found {
            let total: u64 = count.iter().product();
            for mut number in 0..total {
                let (mut element, mut step) = (0, 1);
                for axis in (0..shape.len()).rev() {
                    element += (start[axis] + number % count[axis]) * step;
                    number /= count[axis];
                    step *= shape[axis];
                }
                numbers.push(element);
            }
        }
        numbers
    }

    #[test]
    fn blocks_are_the_elements_of_the_range_in_order() {
        for shape in [&[][..], &[7], &[3, 5], &[2, 3, 4], &[1, 1, 6], &[4, 1, 3]] {
            let total: u64 = shape.iter().product();
            for start in 0..=total {
                for end in start..=total {
                    let found = blocks(shape, start..end);
                    assert_eq!(elements(shape, &found), (start..end).collect::<Vec<u64>>(), "{shape:?}");
                    assert!(found.len() < 2 * shape.len().max(1), "{shape:?} {start}..{end}: {found:?}");
                }
            }
        }
    }
}
