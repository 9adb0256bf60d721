//! Vdatas: tables of records with named fields.

use crate::NumberType;
use crate::cursor::{Cursor, Parsed};
use crate::vgroup::{VERSION_WITH_ATTRIBUTES, version};
use hyperslab_format::{FormatError, Name};

/// Fields have the codes of number types from this version on.
const VERSION_WITH_CODES: u16 = 3;
/// An attribute of this field is one of the whole Vdata.
const WHOLE: i32 = -1;

/// A Vdata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vdata {
    /// Its name, which may be empty.
    pub name: Name,
    /// Its class: what it is for.
    pub class: Name,
    /// The number of its records.
    pub records: u32,
    /// Bytes of a record.
    pub record_bytes: u16,
    /// True where all values of a field follow one another, before those of the next field.
    pub is_by_field: bool,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its attributes.
    pub attributes: Vec<VdataAttribute>,
}

/// A field of a Vdata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// The type of its values.
    pub number_type: NumberType,
    /// Values in a record.
    pub order: u16,
    /// Where it begins in a record.
    pub offset: u16,
}

/// An attribute of a Vdata: the Vdata that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VdataAttribute {
    /// The number of the field that it belongs to; `None` for the whole Vdata.
    pub field: Option<u32>,
    /// The tag and the reference of the Vdata.
    pub vdata: (u16, u16),
}

impl Field {
    /// Bytes of the field in a record.
    pub fn bytes(&self) -> usize {
        usize::from(self.number_type.bytes) * usize::from(self.order)
    }
}

impl Vdata {
    /// Parses the description of a Vdata that begins at `at`.
    ///
    /// # Errors
    /// An element that is too short for what it says it contains, fields outside of a record, and types that are not read.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut from = Cursor::new("Vdata", bytes, at);
        let version = version(&from, bytes)?;
        let is_by_field = from.u16("interlace")? == 1;
        let records = from.length("number of records")?;
        let record_bytes = from.u16("record size")?;
        let count = from.u16("number of fields")?;
        let count = from.count_of("number of fields", count.into(), 10)?;
        let types_at = from.at();
        let types = from.u16s("types", count)?;
        let _sizes = from.u16s("sizes", count)?;
        let offsets = from.u16s("offsets", count)?;
        let orders = from.u16s("orders", count)?;
        let mut fields = Vec::with_capacity(count);
        for index in 0..count {
            let code = u32::from(types[index]);
            let number_type = match version < VERSION_WITH_CODES {
                true => NumberType::of_old_vdata(code, types_at)?,
                false => NumberType::of(code, types_at)?,
            };
            let name = from.name("field name")?;
            let field = Field { name, number_type, order: orders[index], offset: offsets[index] };
            if usize::from(field.offset) + field.bytes() > record_bytes.into() {
                let what = format!("field {} ends behind the {record_bytes} bytes of a record", field.name);
                return Err(from.invalid("offsets", types_at, what));
            }
            fields.push(field);
        }
        let name = from.name("name")?;
        let class = from.name("class")?;
        let _extension = (from.u16("extension tag")?, from.u16("extension reference")?);
        let attributes = match version >= VERSION_WITH_ATTRIBUTES {
            true => attributes(&mut from)?,
            false => Vec::new(),
        };
        Ok(Self { name, class, records, record_bytes, is_by_field, fields, attributes })
    }

    /// Bytes of all records.
    pub fn bytes(&self) -> u64 {
        u64::from(self.records) * u64::from(self.record_bytes)
    }

    /// The offset of a field's first value in the records, and the bytes from one record's to the next.
    pub fn place(&self, field: &Field) -> (u64, u64) {
        match self.is_by_field {
            true => (u64::from(field.offset) * u64::from(self.records), field.bytes() as u64),
            false => (field.offset.into(), self.record_bytes.into()),
        }
    }
}

fn attributes(from: &mut Cursor<'_>) -> Parsed<Vec<VdataAttribute>> {
    // The version stands here as well as at the end. Some writers of it leave what follows out where nothing is set.
    if from.left() < 12 {
        return Ok(Vec::new());
    }
    let _version = (from.u16("version")?, from.u16("more")?);
    if from.u32("flags")? == 0 {
        return Ok(Vec::new());
    }
    let count = from.length("number of attributes")?;
    let mut attributes = Vec::new();
    for _ in 0..from.count_of("number of attributes", count, 8)? {
        let field = from.i32("field")?;
        attributes.push(VdataAttribute {
            field: if field == WHOLE { None } else { u32::try_from(field).ok() },
            vdata: (from.u16("attribute tag")?, from.u16("attribute reference")?),
        });
    }
    Ok(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vdata(version: u16, record_bytes: u16) -> Vec<u8> {
        let mut bytes = vec![0, 0, 0, 0, 0, 3];
        bytes.extend(record_bytes.to_be_bytes());
        bytes.extend([0, 2]);
        bytes.extend([0, 24, 0x40, 22, 0, 4, 0, 4, 0, 0, 0, 4, 0, 1, 0, 2]);
        for name in [&b"a"[..], b"bc", b"table", b"class"] {
            bytes.extend((name.len() as u16).to_be_bytes());
            bytes.extend(name);
        }
        bytes.extend([0, 0, 0, 0]);
        if version == 4 {
            bytes.extend([0, 4, 0, 0]);
            bytes.extend([0, 0, 0, 1, 0, 0, 0, 2]);
            bytes.extend([0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0xAA, 0, 9]);
            bytes.extend([0, 0, 0, 1, 0x07, 0xAA, 0, 8]);
        }
        bytes.extend(version.to_be_bytes());
        bytes.extend([0, 0, 0]);
        bytes
    }

    #[test]
    fn fields_and_attributes_are_parsed() {
        let found = Vdata::parse(&vdata(3, 8), 0).unwrap();
        assert_eq!((found.records, found.bytes(), found.fields.len()), (3, 24, 2));
        let second = &found.fields[1];
        assert_eq!((second.order, second.offset, second.bytes()), (2, 4, 4));
        assert!(second.number_type.is_little_endian);
        assert_eq!(found.place(second), (4, 8));
        assert_eq!(Vdata { is_by_field: true, ..found.clone() }.place(second), (12, 4));
        let fields: Vec<_> =
            Vdata::parse(&vdata(4, 8), 0).unwrap().attributes.iter().map(|a| a.field).collect();
        assert_eq!(fields, [None, Some(1)]);
        // In an old Vdata, types have codes of their own.
        let mut old = vdata(2, 8);
        old[10..14].copy_from_slice(&[0, 4, 0, 2]);
        let names: Vec<_> =
            Vdata::parse(&old, 0).unwrap().fields.iter().map(|field| field.number_type.name()).collect();
        assert_eq!(names, ["int32", "int16"]);
    }

    #[test]
    fn a_field_outside_of_the_record_is_an_error() {
        let error = Vdata::parse(&vdata(3, 7), 0).unwrap_err().to_string();
        assert!(error.contains("field bc ends behind the 7 bytes"), "{error}");
        let whole = vdata(4, 8);
        for len in 0..whole.len() - 5 {
            let _ = Vdata::parse(&whole[..len], 0);
        }
    }
}
