//! Records whose fields have byte orders of their own, which no conversion of whole elements serves.

use crate::read::convert::Conversion;
use hyperslab_io::{Advice, Epoch, Source};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The bytes that are read at once where a read does not begin with a record.
const PART_BYTES: usize = 1 << 20;

/// Which bytes of a record change their order.
#[derive(Debug, Clone)]
pub struct Swaps {
    record_bytes: usize,
    fields: Vec<(Range<usize>, Conversion)>,
}

impl Swaps {
    /// Those of records of `record_bytes` bytes: the place of each field, and what it takes.
    pub fn new(record_bytes: usize, fields: impl IntoIterator<Item = (Range<usize>, Conversion)>) -> Self {
        let changes = fields.into_iter().filter(|(_, conversion)| *conversion != Conversion::None);
        Self { record_bytes: record_bytes.max(1), fields: changes.collect() }
    }

    /// True if records are as they are stored.
    pub fn are_none(&self) -> bool {
        self.fields.is_empty()
    }

    /// Changes whole records.
    pub fn apply(&self, records: &mut [u8]) {
        for record in records.chunks_exact_mut(self.record_bytes) {
            self.fields
                .iter()
                .for_each(|(place, conversion)| conversion.in_place(&mut record[place.clone()]));
        }
    }
}

/// Records, changed as they are read.
pub struct Records {
    stored: Arc<dyn Source>,
    swaps: Swaps,
}

impl Records {
    /// Records that are stored one after the other, from the first byte of `stored`.
    pub fn new(stored: Arc<dyn Source>, swaps: Swaps) -> Self {
        Self { stored, swaps }
    }
}

impl Source for Records {
    fn len(&self) -> u64 {
        self.stored.len()
    }

    fn epoch(&self) -> Epoch {
        self.stored.epoch()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let record = self.swaps.record_bytes as u64;
        let end = at.checked_add(out.len() as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
        if at.is_multiple_of(record) && end.is_multiple_of(record) {
            self.stored.read_into(at, out)?;
            self.swaps.apply(out);
            return Ok(());
        }
        let step = (PART_BYTES as u64 / record).max(1) * record;
        let (mut from, mut part) = (at - at % record, Vec::new());
        while from < end {
            let to = from.saturating_add(step).min(end.next_multiple_of(record)).min(self.len());
            if to <= from {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            part.resize((to - from) as usize, 0);
            self.stored.read_into(from, &mut part)?;
            self.swaps.apply(&mut part);
            let (start, stop) = (at.max(from), end.min(to));
            out[(start - at) as usize..(stop - at) as usize]
                .copy_from_slice(&part[(start - from) as usize..(stop - from) as usize]);
            from = to;
        }
        Ok(())
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.stored.check_unchanged()
    }

    fn advice(&self) -> Advice {
        self.stored.advice()
    }

    fn name(&self) -> String {
        self.stored.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_io::Memory;

    #[test]
    fn any_range_of_records_is_changed() {
        // A byte, two numbers of 16 bits, and one that is stored in the order of the machine.
        let swap = Conversion::Swap { width: 2 };
        let fields = [(0..1, Conversion::None), (1..5, swap), (5..7, Conversion::None)];
        let stored: Vec<u8> = (0..21).collect();
        let records = Records::new(Arc::new(Memory::new("t", stored)), Swaps::new(7, fields));
        let whole: Vec<u8> =
            (0..3).flat_map(|record| [0, 2, 1, 4, 3, 5, 6].map(|byte| byte + 7 * record)).collect();
        for from in 0..=21 {
            for to in from..=21 {
                let mut out = vec![0; to - from];
                records.read_into(from as u64, &mut out).unwrap();
                assert_eq!(out, whole[from..to], "{from}..{to}");
            }
        }
        records.read_into(20, &mut [0; 2]).unwrap_err();
    }
}
