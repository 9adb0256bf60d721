//! The header of a file: `header` of the specification.

use crate::cursor::Cursor;
use crate::place::{self, Extent};
use crate::{Attribute, Dimension, Remark, Variable, Version};
use hyperslab_format::{FormatError, Need, Parse, Problem, Stop};

/// The header of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The version of the format.
    pub version: Version,
    /// The number of records.
    pub records: RecordCount,
    /// The dimensions, in the order of their numbers. The specification has at most one record dimension; where there are
    /// several, all are as long as there are records.
    pub dimensions: Vec<Dimension>,
    /// The attributes of the file.
    pub attributes: Vec<Attribute>,
    /// The variables, in the order of their numbers.
    pub variables: Vec<Variable>,
    /// What the specification does not allow of it.
    pub remarks: Vec<Remark>,
    /// The bytes of the header.
    pub bytes: u64,
    /// Bytes from one record to the next.
    pub record_bytes: u64,
    /// Of each variable, the bytes that it takes, or why its place is not known.
    pub(crate) extents: Vec<Result<Extent, FormatError>>,
}

/// The number of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordCount {
    /// As the file says it.
    Stored(u64),
    /// As many whole records as the file has room for: it was written by a program that could not go back to the header
    /// (`STREAMING` in the specification).
    Streamed(u64),
}

impl RecordCount {
    /// The number.
    pub fn get(self) -> u64 {
        match self {
            Self::Stored(count) | Self::Streamed(count) => count,
        }
    }
}

/// The bytes that tell the version of a file.
const MAGIC_BYTES: u64 = 4;

impl Header {
    /// Parses the header of a file of `file_len` bytes from its first bytes.
    ///
    /// # Errors
    /// [`Stop::Need`] if more of the first bytes are needed, [`Stop::Bad`] if the file is damaged or of another format.
    pub fn parse(first: &[u8], file_len: u64) -> Parse<Self> {
        if (first.len() as u64) < MAGIC_BYTES.min(file_len) {
            return Err(Stop::Need(vec![Need { range: 0..MAGIC_BYTES.min(file_len), reason: "header" }]));
        }
        let version = Version::of(first).ok_or_else(|| magic_error(first))?;
        let mut cursor = Cursor::new(first, file_len, version);
        let stored = cursor.count("number of records")?;
        let dimensions = Dimension::list(&mut cursor)?;
        let attributes = Attribute::list(&mut cursor)?;
        let variables = Variable::list(&mut cursor, &dimensions)?;
        let bytes = cursor.at();
        let extents = place::extents(&variables, &dimensions, bytes);
        let record_bytes = place::record_bytes(&variables, &dimensions);
        let streaming = if version == Version::Data64 { u64::MAX } else { u64::from(u32::MAX) };
        let records = if stored == streaming {
            RecordCount::Streamed(place::whole_records(
                &variables,
                &dimensions,
                &extents,
                record_bytes,
                file_len,
            ))
        } else {
            RecordCount::Stored(stored)
        };
        let remarks = cursor.remarks;
        Ok(Self {
            version,
            records,
            dimensions,
            attributes,
            variables,
            remarks,
            bytes,
            record_bytes,
            extents,
        })
    }

    /// The length of a dimension; of the record dimension, the number of records.
    pub fn len_of(&self, dimension: usize) -> u64 {
        let dimension = &self.dimensions[dimension];
        if dimension.is_record() { self.records.get() } else { dimension.len }
    }
}

