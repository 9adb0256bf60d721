//! What the cache promises, by counting.

use super::*;
use std::collections::{HashMap, HashSet};
use std::sync::Barrier;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

const CHUNK: usize = 1000;

fn key(number: u64) -> ChunkKey {
    ChunkKey { file: 1, object: 0, number }
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

/// Plain LRU, to compare with.
struct Lru {
    room: usize,
    order: Vec<u64>,
    misses: u64,
}

impl Lru {
    fn misses(trace: &[u64], room: usize) -> u64 {
        let mut lru = Lru { room, order: Vec::new(), misses: 0 };
        trace.iter().for_each(|&address| lru.read(address));
        lru.misses
    }

    fn read(&mut self, address: u64) {
        match self.order.iter().position(|&other| other == address) {
            Some(at) => drop(self.order.remove(at)),
            None => {
                self.misses += 1;
                if self.order.len() == self.room {
                    self.order.remove(0);
                }
            }
        }
        self.order.push(address);
    }
}

/// The fewest misses possible (Belady).
fn fewest_misses(trace: &[u64], room: usize) -> u64 {
    let mut next: HashMap<u64, usize> = HashMap::new();
    let upcoming: Vec<usize> = trace
        .iter()
        .enumerate()
        .rev()
        .map(|(i, &address)| next.insert(address, i).unwrap_or(usize::MAX))
        .collect();
    let mut here: HashMap<u64, usize> = HashMap::new();
    let mut misses = 0;
    for (&address, &again) in trace.iter().zip(upcoming.iter().rev()) {
        if here.insert(address, again).is_none() {
            misses += 1;
            if here.len() > room {
                let last = *here.iter().max_by_key(|(_, again)| **again).unwrap().0;
                here.remove(&last);
            }
        }
    }
    misses
}

/// A small generator, so that traces are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

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

#[test]
fn no_mix_is_much_worse_than_lru() {
    let mut random = Random(42);
    let mut traces: Vec<(&str, Vec<u64>)> = Vec::new();
    traces.push(("uniform over 1.5 budgets", (0..20_000).map(|_| random.below(150)).collect()));
    traces.push(("uniform over 10 budgets", (0..20_000).map(|_| random.below(1000)).collect()));
    traces.push(("skewed", (0..20_000).map(|_| random.below(1000) * random.below(1000) / 1000).collect()));
    traces.push((
        "very skewed",
        (0..20_000)
            .map(|_| {
                let r = random.below(100_000) as f64 / 100_000.0;
                (2000.0 * r * r * r * r) as u64
            })
            .collect(),
    ));
    for window in [50, 80, 95, 120, 200] {
        for pace in [2, 10, 50] {
            let moving = (0..20_000).map(|i| i / pace + random.below(window)).collect();
            let name = format!("moving window of {window}, pace {pace}");
            traces.push((name.leak(), moving));
        }
    }
    traces.push((
        "moving window and scan",
        (0..20_000).map(|i| if i % 3 == 0 { 100_000 + i } else { i / 20 + random.below(40) }).collect(),
    ));
    traces.push((
        "two sweeps",
        (0..20_000)
            .map(|i| if i % 2 == 0 { i / 400 * 10 + i / 2 % 10 } else { 50_000 + i / 1000 * 30 + i / 2 % 30 })
            .collect(),
    ));
    traces.push(("stack distances", {
        let mut stack: Vec<u64> = Vec::new();
        (0..20_000)
            .map(|i| {
                let depth = (random.below(180) * random.below(180) / 180) as usize;
                let address = if depth < stack.len() { stack.remove(stack.len() - 1 - depth) } else { i };
                stack.push(address);
                address
            })
            .collect()
    }));
    let mut worst = (0, String::new());
    for (name, trace) in traces {
        for part in [10, CHUNK] {
            let cache = ChunkCache::new(100 * CHUNK);
            trace.iter().for_each(|&address| read(&cache, address, part));
            let (ours, lru) = (cache.stats().decodes, Lru::misses(&trace, 100));
            let best = fewest_misses(&trace, 100);
            println!("{name} (part {part}): {ours} decodes, LRU {lru}, fewest {best}");
            worst =
                worst.max((ours * 1000 / lru, format!("{name} (part {part}): {ours} decodes, LRU {lru}")));
        }
    }
    assert!(worst.0 <= 1050, "{}", worst.1);
}

#[test]
fn threads_share_decodings() {
    let cache = ChunkCache::new(100 * CHUNK);
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (cache, start) = (&cache, &start);
            scope.spawn(move || {
                start.wait();
                for i in 0..50 {
                    let address = (i + thread * 6) % 50;
                    let got = cache.get_or_decode(key(address), CHUNK, || {
                        std::thread::sleep(Duration::from_micros(200));
                        Ok::<_, ()>(chunk(address))
                    });
                    assert_eq!(got.unwrap()[..], [address as u8; CHUNK]);
                }
            });
        }
    });
    let stats = cache.stats();
    assert_eq!((stats.decodes, stats.misses, stats.hits), (50, 50, 350));
}

