//! Filter Pipeline message (specification IV.A.2.l, type 0x0B): the filters applied to chunks.
//!
//! ```text
//! version 1 | filters 1 | reserved 6 | each: id 2, name length 2, flags 2, values 2, name (to 8), values, (to 8)
//! version 2 | filters 1 |              each: id 2, [id >= 256: name length 2], flags 2, values 2, [name], values
//! version 3 | as version 2, and behind the values of each filter: length 2, configuration (`key = value`, UTF-8)
//! ```
//!
//! Version 3 is that of the draft for HDF5 2.3. The configuration is what the client data were made of, which are complete
//! without it; it is checked and not kept. Not handled: a later draft, whose filters have numbered extensions in the same
//! place; a message of it that begins with their small number is refused.

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

/// The longest configuration of a filter in version 3, in bytes.
const CONFIGURATION_MAX: u16 = 4096;

/// Filters with smaller identifiers are the library's own; version 2 does not store their names.
const RESERVED: u16 = 256;

impl FilterPipeline {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        let version = cursor.version(1..=3)?;
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
        if version == 3 {
            skip_configuration(cursor)?;
        }
        Ok(Self { id, name: (len > 0).then(|| Name::new(name.slice(..len))), flags, parameters })
    }
}

/// The text that the parameters of a filter were made of.
fn skip_configuration(cursor: &mut Cursor) -> Result<(), FormatError> {
    const FIELD: &str = "configuration length";
    let at = cursor.at();
    let len = cursor.u16(FIELD)?;
    // The shortest text has three characters; these are numbers of extensions of another draft of this version.
    if len == 1 || len == 2 {
        let what = format!("{len} bytes are not a `key = value`; extensions of filters are not supported");
        return Err(FormatError::unsupported(cursor.structure(), FIELD, at, what));
    }
    if len > CONFIGURATION_MAX {
        let max = u64::from(CONFIGURATION_MAX);
        return Err(FormatError::limit(cursor.structure(), FIELD, at, "CONFIGURATION_MAX", max, len.into()));
    }
    let at = cursor.at();
    let text = cursor.bytes("configuration", len.into())?;
    if std::str::from_utf8(&text).is_err() || text.contains(&0) {
        return Err(cursor.invalid_at(at, "configuration", "not a text in UTF-8 without NUL"));
    }
    Ok(())
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
    fn version_3_has_a_configuration_behind_each_filter() {
        let with = |text: &[u8]| {
            let deflate = Build::default().u8(3).u8(2).u16(1).u16(0).u16(1).u32(9);
            let deflate = deflate.u16(text.len() as u16).bytes(text);
            deflate.u16(32_000).u16(4).u16(0).u16(0).bytes(b"lzf\0").u16(0)
        };
        let body = with(b"level = 9");
        let pipeline = FilterPipeline::parse(body.cursor()).unwrap();
        assert_eq!((pipeline.filters[0].id, &pipeline.filters[0].parameters[..]), (1, &[9][..]));
        assert_eq!((pipeline.filters[1].id, &pipeline.filters[1].name), (32_000, &Some("lzf".into())));
        body.each_prefix(|cursor| assert!(FilterPipeline::parse(cursor).is_err()));
        assert!(FilterPipeline::parse(with(&[b'a'; 4096]).cursor()).is_ok());
        for (text, field) in [
            (&[b'a'; 4097][..], "configuration length"),
            (b"a", "configuration length"),
            (b"ab", "configuration length"),
            (b"a=\0", "configuration"),
            (b"a=\xff", "configuration"),
        ] {
            assert_eq!(FilterPipeline::parse(with(text).cursor()).unwrap_err().field, field);
        }
    }

    #[test]
    fn refuses_more_than_32_filters() {
        let body = Build::default().u8(2).u8(33).zeros(33 * 6);
        assert!(FilterPipeline::parse(body.cursor()).is_err());
        let body = Build::default().u8(2).u8(32).zeros(32 * 6);
        assert_eq!(FilterPipeline::parse(body.cursor()).unwrap().filters.len(), 32);
    }
}
