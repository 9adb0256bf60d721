//! Records: elements of several fields, as they are stored and as they lie in memory.
//!
//! ```text
//!   stored {a:<i2,b:<f8}          a a b b b b b b b b                   packed, or with a C compiler's gaps
//!   in memory, as a struct        a a . . . . . . b b b b b b b b       at each field's own alignment
//!   in memory, as columns         a a a a ... b b b b b b b b b ...     a field's values of all records together
//! ```

use super::layout::{FieldPlace, RecordLayout, align, pack};
use super::scalar::Scalar;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Mutex;

/// The fields of a record, written `{a:<f4,b:<i2,c:<f4[3],d:S1}`, or `struct{...}` where it is stored with the gaps of a
/// C struct.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// In the order in which they are stored.
    pub fields: Vec<Field>,
    /// Stored with gaps, each field at its own alignment.
    pub is_padded: bool,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its number, or one of its numbers.
    pub scalar: Scalar,
    /// How many there are; one for a plain field.
    pub count: u32,
}

/// How records lie in the program's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    /// As they are stored: nothing is converted.
    #[default]
    AsStored,
    /// As a C struct: each field in the machine's byte order, at its own alignment.
    Struct,
    /// Each field of all records in an array of its own.
    Columns,
}

/// Which fields of records are read, and how they lie in memory; all, as they are stored, where nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Records {
    /// The names of the fields, in the order in which they are wanted.
    pub fields: Option<Vec<String>>,
    /// How they lie in memory, in libraries that can convert.
    pub memory: Memory,
}

/// Most fields of a record, and most numbers of a field, that are written.
const FIELDS_MAX: usize = 1000;
const COUNT_MAX: u32 = 1 << 16;

impl Field {
    /// Bytes of all its numbers.
    pub fn bytes(&self) -> usize {
        self.scalar.bytes as usize * self.count as usize
    }
}

