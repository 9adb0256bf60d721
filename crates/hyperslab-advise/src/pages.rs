//! Pages for a file in an object store, or none: the reads of a program are moved to where everything would lie without pages,
//! all metadata first, and in pages of several sizes; and are replayed over the cache of each reader.
//!
//! Readers with a page buffer gain by pages that hold all metadata; readers that fetch blocks without regard to pages may lose.
//! What a page size costs a reader is the time of opening the file, listing it, and making each read once by its weight.

use crate::reader::Reader;
use hyperslab_doctor::forecast::{
    Arrangement, CloudReader, FileLayout, Link, Piece, ReaderForecast, Relocation, Requests, Session, replay,
};
use serde::Serialize;

/// The sizes that are tried, and none.
const PAGE_BYTES: [u64; 4] = [1 << 20, 4 << 20, 8 << 20, 16 << 20];
/// Pages may make a file larger by so much: the growth that NSIDC accepts.
const GROWTH_MAX: f64 = 1.05;
/// What is not better by more than this is as good: no pages, or smaller ones.
const TIE: f64 = 1.04;

/// A file in an object store, and what is read of it.
#[derive(Debug, Clone)]
pub struct StoredFile<'a> {
    /// Everything in it, as it is to be stored; in ascending order.
    pub pieces: &'a [Piece],
    /// What readers know of its layout.
    pub layout: &'a FileLayout,
    /// The reads that open it.
    pub opening: &'a Session,
    /// Those that list it, from the opening on.
    pub listing: &'a Session,
    /// Those of the data.
    pub reads: &'a [ReadSession],
    /// The way to the store.
    pub link: &'a Link,
}

/// The reads of a block that is swept over a dataset, from the opening of the file on.
#[derive(Debug, Clone)]
pub struct ReadSession {
    /// The reads.
    pub session: Session,
    /// The relative weight of this read.
    pub weight: f64,
    /// How many times as many blocks there are as the session has.
    pub factor: f64,
}

/// Which pages serve the readers best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageAdvice {
    /// Size of a page; null for no pages, all metadata before all data.
    pub page_bytes: Option<u64>,
    /// What was tried, without pages first.
    pub candidates: Vec<PageCandidate>,
}

/// A page size that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageCandidate {
    /// Size of a page; null for no pages.
    pub page_bytes: Option<u64>,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// True if the file grows too much.
    pub is_too_large: bool,
    /// How many times as long as its own best each reader waits, on average.
    pub slowdown: f64,
    /// Each reader.
    pub readers: Vec<PagedReader>,
}

/// What opening, listing and reading takes a reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PagedReader {
    /// Its name.
    pub reader: String,
    /// How it reads from an object store: the slowest of the ways that it may have.
    pub over: String,
    /// Seconds of waiting: opening and listing once, and all reads by their weights.
    pub seconds: f64,
    /// Requests for the same.
    pub requests: f64,
    /// Bytes for the same.
    pub bytes: f64,
}

/// Finds the pages that serve these readers best. `None` if none of them depends on pages: hyperslab fetches what it needs
/// wherever it lies.
pub fn advise_on_pages(file: &StoredFile<'_>, readers: &[Reader]) -> Option<PageAdvice> {
    let arrangements = std::iter::once(Arrangement::MetadataFirst)
        .chain(PAGE_BYTES.into_iter().map(Arrangement::Pages))
        .map(|arrangement| Relocation::new(file.pieces, file.layout, arrangement));
    let mut candidates: Vec<PageCandidate> = Vec::new();
    for relocation in arrangements {
        let costs: Vec<PagedReader> =
            readers.iter().filter_map(|reader| reader_cost(file, &relocation, reader)).collect();
        let layout = relocation.layout();
        let unpaged = candidates.first().map_or(layout.file_bytes, |first| first.file_bytes);
        candidates.push(PageCandidate {
            page_bytes: layout.page_bytes,
            file_bytes: layout.file_bytes,
            is_too_large: layout.file_bytes as f64 > unpaged as f64 * GROWTH_MAX,
            slowdown: 0.0,
            readers: costs,
        });
    }
    let count = candidates.first()?.readers.len();
    if count == 0 {
        return None;
    }
    let seconds = |one: &PageCandidate, reader: usize| one.readers[reader].seconds.max(1e-9);
    let least: Vec<f64> = (0..count)
        .map(|reader| candidates.iter().map(|one| seconds(one, reader)).fold(f64::INFINITY, f64::min))
        .collect();
    for one in &mut candidates {
        let sum: f64 = (0..count).map(|reader| seconds(one, reader) / least[reader]).sum();
        one.slowdown = sum / count as f64;
    }
    let allowed = || candidates.iter().filter(|one| !one.is_too_large);
    let best = allowed().map(|one| one.slowdown).fold(f64::INFINITY, f64::min);
    // Without pages first, then by size.
    let chosen = allowed().find(|one| one.slowdown <= best * TIE)?.page_bytes;
    Some(PageAdvice { page_bytes: chosen, candidates })
}

