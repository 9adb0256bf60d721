//! The caches that are tried beside the one in force.

use hyperslab_simulate::Geometry;
use hyperslab_storage::CacheSettings;

/// No larger cache is tried.
const BYTES_MAX: u64 = 1 << 30;
/// How many times the chunks of the one before each candidate holds.
const GROWTH: u64 = 8;
/// Slots for each chunk: few chunks share one then.
const SLOTS_PER_CHUNK: u64 = 10;
/// Prime numbers of slots.
const SLOTS: [u64; 7] = [521, 2_003, 8_191, 20_011, 100_003, 300_007, 1_000_003];

/// At most three caches: of one chunk or a few, of eight and of sixty-four times as many, none of them smaller than what is in
/// force or larger than what the dataset needs. Empty where no chunk is decoded, or where all chunks are in the cache anyway.
pub fn candidates(geometry: &Geometry, in_force: CacheSettings) -> Vec<CacheSettings> {
    let (Some(chunk_bytes), Some(chunks)) = (geometry.chunk_bytes(), geometry.chunks()) else {
        return Vec::new();
    };
    let most = (BYTES_MAX / chunk_bytes).min(chunks.grid_chunks());
    let held = in_force.nbytes / chunk_bytes;
    if !geometry.is_filtered() || most == 0 || held >= most {
        return Vec::new();
    }
    let first = (held * 2).max(1).min(most);
    let sizes =
        std::iter::successors(Some(first), |held| Some((held * GROWTH).min(most)).filter(|next| next > held));
    let settings = |held: u64| CacheSettings {
        nbytes: held * chunk_bytes,
        nslots: SLOTS
            .into_iter()
            .find(|slots| *slots >= held * SLOTS_PER_CHUNK)
            .unwrap_or(SLOTS[SLOTS.len() - 1]),
        w0: 0.75,
    };
    let mut sizes: Vec<u64> = sizes.collect();
    // The first two, and the largest.
    if let [_, _, .., last] = sizes[..] {
        sizes.truncate(2);
        sizes.push(last);
    }
    sizes.into_iter().map(settings).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_simulate::ChunkedStorage;

    fn held(shape: &[u64], chunk: &[u64], nbytes: u64) -> Vec<u64> {
        let storage = ChunkedStorage {
            chunk_dims: chunk.to_vec(),
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        };
        let geometry = Geometry::chunked(shape, 1, storage).unwrap();
        let in_force = CacheSettings { nbytes, nslots: 521, w0: 0.75 };
        candidates(&geometry, in_force)
            .iter()
            .map(|cache| cache.nbytes / geometry.chunk_bytes().unwrap())
            .collect()
    }

    #[test]
    fn they_reach_from_a_chunk_to_the_dataset() {
        assert_eq!(held(&[1000], &[10], 5), [1, 8, 100]);
        assert_eq!(held(&[1000], &[10], 45), [8, 64, 100]);
        assert_eq!(held(&[1000], &[10], 1000), [0u64; 0]);
        assert_eq!(held(&[1 << 34], &[1 << 20], 1 << 20), [2, 16, 1024]);
        assert_eq!(held(&[1 << 34], &[1 << 33], 1 << 20), [0u64; 0]);
    }
}
