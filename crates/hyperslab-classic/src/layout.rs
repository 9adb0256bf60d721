//! The header of a new file: places are given to its variables in the order in which netCDF's libraries expect them, first to
//! those of fixed size, then to those with records.

use crate::{Attribute, Dimension, Header, RecordCount, Variable, Version};
use hyperslab_format::FormatError;

/// The largest offset of CDF-1, and the largest count of CDF-1 and CDF-2.
const INT_MAX: u64 = i32::MAX as u64;

impl Header {
    /// The header of a new file with so many records. What variables say of their places is replaced.
    ///
    /// # Errors
    /// What does not fit this version of the format, by name, with the version that would hold it.
    pub fn new(
        version: Version,
        records: u64,
        dimensions: Vec<Dimension>,
        attributes: Vec<Attribute>,
        variables: Vec<Variable>,
    ) -> Result<Self, FormatError> {
        let mut header = Self {
            version,
            records: RecordCount::Stored(records),
            dimensions,
            attributes,
            variables,
            remarks: Vec::new(),
            bytes: 0,
            record_bytes: 0,
            extents: Vec::new(),
        };
        header.check_counts()?;
        let is_record: Vec<bool> =
            header.variables.iter().map(|variable| variable.is_record(&header.dimensions)).collect();
        // Numbers have the same size whatever they are.
        header.bytes = header.encode().len() as u64;
        let mut next = header.bytes.next_multiple_of(4);
        for with_records in [false, true] {
            for number in (0..is_record.len()).filter(|number| is_record[*number] == with_records) {
                header.variables[number].begin = next;
                header.check_offset(number)?;
                let bytes = crate::place::padded_bytes(&header.variables[number], &header.dimensions)?;
                header.variables[number].stored_bytes = bytes;
                let end = next.checked_add(bytes);
                next = end.ok_or_else(|| too_large(&header.variables[number], "no form of netCDF"))?;
            }
        }
        // Parsing tells the rest, as for the file that is written.
        let encoded = header.encode();
        let header = Self::parse(&encoded, u64::MAX).map_err(|stop| match stop {
            hyperslab_format::Stop::Bad(error) => error,
            hyperslab_format::Stop::Need(_) => {
                FormatError::invalid("header", "length", 0, "the new header is not complete")
            }
        })?;
        match header.too_large().first() {
            Some(&number) => {
                let holds = if version == Version::Classic { "64-bit offset or CDF-5" } else { "CDF-5" };
                Err(too_large(&header.variables[number], holds))
            }
            None => Ok(header),
        }
    }

    /// Counts and lengths have a sign in the older versions.
    fn check_counts(&self) -> Result<(), FormatError> {
        if self.version == Version::Data64 {
            return Ok(());
        }
        if self.records.get() > INT_MAX {
            return Err(invalid(format!("{} records need CDF-5", self.records.get())));
        }
        let long = self.dimensions.iter().find(|dimension| dimension.len > INT_MAX);
        if let Some(Dimension { name, len }) = long {
            return Err(invalid(format!("the dimension {name} has a length of {len}, which needs CDF-5")));
        }
        let of_variables = self.variables.iter().flat_map(|variable| &variable.attributes);
        let mut kinds = self.variables.iter().map(|variable| (&variable.name, variable.kind)).chain(
            self.attributes.iter().chain(of_variables).map(|attribute| (&attribute.name, attribute.kind)),
        );
        match kinds.find(|(_, kind)| crate::Kind::of(kind.number(), self.version).is_none()) {
            Some((name, kind)) => {
                Err(invalid(format!("{name} is of type {}, which needs CDF-5", kind.name())))
            }
            None => Ok(()),
        }
    }

    fn check_offset(&self, number: usize) -> Result<(), FormatError> {
        let variable = &self.variables[number];
        match self.version {
            Version::Classic if variable.begin > INT_MAX => {
                Err(too_large(variable, "64-bit offset or CDF-5"))
            }
            _ => Ok(()),
        }
    }
}

fn invalid(what: String) -> FormatError {
    FormatError::invalid("header", "new header", 0, what)
}

fn too_large(variable: &Variable, holds: &str) -> FormatError {
    let what = format!("{} is too large, or lies too far behind others: {holds} holds it", variable.name);
    invalid(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn dimension(name: &str, len: u64) -> Dimension {
        Dimension { name: name.into(), len }
    }

    fn variable(name: &str, dimensions: &[usize], kind: Kind) -> Variable {
        let dimensions = dimensions.to_vec();
        let attributes = Vec::new();
        Variable { name: name.into(), dimensions, attributes, kind, stored_bytes: 0, begin: 0, at: 0 }
    }

    #[test]
    fn variables_of_fixed_size_come_first_and_records_take_turns() {
        for version in [Version::Classic, Version::Offset64, Version::Data64] {
            let variables = vec![
                variable("a", &[0, 1], Kind::Short),
                variable("x", &[1], Kind::Byte),
                variable("b", &[0], Kind::Double),
            ];
            let dimensions = vec![dimension("time", 0), dimension("x", 3)];
            let header = Header::new(version, 2, dimensions, Vec::new(), variables).unwrap();
            let place = |number| header.place(number).unwrap();
            let first = header.bytes;
            assert_eq!((place(1).begin, place(0).begin, place(2).begin), (first, first + 4, first + 12));
            assert_eq!((header.record_bytes, place(2).end), (16, first + 12 + 16 + 8));
            let stored: Vec<u64> = header.variables.iter().map(|variable| variable.stored_bytes).collect();
            assert_eq!(stored, [8, 4, 8]);
        }
    }

    #[test]
    fn what_does_not_fit_is_named_with_the_form_that_holds_it() {
        let new = |version, dimensions: &[Dimension], variables: Vec<Variable>| {
            let made = Header::new(version, 1, dimensions.to_vec(), Vec::new(), variables);
            made.map(|_| ()).map_err(|error| error.to_string())
        };
        let dimensions = [dimension("time", 0), dimension("x", 1 << 30), dimension("y", 8)];
        let two = vec![variable("large", &[1], Kind::Double), variable("small", &[2], Kind::Int)];
        let error = new(Version::Classic, &dimensions, two.clone()).unwrap_err();
        // What follows a large variable has no offset, either.
        assert!(error.contains("small is too large, or lies too far behind others"), "{error}");
        assert!(error.contains("64-bit offset or CDF-5 holds it"), "{error}");
        assert!(new(Version::Offset64, &dimensions, two.clone()).unwrap_err().contains("CDF-5 holds it"));
        new(Version::Data64, &dimensions, two).unwrap();
        // The last one may be as large as it is.
        new(Version::Classic, &dimensions, vec![variable("large", &[1], Kind::Double)]).unwrap();
        let error = new(Version::Classic, &[dimension("z", 1 << 32)], Vec::new()).unwrap_err();
        assert!(error.contains("the dimension z has a length of 4294967296, which needs CDF-5"), "{error}");
        let unsigned = vec![variable("u", &[2], Kind::UInt)];
        let error = new(Version::Offset64, &dimensions, unsigned).unwrap_err();
        assert!(error.contains("u is of type uint, which needs CDF-5"), "{error}");
    }
}