#[test]
fn threads_that_wait_share_even_what_is_not_kept() {
    for budget in [0, CHUNK - 1] {
        let cache = ChunkCache::new(budget);
        let start = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    let got = cache.get_or_decode(key(3), CHUNK, || {
                        std::thread::sleep(Duration::from_millis(100));
                        Ok::<_, ()>(chunk(3))
                    });
                    assert_eq!(got.unwrap()[0], 3);
                });
            }
        });
        assert_eq!(cache.stats().decodes, 1);
        assert_eq!((cache.stats().resident_chunks, cache.contains(key(3))), (0, false));
    }
}

#[test]
fn an_error_goes_to_its_own_thread_and_the_next_tries() {
    let cache = ChunkCache::new(10 * CHUNK);
    let (start, tries) = (Barrier::new(4), AtomicUsize::new(0));
    let decode = || {
        std::thread::sleep(Duration::from_millis(20));
        if tries.fetch_add(1, Relaxed) < 2 { Err("damaged") } else { Ok(chunk(1)) }
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    cache.get_or_decode(key(1), CHUNK, decode).map(|got| got[0])
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|result| **result == Err("damaged")).count(), 2);
    assert_eq!(results.iter().filter(|result| **result == Ok(1)).count(), 2);
    assert_eq!((tries.load(Relaxed), cache.stats().decodes), (3, 1));
}

#[test]
fn a_panic_wakes_those_who_wait() {
    let cache = ChunkCache::new(10 * CHUNK);
    let entered = Barrier::new(2);
    std::thread::scope(|scope| {
        let panics = scope.spawn(|| {
            cache.get_or_decode(key(1), CHUNK, || -> Result<Decoded, ()> {
                entered.wait();
                std::thread::sleep(Duration::from_millis(30));
                panic!("in the decoder")
            })
        });
        entered.wait();
        let got = cache.get_or_decode(key(1), CHUNK, || Ok::<_, ()>(chunk(1))).unwrap();
        assert_eq!(got[0], 1);
        assert!(panics.join().is_err());
    });
    assert_eq!(cache.stats().resident_chunks, 1);
}

#[test]
fn a_decoder_may_read_other_chunks_and_even_its_own() {
    let cache = ChunkCache::new(10 * CHUNK);
    let got = cache.get_or_decode(key(1), CHUNK, || {
        read(&cache, 2, CHUNK);
        let own = cache.get_or_decode(key(1), CHUNK, || Ok::<_, ()>(chunk(1)))?;
        Ok::<_, ()>(Decoded::from(own.to_vec()))
    });
    assert_eq!(got.unwrap()[0], 1);
    assert_eq!(cache.stats().decodes, 3);
}

#[test]
fn claims_are_for_one_and_may_be_given_up() {
    let cache = ChunkCache::new(10 * CHUNK);
    let claim = cache.claim(key(5)).unwrap();
    assert_eq!(claim.key(), key(5));
    assert!(cache.claim(key(5)).is_none() && cache.get(key(5)).is_none() && !cache.contains(key(5)));
    drop(claim);
    let claim = cache.claim(key(5)).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| cache.get_or_decode(key(5), CHUNK, || Err("not asked")).map(|got| got[0]));
        std::thread::sleep(Duration::from_millis(20));
        claim.fulfil(chunk(5));
        assert_eq!(waits.join().unwrap(), Ok(5));
    });
    assert!(cache.contains(key(5)) && cache.claim(key(5)).is_none());
    assert_eq!(cache.stats().decodes, 1);
}

/// The duty to decode a chunk past the cache.
fn straight(cache: &ChunkCache, number: u64) -> Passage {
    match cache.whole(key(number), CHUNK) {
        Whole::Straight(passage) => passage,
        Whole::Here(_) | Whole::Wanted => panic!("it has never been wanted"),
    }
}

