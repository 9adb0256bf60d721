//! The entries of the cache: a doubly linked list, one entry per slot, and a fingerprint of the whole state.
//!
//! ```text
//!   head ─► e ─► e ─► e ─► tail      the head is evicted next, new entries are appended at the tail
//!   slot[h] ─► e                     at most one entry per slot
//! ```
//!
//! The fingerprint is a sum of 128-bit hashes: one for each pair of neighbours and one for each entry that has been
//! read completely. It is updated in constant time and identifies the order of the entries and those flags, so two
//! caches with equal fingerprints will behave identically next (except for an accidental collision, with a probability
//! of about 1 in 2^100). It omits how much of an entry is still unread. That is in the log: every counter that changed,
//! with its previous value. The [sweep](super::sweep) uses both to detect that a pass has become periodic.

use std::collections::HashMap;

/// No entry.
pub(super) const NONE: u32 = u32::MAX;
/// Slot tables up to this size are arrays; larger ones are hash maps.
const SLOTS_ARRAY_MAX: u64 = 1 << 18;

/// One cached chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) chunk: u64,
    slot: u64,
    pub(super) prev: u32,
    pub(super) next: u32,
    /// Bytes not read yet: starts at the chunk's size, falls to 0.
    pub(super) unread: u64,
    /// The number of insertions before this one.
    pub(super) born: u64,
}

/// A counter that changed, or was removed with its entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub(super) chunk: u64,
    pub(super) slot: u64,
    pub(super) unread_before: u64,
}

#[derive(Debug, Clone)]
enum Slots {
    Array(Vec<u32>),
    Map(HashMap<u64, u32>),
}

/// The list, the slots, the fingerprint.
#[derive(Debug, Clone)]
pub(super) struct Entries {
    pool: Vec<Entry>,
    free: Vec<u32>,
    slots: Slots,
    pub(super) head: u32,
    pub(super) tail: u32,
    pub(super) used: u64,
    /// The most chunks that the cache held at a time.
    pub(super) used_max: u64,
    /// Number of entries that have been read completely.
    pub(super) finished: u64,
    /// Number of insertions so far.
    pub(super) births: u64,
    fingerprint: u128,
    log: Option<Vec<Change>>,
}

impl Entries {
    pub(super) fn new(nslots: u64) -> Self {
        let slots = if nslots <= SLOTS_ARRAY_MAX {
            Slots::Array(vec![NONE; nslots as usize])
        } else {
            Slots::Map(HashMap::new())
        };
        Self {
            pool: Vec::new(),
            free: Vec::new(),
            slots,
            head: NONE,
            tail: NONE,
            used: 0,
            used_max: 0,
            finished: 0,
            births: 0,
            log: None,
            fingerprint: neighbours(NONE_LEFT, NONE_RIGHT),
        }
    }

    #[inline]
    pub(super) fn get(&self, entry: u32) -> &Entry {
        &self.pool[entry as usize]
    }

    #[inline]
    pub(super) fn in_slot(&self, slot: u64) -> Option<u32> {
        let entry = match &self.slots {
            Slots::Array(slots) => slots[slot as usize],
            Slots::Map(slots) => slots.get(&slot).copied().unwrap_or(NONE),
        };
        (entry != NONE).then_some(entry)
    }

    pub(super) fn fingerprint(&self) -> u128 {
        self.fingerprint
    }

    /// Starts a log of counter changes, discarding an earlier one.
    pub(super) fn start_log(&mut self) {
        self.log.get_or_insert_default().clear();
    }

    /// The changes since the log was started.
    pub(super) fn log(&self) -> &[Change] {
        self.log.as_deref().unwrap_or_default()
    }

    fn note(&mut self, entry: Entry) {
        if let Some(log) = &mut self.log {
            log.push(Change { chunk: entry.chunk, slot: entry.slot, unread_before: entry.unread });
        }
    }

