//! Repeated reads, counted without repeating them.
//!
//! Neighbouring blocks of a sweep often touch the same chunks and the same number of bytes in each: 1,080 rows of one
//! chunk, 64 columns of one column of chunks. Such blocks form a *group*; for the cache they are one read, repeated. A
//! repeated read soon leaves the cache as it found it, or cycles through the same few states; the
//! [fingerprint](super::super::entries) of the cache shows it. Only the counters of bytes read still change, and they
//! matter only when one reaches its end; until the first does, whole periods are counted by multiplication. This happens
//! at every level of the sweep, so a group of rows of groups of blocks is also counted once:
//!
//! ```text
//!   order[0]   │ group of 4 steps            │ group of 4 steps │ …     each: repeat until periodic, multiply
//!   order[1]   │   group of 30 steps         │
//!   order[2]   │     group of 9 steps        │
//!              │       one H5Dread           │
//! ```

use super::Simulation;
use crate::ReadCounts;
use crate::entries::{Entries, Entry};
use crate::geometry::Span;
use std::collections::HashSet;

/// The state at some pass of a repetition: cache, counts, reads.
struct Checkpoint {
    fingerprint: u128,
    births: u64,
    /// Length of the log.
    log: usize,
    /// Number of recorded loads.
    loads: usize,
    counts: ReadCounts,
    reads: u64,
    pass: u64,
}

impl Simulation<'_> {
    /// Reads every block of the dimensions `order[depth..]`, the others fixed. Recurses at most as deep as the rank.
    pub(super) fn level(&mut self, depth: usize) {
        let Some(&axis) = self.sweep.order().get(depth) else {
            return self.read();
        };
        let (dim, block) = (self.sweep.shape()[axis], self.sweep.block()[axis]);
        let mut start = 0;
        while start < dim && !self.is_spent() {
            let len = block.min(dim - start);
            self.spans[axis] = Span::plain(start, len);
            let members = self.group(axis, start, len, dim, block);
            self.repeat(depth + 1, members);
            // Cannot exceed 2^64: every block of the group starts inside the extent.
            start = start.saturating_add(members.saturating_mul(block));
        }
    }

    /// How many blocks, starting with this one, lie in the same chunk along `axis` and have the same length.
    fn group(&self, axis: usize, start: u64, len: u64, dim: u64, block: u64) -> u64 {
        let Some(chunk) = self.chunk else { return 1 };
        let chunk_start = start - start % chunk[axis];
        let room = chunk_start.saturating_add(chunk[axis]).min(dim) - start;
        if len < block || room < block { 1 } else { room / block }
    }

    /// Repeats the dimensions from `depth` on `times` times.
    fn repeat(&mut self, depth: usize, times: u64) {
        if times == 1 || self.chunk.is_none() {
            for _ in 0..times {
                self.level(depth);
            }
            return;
        }
        if self.nesting == 0 {
            self.sim.entries().map(Entries::start_log);
        }
        self.nesting += 1;
        let mut pass = 0;
        let mut checkpoint = self.checkpoint(0);
        let mut next_mark_after = 1;
        while pass < times && !self.is_spent() {
            self.level(depth);
            pass += 1;
            if pass == times || self.is_spent() {
                break;
            }
            let is_same =
                self.sim.entries().is_none_or(|entries| entries.fingerprint() == checkpoint.fingerprint);
            if is_same {
                pass += self.skip(&checkpoint, pass, times);
                checkpoint = self.checkpoint(pass);
                next_mark_after = 1;
            } else if pass - checkpoint.pass >= next_mark_after {
                // Brent's algorithm: compare with ever later states, so that a period of any length is found.
                checkpoint = self.checkpoint(pass);
                next_mark_after *= 2;
            }
        }
        self.nesting -= 1;
    }

    fn checkpoint(&mut self, pass: u64) -> Checkpoint {
        let (fingerprint, births, log) = match self.sim.entries() {
            Some(entries) => (entries.fingerprint(), entries.births, entries.log().len()),
            None => (0, 0, 0),
        };
        let loads = self.sim.loads().len();
        Checkpoint { fingerprint, births, log, loads, counts: self.counts, reads: self.reads, pass }
    }

    /// Called when the cache is as at the checkpoint, except for counters. Counts as many further periods as are certain to
    /// be identical, and returns the number of their passes.
    fn skip(&mut self, checkpoint: &Checkpoint, pass: u64, times: u64) -> u64 {
        let period = pass - checkpoint.pass;
        let mut periods = (times - pass) / period;
        // Entries that were present all along and were read from, and by how much in one period.
        let mut running: Vec<(u32, u64)> = Vec::new();
        if let Some(entries) = self.sim.entries() {
            let mut seen = HashSet::new();
            for change in &entries.log()[checkpoint.log..] {
                if !seen.insert(change.chunk) {
                    continue;
                }
                let resident =
                    entries.in_slot(change.slot).filter(|entry| entries.get(*entry).chunk == change.chunk);
                let Some(entry) = resident else { continue };
                let Entry { unread, born, .. } = *entries.get(entry);
                if born > checkpoint.births {
                    // Evicted and loaded again: the same in each period, once its counter has settled.
                    if unread != change.unread_before {
                        return 0;
                    }
                } else if unread < change.unread_before {
                    let step = change.unread_before - unread;
                    if unread > 0 {
                        periods = periods.min((unread - 1) / step);
                        running.push((entry, step));
                    } else {
                        // The entry finished in this very period, but not before the checkpoint. That is impossible: the
                        // fingerprint includes which entries are finished.
                        return 0;
                    }
                }
            }
            for (entry, step) in &running {
                entries.count_read(*entry, step.saturating_mul(periods));
            }
        }
        for load in &mut self.sim.loads()[checkpoint.loads..] {
            load.times = load.times.saturating_mul(periods.saturating_add(1));
        }
        let (counts, reads) = (self.counts.since(checkpoint.counts), self.reads - checkpoint.reads);
        self.counts.add_times(counts, periods);
        self.reads += reads * periods;
        period * periods
    }
}
