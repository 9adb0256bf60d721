//! Shapes of blocks and chunks, as people write them.

use super::values::{size, wrong};
use crate::Result;
use hyperslab_storage::WordError;
use hyperslab_storage::pattern::BlockShape;

/// A shape with as many dimensions as the data has, at least one element in each.
pub(super) fn parsed(option: &str, text: &str, rank: usize) -> Result<BlockShape> {
    let fail = |problem: &str| wrong(format!("{option} {text}: {problem}"));
    if text.split([',', 'x']).any(|part| part.trim() == "0") {
        return Err(fail("each dimension is at least 1"));
    }
    let block: BlockShape = text.parse().map_err(|error| match error {
        WordError::ReadShape { problem, .. } => fail(&problem),
        other => fail(&other.to_string()),
    })?;
    let own = block.dims().len();
    if own == rank {
        Ok(block)
    } else {
        Err(fail(&format!("it has {own} dimensions, the dataset has {rank}")))
    }
}

pub(super) fn block(option: &str, text: &str, shape: &[u64]) -> Result<Vec<u64>> {
    Ok(parsed(option, text, shape.len())?.resolve(shape).unwrap_or_default())
}

/// True for `1MiB`, false for `1x720`.
pub(super) fn is_bytes(text: &str) -> bool {
    text.ends_with(|last: char| last.is_ascii_alphabetic())
}

/// A shape, or a number of bytes: then the dimensions that move fastest whole, as far as they fit.
pub(super) fn buffer(
    option: &str,
    text: &str,
    shape: &[u64],
    order: &[usize],
    element_bytes: u64,
) -> Result<Vec<u64>> {
    if !is_bytes(text) {
        return block(option, text, shape);
    }
    let mut room = (size(option, text)? / element_bytes.max(1)).max(1);
    let mut taken = vec![1; shape.len()];
    for &axis in order.iter().rev() {
        // An order is a permutation of the dimensions.
        let (Some(dim), Some(taken)) = (shape.get(axis), taken.get_mut(axis)) else { continue };
        *taken = (*dim).min(room).max(1);
        room = (room / *taken).max(1);
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_fills_the_fastest_dimensions_of_its_order_first() {
        let buffer = |text, order: &[usize]| buffer("--read", text, &[1460, 361, 720], order, 4).unwrap();
        assert_eq!(buffer("4KiB", &[2, 1, 0]), [1024, 1, 1]);
        assert_eq!(buffer("1MiB", &[2, 1, 0]), [1460, 179, 1]);
        assert_eq!(buffer("2x3x4", &[2, 1, 0]), [2, 3, 4]);
    }

    #[test]
    fn a_dimension_of_nothing_is_refused_by_its_option() {
        assert!(
            block("--stride", "0,1,1", &[9, 9, 9]).unwrap_err().message.starts_with("--stride 0,1,1: each")
        );
    }
}
