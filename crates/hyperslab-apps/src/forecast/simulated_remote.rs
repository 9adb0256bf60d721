//! A source that behaves like one of an object store, and notes the rounds of requests that it would make.

use hyperslab::Bytes;
use hyperslab_io::{Advice, Cancel, Deliver, Source, forward_source, read_into_zeros, split};
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The requests that are made together, round after round.
#[derive(Debug, Clone, Default)]
pub(super) struct Rounds(Arc<Mutex<Vec<Vec<Range<u64>>>>>);

impl Rounds {
    /// Returns the rounds since the last call.
    pub(super) fn take(&self) -> Vec<Vec<Range<u64>>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, round: Vec<Range<u64>>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(round);
    }
}

/// The source of a file, read as if it were in an object store.
pub(super) struct SimulatedRemote {
    inner: Arc<dyn Source>,
    /// What the first request has brought.
    head: Bytes,
    metadata_gap_bytes: u64,
    rounds: Rounds,
}

impl SimulatedRemote {
    /// Wraps a source whose first bytes have come with the first request. `metadata_gap_bytes` is what structures may lie
    /// apart to share a request.
    pub(super) fn new(
        inner: Arc<dyn Source>,
        first_bytes: u64,
        metadata_gap_bytes: u64,
    ) -> io::Result<(Self, Rounds)> {
        let mut head = vec![0; first_bytes.min(inner.len()) as usize];
        inner.read_into(0, &mut head)?;
        let rounds = Rounds::default();
        Ok((Self { inner, head: head.into(), metadata_gap_bytes, rounds: rounds.clone() }, rounds))
    }

    /// Notes a round for these ranges, as far as their bytes have not come with the first request.
    fn note(&self, ranges: &[Range<u64>]) {
        let missing =
            ranges.iter().filter(|range| range.start < range.end && range.end > self.head.len() as u64);
        let round: Vec<Range<u64>> = missing.flat_map(|range| split(range.clone(), Advice::REMOTE)).collect();
        if !round.is_empty() {
            self.rounds.push(round);
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl Source for SimulatedRemote {
    forward_source!(self => self.inner; len, is_empty, epoch, held_from, stored_bytes, check_unchanged);
    forward_source!(self => self.inner; lock_shared, unlock, version, name);

    fn beginning(&self) -> Bytes {
        self.head.clone()
    }

    fn knows_structures(&self) -> bool {
        false
    }

    fn known(&self, at: u64, len: u64) -> Option<Bytes> {
        let end = at.checked_add(len).filter(|end| *end <= self.head.len() as u64)?;
        Some(self.head.slice(at as usize..end as usize))
    }

    #[expect(clippy::single_range_in_vec_init, reason = "one range")]
    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.note(&[at..at.saturating_add(out.len() as u64)]);
        self.inner.read_into(at, out)
    }

    fn read_unwritten<'o>(&self, at: u64, out: &'o mut [MaybeUninit<u8>]) -> io::Result<&'o mut [u8]> {
        read_into_zeros(self, at, out)
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        self.note(ranges);
        self.inner.fetch(ranges, cancel, deliver);
    }

    fn advice(&self) -> Advice {
        Advice::REMOTE
    }

    fn metadata_gap_bytes(&self) -> u64 {
        self.metadata_gap_bytes
    }

    /// Other files are not looked for.
    fn path(&self) -> Option<&Path> {
        None
    }
}
