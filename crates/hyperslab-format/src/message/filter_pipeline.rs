//! Filter Pipeline message (specification IV.A.2.l, type 0x0B): the filters applied to chunks.
//!
//! ```text
//! version 1 | filters 1 | reserved 6 | each: id 2, name length 2, flags 2, values 2, name (to 8), values, (to 8)
//! version 2 | filters 1 |              each: id 2, [id >= 256: name length 2], flags 2, values 2, [name], values
//! ```

use crate::limits::FILTERS_MAX;
use crate::{Cursor, Encoder, FormatError, Name};

/// The filters of a dataset, in the order in which they are applied when writing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilterPipeline {
    /// The filters.
    pub filters: Vec<Filter>,
}

/// One filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The registered identifier: 1 is deflate.
    pub id: u16,
    /// The name of the filter in the file, if any.
    pub name: Option<Name>,
    /// The raw flags field. If bit 0 is set, chunks on which the filter fails are stored without it.
    pub flags: u16,
    /// The parameters: client data ("cd_values").
    pub parameters: Vec<u32>,
}

impl Filter {
    /// True if a chunk may be stored without this filter.
    pub fn is_optional(&self) -> bool {
        self.flags & 1 != 0
    }
}

/// Filters with smaller identifiers are the library's own; version 2 does not store their names.
const RESERVED: u16 = 256;

impl FilterPipeline {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        let version = cursor.version(1..=2)?;
        let at = cursor.at();
        let count = cursor.u8("number of filters")?;
        if u64::from(count) > FILTERS_MAX {
            let (structure, field) = (cursor.structure(), "number of filters");
            return Err(FormatError::limit(structure, field, at, "FILTERS_MAX", FILTERS_MAX, count.into()));
        }
        if version == 1 {
            cursor.skip("reserved", 6)?;
        }
        let filters = (0..count).map(|_| Filter::parse(&mut cursor, version)).collect::<Result<_, _>>()?;
        Ok(Self { filters })
    }
}

impl Filter {
    fn parse(cursor: &mut Cursor, version: u8) -> Result<Self, FormatError> {
        let id = cursor.u16("filter identification")?;
        let mut name_len = 0;
        if version == 1 || id >= RESERVED {
            let at = cursor.at();
            name_len = cursor.u16("name length")?;
            if version == 1 && !name_len.is_multiple_of(8) {
                let what = format!("the length of the name, {name_len} bytes, is not a multiple of 8");
                return Err(cursor.invalid_at(at, "name length", what));
            }
        }
        let flags = cursor.u16("flags")?;
        let count = cursor.u16("number of client data values")?;
        let name = cursor.bytes("name", name_len.into())?;
        let len = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
        let parameters = (0..count).map(|_| cursor.u32("client data")).collect::<Result<_, _>>()?;
        if version == 1 && !count.is_multiple_of(2) {
            cursor.skip("padding", 4)?;
        }
        Ok(Self { id, name: (len > 0).then(|| Name::new(name.slice(..len))), flags, parameters })
    }
}

impl FilterPipeline {
    /// Encodes the message, in version 1 or 2.
    pub fn encode(&self, out: &mut Encoder, version: u8) {
        out.u8(version);
        if self.filters.len() as u64 > FILTERS_MAX {
            out.refuse("number of filters", format!("{} filters", self.filters.len()));
        }
        out.count("number of filters", self.filters.len(), 1);
        if version == 1 {
            out.zeros(6);
        }
        self.filters.iter().for_each(|filter| filter.encode(out, version));
    }
}

impl Filter {
    fn encode(&self, out: &mut Encoder, version: u8) {
        out.u16(self.id);
        let name = self.name.as_ref().filter(|_| version == 1 || self.id >= RESERVED);
        let name_len = name.map_or(0, |name| name.as_bytes().len() + 1);
        let name_len = if version == 1 { name_len.next_multiple_of(8) } else { name_len };
        if version == 1 || self.id >= RESERVED {
            out.count("name length", name_len, 2);
        }
        out.u16(self.flags);
        out.count("number of client data values", self.parameters.len(), 2);
        let start = out.position();
        if let Some(name) = name {
            out.nul_terminated("name", name.as_bytes());
            out.zeros(start + name_len - out.position());
        }
        self.parameters.iter().for_each(|&value| out.u32(value));
        if version == 1 && !self.parameters.len().is_multiple_of(2) {
            out.zeros(4);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn version_1_pads_names_and_values() {
        let body = Build::default()
            .u8(1)
            .u8(2)
            .zeros(6)
            .u16(2)
            .u16(8)
            .u16(1)
            .u16(1)
            .bytes(b"shuffle\0")
            .u32(4)
            .zeros(4)
            .u16(1)
            .u16(0)
            .u16(0)
            .u16(2)
            .u32(6)
            .u32(7);
        let pipeline = FilterPipeline::parse(body.cursor()).unwrap();
        let [shuffle, deflate] = &pipeline.filters[..] else { panic!("{pipeline:?}") };
        assert_eq!(
            (shuffle.id, &shuffle.name, &shuffle.parameters[..]),
            (2, &Some("shuffle".into()), &[4][..])
        );
        assert!(shuffle.is_optional());
        assert_eq!((deflate.id, &deflate.name, &deflate.parameters[..]), (1, &None, &[6, 7][..]));
        assert!(!deflate.is_optional());
        body.each_prefix(|cursor| assert!(FilterPipeline::parse(cursor).is_err()));
        // The name of the first filter has 7 bytes.
        assert_eq!(FilterPipeline::parse(body.with_byte(10, 7).cursor()).unwrap_err().field, "name length");
    }

    #[test]
    fn version_2_names_registered_filters_only() {
        let body = Build::default()
            .u8(2)
            .u8(2)
            .u16(1)
            .u16(0)
            .u16(1)
            .u32(9)
            .u16(32_000)
            .u16(4)
            .u16(0)
            .u16(0)
            .bytes(b"lzf\0");
        let pipeline = FilterPipeline::parse(body.cursor()).unwrap();
        assert_eq!(pipeline.filters[0].parameters, [9]);
        assert_eq!((pipeline.filters[1].id, &pipeline.filters[1].name), (32_000, &Some("lzf".into())));
        body.each_prefix(|cursor| assert!(FilterPipeline::parse(cursor).is_err()));
    }

    #[test]
    fn refuses_more_than_32_filters() {
        let body = Build::default().u8(2).u8(33).zeros(33 * 6);
        assert!(FilterPipeline::parse(body.cursor()).is_err());
        let body = Build::default().u8(2).u8(32).zeros(32 * 6);
        assert_eq!(FilterPipeline::parse(body.cursor()).unwrap().filters.len(), 32);
    }
}
