//! Multidimensional arrays ("b2nd"), which consist of multidimensional blocks.
//!
//! ```text
//! layer   97 | version | dimensions | 9n shape, n × (d3 8) | 9n chunk shape, n × (d2 4) | 9n brick, n × (d2 4) | …
//! ```
//!
//! Here the chunk is the whole array. Blocks are in row-major order, and so are the elements of a block. Blocks that
//! extend beyond the array are padded there. A block is called a brick, to distinguish it from the blocks of a chunk.

use super::chunk::Chunk;
use super::frame::Content;
use super::{NAME, corrupt, early};
use crate::FilterError;
use crate::scratch::CodecState;

/// `BLOSC2_MAX_DIM`.
const DIMENSIONS_MAX: usize = 8;

#[derive(Debug)]
pub(super) struct Shape {
    sizes: Vec<usize>,
    brick: Vec<usize>,
}

impl Shape {
    pub fn read(layer: &[u8]) -> Result<Self, FilterError> {
        let &[_, _, dimensions, ref rest @ ..] = layer else { return Err(early()) };
        let dimensions = usize::from(dimensions);
        if !(1..=DIMENSIONS_MAX).contains(&dimensions) {
            return Err(corrupt(format!("{dimensions} is not a valid number of dimensions")));
        }
        let (sizes, rest) = sizes(rest, dimensions, 8)?;
        let (chunk, rest) = self::sizes(rest, dimensions, 4)?;
        let (brick, _) = self::sizes(rest, dimensions, 4)?;
        if chunk != sizes {
            return Err(FilterError::unsupported(NAME, "an array of several chunks"));
        }
        if brick.iter().zip(&sizes).any(|(&brick, &size)| brick == 0 || brick > size) {
            return Err(corrupt(format!("blocks of {brick:?} do not fit an array of {sizes:?}")));
        }
        Ok(Self { sizes, brick })
    }

    /// The size of the array without padding, in bytes.
    pub fn bytes(&self, element: usize) -> Option<usize> {
        product(&self.sizes, element)
    }
}

fn product(sizes: &[usize], element: usize) -> Option<usize> {
    sizes.iter().try_fold(element, |bytes, &size| bytes.checked_mul(size))
}

/// An array of MessagePack numbers, each preceded by its type byte.
fn sizes(bytes: &[u8], count: usize, width: usize) -> Result<(Vec<usize>, &[u8]), FilterError> {
    let fields = bytes.get(1..).ok_or_else(early)?;
    let (fields, rest) = fields.split_at_checked(count * (1 + width)).ok_or_else(early)?;
    let number = |field: &[u8]| {
        let value = field[1..].iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        usize::try_from(value).map_err(|_| early())
    };
    Ok((fields.chunks_exact(1 + width).map(number).collect::<Result<_, _>>()?, rest))
}

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

/// Copies the rows of a brick that are inside the array.
fn put(shape: &Shape, place: &[usize], brick: &[u8], element: usize, out: &mut [u8]) {
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
        out[to..to + len].copy_from_slice(&brick[from..from + len]);
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
