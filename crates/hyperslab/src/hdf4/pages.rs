//! Reading many small parts of a file: directly where that is cheap, else by pages that are kept.

use crate::{Error, Result};
use bytes::{Bytes, BytesMut};
use hyperslab_io::{Source, purpose};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The bytes of a distant file that are fetched at once: structures lie in groups.
const PAGE_BYTES: u64 = 256 << 10;

/// The bytes of a file for its structures.
pub(super) struct Pages {
    pub(super) source: Arc<dyn Source>,
    /// By number. Only of a source with latency.
    kept: Mutex<HashMap<u64, Bytes>>,
}

impl Pages {
    pub(super) fn new(source: Arc<dyn Source>) -> Self {
        Self { source, kept: Mutex::default() }
    }

    /// The bytes of a range, which must lie in the file.
    pub(super) fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let len =
            usize::try_from(range.end - range.start).map_err(|_| Error::damaged("a range of 2^64 bytes"))?;
        if range.end > self.source.len() {
            let what = format!("bytes {range:?} of a file of {} bytes", self.source.len());
            return Err(Error::damaged(what).at_byte("element", range.start));
        }
        if len == 0 {
            return Ok(Bytes::new());
        }
        if let Some(bytes) = self.source.known(range.start, len as u64) {
            return Ok(bytes);
        }
        if !self.source.advice().has_latency() {
            let mut bytes = BytesMut::zeroed(len);
            purpose::with("structures", || self.source.read_into(range.start, &mut bytes))?;
            return Ok(bytes.freeze());
        }
        let (first, last) = (range.start / PAGE_BYTES, (range.end - 1) / PAGE_BYTES);
        if first == last {
            let page = self.page(first)?;
            let start = (range.start - first * PAGE_BYTES) as usize;
            return Ok(page.slice(start..start + len));
        }
        let mut bytes = BytesMut::with_capacity(len);
        for number in first..=last {
            let (page, start) = (self.page(number)?, number * PAGE_BYTES);
            let from = range.start.saturating_sub(start) as usize;
            let to = (range.end - start).min(page.len() as u64) as usize;
            bytes.extend_from_slice(&page[from..to]);
        }
        Ok(bytes.freeze())
    }

    fn page(&self, number: u64) -> Result<Bytes> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = kept.get(&number) {
            return Ok(page.clone());
        }
        let start = number * PAGE_BYTES;
        let end = (start + PAGE_BYTES).min(self.source.len());
        let mut page = BytesMut::zeroed((end - start) as usize);
        purpose::with("structures", || self.source.read_into(start, &mut page))?;
        let page = page.freeze();
        kept.insert(number, page.clone());
        Ok(page)
    }
}
