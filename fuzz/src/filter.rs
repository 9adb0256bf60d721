//! One filter with parameters, undoing any bytes.
//!
//! ```text
//! +-------+------------------+----------------------+--------------+
//! | count | count parameters | bytes of the chunk   | stored bytes |
//! | 1     | 4 each           | 4                    | the rest     |
//! +-------+------------------+----------------------+--------------+
//! ```

use hyperslab_filters::{FilterSpec, Pipeline, Scratch, Staged, unshuffle_elements};

/// More parameters than any filter has.
const PARAMETERS_MAX: usize = 40;
/// Chunks are no longer than this: what is slow here is slow for its stored bytes.
const CHUNK_BYTES_MAX: usize = 1 << 18;

/// Decodes in every way that there is; all must agree, and write every byte that they answer for.
pub fn decode(id: u16, bytes: &[u8]) {
    let Some((parameters, chunk_bytes, stored)) = cut(bytes) else { return };
    let filter = FilterSpec { id, optional: false, parameters: &parameters };
    let Ok(pipeline) = Pipeline::new(&[filter], 1, chunk_bytes) else { return };
    let mut scratch = Scratch::new();
    let mut chunk = vec![0x55; chunk_bytes];
    let decoded = pipeline.decode_into(stored, 0, &mut scratch, &mut chunk).is_ok();
    // Again, over other bytes and with used buffers: nothing of what was there before shows.
    let mut again = vec![0xaa; chunk_bytes];
    assert_eq!(pipeline.decode_into(stored, 0, &mut scratch, &mut again).is_ok(), decoded);
    assert!(!decoded || chunk == again, "bytes were left as they were");
    match pipeline.decode_staged(stored, 0, &mut scratch) {
        Ok(Staged::Plain(bytes)) => assert!(decoded && bytes == chunk),
        Ok(Staged::Shuffled { bytes, element_bytes }) => {
            unshuffle_elements(bytes, element_bytes, 0, &mut again);
            assert!(decoded && again == chunk);
        }
        Err(_) => assert!(!decoded),
    }
    if let Ok(bytes) = pipeline.decode(stored, 0, &mut scratch, chunk_bytes) {
        assert!(bytes.len() <= chunk_bytes);
    }
}

fn cut(bytes: &[u8]) -> Option<(Vec<u32>, usize, &[u8])> {
    let (&count, rest) = bytes.split_first()?;
    let (parameters, rest) = rest.split_at_checked(4 * (count as usize % PARAMETERS_MAX))?;
    let (chunk_bytes, stored) = rest.split_first_chunk()?;
    let parameters = parameters.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    Some((parameters, u32::from_le_bytes(*chunk_bytes) as usize % (CHUNK_BYTES_MAX + 1), stored))
}
