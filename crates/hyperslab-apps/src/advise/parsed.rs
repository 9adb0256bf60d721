//! A request with its words read.

use super::{Request, case};
use crate::observed::Observed;
use crate::{Error, forecast};
use hyperslab::Dataset;
use hyperslab_advise::{AdviseError, ErrorBound, Pipeline, Place, Reader, SizeBound};
use hyperslab_storage::WordError;
use hyperslab_storage::pattern::{BlockShape, RequestedRead};
use std::collections::BTreeSet;
use std::path::Path;

/// What is asked of every dataset of the file.
pub(super) struct Parsed {
    pub(super) reads: Vec<RequestedRead>,
    /// The reads that a program made, in place of those.
    pub(super) observed: Option<Observed>,
    pub(super) write: Option<BlockShape>,
    pub(super) readers: Vec<Reader>,
    pub(super) size_bound: SizeBound,
    pub(super) max_error: Option<ErrorBound>,
    pub(super) place: Place,
    /// True for data that do not exist yet.
    pub(super) is_planned: bool,
}

impl Parsed {
    /// Reads the words of a request.
    pub(super) fn of(request: &Request) -> Result<Self, Error> {
        let wrong = |error: AdviseError| Error::wrong_request(error.to_string());
        let word = |error: WordError| Error::wrong_request(error.to_string());
        let bound = |text: &str| {
            text.parse().map_err(|problem| Error::wrong_request(format!("--max-error {text}: {problem}")))
        };
        let reads = request.places.blocks(&request.reads)?;
        let write = request.write.as_deref().map(str::parse).transpose().map_err(word)?;
        let readers =
            request.readers.iter().map(|reader| Reader::parse(reader)).collect::<Result<Vec<_>, _>>();
        let mut readers = readers.map_err(wrong)?;
        let mut names = BTreeSet::new();
        // One that is named twice counts once.
        readers.retain(|reader| names.insert(reader.name.clone()));
        // Lines that name a file are about none that does not exist yet.
        let file = request.file.as_deref().unwrap_or(Path::new(""));
        let observed = request.reads_from.as_deref().map(|path| Observed::read(path, file));
        Ok(Self {
            reads,
            observed: observed.transpose()?,
            write,
            readers: if readers.is_empty() { Reader::defaults() } else { readers },
            size_bound: request.size_bound.parse().map_err(wrong)?,
            max_error: request.max_error.as_deref().map(bound).transpose()?,
            is_planned: request.made_up.is_some(),
            place: match (&request.place, request.cloud) {
                (Some(place), _) => Place::parse(place).map_err(wrong)?,
                (None, true) => forecast::place(forecast::DEFAULT_STORE)?,
                (None, false) => Place::local(),
            },
        })
    }

    /// Where `--max-error` has no effect, and why.
    pub(super) fn notes_on_max_error(&self, datasets: &[Dataset]) -> Vec<String> {
        let Some(bound) = self.max_error else { return Vec::new() };
        let kept = datasets.iter().filter(|dataset| !case::is_rounded(dataset)).map(|dataset| {
            format!(
                "--max-error does not apply to {}: only IEEE floats are rounded, and its values are {}",
                dataset.path(),
                case::kind(dataset)
            )
        });
        let turned = datasets.iter().filter(|dataset| {
            matches!(bound, ErrorBound::Relative(_))
                && case::is_rounded(dataset)
                && case::is_big_endian(dataset)
        });
        let turned = turned.map(|dataset| {
            format!(
                "--max-error {bound} does not apply to {}: the filters that keep a share of each value take only \
                 little-endian floats, and its values are big-endian",
                dataset.path()
            )
        });
        kept.chain(turned).chain(self.note_on_relative_error(bound)).collect()
    }

    /// What is wanted, where a bound of the error can be kept by filters only that some reader lacks.
    fn note_on_relative_error(&self, bound: ErrorBound) -> Option<String> {
        if !matches!(bound, ErrorBound::Relative(_)) {
            return None;
        }
        let lossy = Pipeline::lossy_candidates(bound, false);
        if lossy.is_empty() {
            return Some(format!(
                "--max-error {bound}: no filter keeps this precision; only lossless ones were considered"
            ));
        }
        let lacks = |reader: &&Reader| !lossy.iter().any(|pipeline| reader.reads(pipeline));
        let lacking: Vec<String> =
            self.readers.iter().filter(lacks).map(|reader| reader.name.clone()).collect();
        let filters: BTreeSet<&str> =
            lossy.iter().filter_map(|pipeline| pipeline.compression.plugin()).collect();
        let filters = Vec::from_iter(filters).join(" and ");
        (!lacking.is_empty()).then(|| {
            let readers = hyperslab_doctor::list_text(&lacking);
            format!(
                "--max-error {bound} is kept by {filters}, which {readers} cannot read; name readers that have a plug-in, such as \
                 netcdf-4.9+granularbitround"
            )
        })
    }
}
