//! What hyperslab would request of a file in an object store. Only metadata is read; the requests for data are those of the
//! plans.

use super::SweptRead;
use super::ahead::Series;
use super::simulated_remote::{Rounds, SimulatedRemote};
use crate::Error;
use hyperslab::{Dataset, Explained, ExplainedRequest, File, Prefetch, Selection};
use hyperslab_doctor::forecast::{Access, Link, Requests};
use hyperslab_doctor::simulate::PageKind;
use hyperslab_io::{Advice, Source, split};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of the first request of a remote file.
const FIRST_BYTES: u64 = 256 << 10;
/// Two structures share a request if what lies between them takes no longer than a request costs: within these bounds.
const METADATA_GAP_BYTES: (f64, f64) = (512.0, 1_048_576.0);

/// Chunks and requests of a read after which no further block is planned.
const CHUNKS_MAX: usize = 100_000;

/// The plans for one file.
pub(super) struct Planned {
    source: Arc<dyn Source>,
    metadata_gap_bytes: u64,
}

/// One session: the file is opened, and something is done with it.
#[derive(Default)]
pub(super) struct PlannedSession {
    /// The requests that hyperslab makes.
    pub(super) own: Requests,
    /// The same without what is kept of the beginning of the file, and each chunk by itself: the reads of a library that
    /// caches chunks.
    pub(super) accesses: Vec<Access>,
    /// The stored chunks of each block.
    pub(super) chunks: Vec<Vec<(u64, u64)>>,
}

impl Planned {
    /// For the file with this source, over this link.
    pub(super) fn new(source: Arc<dyn Source>, link: &Link) -> Self {
        let in_flight = Advice::REMOTE.in_flight_max as f64;
        let gap = link.latency_seconds * link.bytes_per_second / in_flight;
        let gap = if gap.is_finite() { gap } else { METADATA_GAP_BYTES.1 };
        Self { source, metadata_gap_bytes: gap.clamp(METADATA_GAP_BYTES.0, METADATA_GAP_BYTES.1) as u64 }
    }

    /// Opens the file.
    pub(super) fn opening(&self) -> Result<PlannedSession, Error> {
        self.session(|_, _, _| Ok(()))
    }

    /// Lists all objects with their attributes, and the addresses of all chunks.
    pub(super) fn listing(&self) -> Result<PlannedSession, Error> {
        self.session(|file, _, _| {
            file.root()?.prefetch(&Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: true });
            Ok(())
        })
    }

    /// Reads blocks: at least the first `blocks_min`, and as many of the following ones as need no more than
    /// [`CHUNKS_MAX`] chunks or requests.
    pub(super) fn read(&self, read: &SweptRead, blocks_min: usize) -> Result<PlannedSession, Error> {
        self.read_while(read, &|blocks, chunks| blocks < blocks_min || chunks < CHUNKS_MAX)
    }

    /// Reads the first `blocks` blocks.
    pub(super) fn read_exactly(&self, read: &SweptRead, blocks: usize) -> Result<PlannedSession, Error> {
        self.read_while(read, &|done, _| done < blocks)
    }

    fn read_while(
        &self,
        read: &SweptRead,
        goes_on: &dyn Fn(usize, usize) -> bool,
    ) -> Result<PlannedSession, Error> {
        self.session(|file, rounds, session| {
            let dataset = file.dataset(&read.path)?;
            session.metadata(rounds);
            let (mut fetched, mut series) = (HashSet::new(), Series::of(&dataset));
            let mut chunks = 0;
            for (done, (start, count)) in read.blocks.iter().enumerate() {
                if done > 0 && !goes_on(done, chunks) {
                    break;
                }
                let explained = dataset.explain(&Selection::block(start, count))?;
                session.metadata(rounds);
                let requests = session.data(&dataset, &explained, &mut fetched);
                series
                    .read(&series.chunks(&explained), requests)
                    .iter()
                    .for_each(|round| session.together(round));
                let of_request = |request: &ExplainedRequest| request.chunks.len().max(1);
                chunks += explained.requests.iter().map(of_request).sum::<usize>();
            }
            session.together(&series.rest());
            Ok(())
        })
    }

    fn session(
        &self,
        work: impl Fn(&File, &Rounds, &mut PlannedSession) -> Result<(), Error>,
    ) -> Result<PlannedSession, Error> {
        let run = |first_bytes, gap| -> Result<PlannedSession, Error> {
            let unreadable = |error: std::io::Error| Error::unreadable(error.to_string());
            let (source, rounds) =
                SimulatedRemote::new(self.source.clone(), first_bytes, gap).map_err(unreadable)?;
            let mut session = PlannedSession::default();
            let file = File::from_source(Arc::new(source))?;
            session.metadata(&rounds);
            work(&file, &rounds, &mut session)?;
            session.metadata(&rounds);
            Ok(session)
        };
        let mut session = run(FIRST_BYTES, self.metadata_gap_bytes)?;
        let mut own = Requests::default();
        own.one(FIRST_BYTES.min(self.source.len()));
        own.extend(session.own);
        session.own = own;
        session.accesses = run(0, 0)?.accesses;
        Ok(session)
    }
}

impl PlannedSession {
    /// Adds the rounds since the last call.
    fn metadata(&mut self, rounds: &Rounds) {
        for round in rounds.take() {
            self.together(&round);
            self.accesses.extend(round.iter().map(|range| access(PageKind::Metadata, range)));
        }
    }

    /// Adds the reads of a block, and returns the requests. Chunks that were fetched for earlier blocks are in the cache.
    fn data(
        &mut self,
        dataset: &Dataset,
        explained: &Explained,
        fetched: &mut HashSet<u64>,
    ) -> Vec<Range<u64>> {
        let own = explained.requests.iter().filter(|request| request.source.is_none());
        let (mut ranges, mut chunks) = (Vec::new(), Vec::new());
        for request in own {
            let stored: Vec<&Range<u64>> =
                request.chunks.iter().filter_map(|chunk| chunk.range.as_ref()).collect();
            let is_new =
                stored.iter().fold(stored.is_empty(), |is_new, chunk| fetched.insert(chunk.start) | is_new);
            chunks.extend(stored.iter().map(|chunk| (chunk.start, chunk.end - chunk.start)));
            if is_new {
                ranges.extend(
                    split(request.range.clone(), Advice::REMOTE).filter(|range| range.end > FIRST_BYTES),
                );
                let raw = |range| access(PageKind::Raw, range);
                match stored.as_slice() {
                    [] => self.accesses.push(raw(&request.range)),
                    stored => self.accesses.extend(stored.iter().map(|chunk| raw(chunk))),
                }
            }
        }
        if dataset.chunk_shape().is_none() {
            // Zarr takes contiguous data for one chunk.
            chunks = explained.requests.first().map(|_| (0, dataset.logical_bytes())).into_iter().collect();
        }
        self.chunks.push(chunks);
        ranges
    }

    fn together(&mut self, ranges: &[Range<u64>]) {
        let bytes = ranges.iter().map(|range| range.end - range.start).sum();
        self.own.together(ranges.len() as u64, bytes, Advice::REMOTE.in_flight_max as u64);
    }
}

/// The read of these bytes.
fn access(kind: PageKind, range: &Range<u64>) -> Access {
    Access { kind, address: range.start, len: range.end - range.start }
}
