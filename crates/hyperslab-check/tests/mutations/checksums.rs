//! Checksums of changed structures are computed again.

use hyperslab_format::checksum::lookup3;
use std::ops::Range;

const CHECKSUM: usize = 4;

/// Computes the checksum of the structure again in which the byte at `changed` was changed. False if that byte belongs to
/// the checksum itself. A structure without a checksum stays as it is.
pub(super) fn renew(before: &[u8], after: &mut [u8], structure: Range<usize>, changed: usize) -> bool {
    let bytes = &before[structure.clone()];
    let Some((start, at, is_inside)) = find(bytes) else { return true };
    let changed = changed - structure.start;
    if (at..at + CHECKSUM).contains(&changed) {
        return false;
    }
    let after = &mut after[structure];
    let sum = if is_inside {
        after[at..at + CHECKSUM].fill(0);
        lookup3(after)
    } else {
        lookup3(&after[start..at])
    };
    after[at..at + CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    true
}

/// Where the checksum of a structure is: the start of what it covers, its offset, and whether it covers the whole structure
/// with itself taken as zero (direct blocks of fractal heaps).
fn find(bytes: &[u8]) -> Option<(usize, usize, bool)> {
    let stored = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + CHECKSUM)?.try_into().ok()?));
    if bytes.starts_with(b"FHDB") {
        // Signature, version, address of the heap, offset of 1 to 8 bytes.
        return (14..22).find_map(|at| {
            let mut zeroed = bytes.to_vec();
            zeroed.get_mut(at..at + CHECKSUM)?.fill(0);
            (stored(at)? == lookup3(&zeroed)).then_some((0, at, true))
        });
    }
    // After the last field, which is not always at the end of the structure.
    (CHECKSUM..=bytes.len().saturating_sub(CHECKSUM))
        .rev()
        .find(|&at| stored(at) == Some(lookup3(&bytes[..at])))
        .map(|at| (0, at, false))
}
