//! Budget and books: what leaves, when a file or room goes, and that every byte is accounted for.

use super::*;
use std::collections::{HashMap, HashSet};

#[test]
fn a_file_is_removed_with_all_that_is_known_of_it() {
    let cache = ChunkCache::new(10 * CHUNK);
    let other = ChunkKey { file: 2, epoch: hyperslab_io::Epoch::FIRST, object: 0, number: 0 };
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
                    let key = ChunkKey {
                        file: random.below(3),
                        epoch: hyperslab_io::Epoch::FIRST,
                        object: 0,
                        number: address.into(),
                    };
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
        .flat_map(|file| {
            (0..100).map(move |address| ChunkKey {
                file,
                epoch: hyperslab_io::Epoch::FIRST,
                object: 0,
                number: address,
            })
        })
        .filter(|&key| cache.contains(key))
        .collect();
    assert_eq!((stats.resident_chunks, stats.resident_bytes), (here.len(), here.len() * CHUNK));
    cache.clear();
    assert_eq!(cache.stats().resident_bytes, 0);
}

#[test]
fn a_block_is_dropped_once_all_of_it_was_read() {
    let cache = ChunkCache::new(10 * CHUNK);
    let key = ChunkKey::of_block(1, hyperslab_io::Epoch::FIRST, 0);
    let fetch = || cache.get_or_decode(key, CHUNK, || Ok::<_, ()>(chunk(1))).unwrap();
    let block = fetch();
    cache.consumed_block(&block, CHUNK - 1);
    assert!(cache.contains(key));
    cache.consumed_block(&block, 1);
    assert!(!cache.contains(key));
    assert_eq!((cache.stats().resident_bytes, cache.stats().evictions), (0, 0));
    // It comes as a new block, and is kept until all of it was read again.
    cache.consumed_block(&fetch(), CHUNK - 1);
    assert!(cache.contains(key));
    // A reader of it that comes late does no harm.
    cache.consumed_block(&block, CHUNK);
    assert!(cache.contains(key));
}
