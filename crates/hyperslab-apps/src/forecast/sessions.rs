//! What a program reads of a file to open it, to list it, and to read blocks of its datasets.

use super::SweptRead;
use super::layout::{kind, layout, pieces};
use super::planned::{Planned, PlannedSession};
use super::recording::{Recorded, Recording};
use super::references::index_bytes;
use super::unrecorded::Unrecorded;
use crate::{Error, files};
use hyperslab::File;
use hyperslab::hdf5::{Census, census};
use hyperslab_advise::Place;
use hyperslab_doctor::forecast::{
    Access, Alternative, AlternativeStep, Arrangement, CloudReader, FileLayout, Forecast, Piece,
    ReaderForecast, Relocation, Requests, Session, StepForecast, replay,
};
use hyperslab_storage::lines::shell_word;
use std::path::Path;

/// The size of pages that NSIDC recommends.
const PAGE_BYTES: u64 = 8 << 20;

/// A step before its requests are counted.
pub(super) struct Step<'a> {
    name: String,
    /// The read; `None` for opening and listing.
    pub(super) read: Option<&'a SweptRead>,
    /// What libhdf5 reads.
    pub(super) session: Session,
    /// What hyperslab requests.
    own: Requests,
    /// Why the reads are not those of libhdf5.
    not_recorded: Option<String>,
}

impl Step<'_> {
    /// What the requests are multiplied with, where not all blocks were replayed.
    pub(super) fn factor(&self) -> f64 {
        let replayed = self.session.chunks.len().max(1) as f64;
        self.read.map_or(1.0, |read| read.total as f64 / replayed)
    }
}

/// All steps of a file.
pub struct Sessions<'a> {
    file: String,
    pub(super) place: &'a Place,
    pub(super) census: Census,
    pub(super) layout: FileLayout,
    /// False for older formats, which no other reader reads from a store.
    is_hdf5: bool,
    /// Bytes of kerchunk's references; `None` if they cannot be made.
    index_bytes: Option<u64>,
    recorded_with: Option<String>,
    /// Opening, listing, and the reads.
    pub(super) steps: Vec<Step<'a>>,
}

