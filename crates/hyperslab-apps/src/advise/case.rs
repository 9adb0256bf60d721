//! A dataset with what is asked about it.

use super::axes::Axes;
use super::inflate::FACTORS;
use super::samples::Samples;
use super::user_library::UserLibrary;
use super::{Parsed, target};
use crate::Error;
use crate::facts::{self, Library, SampleScope};
use hyperslab::datatypes::{ByteOrder, Class};
use hyperslab::{Dataset, File};
use hyperslab_advise::{Axis, ErrorBound, Question, UsualRead, usual_reads};
use hyperslab_doctor::predict::byte_filter_seconds;
use hyperslab_doctor::{DatasetFacts, Layout, Profile};
use hyperslab_storage::pattern::{BlockDim, BlockShape, RequestedRead};
use hyperslab_units::counted_text;
use std::path::Path;
use std::time::Duration;

/// The facts about a dataset, and its reads.
pub(super) struct Case<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) axes: &'a [Axis],
    pub(super) facts: DatasetFacts,
    pub(super) reads: Vec<UsualRead>,
    write: Option<Vec<u64>>,
    max_error: Option<ErrorBound>,
    inflate_factor: Option<f64>,
}

impl<'a> Case<'a> {
    /// Collects the facts about a dataset of the file at `path`.
    pub(super) fn new(
        path: &Path,
        request: &Parsed,
        library: &Library,
        axes: &'a Axes,
        dataset: &'a Dataset,
    ) -> Result<Self, Error> {
        let mut facts = facts::of(dataset, SampleScope::Decoding)?;
        if dataset.file().named_dimensions().is_some() {
            facts = plain(facts);
        }
        let inflate_factor = measured_inflate(path, library, request, dataset, &mut facts);
        let axes = axes.get(dataset);
        let observed = request.observed.as_ref().map(|observed| observed.reads(dataset)).transpose()?;
        let given = observed.as_ref().unwrap_or(&request.reads);
        let reads = if given.is_empty() {
            usual_reads(dataset.shape(), facts.element_bytes, axes)
        } else {
            let read = |read: &RequestedRead| -> Result<UsualRead, Error> {
                let block = resolve(dataset, &read.shape, format!("--read {read}"))?;
                let placement = read.placement.clone();
                if let Some(step) = placement.step.as_ref().filter(|step| step.len() != block.len()) {
                    let what = format!(
                        "--stride of {} dimensions, but {} has {}",
                        step.len(),
                        dataset.path(),
                        block.len()
                    );
                    return Err(Error::wrong_request(what));
                }
                Ok(UsualRead::requested(&block, read.weight).placed(dataset.shape(), placement))
            };
            given.iter().map(read).collect::<Result<_, _>>()?
        };
        let write = request.write.as_ref();
        let write = write.map(|write| resolve(dataset, write, format!("--write {write}"))).transpose()?;
        let max_error = request.max_error.filter(|_| is_rounded(dataset));
        Ok(Self { dataset, axes, facts, reads, write, max_error, inflate_factor })
    }

    /// The question, for an answer that may take so many seconds.
    pub(super) fn question(
        &self,
        request: &Parsed,
        library: &Library,
        file: &File,
        seconds: f64,
    ) -> Question<'_> {
        Question {
            facts: &self.facts,
            target: target(file, request, None),
            reads: self.reads.clone(),
            write: self.write.clone(),
            readers: request.readers.clone(),
            size_bound: request.size_bound,
            max_error: self.max_error,
            place: request.place.clone(),
            terms: library.terms(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            engine_cache_bytes: hyperslab::cache_bytes() as u64,
            inflate_factor: self.inflate_factor,
            time: Duration::from_secs_f64(seconds),
        }
    }

    /// Samples of its values, for an answer that may take so many seconds.
    pub(super) fn samples<'s>(&self, request: &Parsed, library: &'s Library, seconds: f64) -> Samples<'s>
    where
        'a: 's,
    {
        let library = UserLibrary::new(library, profiles(request));
        Samples::new(self.dataset, seconds, self.max_error, library)
    }
}

