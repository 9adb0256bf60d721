//! Which chunks are worth their room: those that were read to their end go first, those that come again stay.

use super::*;

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
