//! What the cache promises, by counting.

mod accounts;
mod beside_lru;
mod budget_rule;
mod in_flight;
mod walks;
mod worth;

use super::*;

const CHUNK: usize = 1000;

fn key(number: u64) -> ChunkKey {
    ChunkKey { file: 1, epoch: hyperslab_io::Epoch::FIRST, object: 0, number: number.into() }
}

fn chunk(address: u64) -> Decoded {
    Decoded::from(vec![address as u8; CHUNK])
}

/// Reads part of a chunk through the cache.
fn read(cache: &ChunkCache, address: u64, part: usize) {
    let got = cache.get_or_decode(key(address), CHUNK, || Ok::<_, ()>(chunk(address))).unwrap();
    assert!(got.len() == CHUNK && got[0] == address as u8, "the right chunk");
    cache.consumed(&got, part);
    let stats = cache.stats();
    assert!(stats.resident_bytes <= cache.budget());
    assert_eq!(stats.resident_bytes, stats.resident_chunks * CHUNK);
}

/// Decodes during `f`.
fn decodes(cache: &ChunkCache, f: impl FnOnce()) -> u64 {
    let before = cache.stats().decodes;
    f();
    cache.stats().decodes - before
}

/// A small generator, so that traces are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}