/// The same values as an HDF5 file would have them, plainly: how an older format stores them, its readers know alone.
fn plain(facts: DatasetFacts) -> DatasetFacts {
    DatasetFacts {
        layout: Layout::Contiguous { allocated: true },
        filters: Vec::new(),
        stored_bytes: facts.logical_bytes,
        chunks: None,
        samples: None,
        ..facts
    }
}

/// True for values that can be rounded: IEEE floats.
pub(super) fn is_rounded(dataset: &Dataset) -> bool {
    let datatype = dataset.datatype();
    matches!(&datatype.class, Class::Float(float) if float.is_ieee(datatype.size))
}

/// True for big-endian floats.
pub(super) fn is_big_endian(dataset: &Dataset) -> bool {
    matches!(&dataset.datatype().class, Class::Float(float) if float.order == ByteOrder::Big)
}

/// What the values are that cannot.
pub(super) fn kind(dataset: &Dataset) -> &'static str {
    let is_packed =
        || ["scale_factor", "add_offset"].iter().any(|name| dataset.attributes().get(name).is_ok());
    match &dataset.datatype().class {
        Class::Integer(_) if is_packed() => "packed integers, whose rounding was chosen with scale_factor",
        Class::Integer(_) => "integers",
        Class::Float(_) => "floats of another kind",
        _ => "no numbers",
    }
}

fn resolve(dataset: &Dataset, block: &BlockShape, text: String) -> Result<Vec<u64>, Error> {
    let shape = dataset.shape();
    let too_long = |(axis, (block, dim)): (usize, (&BlockDim, &u64))| match block {
        BlockDim::Elements(wanted) if wanted > dim && *dim > 0 => Some((axis, *wanted, *dim)),
        _ => None,
    };
    if block.dims().len() == shape.len()
        && let Some((axis, wanted, dim)) = block.dims().iter().zip(shape).enumerate().find_map(too_long)
    {
        let what =
            format!("{text} wants {wanted} elements along axis {axis}, but {} has {dim}", dataset.path());
        return Err(Error::wrong_request(what).hint("`:` stands for the whole extent"));
    }
    block.resolve(shape).ok_or_else(|| {
        let what = format!(
            "{text} has {}, but {} has {}",
            counted_text(block.dims().len() as u64, "dimension"),
            dataset.path(),
            shape.len()
        );
        Error::wrong_request(what).hint("`hyperslab ls -r` shows the shapes")
    })
}

/// The libraries of all readers.
fn profiles(request: &Parsed) -> Vec<Profile> {
    request.readers.iter().flat_map(|reader| reader.profiles().to_vec()).collect()
}

/// Lets the user's libhdf5 decode the dataset's own chunks, and returns how many times as long it takes to inflate a byte
/// as hyperslab's decoder.
fn measured_inflate(
    path: &Path,
    library: &Library,
    request: &Parsed,
    dataset: &Dataset,
    facts: &mut DatasetFacts,
) -> Option<f64> {
    let calibrated = library.calibrated.as_ref()?;
    let is_deflated = facts.deflate_level().is_some();
    let chunk_bytes = facts.chunk_bytes()? as f64;
    let samples = facts.samples.as_mut()?;
    let profiles = profiles(request);
    samples.library = calibrated.decoding(path, dataset, &profiles);
    let own = 1.0 / samples.decode_bytes_per_second()?;
    let seconds = (samples.library?.seconds - library.terms().load).max(0.0) / chunk_bytes.max(1.0);
    // Of inflating alone: what it takes to undo a shuffle is added for the storages that have one.
    let seconds = seconds - byte_filter_seconds(&facts.filters);
    is_deflated.then(|| (seconds / own).clamp(FACTORS.0, FACTORS.1))
}
