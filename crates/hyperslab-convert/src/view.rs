//! The bytes of a file that is only seen: metadata in memory, and values that are read from another file.

use crate::element_range::{blocks, selection, unwritten};
use hyperslab::{Dataset, Endianness, Error, File, Result};
use hyperslab_io::{Advice, Source, Version};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The metadata of a file: its first bytes. What follows is values, which are zeros here.
#[derive(Clone)]
pub(crate) struct Metadata {
    pub bytes: Vec<u8>,
    /// The length of the file, with its values.
    pub len: u64,
    /// The name of the file that the values come from.
    pub name: String,
}

impl Metadata {
    /// Copies what there is of the bytes from `at` on; the rest is zeros.
    fn copy(&self, at: u64, out: &mut [u8]) {
        let start = usize::try_from(at).unwrap_or(usize::MAX).min(self.bytes.len());
        let known = &self.bytes[start..];
        let count = known.len().min(out.len());
        out[..count].copy_from_slice(&known[..count]);
        out[count..].fill(0);
    }
}

/// Runs of values are read together: each read is planned anew.
pub(crate) const ADVICE: Advice =
    Advice { gap_bytes: 64 << 10, request_bytes_max: 8 << 20, block_bytes: 16 << 10, in_flight_max: 1 };

fn past_end(at: u64, len: usize, file_len: u64) -> io::Result<()> {
    match at.checked_add(len as u64).is_some_and(|end| end <= file_len) {
        true => Ok(()),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

impl Source for Metadata {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        past_end(at, out.len(), self.len)?;
        self.copy(at, out);
        Ok(())
    }

    fn advice(&self) -> Advice {
        ADVICE
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// The values of one dataset.
struct Values {
    /// Their place in the file that is seen.
    place: Range<u64>,
    element_bytes: u64,
    /// Where they are.
    dataset: Dataset,
}

/// A file that is seen.
pub(crate) struct View {
    metadata: Metadata,
    /// The file that the values come from.
    source: Arc<dyn Source>,
    /// By place, ascending.
    values: Vec<Values>,
}

impl View {
    /// The file with this metadata, as `shape` opens it, and the values of these datasets at their paths in it.
    pub fn new(
        metadata: Metadata,
        source: Arc<dyn Source>,
        shape: &File,
        values: Vec<(String, Dataset)>,
    ) -> Result<Self> {
        let place = |(path, dataset): (String, Dataset)| {
            let seen = shape.dataset(&path)?;
            let start = seen.data_offset();
            let start = start.ok_or_else(|| Error::internal("values without a place").at_object(path))?;
            let (bytes, element_bytes) = (seen.logical_bytes(), u64::from(dataset.datatype().size));
            Ok(Values { place: start..start + bytes, element_bytes, dataset })
        };
        let mut values = values.into_iter().map(place).collect::<Result<Vec<_>>>()?;
        values.sort_by_key(|values| values.place.start);
        Ok(Self { metadata, source, values })
    }
}

impl Source for View {
    fn len(&self) -> u64 {
        self.metadata.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        past_end(at, out.len(), self.metadata.len)?;
        let end = at + out.len() as u64;
        let first = self.values.partition_point(|values| values.place.end <= at);
        let mut next = at;
        for values in self.values[first..].iter().take_while(|values| values.place.start < end) {
            let (start, stop) = (values.place.start.max(at), values.place.end.min(end));
            let part = |range: Range<u64>| (range.start - at) as usize..(range.end - at) as usize;
            self.metadata.copy(next, &mut out[part(next..start)]);
            let from = start - values.place.start;
            values
                .read(from..from + (stop - start), &mut out[part(start..stop)])
                .map_err(io::Error::other)?;
            next = stop;
        }
        self.metadata.copy(next, &mut out[(next - at) as usize..]);
        Ok(())
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.source.check_unchanged()
    }

    fn version(&self) -> Option<Version> {
        self.source.version()
    }

    fn advice(&self) -> Advice {
        ADVICE
    }

    fn name(&self) -> String {
        self.metadata.name.clone()
    }
}

impl Values {
    /// Reads bytes of the values, in the order of the datatype.
    fn read(&self, bytes: Range<u64>, out: &mut [u8]) -> Result<()> {
        let width = self.element_bytes;
        let whole = bytes.start / width..bytes.end.div_ceil(width);
        if whole.start * width == bytes.start && whole.end * width == bytes.end {
            return self.read_elements(whole, out);
        }
        // Not even the first and the last element need be wanted as a whole.
        let mut elements = vec![0; ((whole.end - whole.start) * width) as usize];
        let from = (bytes.start - whole.start * width) as usize;
        self.read_elements(whole, &mut elements)?;
        out.copy_from_slice(&elements[from..from + out.len()]);
        Ok(())
    }

    fn read_elements(&self, elements: Range<u64>, out: &mut [u8]) -> Result<()> {
        // Records that only other variables have were never written.
        let there = elements.start..elements.end.min(self.dataset.elements().max(elements.start));
        let (there_bytes, missing) =
            ((there.end - there.start) * self.element_bytes, elements.end - there.end);
        let (mut rest, beyond) = out.split_at_mut(there_bytes as usize);
        beyond.copy_from_slice(&unwritten(&self.dataset, missing));
        for block in blocks(self.dataset.shape(), there) {
            let bytes = block.elements() * self.element_bytes;
            let (own, others) = std::mem::take(&mut rest).split_at_mut(bytes as usize);
            self.dataset.read_into(&selection(&block), Endianness::File, own)?;
            rest = others;
        }
        Ok(())
    }
}
