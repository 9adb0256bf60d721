//! Where the fields of records lie in a buffer or in a file.

use super::scalar::Scalar;
use hyperslab::Datatype;
use hyperslab_format::message::Class;
use hyperslab_format::message::datatype::ByteOrder;

/// Where the fields of records lie in a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLayout {
    /// The fields, in the order in which they are told.
    pub places: Vec<FieldPlace>,
    /// Bytes of a record in the buffer.
    pub bytes: usize,
    /// Each field of all records together, in the order of the places.
    pub in_columns: bool,
}

/// Where a field lies in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldPlace {
    /// Bytes from the beginning of the record.
    pub offset: usize,
    /// Bytes of the field.
    pub bytes: usize,
    /// Bytes of one of its numbers; 1 for text.
    pub unit: usize,
    /// True where numbers are not in the machine's byte order.
    pub is_swapped: bool,
}

/// Puts fields side by side; answers with the bytes of all.
pub fn pack(places: &mut [FieldPlace]) -> usize {
    let mut end = 0;
    for place in places {
        place.offset = end;
        end += place.bytes;
    }
    end
}

/// Puts fields where a C compiler does; answers with the bytes of the struct.
pub fn align(places: &mut [FieldPlace]) -> usize {
    let (mut end, mut widest) = (0usize, 1);
    for place in places {
        let unit = place.unit.max(1);
        place.offset = end.next_multiple_of(unit);
        end = place.offset + place.bytes;
        widest = widest.max(unit);
    }
    end.next_multiple_of(widest)
}

impl RecordLayout {
    /// Bytes of a record without gaps.
    pub fn packed_bytes(&self) -> usize {
        self.places.iter().map(|place| place.bytes).sum()
    }

    /// Takes records out of a buffer: one after the other without gaps, numbers in the machine's byte order.
    pub fn gather(&self, buffer: &[u8]) -> Vec<u8> {
        let records = buffer.len() / self.bytes.max(1);
        let mut packed = vec![0; records * self.packed_bytes()];
        self.each(records, |place, at, packed_at| {
            let (from, to) = (&buffer[at..at + place.bytes], &mut packed[packed_at..packed_at + place.bytes]);
            to.copy_from_slice(from);
            place.turn(to);
        });
        packed
    }

    /// Puts records into a buffer that [`Self::gather`] would take out of it.
    pub fn spread(&self, packed: &[u8], buffer: &mut [u8]) {
        let records = buffer.len() / self.bytes.max(1);
        self.each(records, |place, at, packed_at| {
            let (from, to) = (&packed[packed_at..packed_at + place.bytes], &mut buffer[at..at + place.bytes]);
            to.copy_from_slice(from);
            place.turn(to);
        });
    }

    /// Every field of so many records: where it lies in the buffer, and where in packed records.
    fn each(&self, records: usize, mut work: impl FnMut(&FieldPlace, usize, usize)) {
        let whole = self.packed_bytes();
        let mut before = 0;
        for place in &self.places {
            for record in 0..records {
                let at = match self.in_columns {
                    true => records * before + record * place.bytes,
                    false => record * self.bytes + place.offset,
                };
                work(place, at, record * whole + before);
            }
            before += place.bytes;
        }
    }
}

impl FieldPlace {
    /// A number of so many bytes, at the beginning until it is placed.
    pub fn number(bytes: usize, is_big_endian: bool) -> Self {
        let is_swapped = is_big_endian != cfg!(target_endian = "big") && bytes > 1;
        Self { offset: 0, bytes, unit: bytes, is_swapped }
    }

    /// A text of so many bytes, at the beginning until it is placed.
    pub fn text(bytes: usize) -> Self {
        Self { offset: 0, bytes, unit: 1, is_swapped: false }
    }

    /// So many scalars, at the beginning until they are placed; in the byte order of the file or of the machine.
    pub(super) fn of(scalar: Scalar, count: u32, keeps_order: bool) -> Self {
        let (bytes, unit) = (scalar.bytes as usize * count as usize, scalar.unit());
        Self { offset: 0, bytes, unit, is_swapped: keeps_order && scalar.is_swapped() }
    }

    fn turn(&self, bytes: &mut [u8]) {
        if self.is_swapped {
            bytes.chunks_exact_mut(self.unit.max(1)).for_each(<[u8]>::reverse);
        }
    }
}

/// Where the fields of records lie in a file, if they are numbers and text.
pub fn of_datatype(datatype: &Datatype) -> Option<RecordLayout> {
    let Class::Compound { members } = &datatype.class else { return None };
    let places = members
        .iter()
        .map(|member| Some(FieldPlace { offset: member.offset as usize, ..place(&member.datatype)? }))
        .collect::<Option<Vec<_>>>()?;
    Some(RecordLayout { places, bytes: datatype.size as usize, in_columns: false })
}

fn place(datatype: &Datatype) -> Option<FieldPlace> {
    let bytes = datatype.size as usize;
    let number = |order: ByteOrder| Some(FieldPlace::number(bytes, order == ByteOrder::Big));
    match &datatype.class {
        Class::Integer(integer) => number(integer.order),
        Class::Float(float) => number(float.order),
        Class::FixedString { .. } => Some(FieldPlace::text(bytes)),
        Class::Array { base, .. } => Some(FieldPlace { bytes, ..place(base)? }),
        _ => None,
    }
}
