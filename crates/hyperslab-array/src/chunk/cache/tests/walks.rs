//! Walks, sweeps, scans and sets that come again: how often a chunk is decoded.

use super::*;

#[test]
fn what_fits_is_decoded_once() {
    let cache = ChunkCache::new(100 * CHUNK);
    for round in 0..50 {
        for address in 0..100 {
            read(&cache, address, if round % 2 == 0 { CHUNK } else { 10 });
        }
    }
    let stats = cache.stats();
    assert_eq!((stats.decodes, stats.misses, stats.hits, stats.evictions), (100, 100, 4900, 0));
    assert_eq!((stats.resident_bytes, stats.resident_chunks), (100 * CHUNK, 100));
}

#[test]
fn a_cyclic_walk_over_twice_the_budget_keeps_hitting() {
    for part in [CHUNK, 10] {
        let cache = ChunkCache::new(100 * CHUNK);
        let round = || (0..200).for_each(|address| read(&cache, address, part));
        (0..10).for_each(|_| round());
        let late = decodes(&cache, || (0..10).for_each(|_| round()));
        assert!(late <= 1200, "{} % hits (part {part})", (2000 - late) / 20);
    }
}

#[test]
fn a_cyclic_walk_over_slightly_more_than_the_budget() {
    let cache = ChunkCache::new(100 * CHUNK);
    let round = || (0..110).for_each(|address| read(&cache, address, 10));
    (0..10).for_each(|_| round());
    let late = decodes(&cache, || (0..10).for_each(|_| round()));
    assert!(late <= 300, "{late} decodes of 1100 reads, 100 is the fewest possible");
}

/// Rows through chunks: all chunks of a window are read a hundred times, then the next window.
fn sweep(cache: &ChunkCache, windows: u64, width: u64, rows: usize, part: usize) {
    for window in 0..windows {
        for _ in 0..rows {
            (0..width).for_each(|i| read(cache, window * width + i, part));
        }
    }
}

#[test]
fn a_sweep_in_rows_decodes_every_chunk_once() {
    for part in [CHUNK / 100, 1] {
        let cache = ChunkCache::new(100 * CHUNK);
        sweep(&cache, 80, 25, 100, part);
        assert_eq!(cache.stats().decodes, 80 * 25, "part {part}");
    }
}

#[test]
fn a_sweep_with_a_window_of_nearly_the_budget() {
    let cache = ChunkCache::new(100 * CHUNK);
    sweep(&cache, 20, 95, 100, CHUNK / 100);
    assert_eq!(cache.stats().decodes, 20 * 95);
}

#[test]
fn a_sweep_with_a_window_of_more_than_the_budget_does_not_fall_off_a_cliff() {
    let cache = ChunkCache::new(100 * CHUNK);
    sweep(&cache, 10, 150, 100, CHUNK / 100);
    let rate = cache.stats().decodes as f64 / (10.0 * 150.0 * 100.0);
    assert!(
        rate < 0.45,
        "{:.0} % of reads decode; a third is the fewest possible, LRU decodes always",
        rate * 100.0
    );
}

#[test]
fn a_sweep_after_a_long_cyclic_walk_is_learnt_within_one_window() {
    let cache = ChunkCache::new(100 * CHUNK);
    for _ in 0..30 {
        (0..200).for_each(|address| read(&cache, 100_000 + address, 10));
    }
    let late = decodes(&cache, || sweep(&cache, 40, 25, 100, CHUNK / 100));
    assert!(late <= 41 * 25, "{late} decodes of 1000 chunks");
}

#[test]
fn a_scan_leaves_the_hot_set() {
    for part in [CHUNK, 10] {
        let cache = ChunkCache::new(100 * CHUNK);
        for _ in 0..3 {
            (0..50).for_each(|address| read(&cache, address, CHUNK / 3));
        }
        (1000..2000).for_each(|address| read(&cache, address, part));
        let left = (0..50).filter(|&address| cache.contains(key(address))).count();
        assert!(left >= 45, "{left} of 50 are left (part {part})");
    }
}

#[test]
fn a_hot_set_between_scans_is_learnt() {
    let cache = ChunkCache::new(100 * CHUNK);
    let mut next = 1000;
    let mut last = 0;
    for _ in 0..6 {
        last = decodes(&cache, || (0..50).for_each(|address| read(&cache, address, CHUNK)));
        for _ in 0..200 {
            read(&cache, next, CHUNK);
            next += 1;
        }
    }
    assert!(last <= 5, "{last} of 50 hot chunks decoded in the sixth round");
}

#[test]
fn a_moved_working_set_replaces_the_old_one() {
    let cache = ChunkCache::new(100 * CHUNK);
    let mut random = Random(7);
    for base in [0, 1000, 2000, 3000] {
        for _ in 0..2000 {
            read(&cache, base + random.below(90), 10);
        }
        let late = decodes(&cache, || (0..500).for_each(|_| read(&cache, base + random.below(90), 10)));
        assert!(late <= 5, "{late} decodes after the move to {base}");
    }
}
