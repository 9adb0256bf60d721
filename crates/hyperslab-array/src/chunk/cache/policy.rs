//! Which chunks stay.
//!
//! ```text
//!  miss, not known ──► probation (FIFO) ──wanted again──► protected (LRU) ──► out, remembered as a ghost
//!                          └─ not wanted again ──► out, remembered as a ghost
//!  miss, a ghost ─────────────────────────────────────► protected, if it came back sooner than the longest
//!                                                       idle chunk there has been idle; else probation
//!  all bytes taken, not wanted since ──► first to go, wherever it is
//! ```
//!
//! * A scan passes through probation and leaves the protected chunks alone.
//! * In a cyclic walk over more than the budget every chunk comes back after the same time, so none is sooner than
//!   another: the protected ones stay, and are hit on every round (plain LRU would have no hit at all).
//! * When the working set moves, its chunks are wanted again while they are in probation, or come back as ghosts
//!   sooner than the stale protected ones have been idle.
//!
//! Two beliefs adapt. The share of probation grows when a chunk that was put out of it comes back sooner than a
//! protected one has been idle, and shrinks when protected chunks prove useful. That chunks of which all was taken
//! are done with is believed as long as few of them come back.
//!
//! Everything is exact for single-threaded use, so tests can count; between threads only the stamps are
//! approximate.
//!
//! The idea is LIRS (Jiang and Zhang, 2002) with lazily updated order, as in CLOCK-Pro.

use super::decoded::{Decoded, Place};
use super::ghost::{Ghost, Ghosts, Left};
use super::{ChunkKey, Room};
use std::collections::BTreeMap;
use std::sync::Arc;

/// More chunks than this are not kept however small they are: each has overheads that its bytes do not show.
const CHUNKS_MAX: usize = 1 << 18;
/// Ghosts besides four for each chunk that is here.
const GHOSTS_MIN: usize = 1 << 14;
/// What one return of a finished chunk weighs against evictions of finished chunks that stayed away.
const REGRET_STEP: u32 = 8;
/// From here on it is not believed that finished chunks are done with.
const REGRET_LIMIT: u32 = 32;
/// Not more is remembered, so that belief comes back.
const REGRET_MAX: u32 = 128;

/// The order of the chunks that are here, and the memory of those that were.
pub(super) struct Policy {
    budget: usize,
    /// Bytes that probation may have when there is no free room, between 1/32 and 3/4 of the budget.
    share: usize,
    /// When the share last grew.
    grown: u64,
    /// By arrival.
    probation: BTreeMap<u64, Arc<Decoded>>,
    probation_bytes: usize,
    /// By last use as far as known here, then by arrival. Hits do not come here: where an entry's stamp has moved
    /// since, it is filed again when it comes up as the victim.
    protected: BTreeMap<(u64, u64), Arc<Decoded>>,
    protected_bytes: usize,
    ghosts: Ghosts,
    /// How often chunks that seemed finished were wanted after all, of late.
    regret: u32,
    evictions: u64,
}

