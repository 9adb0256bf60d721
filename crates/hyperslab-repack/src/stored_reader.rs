//! Reads data as it is stored: neighbours with one request, and, from a source with latency, the data of many small datasets
//! at once before they are copied one after the other.

use bytes::Bytes;
use hyperslab::{Dataset, Error, File, Location};
use hyperslab_encode::RepackError;
use hyperslab_encode::batch_size::BatchSize;
use hyperslab_format::message::Layout;
use hyperslab_io::{Advice, Cancel, Source, coalesce, fetch_all};
use hyperslab_tree::source_dataset::{SourceFile, layout};
use hyperslab_tree::source_tree::Sources;
use hyperslab_write::ObjectId;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// Datasets of more bytes of elements that get other chunks are not worth being read ahead: each of them is read with many
/// requests at once.
pub(crate) const SMALL_BYTES: u64 = 1 << 20;

/// The data of a source.
pub(crate) struct StoredReader {
    source: Arc<dyn Source>,
    /// For messages.
    name: String,
    /// How much is read at a time.
    pub batch: BatchSize,
    cancel: Cancel,
    /// What was read ahead, by where it begins.
    ahead: RwLock<BTreeMap<u64, Bytes>>,
}

impl StoredReader {
    /// Reads within so many bytes of memory.
    pub fn new(file: &File, memory_bytes: u64, cancel: &Cancel) -> Self {
        let source = file.source();
        let batch = BatchSize::of(&*source, memory_bytes);
        let ahead = RwLock::default();
        Self { source, name: file.name().to_string(), batch, cancel: cancel.clone(), ahead }
    }

    /// True if requests take long, whatever they read.
    pub fn has_latency(&self) -> bool {
        self.source.advice().has_latency()
    }

    /// The stored bytes of some chunks.
    ///
    /// # Errors
    ///
    /// Chunks beyond the end of the file, and those of the source.
    pub fn chunks(&self, chunks: &[Location]) -> Result<Vec<Bytes>, Error> {
        let wanted: Vec<_> = chunks.iter().copied().map(stored_range).collect();
        if let Some(beyond) = wanted.iter().find(|range| range.end > self.source.len()) {
            let what = format!("a chunk is at bytes {beyond:?} of a file of {} bytes", self.source.len());
            return Err(Error::damaged(what).in_file(&self.name));
        }
        if let Some(found) = wanted.iter().map(|range| self.read_before(range)).collect() {
            return Ok(found);
        }
        self.fetch(&wanted).map_err(|error| Error::from(error).in_file(&self.name))
    }

    /// Reads contiguous bytes; from a source with latency with several requests at once.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn read_into(&self, begin: u64, bytes: &mut [u8]) -> io::Result<()> {
        let whole = begin..begin.saturating_add(bytes.len() as u64);
        if let Some(found) = self.read_before(&whole) {
            bytes.copy_from_slice(&found);
            return Ok(());
        }
        if !self.has_latency() || whole.end > self.source.len() {
            return self.source.read_into(begin, bytes);
        }
        let mut rest = bytes;
        for part in fetch_all(&*self.source, &self.batch.ranges(whole), &self.cancel)? {
            let (filled, left) = rest.split_at_mut(part.len());
            filled.copy_from_slice(&part);
            rest = left;
        }
        Ok(())
    }

    /// Reads data of datasets ahead, as many of them as fit into a batch together, and forgets what was read ahead before.
    /// Returns how many of these datasets that are; at least the first, which may be too large to be read ahead. Of those
    /// for which `is_wanted` is false, nothing is read ahead.
    pub fn read_ahead(
        &self,
        file: &SourceFile,
        sources: &Sources,
        datasets: &[ObjectId],
        is_wanted: impl Fn(ObjectId, &Dataset) -> bool,
    ) -> usize {
        let (mut wanted, mut bytes, mut count) = (Vec::new(), 0u64, 0);
        for id in datasets {
            let (address, path) = &sources.objects[id.0 as usize];
            // What cannot be read is reported where it is needed.
            let dataset = file.dataset(*address, path).ok().filter(|dataset| is_wanted(*id, dataset));
            let found =
                dataset.and_then(|dataset| stored_ranges(&file.file, &dataset).ok()).unwrap_or_default();
            bytes = found.iter().fold(bytes, |sum, range| sum.saturating_add(range.end - range.start));
            if bytes > self.batch.bytes {
                break;
            }
            wanted.extend(found);
            count += 1;
        }
        let held = |wanted: &[Range<u64>]| {
            let parts = self.fetch(wanted).ok()?;
            Some(wanted.iter().map(|range| range.start).zip(parts).collect::<BTreeMap<_, _>>())
        };
        // A range that is not in the file fails when it is needed.
        wanted.retain(|range| range.end <= self.source.len());
        let found = if wanted.len() > 1 { held(&wanted).unwrap_or_default() } else { BTreeMap::new() };
        *self.ahead.write().unwrap_or_else(PoisonError::into_inner) = found;
        count.max(1)
    }

    /// Bytes that were read ahead.
    pub fn read_before(&self, range: &Range<u64>) -> Option<Bytes> {
        let ahead = self.ahead.read().unwrap_or_else(PoisonError::into_inner);
        let (start, bytes) = ahead.range(..=range.start).next_back()?;
        let from = (range.start - start) as usize;
        let to = usize::try_from(range.end - start).ok().filter(|&to| to <= bytes.len())?;
        Some(bytes.slice(from..to))
    }

    /// Reads ranges of the file. Neighbours are read with one request.
    fn fetch(&self, wanted: &[Range<u64>]) -> io::Result<Vec<Bytes>> {
        let advice = Advice { request_bytes_max: self.batch.request_bytes, ..self.source.advice() };
        let requests = coalesce(wanted, advice);
        let ranges: Vec<_> = requests.iter().map(|request| request.range.clone()).collect();
        let responses = fetch_all(&*self.source, &ranges, &self.cancel)?;
        // Ranges of no bytes need no request.
        let mut found = vec![Bytes::new(); wanted.len()];
        for (request, response) in requests.iter().zip(responses) {
            for &number in &request.serves {
                let start = (wanted[number].start - request.range.start) as usize;
                let len = (wanted[number].end - wanted[number].start) as usize;
                found[number] = response.slice(start..start + len);
            }
        }
        Ok(found)
    }
}

/// Where the data of a dataset is in the file: its chunks, or its contiguous data.
///
/// # Errors
///
/// Damage in its layout or its chunk index.
pub(crate) fn stored_ranges(file: &File, dataset: &Dataset) -> Result<Vec<Range<u64>>, RepackError> {
    if dataset.shape().contains(&0) || dataset.external_sources().is_some() {
        return Ok(Vec::new());
    }
    match layout(file, dataset)? {
        Layout::Contiguous { address: Some(address), .. } => {
            let start = file.offset_of(address);
            let range = start..start.saturating_add(dataset.logical_bytes());
            Ok(std::iter::once(range).collect())
        }
        Layout::Chunked(_) => {
            let map = dataset.chunk_map()?;
            Ok(map.iter().map(|(_, location)| stored_range(location)).collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// The bytes of a chunk as it is stored.
pub(crate) fn stored_range(chunk: Location) -> Range<u64> {
    chunk.address..chunk.address.saturating_add(chunk.stored_bytes)
}
