//! Variables: `var` of the specification.

use crate::attribute::Attribute;
use crate::cursor::Cursor;
use crate::list::{self, List};
use crate::{Dimension, Kind};
use hyperslab_format::{Name, Parse};

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// The numbers of its dimensions, slowest first.
    pub dimensions: Vec<usize>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// The type of its values.
    pub kind: Kind,
    /// The bytes of its values, or of those of one record, as the file says it. Other programs compute it, and so does
    /// this one.
    pub stored_bytes: u64,
    /// The offset of its first value.
    pub begin: u64,
    /// The offset of its description in the header.
    pub at: u64,
}

pub(crate) const LIST: List = List { structure: "variable", tag: 0x0b, counts: 4, offsets: 1, words: 2 };

impl Variable {
    /// True if it has a value, or several, in each record.
    pub fn is_record(&self, dimensions: &[Dimension]) -> bool {
        self.dimensions.first().is_some_and(|first| dimensions[*first].is_record())
    }

    /// The variables of a file with these dimensions.
    pub(crate) fn list(cursor: &mut Cursor<'_>, dimensions: &[Dimension]) -> Parse<Vec<Self>> {
        list::parse(cursor, LIST, |cursor| {
            let (at, name) = (cursor.at(), cursor.name()?);
            let rank = cursor.count_of("number of dimensions", cursor.version.count_bytes() as u64)?;
            let mut own = Vec::new();
            for place in 0..rank {
                own.push(dimension(cursor, dimensions, place)?);
            }
            let attributes = Attribute::list(cursor)?;
            let kind = cursor.kind()?;
            let stored_bytes = cursor.count("vsize")?;
            let begin = cursor.offset("begin")?;
            Ok(Self { name, dimensions: own, attributes, kind, stored_bytes, begin, at })
        })
    }
}

/// The number of a dimension. Only the first one of a variable may be the record dimension.
fn dimension(cursor: &mut Cursor<'_>, dimensions: &[Dimension], place: u64) -> Parse<usize> {
    let at = cursor.at();
    let number = cursor.count("dimension")?;
    let found = usize::try_from(number).ok().and_then(|number| Some((number, dimensions.get(number)?)));
    match found {
        Some((number, dimension)) if place == 0 || !dimension.is_record() => Ok(number),
        Some((_, dimension)) => {
            let what = format!("{} is the record dimension, which can only be the first", dimension.name);
            Err(cursor.invalid_at(at, "dimension", what))
        }
        None => {
            let what = format!("there is no dimension {number}: the file has {}", dimensions.len());
            Err(cursor.invalid_at(at, "dimension", what))
        }
    }
}
