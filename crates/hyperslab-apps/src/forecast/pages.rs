//! Which page size serves a file, as it is or with a dataset in other chunks.

use super::SweptRead;
use super::layout::pieces;
use super::sessions::{Sessions, Step};
use crate::Error;
use hyperslab_advise::{PageAdvice, ReadSession, Reader, StoredFile, advise_on_pages};
use hyperslab_doctor::forecast::{Access, Contiguous, FileLayout, Piece, RawPlaces, RawReads, Session};
use hyperslab_doctor::simulate::{Geometry, LibVersion, PageKind};
use hyperslab_doctor::{DatasetFacts, Profile};
use hyperslab_storage::CacheSettings;

/// Reads of a sweep that are simulated at most; the rest is extrapolated.
const ACCESSES_MAX: usize = 100_000;
/// Files of more chunks are not arranged.
const CHUNKS_MAX: u64 = 1_000_000;

/// Where everything lies, and what is read.
struct Arranged {
    pieces: Vec<Piece>,
    layout: FileLayout,
    reads: Vec<ReadSession>,
}

impl Sessions<'_> {
    /// The pages that serve these readers best. `weights` are those of the reads; `rewritten` is the dataset that they read as
    /// it is to be stored, unless it stays as it is. `None` if no reader depends on pages, or for a file of too many chunks.
    pub fn page_advice(
        &self,
        weights: &[f64],
        rewritten: Option<&DatasetFacts>,
        readers: &[Reader],
    ) -> Result<Option<PageAdvice>, Error> {
        let [opening, listing, reads @ ..] = self.steps.as_slice() else { return Ok(None) };
        let arranged = match rewritten {
            Some(facts) => self.rewritten(facts, reads, weights, readers)?,
            None => Some(self.as_it_is(reads, weights)),
        };
        let Some(Arranged { pieces, layout, reads }) = arranged else { return Ok(None) };
        let file = StoredFile {
            pieces: &pieces,
            layout: &layout,
            opening: &opening.session,
            listing: &listing.session,
            reads: &reads,
            link: &self.place.link,
        };
        Ok(advise_on_pages(&file, readers))
    }

    fn as_it_is(&self, steps: &[Step<'_>], weights: &[f64]) -> Arranged {
        let reads = steps.iter().zip(weights).map(|(step, weight)| ReadSession {
            session: step.session.clone(),
            weight: *weight,
            factor: step.factor(),
        });
        Arranged { pieces: pieces(&self.census, None), layout: self.layout.clone(), reads: reads.collect() }
    }

    /// The file with one dataset in other chunks, behind everything else: all of the same size, in their order.
    fn rewritten(
        &self,
        facts: &DatasetFacts,
        steps: &[Step<'_>],
        weights: &[f64],
        readers: &[Reader],
    ) -> Result<Option<Arranged>, Error> {
        let geometry = Geometry::of(facts).map_err(|error| Error::unreadable(error.to_string()))?;
        let Some(geometry) = geometry else { return Ok(None) };
        let chunks = geometry.chunks().map_or(1, |chunks| chunks.grid_chunks()).max(1);
        if chunks > CHUNKS_MAX {
            return Ok(None);
        }
        let (first, bytes) = (self.layout.file_bytes, (facts.stored_bytes / chunks).max(1));
        let place = |chunk: u64| (first.saturating_add(chunk.saturating_mul(bytes)), bytes);
        let mut pieces = pieces(&self.census, Some(&facts.path));
        pieces.extend((0..chunks).map(place).map(|(start, bytes)| Piece {
            kind: PageKind::Raw,
            start,
            end: start.saturating_add(bytes),
        }));
        let is_contiguous = geometry.chunk_dims().is_none();
        let whole = Contiguous { start: first, end: first.saturating_add(bytes) };
        let contiguous = is_contiguous.then_some(whole).into_iter().collect();
        let layout = FileLayout { contiguous, ..self.layout.clone() };
        let (settings, version) = smallest_cache(readers, geometry.chunk_bytes());
        let stored = |chunk: u64| Some(place(chunk));
        let mut reads = Vec::new();
        for (step, weight) in steps.iter().zip(weights) {
            let places =
                if is_contiguous { RawPlaces::Contiguous(first) } else { RawPlaces::Chunks(&stored) };
            let Some(raw) = RawReads::new(&geometry, places, settings, version) else { return Ok(None) };
            reads.extend(step.read.map(|read| swept(step, read, raw, *weight)));
        }
        Ok(Some(Arranged { pieces, layout, reads }))
    }
}

/// The metadata that was read for a step, then the raw data of its blocks.
fn swept(step: &Step<'_>, read: &SweptRead, mut raw: RawReads<'_>, weight: f64) -> ReadSession {
    let metadata = step.session.accesses.iter().filter(|access| access.kind == PageKind::Metadata);
    let mut accesses: Vec<Access> = metadata.copied().collect();
    let mut blocks = 0u64;
    for (start, count) in &read.blocks {
        if accesses.len() > ACCESSES_MAX {
            break;
        }
        raw.read(start, count, &mut accesses);
        blocks += 1;
    }
    let factor = read.total as f64 / blocks.max(1) as f64;
    ReadSession { session: Session { accesses, chunks: Vec::new() }, weight, factor }
}

/// The smallest chunk cache of the readers, in which one chunk fits.
fn smallest_cache(readers: &[Reader], chunk_bytes: Option<u64>) -> (CacheSettings, LibVersion) {
    let profiles = readers.iter().flat_map(Reader::profiles);
    let smallest = profiles.min_by_key(|profile| profile.cache(chunk_bytes).nbytes).cloned();
    let profile = smallest.or_else(|| Profile::defaults().into_iter().next());
    let (settings, version) = profile
        .map_or((CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 }, LibVersion::NEWEST), |profile| {
            (profile.cache(chunk_bytes), profile.version)
        });
    (CacheSettings { nbytes: settings.nbytes.max(chunk_bytes.unwrap_or(0)), ..settings }, version)
}
