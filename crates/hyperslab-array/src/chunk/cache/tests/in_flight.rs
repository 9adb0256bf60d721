//! One thread decodes a chunk and others wait: what each gets where that goes well, fails or panics.

use super::*;
use std::sync::Barrier;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

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
    assert_eq!(claim.guard.key, key(5));
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
fn bypassing(cache: &ChunkCache, number: u64) -> BypassGuard {
    match cache.whole(key(number), CHUNK) {
        WholeChunk::Bypass(bypass) => bypass,
        WholeChunk::Cached(_) | WholeChunk::Wanted => panic!("it has never been wanted"),
    }
}

#[test]
fn what_is_decoded_past_the_cache_is_copied_for_those_who_wait() {
    for budget in [10 * CHUNK, 0] {
        let cache = ChunkCache::new(budget);
        let bypass = bypassing(&cache, 5);
        assert!(cache.claim(key(5)).is_none(), "it is being decoded");
        std::thread::scope(|scope| {
            let part = scope.spawn(|| cache.get_or_decode(key(5), CHUNK, || Err("again")).map(|got| got[0]));
            let whole =
                scope.spawn(|| matches!(cache.whole(key(5), CHUNK), WholeChunk::Cached(got) if got[0] == 5));
            while cache.inner.shards.waiting(key(5)) < 2 {
                std::thread::yield_now();
            }
            bypass.end(&chunk(5));
            assert_eq!((part.join().unwrap(), whole.join().unwrap()), (Ok(5), true));
        });
        assert_eq!((cache.stats().decodes, cache.contains(key(5))), (1, budget > 0));
    }
}

#[test]
fn what_is_decoded_past_the_cache_and_awaited_by_nobody_leaves_no_trace() {
    let cache = ChunkCache::new(10 * CHUNK);
    bypassing(&cache, 5).end(&chunk(5));
    assert_eq!((cache.stats().decodes, cache.stats().resident_chunks), (0, 0));
    assert!(matches!(cache.whole(key(5), CHUNK), WholeChunk::Wanted));
    // Given up: the next one may.
    drop(bypassing(&cache, 6));
    assert!(cache.claim(key(6)).is_some());
    // Its own thread does not wait for itself.
    let outer = bypassing(&cache, 7);
    bypassing(&cache, 7).end(&chunk(7));
    outer.end(&chunk(7));
}
