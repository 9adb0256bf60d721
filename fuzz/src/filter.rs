//! One filter with parameters, undoing any bytes; and one that is applied to any bytes.
//!
//! ```text
//! +-------+------------------+----------------------+--------------+
//! | count | count parameters | bytes of the chunk   | stored bytes |
//! | 1     | 4 each           | 4                    | the rest     |
//! +-------+------------------+----------------------+--------------+
//! ```

use hyperslab_filters::{DeflateEncoder, FilterSpec, Pipeline, Scratch, Staged, table, unshuffle_elements};

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

/// Filters that do not keep all bits: padding is not stored, and floats are rounded.
const LOSSY: [u16; 3] = [4, 5, 6];

/// Encodes the bytes with the filter whose number is in the first two; decoding gives them back, unless the filter is one
/// that drops bits: then what was decoded can be encoded, too.
///
/// ```text
/// +--------+-------+------------------+--------------+------------------+
/// | filter | count | count parameters | ignored      | bytes to encode  |
/// | 2      | 1     | 4 each           | 4            | the rest         |
/// +--------+-------+------------------+--------------+------------------+
/// ```
pub fn encode(bytes: &[u8]) {
    let Some((which, rest)) = bytes.split_first_chunk() else { return };
    let written: Vec<u16> = table().iter().filter(|entry| entry.write).map(|entry| entry.id).collect();
    let id = written[u16::from_le_bytes(*which) as usize % written.len()];
    let Some((parameters, _, raw)) = cut(rest) else { return };
    let filter = FilterSpec { id, optional: true, parameters: &parameters };
    let Ok(pipeline) = Pipeline::new(&[filter], 1, raw.len()) else { return };
    let mut scratch = Scratch::new();
    let Ok(encoded) = pipeline.encode(raw, &mut scratch) else { return };
    let (stored, mask) = (encoded.bytes.to_vec(), encoded.mask);
    let mut chunk = vec![0x55; raw.len()];
    pipeline.decode_into(&stored, mask, &mut scratch, &mut chunk).expect("what was encoded");
    if LOSSY.contains(&id) {
        let again = pipeline.encode(&chunk, &mut scratch).expect("encoded before");
        let (stored, mask) = (again.bytes.to_vec(), again.mask);
        pipeline.decode_into(&stored, mask, &mut scratch, &mut chunk).expect("what was encoded");
    } else {
        assert!(chunk == raw, "filter {id} with {parameters:?}");
    }
}

/// Encodes the bytes behind the first, as often as that says, by the fast encoder of deflate.
pub fn deflate_fast(bytes: &[u8]) {
    let Some((&times, piece)) = bytes.split_first() else { return };
    let raw = piece.repeat((usize::from(times) + 1).min(1 + CHUNK_BYTES_MAX / piece.len().max(1)));
    let filter = FilterSpec { id: 1, optional: false, parameters: &[4] };
    let pipeline = Pipeline::new(&[filter], 1, raw.len()).expect("a level");
    let pipeline = pipeline.with_deflate_encoder(DeflateEncoder::Fast);
    let mut scratch = Scratch::new();
    let stored = pipeline.encode(&raw, &mut scratch).expect("any bytes can be encoded").bytes.to_vec();
    assert!(stored.len() <= raw.len() + 5 * raw.len().div_ceil(65_535).max(1) + 6);
    let mut chunk = vec![0x55; raw.len()];
    pipeline.decode_into(&stored, 0, &mut scratch, &mut chunk).expect("what was encoded");
    assert!(chunk == raw);
}

fn cut(bytes: &[u8]) -> Option<(Vec<u32>, usize, &[u8])> {
    let (&count, rest) = bytes.split_first()?;
    let (parameters, rest) = rest.split_at_checked(4 * (count as usize % PARAMETERS_MAX))?;
    let (chunk_bytes, stored) = rest.split_first_chunk()?;
    let parameters = parameters.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    Some((parameters, u32::from_le_bytes(*chunk_bytes) as usize % (CHUNK_BYTES_MAX + 1), stored))
}
