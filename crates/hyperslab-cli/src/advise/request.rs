//! What `hyperslab advise` is asked about every dataset of a file.

use super::arguments::AdviseArgs;
use super::case;
use super::observed::Observed;
use crate::failure::Failure;
use crate::forecast;
use hyperslab::Dataset;
use hyperslab_advise::{AdviseError, ErrorBound, Pipeline, Place, Reader, SizeBound};
use hyperslab_storage::WordError;
use hyperslab_storage::pattern::{BlockShape, RequestedRead};
use std::collections::BTreeSet;

/// What is asked of every dataset of the file.
pub(super) struct Request {
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

impl Request {
    /// The request of the command line.
    pub(super) fn parse(args: &AdviseArgs) -> Result<Self, Failure> {
        let wrong = |error: AdviseError| Failure::wrong_request(error.to_string());
        let word = |error: WordError| Failure::wrong_request(error.to_string());
        let reads = args.pattern.blocks(&args.read)?;
        let write = args.write.as_deref().map(str::parse).transpose().map_err(word)?;
        let readers = args.readers.iter().map(|reader| Reader::parse(reader)).collect::<Result<Vec<_>, _>>();
        let mut readers = readers.map_err(wrong)?;
        let mut names = BTreeSet::new();
        // One that is named twice counts once.
        readers.retain(|reader| names.insert(reader.name.clone()));
        Ok(Self {
            reads,
            observed: args.reads_from.as_deref().map(Observed::read).transpose()?,
            write,
            readers: if readers.is_empty() { Reader::defaults() } else { readers },
            size_bound: args.size_bound.parse().map_err(wrong)?,
            max_error: args.max_error,
            is_planned: args.synthetic.is_some(),
            place: match (&args.place, args.cloud) {
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
                "--max-error {bound}: no filter keeps so many digits; only lossless ones were considered"
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
