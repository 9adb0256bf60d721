//! A budget that follows a rule.

use super::*;
use std::sync::atomic::AtomicUsize;

#[test]
fn a_rule_is_asked_again_while_chunks_are_decoded() {
    static ALLOWED: AtomicUsize = AtomicUsize::new(64 << 20);
    let cache = ChunkCache::following(|_| ALLOWED.load(Relaxed));
    let decode = |numbers: std::ops::Range<u64>| {
        for number in numbers {
            let chunk = || Ok::<_, ()>(Decoded::from(vec![1; 1 << 20]));
            cache.get_or_decode(key(number), 1 << 20, chunk).unwrap();
        }
    };
    decode(0..32);
    assert_eq!((cache.budget(), cache.stats().resident_bytes), (64 << 20, 32 << 20));
    // Memory is short: what is here beyond it goes, before much more is decoded.
    ALLOWED.store(8 << 20, Relaxed);
    decode(32..40);
    assert_eq!(cache.budget(), 8 << 20);
    assert!(cache.stats().resident_bytes <= 8 << 20);
    // There is more again.
    ALLOWED.store(128 << 20, Relaxed);
    decode(40..48);
    assert_eq!(cache.budget(), 128 << 20);
}

#[test]
fn a_rule_knows_what_is_kept_and_is_not_asked_any_more_once_a_budget_is_set() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    let cache = ChunkCache::following(|resident| {
        TOLD.store(resident, Relaxed);
        64 << 20
    });
    let decode = |number| {
        let chunk = || Ok::<_, ()>(Decoded::from(vec![1; 5 << 20]));
        cache.get_or_decode(key(number), 5 << 20, chunk).unwrap();
    };
    decode(0);
    decode(1);
    assert_eq!(TOLD.load(Relaxed), 5 << 20);
    cache.set_budget(1 << 30);
    (2..20).for_each(decode);
    assert_eq!((cache.budget(), TOLD.load(Relaxed)), (1 << 30, 5 << 20));
}
