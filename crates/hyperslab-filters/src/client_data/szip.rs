//! Client data of szip.

use super::{Target, inapplicable};
use crate::FilterError;

const NAME: &str = "szip";
const ALLOW_K13: u32 = 1;
const CHIP: u32 = 2;
const LSB: u32 = 8;
const MSB: u32 = 16;
const RAW: u32 = 128;
/// `SZ_MAX_PIXELS_PER_BLOCK`, `SZ_MAX_BLOCKS_PER_SCANLINE`.
const BLOCK_MAX: u32 = 32;
const LINE_BLOCKS_MAX: u64 = 128;

/// Asked for: options mask and pixels per block, as `H5Pset_szip` takes them.
pub(super) fn complete(asked: &[u32], target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    let &[options, block, ..] = asked else {
        return Err(inapplicable(NAME, "an options mask and the number of pixels per block are required"));
    };
    if block == 0 || block % 2 != 0 || block > BLOCK_MAX {
        let what = format!("{block} pixels per block; an even number of at most {BLOCK_MAX} is required");
        return Err(inapplicable(NAME, what));
    }
    let size = target.element.size;
    if !(1..=4).contains(&size) && size != 8 {
        return Err(inapplicable(NAME, format!("elements of {size} bytes")));
    }
    let Some(layout) = target.element.bits() else {
        return Err(inapplicable(NAME, "the datatype has no byte order"));
    };
    let whole = 8 * size;
    let precision = if layout.precision < whole && layout.offset != 0 { whole } else { layout.precision };
    let precision = match precision {
        25..=32 => 32,
        33..=64 => 64,
        fewer => fewer,
    };
    let options = options & !(CHIP | LSB | MSB) | ALLOW_K13 | RAW;
    let order = if layout.big_endian { MSB } else { LSB };
    Ok(vec![options | order, block, precision, line(target, block)?])
}

/// A line is a row of the chunk; several rows, if a row is shorter than a block.
fn line(target: &Target<'_>, block: u32) -> Result<u32, FilterError> {
    let elements = u64::from(target.elements(NAME)?);
    let row = target.chunk.last().copied().unwrap_or(1);
    let pixels = if row >= u64::from(block) { row } else { elements };
    if pixels < u64::from(block) {
        let what = format!("a chunk of {elements} elements is smaller than a block of {block} pixels");
        return Err(inapplicable(NAME, what));
    }
    Ok(pixels.min(u64::from(block) * LINE_BLOCKS_MAX) as u32)
}