    pub(super) fn push_tail(&mut self, chunk: u64, slot: u64, unread: u64) {
        self.births += 1;
        let entry = Entry { chunk, slot, prev: self.tail, next: NONE, unread, born: self.births };
        let new = match self.free.pop() {
            Some(place) => {
                self.pool[place as usize] = entry;
                place
            }
            None => {
                self.pool.push(entry);
                (self.pool.len() - 1) as u32
            }
        };
        match &mut self.slots {
            Slots::Array(slots) => slots[slot as usize] = new,
            Slots::Map(slots) => drop(slots.insert(slot, new)),
        }
        let left = self.left_key(self.tail);
        let key = key_of(chunk);
        self.fingerprint = self
            .fingerprint
            .wrapping_sub(neighbours(left, NONE_RIGHT))
            .wrapping_add(neighbours(left, key))
            .wrapping_add(neighbours(key, NONE_RIGHT))
            .wrapping_add(finished(chunk, unread));
        if self.tail == NONE {
            self.head = new;
        } else {
            self.pool[self.tail as usize].next = new;
        }
        self.tail = new;
        self.used += 1;
        self.used_max = self.used_max.max(self.used);
        self.finished += u64::from(unread == 0);
    }

    pub(super) fn remove(&mut self, entry: u32) {
        let Entry { chunk, slot, prev, next, unread, .. } = self.pool[entry as usize];
        self.note(self.pool[entry as usize]);
        match &mut self.slots {
            Slots::Array(slots) => slots[slot as usize] = NONE,
            Slots::Map(slots) => drop(slots.remove(&slot)),
        }
        let (left, right, key) = (self.left_key(prev), self.right_key(next), key_of(chunk));
        self.fingerprint = self
            .fingerprint
            .wrapping_sub(neighbours(left, key))
            .wrapping_sub(neighbours(key, right))
            .wrapping_sub(finished(chunk, unread))
            .wrapping_add(neighbours(left, right));
        match prev {
            NONE => self.head = next,
            _ => self.pool[prev as usize].next = next,
        }
        match next {
            NONE => self.tail = prev,
            _ => self.pool[next as usize].prev = prev,
        }
        self.free.push(entry);
        self.used -= 1;
        self.finished -= u64::from(unread == 0);
    }

    /// Swaps an entry with the next one: a hit moves it one step towards the tail, not all the way.
    #[inline]
    pub(super) fn promote(&mut self, entry: u32) {
        let Entry { chunk, prev, next, .. } = self.pool[entry as usize];
        if next == NONE {
            return;
        }
        let after = self.pool[next as usize].next;
        let (left, right) = (self.left_key(prev), self.right_key(after));
        let (key, next_key) = (key_of(chunk), key_of(self.pool[next as usize].chunk));
        self.fingerprint = self
            .fingerprint
            .wrapping_sub(neighbours(left, key))
            .wrapping_sub(neighbours(key, next_key))
            .wrapping_sub(neighbours(next_key, right))
            .wrapping_add(neighbours(left, next_key))
            .wrapping_add(neighbours(next_key, key))
            .wrapping_add(neighbours(key, right));
        match prev {
            NONE => self.head = next,
            _ => self.pool[prev as usize].next = next,
        }
        match after {
            NONE => self.tail = entry,
            _ => self.pool[after as usize].prev = entry,
        }
        self.pool[next as usize].prev = prev;
        self.pool[next as usize].next = entry;
        self.pool[entry as usize].prev = next;
        self.pool[entry as usize].next = after;
    }

    /// Records that `bytes` more of an entry have been read.
    #[inline]
    pub(super) fn count_read(&mut self, entry: u32, bytes: u64) {
        let Entry { chunk, unread, .. } = self.pool[entry as usize];
        if unread == 0 || bytes == 0 {
            return;
        }
        self.note(self.pool[entry as usize]);
        let left = unread.saturating_sub(bytes);
        self.fingerprint = self.fingerprint.wrapping_add(finished(chunk, left));
        self.finished += u64::from(left == 0);
        self.pool[entry as usize].unread = left;
    }

    fn left_key(&self, entry: u32) -> u64 {
        if entry == NONE { NONE_LEFT } else { key_of(self.pool[entry as usize].chunk) }
    }

    fn right_key(&self, entry: u32) -> u64 {
        if entry == NONE { NONE_RIGHT } else { key_of(self.pool[entry as usize].chunk) }
    }
}

// Keys of the two ends. Chunk numbers stay below them because a grid of 2^64 chunks is rejected.
const NONE_LEFT: u64 = u64::MAX;
const NONE_RIGHT: u64 = u64::MAX - 1;

