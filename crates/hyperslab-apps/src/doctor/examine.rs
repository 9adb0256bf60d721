//! The examination of one file: its datasets, chosen, diagnosed and filtered.

use super::filter::Filter;
use super::{Request, file_facts, older, options};
use crate::absent::sentences;
use crate::facts::calibration::Calibrated;
use crate::facts::choose::{self, Chosen};
use crate::facts::{self, Library, SampleScope};
use crate::observed::Observed;
use crate::{Error, Result, files, forecast};
use hyperslab::hdf5::{Census, census};
use hyperslab::{Dataset, File, absent, absent_of};
use hyperslab_advise::Place;
use hyperslab_doctor::{
    DatasetFacts, DatasetReport, DoctorError, Options, Report, Severity, diagnose, diagnose_file,
    diagnose_storage,
};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Examines files as a request says.
pub struct Examiner<'a> {
    request: &'a Request,
    keeps_evidence: bool,
    filter: Filter,
    /// Where the files lie, if their requests are to be forecast.
    store: Option<Place>,
    /// Looked for when the first file is open: a Python has to be asked.
    library: OnceLock<Library>,
}

/// What came of a file.
pub struct Answer {
    /// The report.
    pub report: Report,
    /// Remarks on what was examined.
    pub notes: Vec<String>,
    /// Parts that could not be read.
    pub failures: Vec<Error>,
    /// What the report was made from, where that was wanted.
    pub evidence: Option<Evidence>,
}

/// What a report was made from: what is drawn of a file.
pub struct Evidence {
    /// What the bytes of the file belong to.
    pub census: Census,
    /// The datasets whose reads were simulated.
    pub datasets: Vec<Dataset>,
    /// How they were diagnosed.
    pub options: Options,
}

impl<'a> Examiner<'a> {
    /// # Errors
    /// Words that mean nothing, a baseline that cannot be read, and a libhdf5 that cannot be loaded.
    pub fn new(request: &'a Request) -> Result<Self> {
        let filter = Filter::new(&request.select, &request.ignore, request.baseline.as_deref())?;
        let library = OnceLock::new();
        if let Some(path) = &request.libhdf5 {
            let _ = library.set(Library::named(path)?);
        }
        let store = request.place.as_deref().unwrap_or(forecast::DEFAULT_STORE);
        let store = request.cloud.then(|| forecast::place(store)).transpose()?;
        Ok(Self { request, keeps_evidence: false, filter, store, library })
    }

    /// Answers come with what they were made from.
    pub fn with_evidence(self) -> Self {
        Self { keeps_evidence: true, ..self }
    }

    /// Where the files lie, if their requests are forecast.
    pub fn store(&self) -> Option<&Place> {
        self.store.as_ref()
    }

