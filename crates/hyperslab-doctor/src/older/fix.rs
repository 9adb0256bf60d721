//! Fixes for datasets of older formats: one read in place of many, and other storage, in HDF4 or as netCDF-4.

use super::{Library, OlderCase, OlderStorage};
use crate::case::Case;
use crate::facts::{FilterFact, Layout};
use crate::fix::{Fix, FixKind, Rewritten, WriterLine, balanced, rows};
use hyperslab_storage::lines::{StorageLines, hrepack, ncks, python_string};
use hyperslab_storage::pattern::shape_text;
use hyperslab_storage::{FilterRequest, StorageChange};
use hyperslab_units::size::bytes_text;

/// The level that is proposed: higher ones gain little.
const LEVEL: u32 = 4;
/// The most that is proposed to be read at once.
const AT_ONCE_BYTES_MAX: u64 = 2 << 30;

/// Reads the whole dataset once, if it is not too large.
pub(crate) fn read_at_once(case: &OlderCase<'_>) -> Option<Fix> {
    let dataset = &case.facts.dataset;
    if dataset.logical_bytes > AT_ONCE_BYTES_MAX {
        return None;
    }
    let effect = format!(
        "everything once, {}, and {} of memory",
        OlderCase::time_text(case.costs.decode_once()),
        bytes_text(dataset.logical_bytes)
    );
    let name = dataset.path.rsplit('/').next().unwrap_or_default();
    let file = python_string(&case.options.file);
    let line = format!("values = SD({file}).select({})[:]", python_string(name));
    Some(Fix::new(FixKind::Read, "pyhdf", line, effect))
}

/// The lines that store the dataset in chunks that suit all its reads, compressed: as netCDF-4, or in HDF4.
pub(crate) fn repack(case: &OlderCase<'_>, why: &str) -> Fix {
    let (dataset, file) = (&case.facts.dataset, &case.options.file);
    let chunk = shape_for_all(case).unwrap_or_else(|| rows(&case.geometry));
    let bytes = chunk.iter().fold(dataset.element_bytes, |bytes, len| bytes.saturating_mul(*len));
    let filters = [FilterRequest::shuffle(), FilterRequest::gzip(LEVEL)];
    let change =
        StorageChange { filters: Some(filters.to_vec()), ..StorageChange::rechunked(&dataset.path, &chunk) };
    let effect =
        format!("a netCDF-4 file with chunks of {} ({}): {why}", shape_text(&chunk), bytes_text(bytes));
    let mut fix = Fix::new(FixKind::Repack, "hyperslab", change.hyperslab_to(file, "out.nc"), effect);
    let line = |target: &str, line: String| WriterLine { target: target.to_owned(), line };
    match case.library() {
        Library::Libhdf4 => fix.writers.push(line("hrepack", hrepack(file, &dataset.path, &chunk, LEVEL))),
        Library::NetcdfC => {
            let lines = StorageLines {
                file,
                is_netcdf: true,
                path: &dataset.path,
                chunks: Some(&chunk),
                filters: &filters,
                decimal_digits: None,
                page_bytes: None,
            };
            fix.writers.extend(lines.nccopy().map(|nccopy| line("nccopy", nccopy)));
            let named = case.facts.dimensions.iter().cloned().zip(chunk.iter().copied());
            fix.writers.push(line("ncks", ncks(file, &named.collect::<Vec<_>>(), LEVEL)));
        }
    }
    fix.chunks = Some(chunk);
    fix.change = Some(change);
    fix
}

/// The chunk shape that is best for all reads of the dataset once libhdf5 reads it.
fn shape_for_all(case: &OlderCase<'_>) -> Option<Vec<u64>> {
    let mut facts = case.facts.dataset.clone();
    facts.layout = match &case.facts.storage {
        OlderStorage::Chunks(chunk) => {
            Layout::Chunked { chunk_dims: chunk.clone(), index_kind: String::new() }
        }
        _ => {
            (facts.filters, facts.chunks) = (Vec::new(), None);
            Layout::Contiguous { allocated: true }
        }
    };
    let as_hdf5 = Case::new(&facts, case.options).ok()??;
    let stored_bytes = facts.stored_bytes;
    let is_filtered = case.facts.dataset.filters.iter().any(FilterFact::compresses);
    let storage = |chunk: &[u64]| Rewritten {
        chunk: chunk.to_vec(),
        is_filtered: is_filtered || case.library() == Library::NetcdfC,
        stored_bytes,
        decode_factor: 1.0,
    };
    balanced(&as_hdf5, &storage).map(|(chunk, _)| chunk)
}
