//! The records of a Vdata in the byte order of the machine: fields have orders of their own, which no conversion of whole
//! elements serves.

use super::datatype::to_native;
use hyperslab_array::read::convert::Conversion;
use hyperslab_hdf4::Field;
use hyperslab_io::{Advice, Epoch, Source};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The bytes that are read at once where a read does not begin with a record.
const PART_BYTES: usize = 1 << 20;

/// Which bytes of a record change their order.
#[derive(Debug, Clone)]
pub(super) struct Swaps {
    record_bytes: usize,
    fields: Vec<(Range<usize>, Conversion)>,
}

impl Swaps {
    /// Those of records with these fields.
    pub(super) fn of(fields: &[Field], record_bytes: u16) -> Self {
        let place = |field: &Field| {
            let start = usize::from(field.offset);
            (start..start + field.bytes(), to_native(field.number_type))
        };
        let fields = fields.iter().map(place).filter(|(_, conversion)| *conversion != Conversion::None);
        Self { record_bytes: usize::from(record_bytes).max(1), fields: fields.collect() }
    }

    /// True if records are as they are stored.
    pub(super) fn are_none(&self) -> bool {
        self.fields.is_empty()
    }

    /// Changes whole records.
    pub(super) fn apply(&self, records: &mut [u8]) {
        for record in records.chunks_exact_mut(self.record_bytes) {
            self.fields
                .iter()
                .for_each(|(place, conversion)| conversion.in_place(&mut record[place.clone()]));
        }
    }
}

/// Records, changed as they are read.
pub(super) struct Records {
    stored: Arc<dyn Source>,
    swaps: Swaps,
}

impl Records {
    /// Records that are stored one after the other, from the first byte of `stored`.
    pub(super) fn new(stored: Arc<dyn Source>, swaps: Swaps) -> Self {
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
    use hyperslab_format::Name;
    use hyperslab_hdf4::NumberType;
    use hyperslab_io::Memory;

    #[test]
    fn any_range_of_records_is_changed() {
        let number = |code| NumberType::of(code, 0).unwrap();
        let field =
            |code, order, offset| Field { name: Name::from("f"), number_type: number(code), order, offset };
        // A byte, two numbers of 16 bits, and one that is stored in the order of the machine.
        let fields = [field(21, 1, 0), field(23, 2, 1), field(23 | 0x4000, 1, 5)];
        let stored: Vec<u8> = (0..21).collect();
        let records = Records::new(Arc::new(Memory::new("t", stored)), Swaps::of(&fields, 7));
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
