//! Metadata that was read earlier: what an index of a file contains, so that the file is opened again without reading its
//! metadata.

use crate::{Error, File, Prefetch, Result};
use hyperslab_array::chunk::map::ChunkMap;
use hyperslab_format::Address;
use hyperslab_io::{Advice, Cancel, coalesce, fetch_all, purpose};
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
    let obtained = hdf5.metadata.obtained();
    extents(file, obtained.into_iter().map(|(at, len)| at..at.saturating_add(len)))
}

/// What lies in these ranges of a file, as extents: absolute offset and bytes, in order, without overlap.
///
/// # Errors
/// As [`metadata_extents`].
pub fn extents(file: &File, ranges: impl IntoIterator<Item = Range<u64>>) -> Result<Vec<(u64, Bytes)>> {
    let source = &file.inner.source;
    let end = source.len();
    let ranges: Vec<_> = ranges.into_iter().map(|range| range.start.min(end)..range.end.min(end)).collect();
    let advice = Advice { gap_bytes: GAP_BYTES, request_bytes_max: u64::MAX, ..Advice::LOCAL };
    let merged: Vec<_> = coalesce(&ranges, advice).into_iter().map(|request| request.range).collect();
    if merged.iter().map(|range| range.end - range.start).sum::<u64>() > BYTES_MAX {
        return Err(Error::limit(format!("the file has more than {BYTES_MAX} bytes of metadata"))
            .in_file(file.name()));
    }
    let fetch = || fetch_all(&**source, &merged, &Cancel::never());
    let bytes = purpose::with("metadata of an index", fetch);
    let bytes = bytes.map_err(|error| Error::from(error).in_file(file.name()))?;
    Ok(merged.into_iter().map(|range| range.start).zip(bytes).collect())
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
