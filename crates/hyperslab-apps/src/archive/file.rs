//! What repacking one file would save.

use crate::advise::{Axes, Samples, unsuitable};
use crate::doctor::older;
use crate::error::one_line;
use crate::facts::{self, Library, SampleScope, choose, is_netcdf};
use crate::{Error, files};
use hyperslab::{Dataset, File};
use hyperslab_advise::{
    Origin, Place, Question, Reader, SizeBound, Survey, Surveyor, Target, UsualRead, usual_reads,
};
use hyperslab_doctor::Options;
use hyperslab_storage::pattern::RequestedRead;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// Smaller datasets are counted, not examined: whatever is saved of them is little.
const DATASET_BYTES_MIN: u64 = 64 << 10;
/// The largest datasets of a file that are examined.
const DATASETS_MAX: usize = 32;
/// Bytes of the samples of a dataset.
const SAMPLE_BYTES: u64 = 128 << 10;

/// What is asked about every file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurveyRequest {
    /// The place, as the user wrote it.
    pub place: String,
    /// The readers, as the user wrote them.
    pub readers: Vec<String>,
    /// The reads, as the user wrote them; the usual ones if there are none.
    pub reads: Vec<String>,
}

/// A file that was examined: a line of the JSON output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileSurvey {
    /// Its path or URL.
    pub file: String,
    /// What was asked.
    pub asked: SurveyRequest,
    /// Its size; 0 if it could not be opened.
    pub bytes: u64,
    /// Why it, or a part of it, could not be examined.
    pub problem: Option<String>,
    /// What repacking each of its large datasets would save, the largest first.
    pub datasets: Vec<Survey>,
    /// Datasets that were not examined: small ones, those without chunks to choose, those beyond the largest.
    pub others: u64,
}

/// Examines files.
pub struct FileSurveyor {
    asked: SurveyRequest,
    reads: Vec<RequestedRead>,
    readers: Vec<Reader>,
    place: Place,
    library: OnceLock<Library>,
    surveyor: Surveyor,
}

impl FileSurveyor {
    pub fn new(asked: &SurveyRequest) -> Result<Self, Error> {
        let reads = asked.reads.iter().map(|read| read.parse()).collect::<Result<_, _>>();
        let readers = asked.readers.iter().map(|reader| Reader::parse(reader)).collect::<Result<_, _>>();
        Ok(Self {
            asked: asked.clone(),
            reads: reads.map_err(|error: hyperslab_storage::WordError| wrong(&error))?,
            readers: readers.map_err(|error| wrong(&error))?,
            place: Place::parse(&asked.place).map_err(|error| wrong(&error))?,
            library: OnceLock::new(),
            surveyor: Surveyor::default(),
        })
    }

    /// Examines a file. What is wrong with it is told in the answer.
    pub fn survey(&self, path: &Path) -> FileSurvey {
        let mut survey = FileSurvey {
            file: files::lasting_name(path),
            asked: self.asked.clone(),
            bytes: 0,
            problem: None,
            datasets: Vec::new(),
            others: 0,
        };
        if let Err(failure) = self.examine(path, &mut survey) {
            survey.problem = Some(one_line(&failure.message));
        }
        survey
    }

    fn examine(&self, path: &Path, survey: &mut FileSurvey) -> Result<(), Error> {
        let file = files::look(path)?;
        survey.bytes = file.len();
        // The largest first.
        let options = Options { reads: self.reads.clone(), all: true, ..Options::default() };
        // A file without a dataset has nothing to rank, which is not an error.
        let (chosen, _) = choose::if_any(&file, &options)?;
        if let Some(error) = chosen.damaged.into_iter().next() {
            survey.problem = Some(one_line(&Error::from(error).message));
        }
        let axes = Axes::of(&file);
        for dataset in &chosen.datasets {
            let is_large =
                dataset.logical_bytes() >= DATASET_BYTES_MIN && survey.datasets.len() < DATASETS_MAX;
            // Of what is not stored, nothing can be saved.
            let answer = match dataset.stored_bytes() {
                Ok(stored) if stored > 0 && is_large && unsuitable(dataset).is_none() => {
                    self.dataset(&file, &axes, dataset)
                }
                stored => stored.map(|_| None).map_err(Error::from),
            };
            match answer {
                Ok(Some(one)) => survey.datasets.push(one),
                Ok(None) => survey.others += 1,
                // A dataset that cannot be read does not hide the others.
                Err(failure) => survey.problem = Some(one_line(&failure.message)),
            }
        }
        Ok(())
    }

    fn dataset(&self, file: &File, axes: &Axes, dataset: &Dataset) -> Result<Option<Survey>, Error> {
        let facts = facts::of(dataset, SampleScope::Nothing)?;
        let shape = dataset.shape();
        let reads = if self.reads.is_empty() {
            usual_reads(shape, facts.element_bytes, axes.get(dataset))
        } else {
            let resolved = self
                .reads
                .iter()
                .filter_map(|read| Some(UsualRead::requested(&read.shape.resolve(shape)?, read.weight)));
            resolved.collect()
        };
        let library = self.library.get_or_init(Library::of_python);
        let question = Question {
            facts: &facts,
            target: Target {
                file: file.name(),
                origin: Origin::default(),
                is_netcdf: is_netcdf(file),
                page_bytes: None,
            },
            reads: reads.clone(),
            write: None,
            readers: self.readers.clone(),
            size_bound: SizeBound::default(),
            max_error: None,
            place: self.place.clone(),
            terms: library.terms(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            engine_cache_bytes: hyperslab::cache_bytes() as u64,
            inflate_factor: None,
            time: Duration::ZERO,
        };
        let answer = self.surveyor.survey(&question, &mut Samples::small(dataset, SAMPLE_BYTES));
        let mut survey = answer.map_err(|error| Error::unreadable(error.to_string()))?;
        if let (Some(library), Some(survey)) = (older::library(file), &mut survey) {
            survey.present.seconds = older::seconds(dataset, library, &reads)?;
        }
        Ok(survey)
    }
}

fn wrong(error: &dyn std::error::Error) -> Error {
    Error::wrong_request(error.to_string())
}