/// What a reader takes. `None` if it reads nothing through libhdf5.
fn reader_cost(file: &StoredFile<'_>, moved: &Relocation, reader: &Reader) -> Option<PagedReader> {
    let ways = reader.in_object_stores().iter().filter_map(|way| {
        let (seconds, requests, bytes) = way_cost(file, moved, *way)?;
        Some(PagedReader {
            reader: reader.name.clone(),
            over: way.title().to_owned(),
            seconds,
            requests,
            bytes,
        })
    });
    ways.max_by(|one, other| one.seconds.total_cmp(&other.seconds))
}

/// Seconds, requests and bytes.
fn way_cost(file: &StoredFile<'_>, moved: &Relocation, way: CloudReader) -> Option<(f64, f64, f64)> {
    let replayed = |session: &Session| replay(way, moved.layout(), &moved.session(session), 0);
    let opening = replayed(file.opening)?;
    let cost = |requests: &Requests, factor: f64| {
        let one = ReaderForecast::new(way, requests, &opening, factor, file.link);
        [one.seconds, one.requests as f64, one.bytes as f64]
    };
    let (once, listing) = (cost(&opening, 1.0), cost(&replayed(file.listing)?, 1.0));
    let weights: f64 = file.reads.iter().map(|read| read.weight).sum();
    let mut sum = listing;
    for read in file.reads {
        let one = cost(&replayed(&read.session)?, read.factor);
        for (sum, (one, once)) in sum.iter_mut().zip(one.iter().zip(&once)) {
            // The file is open already.
            *sum += (one - once).max(0.0) * read.weight / weights.max(f64::MIN_POSITIVE);
        }
    }
    let [seconds, requests, bytes] = sum;
    Some((seconds, requests, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_doctor::forecast::Access;
    use hyperslab_doctor::simulate::PageKind::{self, Metadata, Raw};

    const MIB: u64 = 1 << 20;

    /// 60 structures of 2 KiB, each before a chunk of so many bytes.
    fn pieces(chunk_bytes: u64) -> Vec<Piece> {
        let step = 2048 + chunk_bytes;
        let piece = |kind, start, end| Piece { kind, start, end };
        (0..60)
            .flat_map(|n| {
                let start = n * step;
                [piece(Metadata, start, start + 2048), piece(Raw, start + 2048, start + step)]
            })
            .collect()
    }

    fn session(pieces: &[Piece], kinds: &[PageKind], count: usize) -> Session {
        let of_kind = pieces.iter().filter(|piece| kinds.contains(&piece.kind)).take(count);
        let accesses = of_kind
            .map(|piece| Access { kind: piece.kind, address: piece.start, len: piece.end - piece.start })
            .collect();
        Session { accesses, chunks: Vec::new() }
    }

    fn advice(chunk_bytes: u64, readers: &[&str]) -> Option<PageAdvice> {
        let pieces = pieces(chunk_bytes);
        let layout =
            FileLayout { file_bytes: pieces.last().unwrap().end, opening_reads: 1, ..FileLayout::default() };
        let read = ReadSession { session: session(&pieces, &[Metadata, Raw], 120), weight: 1.0, factor: 1.0 };
        let readers: Vec<Reader> = readers.iter().map(|name| Reader::parse(name).unwrap()).collect();
        let link = Link { latency_seconds: 0.04, bytes_per_second: 80e6, ..Link::default() };
        let file = StoredFile {
            pieces: &pieces,
            layout: &layout,
            opening: &session(&pieces, &[Metadata], 1),
            listing: &session(&pieces, &[Metadata], 60),
            reads: &[read],
            link: &link,
        };
        advise_on_pages(&file, &readers)
    }

    #[test]
    fn a_page_buffer_fetches_many_small_chunks_at_once() {
        let advice = advice(MIB, &["libhdf5-1.10", "hyperslab"]).unwrap();
        assert_eq!(advice.page_bytes, None, "it has no page buffer: {advice:?}");
        let small = self::advice(MIB / 3, &["libhdf5-2"]).unwrap();
        assert!(small.page_bytes.is_some(), "{small:?}");
        let [unpaged, paged] = [0, 1].map(|number| &small.candidates[number]);
        // 16 MiB come with the opening; then 13 chunks, or 5 pages.
        assert_eq!((unpaged.readers[0].requests, paged.readers[0].requests), (16.0, 8.0), "{small:?}");
    }

    #[test]
    fn pages_that_stay_empty_are_too_large() {
        // 180 KiB in all.
        let advice = advice(1024, &["libhdf5-2"]).unwrap();
        assert_eq!(advice.page_bytes, None);
        let too_large: Vec<bool> = advice.candidates.iter().map(|one| one.is_too_large).collect();
        assert_eq!(too_large, [false, true, true, true, true]);
    }

    #[test]
    fn hyperslab_does_not_depend_on_pages() {
        assert_eq!(advice(MIB, &["hyperslab"]), None);
    }
}
