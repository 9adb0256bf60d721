//! `--cloud`: what opening, listing and reading a file takes in an object store, for each kind of reader.
//!
//! ```text
//! h5py on a local file (record.py) ──► accesses ─┐
//!   without h5py: hyperslab's plans ─────────────┴─► replay (hyperslab-doctor) ─┐
//! hyperslab over a simulated store (planned.rs) ────────────────────────────────┴─► Forecast
//! ```

mod planned;
mod recording;
mod references;
mod simulated_remote;
mod swept_read;

pub(crate) use swept_read::SweptRead;

use crate::failure::Failure;
use crate::location;
use hyperslab::File;
use hyperslab::internal::{Census, Owner, census, source};
use hyperslab_advise::Place;
use hyperslab_doctor::forecast::{
    Access, Alternative, AlternativeStep, Arrangement, CloudReader, Contiguous, Forecast, Layout, Link,
    Piece, ReaderForecast, Relocation, Requests, Session, StepForecast, replay,
};
use hyperslab_doctor::pattern::Sweep;
use hyperslab_doctor::simulate::PageKind;
use hyperslab_doctor::{Report, shell_word};
use planned::{Planned, PlannedSession};
use recording::{Recorded, Recording};
use references::index_bytes;
use std::path::Path;

/// The size of pages that NSIDC recommends.
const PAGE_BYTES: u64 = 8 << 20;
/// The object store that is meant where a user names none.
pub(crate) const DEFAULT_STORE: &str = "s3";

/// The object store that a user has named.
pub(crate) fn place(text: &str) -> Result<Place, Failure> {
    Place::parse(text).map_err(|error| Failure::wrong_request(error.to_string()))
}

/// The forecast for a file that the doctor has examined: its largest dataset and the reads that the doctor has simulated.
pub(crate) fn of_report(path: &Path, report: &Report, place: &Place) -> Result<Forecast, Failure> {
    let file = location::open(path)?;
    let with_reads = report.datasets.iter().filter(|dataset| !dataset.reads.is_empty());
    let mut reads = Vec::new();
    if let Some(examined) = with_reads.max_by_key(|dataset| dataset.logical_bytes) {
        let dataset = file.dataset(&examined.path)?;
        let sweep = |read: &hyperslab_doctor::ReadReport| {
            SweptRead::new(&dataset, &read.name, &Sweep::new(&examined.shape, &read.shape, &read.order))
        };
        reads = examined.reads.iter().map(sweep).collect();
    }
    forecast(path, &file, &reads, place)
}

/// What opening and listing a file and these reads take at a place.
pub(crate) fn forecast(
    path: &Path,
    file: &File,
    reads: &[SweptRead],
    place: &Place,
) -> Result<Forecast, Failure> {
    let census = census(file)?;
    let is_one_local_file = !location::is_url(path)
        && std::fs::metadata(path).is_ok_and(|local| local.is_file() && local.len() == source(file).len());
    let recording = is_one_local_file.then(|| Recording::of(path, reads)).flatten();
    let link = place.link;
    let planned = Planned::new(source(file), &link);
    let mut forecaster = Forecaster {
        layout: layout(&census, file, reads)?,
        index_bytes: is_one_local_file.then(|| index_bytes(file)).flatten(),
        census: &census,
        link,
    };
    let opening = planned.opening()?;
    let opening = forecaster.step("opening", recording.as_ref().map(|all| &all.opening), opening);
    forecaster.layout.opening_reads = opening.session.accesses.len();
    let listing = planned.listing()?;
    let listing = forecaster.step("listing", recording.as_ref().map(|all| &all.listing), listing);
    let mut sessions = vec![(opening, None), (listing, None)];
    for (number, read) in reads.iter().enumerate() {
        let recorded = recording.as_ref().and_then(|all| all.reads.get(number));
        let blocks = recorded.and_then(Recorded::blocks).unwrap_or(read.blocks.len());
        sessions.push((forecaster.step(&read.name, recorded, planned.read(read, blocks)?), Some(read)));
    }
    let opening = &sessions[0].0;
    let steps = sessions.iter().map(|(step, read)| forecaster.forecast(step, *read, opening)).collect();
    let alternatives = forecaster.alternatives(path, &sessions);
    Ok(Forecast {
        place: place.name.clone(),
        latency_seconds: link.latency_seconds,
        bytes_per_second: link.bytes_per_second,
        recorded_with: recording.map(|recording| recording.library()),
        steps,
        alternatives,
    })
}

/// A step before its requests are counted.
struct Step {
    name: String,
    /// What libhdf5 reads.
    session: Session,
    /// What hyperslab requests.
    own: Requests,
    /// Why the reads are not those of libhdf5.
    not_recorded: Option<String>,
}

/// What all steps share.
struct Forecaster<'a> {
    layout: Layout,
    /// Bytes of kerchunk's references; `None` if they cannot be made.
    index_bytes: Option<u64>,
    census: &'a Census,
    link: Link,
}