#[test]
fn what_is_decoded_past_the_cache_is_copied_for_those_who_wait() {
    for budget in [10 * CHUNK, 0] {
        let cache = ChunkCache::new(budget);
        let passage = straight(&cache, 5);
        assert!(cache.claim(key(5)).is_none(), "it is being decoded");
        std::thread::scope(|scope| {
            let part = scope.spawn(|| cache.get_or_decode(key(5), CHUNK, || Err("again")).map(|got| got[0]));
            let whole = scope.spawn(|| matches!(cache.whole(key(5), CHUNK), Whole::Here(got) if got[0] == 5));
            while cache.inner.shards.waiting(key(5)) < 2 {
                std::thread::yield_now();
            }
            passage.end(&chunk(5));
            assert_eq!((part.join().unwrap(), whole.join().unwrap()), (Ok(5), true));
        });
        assert_eq!((cache.stats().decodes, cache.contains(key(5))), (1, budget > 0));
    }
}

#[test]
fn what_is_decoded_past_the_cache_and_awaited_by_nobody_leaves_no_trace() {
    let cache = ChunkCache::new(10 * CHUNK);
    straight(&cache, 5).end(&chunk(5));
    assert_eq!((cache.stats().decodes, cache.stats().resident_chunks), (0, 0));
    assert!(matches!(cache.whole(key(5), CHUNK), Whole::Wanted));
    // Given up: the next one may.
    drop(straight(&cache, 6));
    assert!(cache.claim(key(6)).is_some());
    // Its own thread does not wait for itself.
    let outer = straight(&cache, 7);
    straight(&cache, 7).end(&chunk(7));
    outer.end(&chunk(7));
}

#[test]
fn the_first_use_of_a_prefetched_chunk_is_no_reuse() {
    let cache = ChunkCache::new(10 * CHUNK);
    for address in 0..100 {
        if let Some(claim) = cache.claim(key(address + 1)) {
            claim.fulfil(chunk(address + 1));
        }
        read(&cache, address, 10);
    }
    assert_eq!(cache.stats().decodes, 101);
    assert_eq!(cache.inner.policy().protected_chunks(), 0);
}

#[test]
fn a_bypassed_chunk_is_worth_caching_the_second_time() {
    let cache = ChunkCache::new(10 * CHUNK);
    assert!(!cache.note_bypass(key(1), CHUNK));
    assert!(cache.note_bypass(key(1), CHUNK), "seen a moment ago");
    // After more than a budget's worth of other traffic through a full cache it is as good as new.
    (100..200).for_each(|address| read(&cache, address, 10));
    (100..200).for_each(|address| read(&cache, address, 10));
    assert!(!cache.note_bypass(key(1), CHUNK));
    assert!(!ChunkCache::new(0).note_bypass(key(1), CHUNK));
    let small = ChunkCache::new(CHUNK - 1);
    assert!(!small.note_bypass(key(1), CHUNK) && !small.note_bypass(key(1), CHUNK));
}

#[test]
fn whole_chunks_read_again_and_again_come_to_be_hits() {
    for chunks in [50, 150, 200] {
        let cache = ChunkCache::new(100 * CHUNK);
        let round = || {
            let mut direct = 0;
            for address in 0..chunks {
                match cache.get(key(address)) {
                    Some(got) => cache.consumed(&got, CHUNK),
                    None if cache.note_bypass(key(address), CHUNK) => read(&cache, address, CHUNK),
                    None => direct += 1,
                }
            }
            direct
        };
        assert_eq!(round(), chunks, "the first round is decoded straight");
        for _ in 0..8 {
            round();
        }
        let mut direct = 0;
        let cached = decodes(&cache, || direct = round());
        let work = cached + direct;
        assert!(
            work * 10 <= chunks.saturating_sub(85).max(chunks / 50) * 12,
            "{chunks} chunks: {cached} + {direct}"
        );
    }
}

#[test]
fn finished_chunks_make_room_first() {
    let cache = ChunkCache::new(10 * CHUNK);
    for address in 0..10 {
        read(&cache, address, if address % 2 == 1 { CHUNK } else { CHUNK - 1 });
    }
    (10..15).for_each(|address| read(&cache, address, 1));
    let left: Vec<_> = (0..10).filter(|&address| cache.contains(key(address))).collect();
    assert_eq!(left, [0, 2, 4, 6, 8]);
}

#[test]
fn a_finished_chunk_that_is_wanted_again_is_not_finished() {
    let cache = ChunkCache::new(10 * CHUNK);
    (0..10).for_each(|address| read(&cache, address, CHUNK));
    read(&cache, 0, 5);
    read(&cache, 10, 1);
    assert!(cache.contains(key(0)) && !cache.contains(key(1)));
}

