//! Shuffle and unshuffle for every element size, without intrinsics.

use super::Planes;

/// The number of elements that are processed before the next ones, so that the lines of all planes stay in the cache.
const TILE: usize = 512;

/// Writes the elements of `planes` to `out`, which has exactly their length.
pub(super) fn unshuffle(planes: &Planes<'_>, out: &mut [u8]) {
    match planes.element_bytes {
        2 => few::<2>(planes, out),
        3 => few::<3>(planes, out),
        4 => few::<4>(planes, out),
        5 => few::<5>(planes, out),
        6 => few::<6>(planes, out),
        7 => few::<7>(planes, out),
        size if size < 2 => out.copy_from_slice(planes.plane(0)),
        _ => many(planes, out),
    }
}

/// Few planes: one pass over the elements. The compiler uses interleaving stores if the processor has them.
fn few<const N: usize>(planes: &Planes<'_>, out: &mut [u8]) {
    let sources: [&[u8]; N] = std::array::from_fn(|k| planes.plane(k));
    for (i, element) in out.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        *element = std::array::from_fn(|k| sources[k][i]);
    }
}

/// Eight or more planes: squares of 8 planes × 8 elements are transposed in a register. The last square of an element
/// starts 8 bytes before its end and writes some bytes a second time, with the same values.
fn many(planes: &Planes<'_>, out: &mut [u8]) {
    let size = planes.element_bytes;
    for (tile, out) in out.chunks_mut(TILE * size).enumerate() {
        let start = tile * TILE;
        let count = out.len() / size;
        let squares = count - count % 8;
        for k in (0..size).step_by(8).map(|k| k.min(size - 8)) {
            let sources: [&[u8]; 8] = std::array::from_fn(|j| &planes.plane(k + j)[start..start + count]);
            for i in (0..squares).step_by(8) {
                let rows =
                    sources.map(|source| u64::from_le_bytes(source[i..i + 8].try_into().expect("8 bytes")));
                for (j, column) in turned(rows).into_iter().enumerate() {
                    out[(i + j) * size + k..][..8].copy_from_slice(&column.to_le_bytes());
                }
            }
            for i in squares..count {
                for (j, source) in sources.iter().enumerate() {
                    out[i * size + k + j] = source[i];
                }
            }
        }
    }
}

/// Transposes the 8 × 8 bytes of eight little-endian words by swapping the off-diagonal blocks of 4, 2 and 1.
fn turned(mut rows: [u64; 8]) -> [u64; 8] {
    for (span, mask) in
        [(4, 0x0000_0000_ffff_ffff_u64), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)]
    {
        for i in (0..8).filter(|i| i & span == 0) {
            let shift = 8 * span;
            let swap = ((rows[i] >> shift) ^ rows[i + span]) & mask;
            rows[i] ^= swap << shift;
            rows[i + span] ^= swap;
        }
    }
    rows
}

/// Shuffles the elements of `raw` from number `first` on to the start of `stored`; remaining bytes are not changed.
pub(super) fn shuffle(raw: &[u8], size: usize, first: usize, stored: &mut [u8]) {
    let elements = raw.len() / size;
    for start in (first..elements).step_by(TILE) {
        let count = TILE.min(elements - start);
        let tile = &raw[start * size..][..count * size];
        for k in 0..size {
            let plane = &mut stored[k * elements + start..][..count];
            for (byte, element) in plane.iter_mut().zip(tile.chunks_exact(size)) {
                *byte = element[k];
            }
        }
    }
}