fn key_of(chunk: u64) -> u64 {
    chunk
}

/// Two 64-bit finalisers (that of splitmix64) over inputs with different salts.
#[inline]
fn mix(a: u64, b: u64, salt: u64) -> u128 {
    let half = |salt: u64| {
        let mut z = (a ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b.rotate_left(29) ^ salt);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z = (z ^ (z >> 32)).wrapping_add(b).wrapping_mul(0xd6e8_feb8_6659_fd93);
        z ^ (z >> 32)
    };
    u128::from(half(salt)) << 64 | u128::from(half(salt.rotate_left(32) ^ 0x5bd1_e995_7b7d_159b))
}

#[inline]
fn neighbours(left: u64, right: u64) -> u128 {
    mix(left, right, 0x243f_6a88_85a3_08d3)
}

/// Zero for an entry that has not been read completely.
#[inline]
fn finished(chunk: u64, unread: u64) -> u128 {
    if unread == 0 { mix(chunk, 0, 0x1319_8a2e_0370_7344) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(entries: &Entries) -> Vec<u64> {
        let mut order = Vec::new();
        let mut at = entries.head;
        while at != NONE {
            order.push(entries.get(at).chunk);
            at = entries.get(at).next;
        }
        order
    }

    /// The fingerprint of the state, computed from scratch.
    fn fresh(entries: &Entries) -> u128 {
        let mut copy = Entries::new(101);
        let mut at = entries.head;
        while at != NONE {
            let entry = entries.get(at);
            copy.push_tail(entry.chunk, entry.slot, entry.unread);
            at = entry.next;
        }
        copy.fingerprint()
    }

    #[test]
    fn promotion_moves_one_step() {
        let mut entries = Entries::new(101);
        for chunk in 0..4 {
            entries.push_tail(chunk, chunk, 10);
        }
        entries.promote(entries.in_slot(0).unwrap());
        assert_eq!(order(&entries), [1, 0, 2, 3]);
        entries.promote(entries.in_slot(2).unwrap());
        assert_eq!(order(&entries), [1, 0, 3, 2]);
        entries.promote(entries.in_slot(2).unwrap());
        assert_eq!(order(&entries), [1, 0, 3, 2], "the tail stays");
        assert_eq!(entries.get(entries.tail).chunk, 2);
    }

    #[test]
    fn the_fingerprint_is_that_of_the_state_not_of_its_history() {
        let mut entries = Entries::new(101);
        let mut random = 12_345u64;
        let mut seen = std::collections::HashMap::new();
        for _ in 0..5_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let chunk = (random >> 33) % 5;
            match (entries.in_slot(chunk), (random >> 50) % 3) {
                (None, _) => entries.push_tail(chunk, chunk, 2),
                (Some(entry), 0) => entries.remove(entry),
                (Some(entry), 1) => entries.promote(entry),
                (Some(entry), _) => entries.count_read(entry, 1),
            }
            assert_eq!(entries.fingerprint(), fresh(&entries));
            let unread = (0..5).filter_map(|c| Some(entries.get(entries.in_slot(c)?).unread == 0));
            let state = (order(&entries), unread.collect::<Vec<bool>>());
            assert_eq!(*seen.entry(entries.fingerprint()).or_insert(state.clone()), state, "no accident");
        }
        assert!(seen.len() > 500);
    }

    #[test]
    fn the_log_knows_every_counter_before_it_changed() {
        let mut entries = Entries::new(101);
        entries.push_tail(7, 7, 10);
        entries.start_log();
        entries.count_read(0, 3);
        entries.remove(0);
        let log: Vec<_> = entries.log().iter().map(|change| (change.chunk, change.unread_before)).collect();
        assert_eq!(log, [(7, 10), (7, 7)]);
    }

    #[test]
    fn many_slots_cost_no_table() {
        let mut entries = Entries::new(u64::MAX);
        entries.push_tail(3, u64::MAX - 1, 1);
        assert_eq!(entries.in_slot(u64::MAX - 1), Some(0));
        entries.remove(0);
        assert_eq!(entries.in_slot(u64::MAX - 1), None);
    }
}