#[test]
fn a_file_is_removed_with_all_that_is_known_of_it() {
    let cache = ChunkCache::new(10 * CHUNK);
    let other = ChunkKey { file: 2, object: 0, number: 0 };
    cache.get_or_decode(other, CHUNK, || Ok::<_, ()>(chunk(0))).unwrap();
    (0..30).for_each(|address| read(&cache, address % 15, CHUNK));
    let held = cache.get(key(14)).unwrap();
    // One is on its way while its file is removed: it must not come to stay.
    let claim = cache.claim(key(1000)).unwrap();
    cache.remove_file(1);
    claim.fulfil(chunk(232));
    assert_eq!(held[0], 14, "who holds a chunk keeps it");
    assert!((0..15).chain([1000]).all(|address| !cache.contains(key(address))));
    assert!(!cache.note_bypass(key(3), CHUNK), "forgotten");
    let kept = usize::from(cache.contains(other));
    let stats = cache.stats();
    assert_eq!((stats.resident_bytes, stats.resident_chunks), (kept * CHUNK, kept));
    assert!(lock(&cache.inner.finished).len() <= 1);
    cache.clear();
    assert_eq!((cache.stats().resident_bytes, cache.contains(other)), (0, false));
}

#[test]
fn a_smaller_budget_holds_at_once() {
    let cache = ChunkCache::new(100 * CHUNK);
    (0..100).for_each(|address| read(&cache, address, 1));
    cache.set_budget(10 * CHUNK + 999);
    assert_eq!((cache.budget(), cache.stats().resident_chunks), (10 * CHUNK + 999, 10));
    assert_eq!(cache.stats().evictions, 90);
    cache.set_budget(0);
    assert_eq!(cache.stats().resident_bytes, 0);
    read(&cache, 1, 1);
    assert_eq!(cache.stats().resident_bytes, 0);
}

#[test]
fn chunks_of_all_sizes_are_accounted_exactly() {
    let cache = ChunkCache::new(100_000);
    let mut random = Random(3);
    let sizes: HashMap<u64, usize> =
        (0..300).map(|address| (address, random.below(30_000) as usize)).collect();
    for _ in 0..5000 {
        let address = random.below(17) * random.below(18);
        let size = sizes[&address];
        let got =
            cache.get_or_decode(key(address), size, || Ok::<_, ()>(Decoded::from(vec![0; size]))).unwrap();
        cache.consumed(&got, random.below(20_000) as usize);
        let here = sizes.iter().filter(|(address, _)| cache.contains(key(**address)));
        let (count, bytes) = here.fold((0, 0), |(count, bytes), (_, size)| (count + 1, bytes + size));
        let stats = cache.stats();
        assert_eq!((stats.resident_chunks, stats.resident_bytes), (count, bytes));
        assert!(bytes <= 100_000);
    }
}

#[test]
fn many_threads_do_everything_at_once() {
    let cache = ChunkCache::new(40 * CHUNK);
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let cache = &cache;
            scope.spawn(move || {
                let mut random = Random(thread + 1);
                for _ in 0..3000 {
                    let address = random.below(100);
                    let key = ChunkKey { file: random.below(3), object: 0, number: address };
                    match random.below(20) {
                        0 => cache.remove_file(random.below(3)),
                        1 => drop(cache.claim(key)),
                        2 => {
                            if let Some(claim) = cache.claim(key) {
                                claim.fulfil(chunk(address));
                            }
                        }
                        3 => drop(cache.note_bypass(key, CHUNK)),
                        4 => cache.set_budget(random.below(60) as usize * CHUNK),
                        5 => drop(cache.get_or_decode(key, CHUNK, || Err("no"))),
                        _ => {
                            let got =
                                cache.get_or_decode(key, CHUNK, || Ok::<_, ()>(chunk(address))).unwrap();
                            assert_eq!(got[CHUNK - 1], address as u8);
                            cache.consumed(&got, random.below(1500) as usize);
                        }
                    }
                }
            });
        }
    });
    let stats = cache.stats();
    assert!(stats.resident_bytes <= cache.budget());
    let here: HashSet<_> = (0..3)
        .flat_map(|file| (0..100).map(move |address| ChunkKey { file, object: 0, number: address }))
        .filter(|&key| cache.contains(key))
        .collect();
    assert_eq!((stats.resident_chunks, stats.resident_bytes), (here.len(), here.len() * CHUNK));
    cache.clear();
    assert_eq!(cache.stats().resident_bytes, 0);
}