impl Forecaster<'_> {
    /// A step with the reads that libhdf5 made, or with those of the plans where they were not recorded.
    fn step(&self, name: &str, recorded: Option<&Recorded>, planned: PlannedSession) -> Step {
        let of_library =
            |&(address, len): &(u64, u64)| Access { kind: kind(self.census, address), address, len };
        let (accesses, not_recorded): (Vec<Access>, _) = match recorded {
            Some(Recorded::Done { accesses, .. }) => (accesses.iter().map(of_library).collect(), None),
            // Such as data of a filter that the library lacks.
            Some(Recorded::Failed { error }) => (planned.accesses, Some(error.clone())),
            None => (planned.accesses, None),
        };
        let session = Session { accesses, chunks: planned.chunks };
        Step { name: name.to_owned(), session, own: planned.own, not_recorded }
    }

    /// What the steps would take if the file were repacked as the guides recommend.
    fn alternatives(&self, path: &Path, sessions: &[(Step, Option<&SweptRead>)]) -> Vec<Alternative> {
        let pieces: Vec<Piece> = self
            .census
            .extents
            .iter()
            .filter(|extent| extent.owner != Owner::Free)
            .map(|extent| Piece { kind: owned_kind(extent.owner), start: extent.start, end: extent.end })
            .collect();
        let (file, out) = (shell_word(&location::shown(path)), "out.h5");
        let all = [
            (Arrangement::MetadataFirst, "all metadata first", "CMIP7, Jelenak", String::new()),
            (Arrangement::Pages(PAGE_BYTES), "pages of 8 MiB", "NSIDC", format!("--page-size {PAGE_BYTES} ")),
        ];
        let arranged = all.into_iter().map(|(arrangement, name, source, option)| {
            let relocation = Relocation::new(&pieces, &self.layout, arrangement);
            let moved = |step: &Step| relocation.session(&step.session);
            let opening = moved(&sessions[0].0);
            let steps = sessions.iter().map(|(step, read)| {
                let (session, factor) = (moved(step), factor(step, *read));
                let reader = |reader| {
                    let of = |session| replay(reader, relocation.layout(), session, 0);
                    Some(ReaderForecast::new(reader, &of(&session)?, &of(&opening)?, factor, &self.link))
                };
                let readers = CloudReader::REPLAYED.into_iter().filter_map(reader).collect();
                AlternativeStep { name: step.name.clone(), readers }
            });
            Alternative {
                name: name.to_owned(),
                source: source.to_owned(),
                page_bytes: relocation.layout().page_bytes,
                line: format!("hyperslab repack {option}{file} {out}"),
                steps: steps.collect(),
            }
        });
        arranged
            .filter(|arranged| arranged.page_bytes.is_none() || arranged.page_bytes != self.layout.page_bytes)
            .collect()
    }

    /// What a step takes with each reader. What opening the file takes does not grow with the blocks that are read.
    fn forecast(&self, step: &Step, read: Option<&SweptRead>, opening: &Step) -> StepForecast {
        let replayed = step.session.chunks.len() as u64;
        let factor = factor(step, read);
        let reader_forecast = |reader, requests: &Requests, opening: &Requests| {
            ReaderForecast::new(reader, requests, opening, factor, &self.link)
        };
        let of =
            |reader, step: &Step| replay(reader, &self.layout, &step.session, self.index_bytes.unwrap_or(0));
        let referring = self.index_bytes.map(|_| CloudReader::ChunkReferences);
        let replayable = CloudReader::REPLAYED.into_iter().chain(referring);
        let readers = replayable
            .filter_map(|reader| Some(reader_forecast(reader, &of(reader, step)?, &of(reader, opening)?)));
        let own = reader_forecast(CloudReader::Hyperslab, &step.own, &opening.own);
        let parts = read.map_or(1, |read| read.parts.max(1));
        StepForecast {
            name: step.name.clone(),
            path: read.map(|read| read.path.clone()),
            block: read.map(|read| read.block.clone()),
            blocks: read.map(|read| read.total.div_ceil(parts)),
            blocks_replayed: read.map(|_| replayed.div_ceil(parts)),
            not_recorded: step.not_recorded.clone(),
            readers: readers.chain([own]).collect(),
        }
    }
}

/// What the requests of a step are multiplied with, where not all blocks were replayed.
fn factor(step: &Step, read: Option<&SweptRead>) -> f64 {
    read.map_or(1.0, |read| read.total as f64 / step.session.chunks.len().max(1) as f64)
}

fn owner(census: &Census, address: u64) -> Option<Owner> {
    let before = census.extents.partition_point(|extent| extent.start <= address).checked_sub(1)?;
    let extent = &census.extents[before];
    (address < extent.end).then_some(extent.owner)
}

fn kind(census: &Census, address: u64) -> PageKind {
    owner(census, address).map_or(PageKind::Metadata, owned_kind)
}

/// libhdf5's page buffer takes global heaps for raw data.
fn owned_kind(owner: Owner) -> PageKind {
    match owner {
        Owner::RawData(_) | Owner::Metadata("global heap collection") => PageKind::Raw,
        Owner::Metadata(_) | Owner::Free => PageKind::Metadata,
    }
}

fn layout(census: &Census, file: &File, reads: &[SweptRead]) -> Result<Layout, Failure> {
    let mut contiguous = Vec::new();
    for (number, (path, _)) in census.raw_data.iter().enumerate() {
        let is_read = reads.iter().any(|read| read.path == *path);
        if !is_read || file.dataset(path)?.layout_name() != "contiguous" {
            continue;
        }
        let own = census.extents.iter().filter(|extent| extent.owner == Owner::RawData(number));
        contiguous.extend(own.map(|extent| Contiguous { start: extent.start, end: extent.end }));
    }
    contiguous.sort_unstable();
    Ok(Layout { file_bytes: source(file).len(), page_bytes: census.page_bytes, contiguous, opening_reads: 0 })
}
