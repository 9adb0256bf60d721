//! Writes the file: the header, the variables of fixed size, then records, in which all record variables take turns.

use super::{Classic, Progress};
use crate::element_range::{blocks, padded};
use hyperslab::datatypes::{ByteOrder, Class};
use hyperslab::{Dataset, Error, Result};
use hyperslab_io::Sink;
use std::io;
use std::ops::Range;

/// Values that are read or compared, or records that are written, at a time.
pub(super) const BLOCK_BYTES: u64 = 16 << 20;
/// Longer records are written variable by variable.
const RECORD_BYTES_MAX: u64 = 64 << 20;

impl Classic {
    /// Writes the whole file.
    ///
    /// # Errors
    /// Values that cannot be read, those of the sink and of `progress`.
    pub fn write(&self, sink: &dyn Sink, progress: Progress<'_>) -> Result<()> {
        let failed = |error: io::Error| Error::from(error).in_file(sink.name());
        sink.write_at(0, &self.header.encode()).map_err(failed)?;
        for number in self.numbers(false) {
            let elements = self.shape(number).iter().product();
            self.copy(number, 0..elements, self.begin(number), sink, progress)?;
        }
        let records = self.header.records.get();
        let each = (BLOCK_BYTES / self.header.record_bytes.max(1)).max(1);
        for part in parts(0..records, each) {
            self.records(part, sink, progress)?;
        }
        sink.set_len(self.file_bytes()?).map_err(failed)
    }

    /// Bytes of the whole file.
    ///
    /// # Errors
    /// More than 64 bits have room for.
    pub fn file_bytes(&self) -> Result<u64> {
        let fixed = self.numbers(false).map(|number| {
            let bytes = self.row_bytes(number).checked_next_multiple_of(4);
            bytes.and_then(|bytes| self.begin(number).checked_add(bytes))
        });
        let records = self.header.records.get().checked_mul(self.header.record_bytes);
        let records = self.records_begin().map(|first| records.and_then(|bytes| first.checked_add(bytes)));
        let ends = fixed.chain(records).chain([Some(self.header.bytes)]).collect::<Option<Vec<u64>>>();
        let end = ends.and_then(|ends| ends.into_iter().max());
        end.ok_or_else(|| Error::unsupported("a file of more than 2^64 bytes"))
    }

    /// The numbers of the variables with records, or of the others.
    pub(super) fn numbers(&self, with_records: bool) -> impl Iterator<Item = usize> + '_ {
        let variables = self.header.variables.iter().enumerate();
        variables
            .filter(move |(_, variable)| variable.is_record(&self.header.dimensions) == with_records)
            .map(|(number, _)| number)
    }

    fn begin(&self, number: usize) -> u64 {
        self.header.variables[number].begin
    }

    /// Where the first record begins, if there are variables with records.
    fn records_begin(&self) -> Option<u64> {
        self.numbers(true).map(|number| self.begin(number)).min()
    }

    /// The lengths of the axes in the new file.
    pub(super) fn shape(&self, number: usize) -> Vec<u64> {
        let dimensions = self.header.variables[number].dimensions.iter();
        let len = |number: &usize| match self.header.dimensions[*number].len {
            0 => self.header.records.get(),
            len => len,
        };
        dimensions.map(len).collect()
    }

    /// Bytes of a variable, or of its values in a record.
    fn row_bytes(&self, number: usize) -> u64 {
        let variable = &self.header.variables[number];
        let is_record = variable.is_record(&self.header.dimensions);
        let shape = self.shape(number);
        shape[usize::from(is_record)..].iter().product::<u64>() * variable.kind.bytes()
    }

    /// Writes elements of a variable one after the other, from the offset `at` on.
    fn copy(
        &self,
        number: usize,
        range: Range<u64>,
        mut at: u64,
        sink: &dyn Sink,
        progress: Progress<'_>,
    ) -> Result<()> {
        let bytes = self.header.variables[number].kind.bytes();
        for part in parts(range, (BLOCK_BYTES / bytes).max(1)) {
            let values = self.values(number, part)?;
            sink.write_at(at, &values).map_err(|error| Error::from(error).in_file(sink.name()))?;
            at += values.len() as u64;
            progress(values.len() as u64)?;
        }
        Ok(())
    }

    /// Writes some records.
    fn records(&self, range: Range<u64>, sink: &dyn Sink, progress: Progress<'_>) -> Result<()> {
        let record_bytes = self.header.record_bytes;
        let Some(first) = self.records_begin() else { return Ok(()) };
        if record_bytes > RECORD_BYTES_MAX {
            for number in self.numbers(true) {
                let row: u64 = self.shape(number)[1..].iter().product();
                let begin = self.begin(number);
                for record in range.clone() {
                    let at = begin + record * record_bytes;
                    self.copy(number, record * row..(record + 1) * row, at, sink, progress)?;
                }
            }
            return Ok(());
        }
        let count = range.end - range.start;
        let mut out = vec![0; (count * record_bytes) as usize];
        for number in self.numbers(true) {
            let row: u64 = self.shape(number)[1..].iter().product();
            let values = self.values(number, range.start * row..range.end * row)?;
            let (row, within) = (self.row_bytes(number) as usize, (self.begin(number) - first) as usize);
            for (record, values) in values.chunks_exact(row.max(1)).enumerate() {
                let at = record * record_bytes as usize + within;
                out[at..at + row].copy_from_slice(values);
            }
            progress(values.len() as u64)?;
        }
        let at = first + range.start * record_bytes;
        sink.write_at(at, &out).map_err(|error| Error::from(error).in_file(sink.name()))
    }

    /// Elements of a variable in row-major order, big-endian.
    pub(super) fn values(&self, number: usize, range: Range<u64>) -> Result<Vec<u8>> {
        big_endian(&self.values[number], &self.shape(number), range)
    }
}

/// Parts of a range that follow each other, of `each` numbers but for the last.
pub(super) fn parts(range: Range<u64>, each: u64) -> impl Iterator<Item = Range<u64>> {
    let (start, end) = (range.start, range.end);
    let count = end.saturating_sub(start).div_ceil(each);
    (0..count).map(move |number| {
        let from = start + number * each;
        from..end.min(from.saturating_add(each))
    })
}

/// Elements of a dataset, as if it had this shape, big-endian.
pub(super) fn big_endian(dataset: &Dataset, shape: &[u64], range: Range<u64>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for block in blocks(shape, range) {
        bytes.extend(padded(dataset, &block)?);
    }
    let is_little = match &dataset.datatype().class {
        Class::Integer(integer) => integer.order == ByteOrder::Little,
        Class::Float(float) => float.order == ByteOrder::Little,
        _ => false,
    };
    let width = dataset.datatype().size as usize;
    if is_little && width > 1 {
        bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
    Ok(bytes)
}