impl Policy {
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            share: budget / 4,
            grown: 0,
            probation: BTreeMap::new(),
            probation_bytes: 0,
            protected: BTreeMap::new(),
            protected_bytes: 0,
            ghosts: Ghosts::default(),
            regret: 0,
            evictions: 0,
        }
    }

    pub fn set_budget(&mut self, budget: usize, room: &mut Room<'_>) {
        self.budget = budget;
        self.share = budget / 4;
        self.make_room(0, room);
    }

    pub fn evictions(&self) -> u64 {
        self.evictions
    }

    pub fn resident_bytes(&self) -> usize {
        self.probation_bytes + self.protected_bytes
    }

    pub fn resident_chunks(&self) -> usize {
        self.probation.len() + self.protected.len()
    }

    #[cfg(test)]
    pub fn protected_chunks(&self) -> usize {
        self.protected.len()
    }

    /// What is remembered of a chunk that comes back; it is a ghost no longer.
    pub fn recall(&mut self, key: ChunkKey) -> Option<Ghost> {
        self.ghosts.take(key)
    }

    /// Keeps a chunk that has just been decoded, if it fits at all. `now` is the time before it was.
    pub fn admit(
        &mut self,
        chunk: &Arc<Decoded>,
        ghost: Option<Ghost>,
        now: u64,
        room: &mut Room<'_>,
    ) -> bool {
        let bytes = chunk.len();
        if bytes > self.budget || self.budget == 0 {
            if self.budget > 0 {
                self.remember(chunk, Left::Idle);
            }
            return false;
        }
        if ghost.is_some_and(|ghost| self.learn(ghost, bytes, now)) {
            // In the place of the chunk that it beat, unless there is free room.
            while self.protected_bytes + bytes > self.protected_room()
                && self.resident_bytes() + bytes > self.budget
            {
                let Some(victim) = self.pop_idlest() else { break };
                self.evict(victim, Left::Idle, room);
            }
            self.make_room(bytes, room);
            self.protect(Arc::clone(chunk));
        } else {
            self.make_room_in_probation(bytes, room);
            self.probation_bytes += bytes;
            chunk.set_place(Place::Probation);
            self.probation.insert(chunk.number(), Arc::clone(chunk));
        }
        true
    }

    /// Whether a chunk is remembered and would be worth keeping if it were decoded now.
    pub fn wants(&mut self, key: ChunkKey, bytes: usize, now: u64) -> bool {
        let Some(ghost) = self.ghosts.get(key) else { return false };
        let absence = now.saturating_sub(ghost.stamp);
        let room = self.protected_bytes + bytes <= self.protected_room();
        bytes <= self.budget && (room || absence <= self.budget as u64 || self.beats_idlest(absence, now))
    }

    /// Remembers that all of a chunk has been read, past the cache.
    pub fn saw_whole(&mut self, key: ChunkKey, now: u64) {
        if self.budget > 0 {
            let ghost = Ghost { stamp: now, taken: u64::MAX / 2, left: Left::Idle };
            self.ghosts.put(key, ghost, GHOSTS_MIN + 4 * self.resident_chunks());
        }
    }

    /// Drops chunks that match, and what is remembered of them.
    pub fn remove(&mut self, matches: impl Fn(ChunkKey) -> bool, removed: &mut Vec<Arc<Decoded>>) {
        let probation = self.probation.extract_if_matching(&matches);
        let protected = self.protected.extract_if_matching(&matches);
        self.probation_bytes -= total(&probation);
        self.protected_bytes -= total(&protected);
        for chunk in probation.iter().chain(&protected) {
            chunk.set_place(Place::Outside);
        }
        removed.extend(probation);
        removed.extend(protected);
        self.ghosts.remove(matches);
    }

    fn protected_room(&self) -> usize {
        self.budget - self.share
    }

    /// A chunk comes back. Draws the conclusions, and answers whether it goes to the protected ones at once: where
    /// there is room among them, or one of them has been idle for longer than this one was away.
    fn learn(&mut self, ghost: Ghost, bytes: usize, now: u64) -> bool {
        let absence = now.saturating_sub(ghost.stamp);
        if ghost.left == Left::Finished && absence <= self.budget as u64 {
            self.regret = (self.regret + REGRET_STEP).min(REGRET_MAX);
        }
        let beats = self.beats_idlest(absence, now);
        if beats && ghost.left == Left::CutShort {
            self.share = (self.share + bytes).min(self.budget / 4 * 3);
            self.grown = now;
        }
        beats || self.protected_bytes + bytes <= self.protected_room()
    }

    fn beats_idlest(&mut self, absence: u64, now: u64) -> bool {
        self.idlest_stamp().is_some_and(|stamp| absence < now.saturating_sub(stamp))
    }

    /// Frees room for a chunk that goes to probation: from its own kind while they have more than their share.
    fn make_room_in_probation(&mut self, bytes: usize, room: &mut Room<'_>) {
        while self.is_short_of(bytes) {
            if self.evict_finished(room) {
                continue;
            }
            if self.probation_bytes + bytes > self.share && !self.probation.is_empty()
                || self.protected.is_empty()
            {
                self.decide_oldest(room);
            } else if let Some(victim) = self.pop_idlest() {
                self.evict(victim, Left::Idle, room);
            }
        }
    }

    /// Frees room for a protected chunk: probation gives what it has beyond its share, then the idlest go.
    fn make_room(&mut self, bytes: usize, room: &mut Room<'_>) {
        while self.is_short_of(bytes) {
            if self.evict_finished(room) {
                continue;
            }
            if self.probation_bytes > self.share || self.protected.is_empty() {
                self.decide_oldest(room);
            } else if let Some(victim) = self.pop_idlest() {
                self.evict(victim, Left::Idle, room);
            }
        }
    }

    fn is_short_of(&self, bytes: usize) -> bool {
        self.resident_chunks() > 0
            && (self.resident_bytes() + bytes > self.budget || self.resident_chunks() >= CHUNKS_MAX)
    }

    /// Puts out a chunk of which all bytes were taken, if there is one and experience speaks for it.
    fn evict_finished(&mut self, room: &mut Room<'_>) -> bool {
        while self.regret < REGRET_LIMIT
            && let Some(chunk) = room.next_finished()
        {
            match chunk.place() {
                Place::Outside => continue,
                Place::Probation => {
                    self.probation.remove(&chunk.number());
                    self.probation_bytes -= chunk.len();
                }
                Place::Protected => {
                    self.protected.remove(&(chunk.filed(), chunk.number()));
                    self.protected_bytes -= chunk.len();
                }
            }
            self.regret = self.regret.saturating_sub(1);
            self.evict(chunk, Left::Finished, room);
            return true;
        }
        false
    }

    /// The oldest of probation leaves it: to the protected if it was wanted again, and more recently than the
    /// idlest of those where there is no room; else out.
    fn decide_oldest(&mut self, room: &mut Room<'_>) {
        let Some((_, chunk)) = self.probation.pop_first() else { return };
        self.probation_bytes -= chunk.len();
        if !chunk.is_reused() {
            if chunk.is_finished() {
                // Kept to this end for lack of belief, and in vain.
                self.regret = self.regret.saturating_sub(1);
            }
            return self.evict(chunk, Left::CutShort, room);
        }
        if chunk.is_spent() {
            // Wanted again after all of it had been taken: it is well that it was still here.
            self.regret = (self.regret + REGRET_STEP).min(REGRET_MAX);
        }
        while self.protected_bytes + chunk.len() > self.protected_room() {
            match self.idlest_stamp() {
                Some(stamp) if stamp < chunk.stamp() => {
                    let victim = self.pop_idlest().expect("there is an idlest one");
                    self.evict(victim, Left::Idle, room);
                }
                _ => return self.evict(chunk, Left::Idle, room),
            }
        }
        self.protect(chunk);
    }

    fn protect(&mut self, chunk: Arc<Decoded>) {
        self.protected_bytes += chunk.len();
        chunk.set_place(Place::Protected);
        chunk.set_filed(chunk.stamp());
        self.protected.insert((chunk.filed(), chunk.number()), chunk);
    }

    /// When the idlest protected chunk was last wanted.
    fn idlest_stamp(&mut self) -> Option<u64> {
        loop {
            let entry = self.protected.first_entry()?;
            let stamp = entry.get().stamp();
            if stamp == entry.get().filed() {
                return Some(stamp);
            }
            let chunk = entry.remove();
            chunk.set_filed(stamp);
            // It was wanted again: what probation has would serve better here, unless it proved short lately.
            let quiet = stamp.saturating_sub(self.grown) > 2 * self.budget as u64;
            let less = chunk.len() / if quiet { 8 } else { 128 };
            self.share = self.share.saturating_sub(less).max(self.budget / 32);
            self.protected.insert((stamp, chunk.number()), chunk);
        }
    }

    fn pop_idlest(&mut self) -> Option<Arc<Decoded>> {
        self.idlest_stamp()?;
        let (_, chunk) = self.protected.pop_first()?;
        self.protected_bytes -= chunk.len();
        Some(chunk)
    }

    fn evict(&mut self, chunk: Arc<Decoded>, left: Left, room: &mut Room<'_>) {
        chunk.set_place(Place::Outside);
        self.remember(&chunk, left);
        self.evictions += 1;
        room.put_out(chunk);
    }

    fn remember(&mut self, chunk: &Arc<Decoded>, left: Left) {
        let ghost = Ghost { stamp: chunk.stamp(), taken: chunk.taken(), left };
        self.ghosts.put(chunk.key(), ghost, GHOSTS_MIN + 4 * self.resident_chunks());
    }
}

fn total(chunks: &[Arc<Decoded>]) -> usize {
    chunks.iter().map(|chunk| chunk.len()).sum()
}

trait ExtractMatching {
    fn extract_if_matching(&mut self, matches: impl Fn(ChunkKey) -> bool) -> Vec<Arc<Decoded>>;
}

impl<K: Ord> ExtractMatching for BTreeMap<K, Arc<Decoded>> {
    fn extract_if_matching(&mut self, matches: impl Fn(ChunkKey) -> bool) -> Vec<Arc<Decoded>> {
        let mut out = Vec::new();
        self.retain(|_, chunk| {
            let matched = matches(chunk.key());
            if matched {
                out.push(Arc::clone(chunk));
            }
            !matched
        });
        out
    }
}
