//! Multidimensional arrays ("b2nd"), which consist of multidimensional blocks.
//!
//! Here the chunk is the whole array. Blocks are in row-major order, and so are the elements of a block. Blocks that
//! extend beyond the array are padded there. A block is called a brick, to distinguish it from the blocks of a chunk.

use super::chunk::Chunk;
use super::frame::Content;
use super::shape::{Shape, product};
use super::{corrupt, early};
use crate::FilterError;
use crate::scratch::CodecState;

/// Decodes bricks and copies them to their positions. `out` is as long as the array.
pub(super) fn decode(
    shape: &Shape,
    content: &Content<'_>,
    element: usize,
    out: &mut [u8],
    state: &mut CodecState,
) -> Result<(), FilterError> {
    let chunk = match content {
        Content::Value(value) => {
            value.fill(out, element);
            return Ok(());
        }
        Content::Chunk(bytes) => Chunk::read(bytes)?,
    };
    let brick_bytes = product(&shape.brick, element).filter(|&bytes| bytes <= out.len()).ok_or_else(early)?;
    let counts: Vec<usize> =
        shape.sizes.iter().zip(&shape.brick).map(|(&size, &brick)| size.div_ceil(brick)).collect();
    if brick_bytes != chunk.block() || product(&counts, brick_bytes) != Some(chunk.length()) {
        return Err(corrupt(format!(
            "{} bytes in blocks of {} do not match {shape:?}",
            chunk.length(),
            chunk.block()
        )));
    }
    let mut first = Vec::new();
    let mut brick = vec![0; brick_bytes];
    let mut place = vec![0; counts.len()];
    for number in 0.. {
        chunk.decode_block(number, (number > 0).then_some(&first), &mut brick, state)?;
        if number == 0 {
            first.clone_from(&brick);
        }
        put(shape, &place, &brick, element, out);
        if !advance(&mut place, &counts) {
            break;
        }
    }
    Ok(())
}

/// The bricks of an array, one after the other, padded with zeros; `None` if that is what the array is already.
pub(super) fn bricks(shape: &Shape, element: usize, array: &[u8]) -> Result<Option<Vec<u8>>, FilterError> {
    let whole = shape.sizes.iter().zip(&shape.brick).skip(1).all(|(size, brick)| size == brick);
    if whole && shape.sizes[0].is_multiple_of(shape.brick[0]) {
        return Ok(None);
    }
    let counts: Vec<usize> =
        shape.sizes.iter().zip(&shape.brick).map(|(&size, &brick)| size.div_ceil(brick)).collect();
    let brick_bytes = shape.brick_bytes(element);
    let len = product(&counts, brick_bytes).ok_or(FilterError::Memory { bytes: usize::MAX })?;
    let mut bricks = Vec::new();
    bricks.try_reserve_exact(len).map_err(|_| FilterError::Memory { bytes: len })?;
    bricks.resize(len, 0);
    let mut place = vec![0; counts.len()];
    for brick in bricks.chunks_exact_mut(brick_bytes) {
        each_row(shape, &place, element, |in_brick, in_array, len| {
            brick[in_brick..in_brick + len].copy_from_slice(&array[in_array..in_array + len]);
        });
        advance(&mut place, &counts);
    }
    Ok(Some(bricks))
}

/// Copies the rows of a brick that are inside the array.
fn put(shape: &Shape, place: &[usize], brick: &[u8], element: usize, out: &mut [u8]) {
    each_row(shape, place, element, |in_brick, in_array, len| {
        out[in_array..in_array + len].copy_from_slice(&brick[in_brick..in_brick + len]);
    });
}

/// Calls `each` with the offset in the brick, the offset in the array and the length, all in bytes, of each row of a brick
/// that is inside the array.
fn each_row(shape: &Shape, place: &[usize], element: usize, mut each: impl FnMut(usize, usize, usize)) {
    let start: Vec<usize> = place.iter().zip(&shape.brick).map(|(&place, &brick)| place * brick).collect();
    let here: Vec<usize> =
        (0..place.len()).map(|axis| shape.brick[axis].min(shape.sizes[axis] - start[axis])).collect();
    let last = place.len() - 1;
    let len = here[last] * element;
    let mut row = vec![0; last];
    loop {
        let (mut from, mut to) = (0, 0);
        for axis in 0..last {
            from = from * shape.brick[axis] + row[axis];
            to = to * shape.sizes[axis] + start[axis] + row[axis];
        }
        let from = from * shape.brick[last] * element;
        let to = (to * shape.sizes[last] + start[last]) * element;
        each(from, to, len);
        if !advance(&mut row, &here[..last]) {
            return;
        }
    }
}

/// Advances to the next position in row-major order; returns false after the last one.
fn advance(place: &mut [usize], counts: &[usize]) -> bool {
    for axis in (0..place.len()).rev() {
        place[axis] += 1;
        if place[axis] < counts[axis] {
            return true;
        }
        place[axis] = 0;
    }
    false
}