impl Record {
    /// Reads what [`fmt::Display`] writes. Records live as long as the program: there are as many as types are asked for.
    pub fn parse(text: &str) -> Result<&'static Self, String> {
        static KNOWN: Mutex<Vec<&'static Record>> = Mutex::new(Vec::new());
        let record = Self::read(text)?;
        let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(same) = known.iter().find(|one| ***one == record) {
            return Ok(same);
        }
        let record: &'static Self = Box::leak(Box::new(record));
        known.push(record);
        Ok(record)
    }

    fn read(text: &str) -> Result<Self, String> {
        let fail = || {
            format!(
                "there is no record type {text:?}; write its fields with their types: {{a:<f4,b:<i2,c:<f4[3],d:S1}}"
            )
        };
        let (is_padded, rest) = match text.strip_prefix("struct") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let inside = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(fail)?;
        let mut fields: Vec<Field> = Vec::new();
        for one in inside.split(',') {
            let (name, scalar) = one.split_once(':').ok_or_else(fail)?;
            let (scalar, count) = match scalar.strip_suffix(']').and_then(|text| text.split_once('[')) {
                Some((scalar, count)) => (scalar, count.parse().map_err(|_| fail())?),
                None => (scalar, 1),
            };
            let (name, scalar) = (name.trim().to_owned(), scalar.trim());
            if name.is_empty() || scalar.contains('{') || !(1..=COUNT_MAX).contains(&count) {
                return Err(fail());
            }
            if fields.len() == FIELDS_MAX || fields.iter().any(|field| field.name == name) {
                return Err(format!("{text:?} has too many fields, or two of the name {name:?}"));
            }
            fields.push(Field { name, scalar: scalar.parse()?, count });
        }
        let record = Self { fields, is_padded };
        match u32::try_from(record.stored().bytes) {
            Ok(_) => Ok(record),
            Err(_) => Err(format!("{text:?} is larger than any record")),
        }
    }

    /// Where the fields lie as they are stored.
    pub fn stored(&self) -> RecordLayout {
        self.layout(if self.is_padded { Memory::Struct } else { Memory::Columns }, true)
    }

    /// Side by side in memory, without gaps.
    pub fn packed(&self) -> RecordLayout {
        self.layout(Memory::Columns, false)
    }

    /// Where the fields lie in memory.
    pub fn in_memory(&self, memory: Memory) -> RecordLayout {
        match memory {
            Memory::AsStored => self.stored(),
            Memory::Struct => self.layout(Memory::Struct, false),
            Memory::Columns => RecordLayout { in_columns: true, ..self.packed() },
        }
    }

    fn layout(&self, memory: Memory, keeps_order: bool) -> RecordLayout {
        let place = |field: &Field| FieldPlace::of(field.scalar, field.count, keeps_order);
        let mut places: Vec<FieldPlace> = self.fields.iter().map(place).collect();
        let bytes = match memory {
            Memory::Struct => align(&mut places),
            Memory::AsStored | Memory::Columns => pack(&mut places),
        };
        RecordLayout { places, bytes, in_columns: false }
    }

    /// Where the fields of these names lie in records without gaps.
    pub(super) fn picked(&self, fields: &[String]) -> Result<RecordLayout, String> {
        let whole = self.packed();
        let place = |name: &String| {
            let known = self.fields.iter().position(|field| field.name == *name);
            let known = known.ok_or_else(|| format!("the records have no field {name:?}"))?;
            Ok(whole.places[known])
        };
        let places = fields.iter().map(place).collect::<Result<_, String>>()?;
        Ok(RecordLayout { places, ..whole })
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_padded { "struct{" } else { "{" })?;
        for (number, Field { name, scalar, count }) in self.fields.iter().enumerate() {
            write!(f, "{}{name}:{scalar}", if number > 0 { "," } else { "" })?;
            if *count > 1 {
                write!(f, "[{count}]")?;
            }
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_were_written() {
        for text in ["{a:<f4,b:<i2,c:<f4[3],d:|S1}", "struct{d:|S1,x:>f8}"] {
            let record = Record::parse(text).unwrap();
            assert_eq!(record.to_string(), text);
            assert!(std::ptr::eq(record, Record::parse(text).unwrap()), "each is kept once");
        }
        for text in ["{}", "{a}", "{a:<f4", "{a:<f3}", "{a:<f4,a:<f4}", "{a:<f4[0]}", "{a:{b:<f4}}", "{:<f4}"]
        {
            assert!(Record::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_struct_has_gaps_and_a_packed_record_none() {
        let record = Record::parse("{a:<f4,b:<i2,c:<f4[3],d:S1}").unwrap();
        let offsets =
            |layout: &RecordLayout| layout.places.iter().map(|place| place.offset).collect::<Vec<_>>();
        let (stored, memory) = (record.stored(), record.in_memory(Memory::Struct));
        assert_eq!((offsets(&stored), stored.bytes), (vec![0, 4, 6, 18], 19));
        // What a C compiler makes of struct { float a; short b; float c[3]; char d; }.
        assert_eq!((offsets(&memory), memory.bytes), (vec![0, 4, 8, 20], 24));
        assert_eq!(Record::parse("struct{a:<f4,b:<i2,c:<f4[3],d:S1}").unwrap().stored().bytes, 24);
    }

    #[test]
    fn records_are_the_same_however_they_lie() {
        let record = Record::parse("struct{a:<i2,b:>i4[2],c:S3}").unwrap();
        let packed: Vec<u8> = (0..26).collect();
        for memory in [Memory::AsStored, Memory::Struct, Memory::Columns] {
            let layout = record.in_memory(memory);
            let mut buffer = vec![0xaa; 2 * layout.bytes];
            layout.spread(&packed, &mut buffer);
            assert_eq!(layout.gather(&buffer), packed, "{memory:?}");
        }
        let mut columns = vec![0; 26];
        record.in_memory(Memory::Columns).spread(&packed, &mut columns);
        assert_eq!(columns[..4], [0, 1, 13, 14]);
    }
}
