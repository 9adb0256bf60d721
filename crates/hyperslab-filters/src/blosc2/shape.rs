//! The shape of a multidimensional array, in a layer of the frame's metadata.
//!
//! ```text
//! layer   97 | version | dimensions | 9n shape, n × (d3 8) | 9n chunk shape, n × (d2 4) | 9n brick, n × (d2 4) | …
//! ```

use super::{NAME, corrupt, early};
use crate::FilterError;

/// `BLOSC2_MAX_DIM`.
pub(super) const DIMENSIONS_MAX: usize = 8;

/// The sizes of an array, and of its bricks: the blocks of the chunk.
#[derive(Debug)]
pub(super) struct Shape {
    pub sizes: Vec<usize>,
    pub brick: Vec<usize>,
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

    /// The shape of an array of one chunk. As in the plug-in, bricks grow from two elements along each axis to at most
    /// `elements`, the fastest axis first.
    pub fn of_chunk(sizes: &[usize], elements: usize) -> Self {
        let mut brick: Vec<usize> = sizes.iter().map(|&size| size.min(2)).collect();
        loop {
            let mut is_grown = false;
            for axis in (0..brick.len()).rev() {
                let longer = (2 * brick[axis]).min(sizes[axis]);
                let rows: usize = brick.iter().product::<usize>() / brick[axis];
                if longer > brick[axis] && rows.saturating_mul(longer) <= elements {
                    brick[axis] = longer;
                    is_grown = true;
                }
            }
            if !is_grown {
                return Self { sizes: sizes.to_vec(), brick };
            }
        }
    }

    /// The layer that describes it.
    pub fn layer(&self, element: usize) -> Vec<u8> {
        let dimensions = self.sizes.len() as u8;
        let mut layer = vec![0x97, 0, dimensions, 0x90 | dimensions];
        for &size in &self.sizes {
            layer.push(0xd3);
            layer.extend_from_slice(&(size as u64).to_be_bytes());
        }
        for sizes in [&self.sizes, &self.brick] {
            layer.push(0x90 | dimensions);
            for &size in sizes {
                layer.push(0xd2);
                layer.extend_from_slice(&(size as u32).to_be_bytes());
            }
        }
        // The datatype as NumPy writes it: bytes without a meaning.
        let datatype = format!("|V{element}");
        layer.extend_from_slice(&[0, 0xdb]);
        layer.extend_from_slice(&(datatype.len() as u32).to_be_bytes());
        layer.extend_from_slice(datatype.as_bytes());
        layer
    }

    /// The size of a brick in bytes.
    pub fn brick_bytes(&self, element: usize) -> usize {
        self.brick.iter().product::<usize>() * element
    }

    /// The size of the array without padding, in bytes.
    pub fn bytes(&self, element: usize) -> Option<usize> {
        product(&self.sizes, element)
    }
}

/// The bytes of so many elements; `None` if there are too many.
pub(super) fn product(sizes: &[usize], element: usize) -> Option<usize> {
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
