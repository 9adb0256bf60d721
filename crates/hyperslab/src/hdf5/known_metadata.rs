//! Metadata that was read earlier: what an index of a file contains, so that the file is opened again without reading its
//! metadata.

use crate::{Error, File, Prefetch, Result};
use hyperslab_array::chunk::map::ChunkMap;
use hyperslab_format::Address;
use hyperslab_io::{Cancel, fetch_all, purpose};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

/// Extents with a gap of at most this between them are kept as one.
const GAP_BYTES: u64 = 64;
/// No file has more metadata than this in its index.
const BYTES_MAX: u64 = 1 << 30;

/// The metadata that `read` parses, as extents of the file: absolute offset and bytes, in order, without overlap. `read` is
/// called with an opening of its own of the file.
///
/// # Errors
/// Those of `read` and of opening the file; [`ErrorKind::Limit`](crate::ErrorKind::Limit) for more than 1 GiB of metadata.
pub fn metadata_extents(file: &File, read: impl FnOnce(&File) -> Result<()>) -> Result<Vec<(u64, Bytes)>> {
    let inner = &file.inner;
    let own = File::open_source(inner.source.clone(), inner.data.runtime.clone(), inner.is_lenient)?;
    let hdf5 = own.inner.hdf5("metadata of an index")?;
    // Before anything is observed: what is fetched in advance need not be parsed later.
    own.root()?.prefetch(&Prefetch { depth: usize::MAX, chunk_indexes: false, attributes: true });
    hdf5.metadata.observe_ranges();
    read(&own)?;
    let end = inner.source.len();
    let obtained = hdf5.metadata.obtained();
    let ranges = obtained.into_iter().map(|(at, len)| at.min(end)..at.saturating_add(len).min(end));
    let merged = merged(ranges.collect());
    if merged.iter().map(|range| range.end - range.start).sum::<u64>() > BYTES_MAX {
        return Err(Error::limit(format!("the file has more than {BYTES_MAX} bytes of metadata"))
            .in_file(file.name()));
    }
    let fetch = || fetch_all(&*inner.source, &merged, &Cancel::never());
    let bytes = purpose::with("metadata of an index", fetch);
    let bytes = bytes.map_err(|error| Error::from(error).in_file(file.name()))?;
    Ok(merged.into_iter().map(|range| range.start).zip(bytes).collect())
}

fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(GAP_BYTES) => {
                last.end = last.end.max(range.end)
            }
            _ => merged.push(range),
        }
    }
    merged
}

/// Uses metadata that was read earlier: extents of the file as [`metadata_extents`] returns them, and chunk maps by the
/// addresses of the object headers of their datasets. To be called before anything of the file is opened.
///
/// It is not checked whether the file has changed since then. A dataset whose chunk map belongs to another grid cannot be
/// opened.
pub fn use_known_metadata(
    file: &File,
    extents: impl IntoIterator<Item = (u64, Bytes)>,
    chunk_maps: HashMap<Address, Arc<ChunkMap>>,
) {
    if let Ok(hdf5) = file.inner.hdf5("metadata") {
        extents.into_iter().for_each(|(at, bytes)| hdf5.metadata.preload(at, &bytes));
    }
    file.inner.use_chunk_maps(chunk_maps);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_that_are_near_each_other_are_one() {
        assert_eq!(merged(vec![500..600, 0..10, 5..8, 74..80, 145..150]), [0..80, 145..150, 500..600]);
    }
}