fn magic_error(first: &[u8]) -> FormatError {
    let mut found = [0; 4];
    let known = first.len().min(4);
    found[..known].copy_from_slice(&first[..known]);
    let problem = Problem::Signature { expected: *b"CDF\x01", found };
    FormatError { structure: "header", field: "magic number", at: 0, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::testing::Build;
    use proptest::prelude::*;

    fn sample(version: Version) -> Build {
        let mut build = Build::new(version, 2);
        build.dimensions = vec![("time", 0), ("lat", 73), ("lon", 144)];
        build.attributes = vec![("Conventions", "CF-1.8"), ("title", "")];
        build.variable("lat", &[1], Kind::Float, 4096);
        build.variable("t2m", &[0, 1, 2], Kind::Short, 8192);
        build
    }

    const VERSIONS: [Version; 3] = [Version::Classic, Version::Offset64, Version::Data64];

    #[test]
    fn a_header_is_parsed_in_each_version() {
        for version in VERSIONS {
            let bytes = sample(version).bytes();
            let header = Header::parse(&bytes, 1 << 20).unwrap();
            assert_eq!(
                (header.version, header.records, header.bytes),
                (version, RecordCount::Stored(2), bytes.len() as u64)
            );
            let names: Vec<String> = header.dimensions.iter().map(|one| one.name.to_string()).collect();
            assert_eq!(
                (names.join(" "), header.len_of(0), header.len_of(2)),
                ("time lat lon".into(), 2, 144)
            );
            let [conventions, title] = &header.attributes[..] else { panic!("{header:?}") };
            assert_eq!((&conventions.values[..], conventions.count(), title.count()), (&b"CF-1.8"[..], 6, 0));
            let [lat, t2m] = &header.variables[..] else { panic!("{header:?}") };
            assert_eq!((lat.kind, &lat.dimensions[..], lat.begin), (Kind::Float, &[1][..], 4096));
            assert_eq!((t2m.kind, &t2m.dimensions[..], t2m.begin), (Kind::Short, &[0, 1, 2][..], 8192));
            assert_eq!(t2m.attributes[0].values, b"K");
        }
    }

    #[test]
    fn what_is_missing_is_asked_for_and_what_the_file_lacks_is_an_error() {
        for version in VERSIONS {
            let bytes = sample(version).bytes();
            for len in 0..bytes.len() {
                match Header::parse(&bytes[..len], 1 << 20) {
                    Err(Stop::Need(needs)) => {
                        let [need] = &needs[..] else { panic!("{needs:?}") };
                        assert!(
                            need.range.start == 0 && need.range.end > len as u64 && need.range.end <= 1 << 20
                        );
                    }
                    found => panic!("{len} bytes: {found:?}"),
                }
                let cut = Header::parse(&bytes[..len], len as u64);
                assert!(matches!(cut, Err(Stop::Bad(_))), "{len} bytes: {cut:?}");
            }
        }
    }

    #[test]
    fn counts_that_no_file_holds_allocate_nothing() {
        for version in VERSIONS {
            let mut bytes = vec![b'C', b'D', b'F', version.number()];
            bytes.resize(4 + version.count_bytes(), 0);
            bytes.extend([0, 0, 0, 0x0a]);
            bytes.resize(bytes.len() + version.count_bytes(), 0x7f);
            let Err(Stop::Bad(error)) = Header::parse(&bytes, 1 << 30) else { panic!("parsed") };
            assert!(error.to_string().contains("do not fit the"), "{error}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let error = |build: &Build| match Header::parse(&build.bytes(), 1 << 20) {
            Err(Stop::Bad(error)) => error.to_string(),
            found => panic!("{found:?}"),
        };
        let mut last = sample(Version::Classic);
        last.variable("wrong", &[1, 0], Kind::Int, 9000);
        assert!(error(&last).contains("time is the record dimension, which can only be the first"));
        let mut unknown = sample(Version::Classic);
        unknown.variable("wrong", &[7], Kind::Int, 9000);
        assert!(error(&unknown).contains("there is no dimension 7: the file has 3"));
        assert!(Header::parse(b"CDF\x03", 4).unwrap_err() != Stop::Need(Vec::new()));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_parsed_or_refused(version in 0usize..3, changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..6), len in 4u64..1 << 40) {
            let mut bytes = sample(VERSIONS[version]).bytes();
            for (at, value) in changes {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            if let Ok(header) = Header::parse(&bytes, len.max(bytes.len() as u64)) {
                for number in 0..header.variables.len() {
                    let _ = header.place(number);
                }
            }
        }
    }
}
