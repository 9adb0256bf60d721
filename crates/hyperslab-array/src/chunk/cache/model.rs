//! Chunks in flight under loom: for every order of the threads, a chunk is decoded once, and all threads get
//! it, and nobody waits for ever (loom fails where all threads wait). Run by `scripts/loom`.

use super::*;
use std::sync::atomic::AtomicUsize;

const CHUNK: usize = 8;
const KEY: ChunkKey = ChunkKey { file: 1, epoch: hyperslab_io::Epoch::FIRST, object: 0, number: 7 };
/// Orders with more involuntary switches of threads than this are left out: their number explodes.
const SWITCHES_MAX: usize = 3;

fn chunk() -> Decoded {
    Decoded::from(vec![7; CHUNK])
}

/// Runs a model with a new cache in each order of its threads.
fn in_every_order(budget: usize, model: impl Fn(ChunkCache) + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(SWITCHES_MAX);
    builder.check(move || model(ChunkCache::new(budget)));
}

/// Starts a thread that has the cache.
fn start<R: 'static>(
    cache: &ChunkCache,
    work: impl FnOnce(ChunkCache) -> R + 'static,
) -> loom::thread::JoinHandle<R> {
    let cache = cache.clone();
    loom::thread::spawn(move || work(cache))
}

fn read(cache: &ChunkCache) -> Result<Vec<u8>, &'static str> {
    cache.get_or_decode(KEY, CHUNK, || Ok(chunk())).map(|chunk| chunk.to_vec())
}

/// What is true of the cache once all threads have ended: what it holds is counted, and can be found.
fn is_consistent(cache: &ChunkCache) {
    let stats = cache.stats();
    assert_eq!(stats.resident_chunks, usize::from(cache.contains(KEY)));
    assert_eq!(stats.resident_bytes, stats.resident_chunks * CHUNK);
    assert!(stats.resident_bytes <= cache.budget());
    // Nothing is left that would make the next reader wait.
    assert_eq!(read(cache).unwrap(), [7; CHUNK]);
}

#[test]
fn of_readers_of_a_chunk_one_decodes() {
    for budget in [10 * CHUNK, 0] {
        in_every_order(budget, move |cache| {
            let other = start(&cache, |cache| read(&cache).unwrap());
            assert_eq!(read(&cache).unwrap(), [7; CHUNK]);
            assert_eq!(other.join().unwrap(), [7; CHUNK]);
            let stats = cache.stats();
            if budget > 0 {
                assert_eq!((stats.decodes, stats.misses, stats.hits), (1, 1, 1));
            }
            is_consistent(&cache);
        });
    }
}

#[test]
fn three_readers_share_one_decoding() {
    in_every_order(10 * CHUNK, |cache| {
        let others =
            [start(&cache, |cache| read(&cache).unwrap()), start(&cache, |cache| read(&cache).unwrap())];
        assert_eq!(read(&cache).unwrap(), [7; CHUNK]);
        others.into_iter().for_each(|other| assert_eq!(other.join().unwrap(), [7; CHUNK]));
        assert_eq!(cache.stats().decodes, 1);
        is_consistent(&cache);
    });
}

#[test]
fn where_one_fails_the_next_decodes() {
    in_every_order(10 * CHUNK, |cache| {
        let failures = Arc::new(AtomicUsize::new(1));
        let own = Arc::clone(&failures);
        let try_read = move |cache: &ChunkCache, failures: &AtomicUsize| {
            cache
                .get_or_decode(KEY, CHUNK, || {
                    let fails = failures.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
                    if fails { Err("damaged") } else { Ok(chunk()) }
                })
                .map(|chunk| chunk.to_vec())
        };
        let other = start(&cache, move |cache| try_read(&cache, &own));
        let results = [try_read(&cache, &failures), other.join().unwrap()];
        assert_eq!(results.iter().filter(|result| result.is_err()).count(), 1);
        assert!(results.contains(&Ok(vec![7; CHUNK])));
        is_consistent(&cache);
    });
}

#[test]
fn a_claim_is_fulfilled_or_given_up() {
    for is_fulfilled in [true, false] {
        in_every_order(10 * CHUNK, move |cache| {
            let reader = start(&cache, |cache| read(&cache).unwrap());
            if let Some(claim) = cache.claim(KEY)
                && is_fulfilled
            {
                claim.fulfil(chunk());
            }
            assert_eq!(reader.join().unwrap(), [7; CHUNK]);
            assert_eq!(cache.stats().decodes, 1);
            is_consistent(&cache);
        });
    }
}

#[test]
fn what_is_decoded_past_the_cache_reaches_those_who_wait() {
    for is_given_up in [true, false] {
        in_every_order(10 * CHUNK, move |cache| {
            let reader = start(&cache, |cache| read(&cache).unwrap());
            let mut is_awaited = false;
            if let WholeChunk::Bypass(bypass) = cache.whole(KEY, CHUNK)
                && !is_given_up
            {
                is_awaited = cache.inner.shards.waiting(KEY) > 0;
                bypass.end(&[7; CHUNK]);
            }
            assert_eq!(reader.join().unwrap(), [7; CHUNK]);
            if is_awaited {
                assert_eq!(cache.stats().misses, 0, "the reader had nothing to decode");
            }
            is_consistent(&cache);
        });
    }
}

#[test]
fn a_file_may_be_closed_while_a_chunk_of_it_is_decoded() {
    in_every_order(10 * CHUNK, |cache| {
        let reader = start(&cache, |cache| read(&cache).unwrap());
        cache.remove_file(KEY.file);
        assert_eq!(reader.join().unwrap(), [7; CHUNK]);
        is_consistent(&cache);
    });
}

#[test]
fn the_budget_may_shrink_while_a_chunk_is_decoded() {
    in_every_order(10 * CHUNK, |cache| {
        let reader = start(&cache, |cache| read(&cache).unwrap());
        cache.set_budget(0);
        assert_eq!(reader.join().unwrap(), [7; CHUNK]);
        is_consistent(&cache);
    });
}
