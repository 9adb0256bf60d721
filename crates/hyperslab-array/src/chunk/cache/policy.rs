//! The replacement policy: which chunks are kept.
//!
//! ```text
//!  miss, not known ──► probation (FIFO) ──wanted again──► protected (LRU) ──► out, remembered as a ghost
//!                          └─ not wanted again ──► out, remembered as a ghost
//!  miss, a ghost ─────────────────────────────────────► protected, if it came back sooner than the longest
//!                                                       idle chunk there has been idle; else probation
//!  all bytes taken, not wanted since ──► first to go, wherever it is
//! ```
//!
//! * A scan passes through probation and does not evict protected chunks.
//! * In a cyclic traversal of more than the budget, every chunk returns after the same time, so none returns sooner
//!   than another: the protected chunks are kept, and are hit in every cycle (plain LRU would have no hits at all).
//! * When the working set changes, its chunks are wanted again while they are in probation, or return as ghosts sooner
//!   than the old protected chunks have been idle.
//!
//! Two parameters adapt. The share of probation grows when a chunk that was evicted from it returns sooner than a
//! protected one has been idle, and shrinks when protected chunks are useful. Chunks whose bytes were all read are
//! evicted first as long as few of them return.
//!
//! With a single thread, the policy is exact, so that tests can count; with several threads, only the times of use are
//! approximate.
//!
//! The idea is LIRS (Jiang and Zhang, 2002) with lazily updated order, as in CLOCK-Pro.

use super::decoded::{Decoded, Residence};
use super::ghost::{Ghost, Ghosts, Left};
use super::{ChunkKey, Evictor};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most chunks that are kept, however small they are: each needs memory that its bytes do not include.
const CHUNKS_MAX: usize = 1 << 18;
/// The number of ghosts, in addition to four for each chunk in the cache.
const GHOSTS_MIN: usize = 1 << 14;
/// The weight of a finished chunk that returns, relative to an evicted finished chunk that does not.
const REGRET_STEP: u32 = 8;
/// Above this value, finished chunks are not evicted first.
const REGRET_LIMIT: u32 = 32;
/// The largest value, so that it can fall below the limit again.
const REGRET_MAX: u32 = 128;

/// The order of the chunks in the cache, and the ghosts of those that were.
pub(super) struct Policy {
    budget: usize,
    /// The bytes of probation when the cache is full, between 1/32 and 3/4 of the budget.
    share: usize,
    /// The time when the share last grew.
    grown: u64,
    /// In the order of arrival.
    probation: BTreeMap<u64, Arc<Decoded>>,
    probation_bytes: usize,
    /// In the order of the last known use, then of arrival. Hits do not update it: if a chunk was used since, it is
    /// moved when it is about to be evicted.
    protected: BTreeMap<(u64, u64), Arc<Decoded>>,
    protected_bytes: usize,
    ghosts: Ghosts,
    /// A measure of how often finished chunks were wanted again recently.
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

