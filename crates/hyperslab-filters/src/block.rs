//! A block that is filtered by itself, such as one of a heap: its pipeline is used once.

use crate::{FilterSpec, Pipeline, Scratch};

/// Decodes a block whose size is `expected` without its filters.
///
/// # Errors
/// Why it cannot be decoded, in a sentence.
pub fn decode_block(
    filters: &[FilterSpec<'_>],
    mask: u32,
    stored: &[u8],
    expected: u64,
) -> Result<Vec<u8>, String> {
    let expected = usize::try_from(expected).map_err(|_| "the block is too large".to_owned())?;
    let decoder = Pipeline::new(filters, 1, expected).map_err(|error| error.to_string())?;
    decoder.decode(stored, mask, &mut Scratch::new(), expected).map_err(|error| error.to_string())
}
