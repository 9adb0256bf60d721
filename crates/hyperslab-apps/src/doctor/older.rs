//! Files of formats before HDF5: the facts that the doctor wants of them.

use crate::Result;
use crate::facts::{self, SampleScope};
use hyperslab::hdf5::Census;
use hyperslab::older::{Form, form};
use hyperslab::{Dataset, File, Object};
use hyperslab_advise::UsualRead;
use hyperslab_doctor::older::{
    Library, OlderFacts, OlderFileFacts, OlderStorage, Room, diagnose_older, diagnose_older_file,
    diagnose_older_storage,
};
use hyperslab_doctor::simulate::older::Records;
use hyperslab_doctor::{DatasetReport, Finding, Options};

/// The largest file of HDF4.
const HDF4_BYTES_MAX: u64 = (1 << 31) - 1;
/// The largest variables, or records of one, of netCDF classic and with 64-bit offsets.
const CLASSIC_BYTES_MAX: u64 = (1 << 31) - 4;
const OFFSET_64_BYTES_MAX: u64 = (1 << 32) - 4;

/// The library that reads a file of an older format; `None` for HDF5.
pub(crate) fn library(file: &File) -> Option<Library> {
    file.named_dimensions()?;
    Some(if file.format_name() == "HDF4" { Library::Libhdf4 } else { Library::NetcdfC })
}

/// At most this number of records may lie behind the end of a file.
const RECORDS_BEHIND_MAX: u64 = 1 << 20;

/// The report on a dataset and its reads.
pub(super) fn dataset(
    dataset: &Dataset,
    library: Library,
    scope: SampleScope,
    options: &Options,
) -> Result<DatasetReport> {
    diagnose_older(&collect(dataset, library, scope)?, options).map_err(super::examine::refused)
}

/// The report on a dataset of which only the storage is looked at; `None` without a finding.
pub(super) fn storage(
    dataset: &Dataset,
    library: Library,
    scope: SampleScope,
    options: &Options,
) -> Result<Option<DatasetReport>> {
    diagnose_older_storage(&collect(dataset, library, scope)?, options).map_err(super::examine::refused)
}

fn collect(dataset: &Dataset, library: Library, scope: SampleScope) -> Result<OlderFacts> {
    let measured = facts::of(dataset, scope)?;
    let storage = match form(dataset)? {
        Some(Form::Stream(_)) => OlderStorage::Stream,
        Some(Form::Chunks(_)) => OlderStorage::Chunks(dataset.chunk_shape().unwrap_or_default().to_vec()),
        Some(Form::Blocks(pieces)) => OlderStorage::Blocks(pieces),
        // A file of a few bytes may claim any number of records, of which each would be looked at.
        Some(Form::Records { begin, every })
            if dataset.shape().first().is_none_or(|records| {
                *records <= RECORDS_BEHIND_MAX.saturating_add(dataset.file().len() / every.max(1))
            }) =>
        {
            let element_bytes = dataset.datatype().size.into();
            OlderStorage::Records(Records { begin, every, element_bytes })
        }
        _ => OlderStorage::Whole,
    };
    let file = dataset.file();
    let dimensions = file.named_dimensions().map_or_else(Vec::new, |named| {
        let of = named.of(Object::Dataset(dataset.clone()).address());
        of.iter().map(|dimension| dimension.name.to_string()).collect()
    });
    Ok(OlderFacts { dataset: measured, storage, library, dimensions })
}

/// Seconds of reading a dataset in its library, on average over these reads by their weights.
pub(crate) fn seconds(dataset: &Dataset, library: Library, reads: &[UsualRead]) -> Result<f64> {
    let options = Options { reads: reads.iter().map(UsualRead::to_request).collect(), ..Options::default() };
    let report = self::dataset(dataset, library, SampleScope::Nothing, &options)?;
    let weights: f64 = reads.iter().map(|read| read.weight).sum();
    let each = report.reads.iter().zip(reads);
    let all: f64 = each.map(|(found, read)| found.profiles[0].predicted_seconds * read.weight).sum();
    Ok(all / weights.max(f64::MIN_POSITIVE))
}

/// What is wrong with the file as a whole.
pub(super) fn file<'d>(
    file: &File,
    library: Library,
    census: &Census,
    datasets: impl Iterator<Item = &'d Dataset>,
    options: &Options,
) -> Vec<Finding> {
    let blocks = census.metadata.get("data descriptors").map_or(0, |kind| kind.structures);
    let facts = OlderFileFacts {
        format: file.format_name().to_owned(),
        library,
        bytes: file.len(),
        descriptor_blocks: blocks,
        room: room(file, datasets),
    };
    diagnose_older_file(&facts, options)
}

/// What is nearest to the largest size that the format has.
fn room<'d>(file: &File, datasets: impl Iterator<Item = &'d Dataset>) -> Option<Room> {
    let bytes_max = match file.format_name() {
        "HDF4" => {
            return Some(Room { what: "The file".to_owned(), bytes: file.len(), bytes_max: HDF4_BYTES_MAX });
        }
        "netCDF classic" => CLASSIC_BYTES_MAX,
        "netCDF 64-bit offset" => OFFSET_64_BYTES_MAX,
        _ => return None,
    };
    let largest = datasets.map(|dataset| {
        let is_record = dataset.max_shape().first().is_some_and(Option::is_none);
        let (records, path) = (dataset.shape().first().copied().unwrap_or(1).max(1), dataset.path());
        match is_record {
            true => (dataset.logical_bytes() / records, format!("A record of {path}")),
            false => (dataset.logical_bytes(), path.to_owned()),
        }
    });
    let (bytes, what) = largest.max()?;
    Some(Room { what, bytes, bytes_max })
}

/// What a request asks that is only about libhdf5.
pub(super) fn notes(library: Library, request: &super::Request) -> Vec<String> {
    let asked = [
        ("--write", !request.writes.is_empty()),
        ("--profile", !request.profiles.is_empty()),
        ("--cache", request.cache.is_some()),
        ("--libhdf5", request.libhdf5.is_some()),
    ];
    let words: Vec<&str> =
        asked.into_iter().filter(|(_, is_asked)| *is_asked).map(|(word, _)| word).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let name = library.name();
    vec![format!("{} does not apply to this file: {name} reads it, not libhdf5", words.join(", "))]
}