    pub fn set_budget(&mut self, budget: usize, room: &mut Evictor<'_>) {
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

    /// Removes and returns the ghost of a chunk that returns.
    pub fn recall(&mut self, key: ChunkKey) -> Option<Ghost> {
        self.ghosts.take(key)
    }

    /// Adds a chunk that was just decoded, if it fits. `now` is the time before decoding.
    pub fn admit(
        &mut self,
        chunk: &Arc<Decoded>,
        ghost: Option<Ghost>,
        now: u64,
        room: &mut Evictor<'_>,
    ) -> bool {
        let bytes = chunk.len();
        if bytes > self.budget || self.budget == 0 {
            if self.budget > 0 {
                self.remember(chunk, Left::Idle);
            }
            return false;
        }
        if ghost.is_some_and(|ghost| self.learn(ghost, bytes, now)) {
            // It replaces the chunk that was idle for longer, unless there is free space.
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
            chunk.set_residence(Residence::Probation);
            self.probation.insert(chunk.number(), Arc::clone(chunk));
        }
        true
    }

    /// True if a chunk is remembered and would be worth keeping if it were decoded now.
    pub fn wants(&mut self, key: ChunkKey, bytes: usize, now: u64) -> bool {
        let Some(ghost) = self.ghosts.get(key) else { return false };
        let absence = now.saturating_sub(ghost.stamp);
        let room = self.protected_bytes + bytes <= self.protected_room();
        bytes <= self.budget && (room || absence <= self.budget as u64 || self.beats_idlest(absence, now))
    }

    /// Records that all of a chunk was read without adding it to the cache.
    pub fn saw_whole(&mut self, key: ChunkKey, now: u64) {
        if self.budget > 0 {
            let ghost = Ghost { stamp: now, taken: u64::MAX / 2, left: Left::Idle };
            self.ghosts.put(key, ghost, GHOSTS_MIN + 4 * self.resident_chunks());
        }
    }

    /// Removes chunks and ghosts that match.
    pub fn remove(&mut self, matches: impl Fn(ChunkKey) -> bool, removed: &mut Vec<Arc<Decoded>>) {
        let probation = self.probation.extract_if_matching(&matches);
        let protected = self.protected.extract_if_matching(&matches);
        self.probation_bytes -= total(&probation);
        self.protected_bytes -= total(&protected);
        for chunk in probation.iter().chain(&protected) {
            chunk.set_residence(Residence::Outside);
        }
        removed.extend(probation);
        removed.extend(protected);
        self.ghosts.remove(matches);
    }

    /// Removes a block that is not expected to be wanted again. It is not remembered.
    pub fn release(&mut self, block: Arc<Decoded>, room: &mut Evictor<'_>) {
        if self.take_out(&block) {
            block.set_residence(Residence::Outside);
            room.evict(block);
        }
    }

    /// Takes a chunk out of the order of the chunks that are kept; false if it is in none.
    fn take_out(&mut self, chunk: &Decoded) -> bool {
        match chunk.residence() {
            Residence::Outside => return false,
            Residence::Probation => {
                self.probation.remove(&chunk.number());
                self.probation_bytes -= chunk.len();
            }
            Residence::Protected => {
                self.protected.remove(&(chunk.filed(), chunk.number()));
                self.protected_bytes -= chunk.len();
            }
        }
        true
    }

    fn protected_room(&self) -> usize {
        self.budget - self.share
    }

    /// Adapts to a chunk that returns. Returns true if it becomes protected immediately: if there is space, or if a
    /// protected chunk has been idle for longer than this one was absent.
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

    /// Frees space for a chunk in probation: from probation as long as it has more than its share.
    fn make_room_in_probation(&mut self, bytes: usize, room: &mut Evictor<'_>) {
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

    /// Frees space for a protected chunk: from probation as long as it has more than its share, then from the chunks
    /// that have been idle for longest.
    fn make_room(&mut self, bytes: usize, room: &mut Evictor<'_>) {
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

    /// Evicts a finished chunk, if there is one and few finished chunks returned recently.
    fn evict_finished(&mut self, room: &mut Evictor<'_>) -> bool {
        while self.regret < REGRET_LIMIT
            && let Some(chunk) = room.next_finished()
        {
            if !self.take_out(&chunk) {
                continue;
            }
            self.regret = self.regret.saturating_sub(1);
            self.evict(chunk, Left::Finished, room);
            return true;
        }
        false
    }

    /// Removes the oldest chunk from probation. It becomes protected if it was wanted again and there is space, or if
    /// the idlest protected chunk was wanted less recently; otherwise it is evicted.
    fn decide_oldest(&mut self, room: &mut Evictor<'_>) {
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
        chunk.set_residence(Residence::Protected);
        chunk.set_filed(chunk.stamp());
        self.protected.insert((chunk.filed(), chunk.number()), chunk);
    }

    /// The time when the idlest protected chunk was last wanted.
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

    fn evict(&mut self, chunk: Arc<Decoded>, left: Left, room: &mut Evictor<'_>) {
        chunk.set_residence(Residence::Outside);
        self.remember(&chunk, left);
        self.evictions += 1;
        room.evict(chunk);
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
