//! The floor: the lowest possible time for reading some chunks. All cores fetch, inflate and unshuffle each chunk once,
//! directly into memory that was written before (or, if stated, into new memory).
//!
//! There is no plan, no cache, no copying of parts of chunks and no conversion of byte order, and the chunk index is
//! read in advance. An engine does all of that in addition, so it cannot be faster than the floor except by noise.

use hyperslab::{Dataset, Error, Result, Selection};
use hyperslab_filters::unshuffle_elements;
use hyperslab_storage::filter::number::{DEFLATE, SHUFFLE};
use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::Instant;

/// Contiguous data is fetched in ranges of this size, so that all cores take part.
const PIECE_BYTES: usize = 4 << 20;
/// More selections than this are assumed to touch every chunk.
const SELECTIONS_MAX: usize = 1000;

/// The chunks that some selections touch, without repetitions.
pub struct Work {
    file: File,
    pieces: Vec<Range<u64>>,
    piece_bytes: usize,
    inflated: bool,
    shuffled: usize,
}

impl Work {
    /// Finds the chunks that the selections touch.
    ///
    /// # Errors
    /// If there are filters other than shuffle and deflate, for which no floor is implemented.
    pub fn new(path: &str, dataset: &Dataset, selections: &[Selection]) -> Result<Self> {
        let element = dataset.datatype().size as usize;
        let ids: Vec<u16> = dataset.filters().iter().map(|filter| filter.id).collect();
        let (inflated, shuffled) = match ids.as_slice() {
            [] => (false, 1),
            [DEFLATE] => (true, 1),
            [SHUFFLE, DEFLATE] => (true, element),
            other => {
                return Err(Error::from(std::io::Error::other(format!("no floor for filters {other:?}"))));
            }
        };
        let pieces = touched(dataset, selections)?;
        let longest = pieces.iter().map(|piece| piece.end - piece.start).max().unwrap_or(0);
        let piece_bytes = dataset.chunk_bytes().unwrap_or(longest).max(1) as usize;
        Ok(Self { file: File::open(path)?, pieces, piece_bytes, inflated, shuffled })
    }

    /// The number of chunks to decode.
    pub fn chunks(&self) -> usize {
        self.pieces.len()
    }

    /// False if only parts of unfiltered chunks are wanted: an engine need not fetch whole chunks then, so this work is
    /// not the lowest possible.
    pub fn is_least(&self, wanted_bytes: u64) -> bool {
        self.inflated || self.pieces.iter().map(|piece| piece.end - piece.start).sum::<u64>() <= wanted_bytes
    }

    /// Reads the file once, so that it is in the system's page cache.
    pub fn warm(&self) {
        let mut stored = Vec::new();
        for piece in &self.pieces {
            stored.resize((piece.end - piece.start) as usize, 0);
            self.file
                .read_exact_at(&mut stored, piece.start)
                .expect("the chunk index was checked by the engine");
        }
    }

    /// The bytes of all decoded chunks.
    pub fn decoded_bytes(&self) -> u64 {
        (self.pieces.len() * self.piece_bytes) as u64
    }

    /// Memory for all decoded chunks, with every page already written.
    pub fn target(&self) -> Vec<u8> {
        let mut target = self.new_target();
        target.fill(1);
        target
    }

    /// New memory for all decoded chunks. The first write to each page takes extra time.
    pub fn new_target(&self) -> Vec<u8> {
        let mut target = vec![0; self.pieces.len() * self.piece_bytes];
        hyperslab::memory::advise_huge_pages(&mut target);
        target
    }

    /// Does the work and returns its time in seconds. Threads and their buffers are created before.
    pub fn run(&self, target: &mut [u8]) -> f64 {
        let cores = std::thread::available_parallelism().map_or(1, usize::from).min(self.pieces.len());
        let mut workers: Vec<Worker> = (0..cores).map(|_| Worker::new(self)).collect();
        // Each slice is used by one thread only; the lock proves that to the compiler.
        let places: Vec<Mutex<&mut [u8]>> = target.chunks_mut(self.piece_bytes).map(Mutex::new).collect();
        let next = AtomicUsize::new(0);
        let work = |worker: &mut Worker| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(piece) = self.pieces.get(number) else { return };
                let mut place = places[number].lock().expect("no worker panics");
                worker.decode(self, piece, &mut place);
            }
        };
        let ready = Barrier::new(cores.max(1));
        let mut seconds = 0.0;
        std::thread::scope(|scope| {
            let Some((own, others)) = workers.split_first_mut() else { return };
            let threads: Vec<_> = others
                .iter_mut()
                .map(|worker| {
                    scope.spawn(|| {
                        ready.wait();
                        work(worker);
                    })
                })
                .collect();
            ready.wait();
            let began = Instant::now();
            work(own);
            threads.into_iter().for_each(|thread| thread.join().expect("no worker panics"));
            seconds = began.elapsed().as_secs_f64();
        });
        seconds
    }
}

/// The buffers of one thread.
struct Worker {
    inflater: libdeflater::Decompressor,
    stored: Vec<u8>,
    shuffled: Vec<u8>,
}

impl Worker {
    fn new(work: &Work) -> Self {
        let stored = work.pieces.iter().map(|piece| piece.end - piece.start).max().unwrap_or(0);
        Self {
            inflater: libdeflater::Decompressor::new(),
            stored: vec![1; stored as usize],
            shuffled: vec![1; if work.shuffled > 1 { work.piece_bytes } else { 0 }],
        }
    }

    fn decode(&mut self, work: &Work, piece: &Range<u64>, place: &mut [u8]) {
        let len = (piece.end - piece.start) as usize;
        if !work.inflated {
            work.file.read_exact_at(&mut place[..len], piece.start).expect("the file did not change");
            return;
        }
        let stored = &mut self.stored[..len];
        work.file.read_exact_at(stored, piece.start).expect("the file did not change");
        if work.shuffled < 2 {
            self.inflater.zlib_decompress(stored, place).expect("the chunk is whole");
            return;
        }
        self.inflater.zlib_decompress(stored, &mut self.shuffled).expect("the chunk is whole");
        unshuffle_elements(&self.shuffled, work.shuffled, 0, place);
    }
}

/// The ranges of the file that the selections need, without repetitions: whole chunks, or ranges of contiguous data.
fn touched(dataset: &Dataset, selections: &[Selection]) -> Result<Vec<Range<u64>>> {
    // All rows together touch the same chunks as the whole dataset; planning thousands of reads would take long.
    let everything = [Selection::All];
    let selections = if selections.len() > SELECTIONS_MAX { &everything } else { selections };
    let mut needed = BTreeSet::new();
    for selection in selections {
        let explained = dataset.explain(selection)?;
        if explained.requests_made > explained.requests.len() as u64 {
            return Err(Error::from(std::io::Error::other("no floor for a read of so many requests")));
        }
        // The chunks of the sources of a virtual dataset are in other files.
        for request in explained.requests.into_iter().filter(|request| request.source.is_none()) {
            if request.chunks.is_empty() {
                let pieces = request.range.clone().step_by(PIECE_BYTES);
                needed.extend(pieces.map(|start| (start, request.range.end.min(start + PIECE_BYTES as u64))));
            }
            needed.extend(
                request
                    .chunks
                    .into_iter()
                    .filter_map(|chunk| chunk.range)
                    .map(|range| (range.start, range.end)),
            );
        }
    }
    Ok(needed.into_iter().map(|(start, end)| start..end).collect())
}