    /// Examines a file, or the dataset of it that the request names.
    ///
    /// # Errors
    /// A file of which nothing can be read, and a request that does not fit it.
    pub fn examine(&self, path: &Path) -> Result<Answer> {
        let dataset = self.request.dataset.as_deref();
        let file = files::look(path)?;
        let older = older::library(&file);
        let library = self.library.get_or_init(Library::of_python);
        let options = options::options(self.request, &file, library)?;
        let recoding = SampleScope::Recoding { with_zstd: library.has_zstd };
        let observed =
            self.request.reads_from.as_deref().map(|trace| Observed::read(trace, path)).transpose()?;
        let Chosen { datasets, others, mut notes, damaged, .. } = match (dataset, &observed) {
            (Some(name), _) => Chosen::one(hyperslab_netcdf::find_dataset(&file, name)?),
            (None, Some(observed)) => {
                let read = observed.datasets().map(|name| hyperslab_netcdf::find_dataset(&file, name));
                Chosen::named(read.collect::<Result<_, _>>()?)
            }
            (None, None) => choose::datasets(&file, &options)?.unwrap_or_else(|| {
                Chosen::nothing("this file contains no dataset, so there is nothing to examine".to_owned())
            }),
        };
        let detailed = datasets.par_iter().map(|dataset| {
            let reads = observed.as_ref().map(|observed| observed.reads(dataset)).transpose()?;
            let asked = reads.map(|reads| Options { reads, ..options.clone() });
            let options = asked.as_ref().unwrap_or(&options);
            if let Some(library) = older {
                return older::dataset(dataset, library, recoding, options).map(Some);
            }
            let mut facts = collect(dataset, recoding)?;
            if let (Some(calibrated), Some(samples)) = (&library.calibrated, &mut facts.samples) {
                samples.library =
                    calibrated.decoding(&origin(path, &file, dataset), dataset, &options.profiles);
            }
            diagnose(&facts, options).map(Some).map_err(refused)
        });
        let stored = others.par_iter().map(|dataset| {
            // Little data cannot cost enough in compression to matter, so it is not sampled.
            let scope = if is_worth_sampling(dataset, &options) { recoding } else { SampleScope::Nothing };
            if let Some(library) = older {
                return older::storage(dataset, library, scope, &options);
            }
            let facts = collect(dataset, scope)?;
            diagnose_storage(&facts, &options).map_err(refused)
        });
        let examined: Vec<Result<Option<DatasetReport>, Error>> = detailed.chain(stored).collect();
        let mut reports = Vec::new();
        // A part that cannot be read does not hide the others.
        let mut failures: Vec<Error> = damaged.into_iter().map(Error::from).collect();
        for one in examined {
            match one {
                Ok(report) => reports.extend(report),
                Err(failure) => failures.push(failure),
            }
        }
        if reports.is_empty() && !failures.is_empty() {
            return Err(failures.swap_remove(0));
        }
        let census = if dataset.is_none() || self.keeps_evidence { census(&file).ok() } else { None };
        // Damage that the census meets is told of where the damaged part is examined.
        let findings = match &census {
            Some(census) if dataset.is_none() => match older {
                Some(library) => {
                    older::file(&file, library, census, datasets.iter().chain(&others), &options)
                }
                None => diagnose_file(&file_facts::of(path, &file, census, options.cloud), &options),
            },
            _ => Vec::new(),
        };
        notes.extend(older.map(|library| older::notes(library, self.request)).unwrap_or_default());
        if older.is_none() && !options.writes.is_empty() {
            let unfiltered = datasets.iter().filter(|dataset| dataset.filters().is_empty());
            notes.extend(unfiltered.map(|dataset| {
                format!(
                    "--write does not apply to {}: it has no filters, so that nothing is encoded",
                    dataset.path()
                )
            }));
        }
        let calibrated = library.calibrated.as_ref().filter(|_| older.is_none());
        let prediction = calibrated.map(Calibrated::prediction).unwrap_or_default();
        let absent = match (dataset, datasets.as_slice()) {
            (Some(_), [dataset]) => absent_of(dataset),
            _ => absent(&file),
        };
        let mut report = Report {
            file: file.name(),
            prediction,
            findings,
            datasets: reports,
            absent: sentences(&absent),
            forecast: None,
        };
        self.filter.apply(path, &mut report)?;
        // Datasets whose reads nobody asked for are there for their findings.
        let is_other = |report: &DatasetReport| others.iter().any(|dataset| dataset.path() == report.path);
        report.datasets.retain(|report| !report.findings.is_empty() || !is_other(report));
        report.datasets.sort_by_key(|report| std::cmp::Reverse((worst(report), report.logical_bytes)));
        if let Some(store) = &self.store {
            match forecast::of_report(path, &file, &report, store) {
                Ok(forecast) => report.forecast = Some(forecast),
                Err(error) => failures.push(error),
            }
        }
        let census = census.filter(|_| self.keeps_evidence);
        // What libhdf5 loads of each chunk is drawn of HDF5 files.
        let datasets = if older.is_none() { datasets } else { Vec::new() };
        let evidence = census.map(|census| Evidence { census, datasets, options });
        Ok(Answer { report, notes, failures, evidence })
    }
}

/// Stored data of which at least this share of the file, or [`SAMPLED_BYTES`], is sampled.
const SAMPLED_SHARE: u64 = 100;
const SAMPLED_BYTES: u64 = 1 << 20;

fn is_worth_sampling(dataset: &Dataset, options: &Options) -> bool {
    let stored = dataset.stored_bytes().unwrap_or(0);
    options.all || stored >= SAMPLED_BYTES.min(options.file_bytes / SAMPLED_SHARE)
}

/// The file that a dataset lies in: an external link may have led to another.
fn origin(path: &Path, file: &File, dataset: &Dataset) -> PathBuf {
    let own = dataset.file();
    if own.is_same(file) { path.to_owned() } else { PathBuf::from(own.name()) }
}

fn collect(dataset: &Dataset, scope: SampleScope) -> Result<DatasetFacts, Error> {
    let facts = facts::of(dataset, scope);
    Ok(facts?)
}

pub(super) fn refused(error: DoctorError) -> Error {
    match error {
        DoctorError::Geometry(_) => Error::unreadable(error.to_string()),
        _ => Error::wrong_request(error.to_string()),
    }
}

fn worst(report: &DatasetReport) -> Option<Severity> {
    report.findings.iter().map(|finding| finding.severity).max()
}