impl<'a> Sessions<'a> {
    /// Records the reads of the user's own libhdf5 where that is possible; otherwise they are those of hyperslab's plans.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of(path: &Path, file: &File, reads: &'a [SweptRead], place: &'a Place) -> Result<Self, Error> {
        let census = census(file)?;
        let is_one_local_file = !files::is_url(path)
            && std::fs::metadata(path)
                .is_ok_and(|local| local.is_file() && local.len() == file.source().len());
        let is_hdf5 = file.named_dimensions().is_none();
        let recording = (is_one_local_file && is_hdf5).then(|| Recording::of(path, reads)).flatten();
        let planned = Planned::new(file.source(), &place.link);
        let mut sessions = Self {
            file: shell_word(&files::shown(path)),
            place,
            layout: layout(&census, file, reads)?,
            is_hdf5,
            index_bytes: is_one_local_file.then(|| index_bytes(file)).flatten(),
            recorded_with: recording.as_ref().map(Recording::library),
            census,
            steps: Vec::new(),
        };
        let recorded = |of: fn(&Recording) -> &Recorded| recording.as_ref().map(of);
        let opening = sessions.step("opening", None, recorded(|all| &all.opening), planned.opening()?);
        sessions.layout.opening_reads = opening.session.accesses.len();
        let listing = sessions.step("listing", None, recorded(|all| &all.listing), planned.listing()?);
        sessions.steps.extend([opening, listing]);
        for (number, read) in reads.iter().enumerate() {
            let recorded = recording.as_ref().and_then(|all| all.reads.get(number));
            let step = match (&recording, recorded.and_then(Recorded::blocks)) {
                (Some(recording), Some(blocks)) if blocks < read.blocks.len() => {
                    sessions.continued(file, read, (recording, recorded), blocks, &planned)?
                }
                (_, blocks) => {
                    let blocks = blocks.unwrap_or(0);
                    sessions.step(&read.name, Some(read), recorded, planned.read(read, blocks)?)
                }
            };
            sessions.steps.push(step);
        }
        Ok(sessions)
    }

    /// A step with the reads that libhdf5 made, or with those of the plans where they were not recorded.
    fn step(
        &self,
        name: &str,
        read: Option<&'a SweptRead>,
        recorded: Option<&Recorded>,
        planned: PlannedSession,
    ) -> Step<'a> {
        let of_library =
            |&(address, len): &(u64, u64)| Access { kind: kind(&self.census, address), address, len };
        let (accesses, not_recorded): (Vec<Access>, _) = match recorded {
            Some(Recorded::Done { accesses, .. }) => (accesses.iter().map(of_library).collect(), None),
            // Such as data of a filter that the library lacks.
            Some(Recorded::Failed { error }) => (planned.accesses, Some(error.clone())),
            None => (planned.accesses, None),
        };
        let session = Session { accesses, chunks: planned.chunks };
        Step { name: name.to_owned(), read, session, own: planned.own, not_recorded }
    }

    /// A step of which the first `blocks` blocks were recorded, with the reads of the following ones. Without these where
    /// they cannot be simulated.
    fn continued(
        &self,
        file: &File,
        read: &'a SweptRead,
        (recording, recorded): (&Recording, Option<&Recorded>),
        blocks: usize,
        planned: &Planned,
    ) -> Result<Step<'a>, Error> {
        let dataset = file.dataset(&read.path)?;
        let Some(unrecorded) = Unrecorded::of(&dataset, &self.census, recording.release())? else {
            return Ok(self.step(&read.name, Some(read), recorded, planned.read_exactly(read, blocks)?));
        };
        let all = planned.read(read, blocks)?;
        let (count, metadata) = (all.chunks.len(), all.accesses.clone());
        let mut step = self.step(&read.name, Some(read), recorded, all);
        unrecorded.add(&mut step.session.accesses, &metadata, &read.blocks[..count], blocks);
        Ok(step)
    }

    /// The forecast for each reader.
    pub fn forecast(&self) -> Forecast {
        let link = self.place.link;
        Forecast {
            place: self.place.name.clone(),
            latency_seconds: link.latency_seconds,
            bytes_per_second: link.bytes_per_second,
            recorded_with: self.recorded_with.clone(),
            steps: self.steps.iter().map(|step| self.step_forecast(step)).collect(),
            alternatives: self.alternatives(),
        }
    }

    /// What the steps would take if the file were repacked as the guides recommend.
    fn alternatives(&self) -> Vec<Alternative> {
        if !self.is_hdf5 {
            return Vec::new();
        }
        let pieces: Vec<Piece> = pieces(&self.census, None);
        let (file, out) = (&self.file, "out.h5");
        let all = [
            (Arrangement::MetadataFirst, "all metadata first", "CMIP7, Jelenak", String::new()),
            (
                Arrangement::Pages(PAGE_BYTES),
                "pages of 8 MiB",
                "NSIDC",
                format!("--page-size {} ", hyperslab_units::bytes_option(PAGE_BYTES)),
            ),
        ];
        let arranged = all.into_iter().map(|(arrangement, name, source, option)| {
            let relocation = Relocation::new(&pieces, &self.layout, arrangement);
            let moved = |step: &Step<'_>| relocation.session(&step.session);
            let opening = moved(&self.steps[0]);
            let steps = self.steps.iter().map(|step| {
                let session = moved(step);
                let reader = |reader| {
                    let of = |session| replay(reader, relocation.layout(), session, 0);
                    let (requests, opening) = (of(&session)?, of(&opening)?);
                    Some(ReaderForecast::new(reader, &requests, &opening, step.factor(), &self.place.link))
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
    fn step_forecast(&self, step: &Step<'_>) -> StepForecast {
        let (opening, factor) = (&self.steps[0], step.factor());
        let reader_forecast = |reader, requests: &Requests, opening: &Requests| {
            ReaderForecast::new(reader, requests, opening, factor, &self.place.link)
        };
        let of = |reader, step: &Step<'_>| {
            replay(reader, &self.layout, &step.session, self.index_bytes.unwrap_or(0))
        };
        let referring = self.index_bytes.map(|_| CloudReader::ChunkReferences);
        let replayed = CloudReader::REPLAYED.into_iter().filter(|_| self.is_hdf5);
        let replayable = replayed.chain(referring);
        let readers = replayable
            .filter_map(|reader| Some(reader_forecast(reader, &of(reader, step)?, &of(reader, opening)?)));
        let own = reader_forecast(CloudReader::Hyperslab, &step.own, &opening.own);
        let (read, blocks) = (step.read, step.session.chunks.len() as u64);
        let parts = read.map_or(1, |read| read.parts.max(1));
        StepForecast {
            name: step.name.clone(),
            path: read.map(|read| read.path.clone()),
            block: read.map(|read| read.block.clone()),
            blocks: read.map(|read| read.total.div_ceil(parts)),
            blocks_replayed: read.map(|_| blocks.div_ceil(parts)),
            not_recorded: step.not_recorded.clone(),
            readers: readers.chain([own]).collect(),
        }
    }
}
