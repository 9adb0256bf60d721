//! Where the values of variables are.
//!
//! A variable of fixed size is contiguous. The values of a record variable for one record are contiguous; the next record comes
//! after the values of all other record variables. The size of each is padded to four bytes, but not in a file of a single record
//! variable. The sizes that the header stores (`vsize`) are not used: they are redundant, often wrong, and too narrow.

use crate::{Dimension, Header, Variable};
use hyperslab_format::FormatError;

/// The place of the values of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The offset of the first value.
    pub begin: u64,
    /// The lengths of its dimensions, slowest first; empty for a single value.
    pub shape: Vec<u64>,
    /// Bytes from one record to the next, where other values lie between them; `None` where all are contiguous.
    pub record_bytes: Option<u64>,
    /// The offset behind the last value; 0 without values.
    pub end: u64,
}

/// The bytes of a variable, or of one of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes of values.
    bytes: u64,
    /// With what pads them.
    padded: u64,
}

impl Header {
    /// The place of the values of the variable with this number.
    ///
    /// # Errors
    /// Its size has no 64 bits, or it overlaps what lies before it.
    ///
    /// # Panics
    /// There is no such variable.
    pub fn place(&self, number: usize) -> Result<Place, FormatError> {
        let variable = &self.variables[number];
        let extent = self.extents[number].clone()?;
        let shape: Vec<u64> = variable.dimensions.iter().map(|dimension| self.len_of(*dimension)).collect();
        let is_record = variable.is_record(&self.dimensions);
        let before_last = match (is_record, self.records.get()) {
            (true, 0) | (false, _) => Some(0),
            (true, records) => (records - 1).checked_mul(self.record_bytes),
        };
        // Without the size of another record variable, that of all together is not known.
        if is_record && self.record_bytes < extent.bytes {
            return Err(too_large(variable));
        }
        // A variable without values may begin behind the end of the file.
        let end = match shape.contains(&0) {
            true => Some(0),
            false => {
                before_last.and_then(|before| variable.begin.checked_add(before)?.checked_add(extent.bytes))
            }
        };
        let end = end.ok_or_else(|| too_large(variable))?;
        let record_bytes = (is_record && self.record_bytes != extent.bytes).then_some(self.record_bytes);
        Ok(Place { begin: variable.begin, shape, record_bytes, end })
    }
}

fn too_large(variable: &Variable) -> FormatError {
    let what = format!("the size of {} does not fit 64 bits", variable.name);
    FormatError::invalid("variable", "dimensions", variable.at, what)
}

/// The bytes of each variable, or of one record of it. Variables of fixed size follow each other in the order of the header, and
/// so do record variables. Where one begins before the end of the one before it, its offset and those of all after it are not
/// to be trusted: netCDF-C before 4.5 wrote such files.
pub(crate) fn extents(
    variables: &[Variable],
    dimensions: &[Dimension],
    header_bytes: u64,
) -> Vec<Result<Extent, FormatError>> {
    // Of variables of fixed size, and of record variables.
    let mut ends = [Ok(header_bytes), Ok(header_bytes)];
    let of = |variable: &Variable| {
        let is_record = variable.is_record(dimensions);
        let extent = extent(variable, dimensions)?;
        let end = &mut ends[usize::from(is_record)];
        let placed = match &*end {
            Ok(before) if variable.begin < *before => {
                let what =
                    format!("{} begins before the end of what precedes it, {before:#x}", variable.name);
                Err(FormatError::invalid("variable", "begin", variable.begin, what))
            }
            Ok(_) => variable.begin.checked_add(extent.padded).ok_or_else(|| too_large(variable)),
            Err(error) => Err(FormatError::clone(error)),
        };
        *end = placed;
        end.clone().map(|_| extent)
    };
    let mut extents: Vec<_> = variables.iter().map(of).collect();
    refuse_overlap(variables, dimensions, &mut extents);
    extents
}

/// Records follow the variables of fixed size. Where they begin inside of one, they and that one have written over each other.
fn refuse_overlap(
    variables: &[Variable],
    dimensions: &[Dimension],
    extents: &mut [Result<Extent, FormatError>],
) {
    let is_record = |variable: &&Variable| variable.is_record(dimensions);
    let Some(records) = variables.iter().filter(is_record).map(|variable| variable.begin).min() else {
        return;
    };
    let reaches = |(variable, extent): (&Variable, &Result<Extent, FormatError>)| {
        let end = extent.as_ref().ok().map(|extent| variable.begin.saturating_add(extent.bytes));
        !variable.is_record(dimensions) && end.is_some_and(|end| end > records)
    };
    let overlapping: Vec<bool> = variables.iter().zip(&*extents).map(reaches).collect();
    if !overlapping.contains(&true) {
        return;
    }
    for ((variable, extent), reaches) in variables.iter().zip(extents).zip(overlapping) {
        if (reaches || is_record(&variable)) && extent.is_ok() {
            let what = format!(
                "the records begin at {records:#x}, inside of a variable of fixed size: {} was written over",
                variable.name
            );
            *extent = Err(FormatError::invalid("variable", "begin", variable.begin, what));
        }
    }
}

impl Header {
    /// The bytes of a variable, or of one record of it, with what pads them; `None` if its size has no 64 bits.
    pub fn padded_bytes(&self, number: usize) -> Option<u64> {
        padded_bytes(self.variables.get(number)?, &self.dimensions).ok()
    }
}

/// The bytes of a variable, or of one record of it, with what pads them.
pub(crate) fn padded_bytes(variable: &Variable, dimensions: &[Dimension]) -> Result<u64, FormatError> {
    extent(variable, dimensions).map(|extent| extent.padded)
}

fn extent(variable: &Variable, dimensions: &[Dimension]) -> Result<Extent, FormatError> {
    let own = variable.dimensions.iter().map(|number| &dimensions[*number]);
    let mut fixed = own.filter(|dimension| !dimension.is_record());
    let bytes = fixed.try_fold(variable.kind.bytes(), |bytes, dimension| bytes.checked_mul(dimension.len));
    let padded = bytes.and_then(|bytes| bytes.checked_next_multiple_of(4));
    match (bytes, padded) {
        (Some(bytes), Some(padded)) => Ok(Extent { bytes, padded }),
        _ => Err(too_large(variable)),
    }
}

/// Bytes from one record to the next; 0 without record variables, or if they are not known. They do not depend on where the
/// variables are.
pub(crate) fn record_bytes(variables: &[Variable], dimensions: &[Dimension]) -> u64 {
    let of_records = || {
        let all = variables.iter().filter(|variable| variable.is_record(dimensions));
        all.map(|variable| extent(variable, dimensions).ok())
    };
    if of_records().count() == 1 {
        return of_records().flatten().map(|extent| extent.bytes).sum();
    }
    of_records().try_fold(0u64, |sum, extent| sum.checked_add(extent?.padded)).unwrap_or(0)
}

/// How many records a file of this length has whole; what pads the last one may be missing.
pub(crate) fn whole_records(
    variables: &[Variable],
    dimensions: &[Dimension],
    extents: &[Result<Extent, FormatError>],
    record_bytes: u64,
    file_len: u64,
) -> u64 {
    let of_records = || variables.iter().zip(extents).filter(|(variable, _)| variable.is_record(dimensions));
    let end = |(variable, extent): (&Variable, &Result<Extent, FormatError>)| {
        let bytes = extent.as_ref().map_or(0, |extent| extent.bytes);
        variable.begin.saturating_add(bytes)
    };
    let first_end = of_records().map(end).max();
    match first_end.and_then(|end| file_len.checked_sub(end)) {
        Some(behind) if record_bytes > 0 => behind / record_bytes + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Build;
    use crate::{Header, Kind, RecordCount, Version};

    fn parse(build: &Build) -> Header {
        let bytes = build.bytes();
        Header::parse(&bytes, build.file_len.max(bytes.len() as u64)).unwrap()
    }

    #[test]
    fn records_take_turns_and_are_padded() {
        let mut build = Build::new(Version::Classic, 3);
        build.dimensions = vec![("time", 0), ("x", 3)];
        build.variable("fixed", &[1], Kind::Short, 1000);
        build.variable("bytes", &[0, 1], Kind::Byte, 2000);
        build.variable("doubles", &[0], Kind::Double, 2004);
        let header = parse(&build);
        assert_eq!(header.record_bytes, 4 + 8);
        let place = |number| header.place(number).unwrap();
        assert_eq!((place(0).shape, place(0).record_bytes, place(0).end), (vec![3], None, 1006));
        assert_eq!(
            (place(1).shape, place(1).record_bytes, place(1).end),
            (vec![3, 3], Some(12), 2000 + 24 + 3)
        );
        assert_eq!((place(2).shape, place(2).record_bytes), (vec![3], Some(12)));
    }

    #[test]
    fn a_single_record_variable_is_not_padded() {
        let mut build = Build::new(Version::Offset64, 2);
        build.dimensions = vec![("time", 0), ("x", 3)];
        build.variable("bytes", &[0, 1], Kind::Byte, 2000);
        let header = parse(&build);
        assert_eq!(header.record_bytes, 3);
        let place = header.place(0).unwrap();
        assert_eq!((place.record_bytes, place.end), (None, 2006));
    }

    #[test]
    fn streamed_records_are_counted_by_the_length_of_the_file() {
        for (version, stored) in [(Version::Classic, u64::from(u32::MAX)), (Version::Data64, u64::MAX)] {
            let mut build = Build::new(version, stored);
            build.dimensions = vec![("time", 0)];
            build.variable("a", &[0], Kind::Int, 2000);
            build.variable("b", &[0], Kind::Int, 2004);
            // Three records and a part of the fourth.
            build.file_len = 2000 + 3 * 8 + 4;
            let header = parse(&build);
            assert_eq!(header.records, RecordCount::Streamed(3));
            assert_eq!(header.place(1).unwrap().end, 2000 + 24);
        }
    }

    #[test]
    fn records_are_as_far_apart_as_all_variables_say_wherever_these_are() {
        let mut build = Build::new(Version::Classic, 5);
        build.dimensions = vec![("time", 0)];
        build.variable("a", &[0], Kind::Int, 2000);
        build.variable("b", &[0], Kind::Int, 2002);
        let header = parse(&build);
        assert_eq!(header.place(0).unwrap().record_bytes, Some(8));
        header.place(1).unwrap_err();
    }

    #[test]
    fn records_inside_of_a_variable_of_fixed_size_are_an_error_of_both() {
        let mut build = Build::new(Version::Data64, 1);
        build.dimensions = vec![("time", 0), ("x", 100)];
        build.variable("other", &[1], Kind::Int, 2000);
        build.variable("fixed", &[1], Kind::Int, 3000);
        build.variable("a", &[0], Kind::Int, 3200);
        let header = parse(&build);
        header.place(0).unwrap();
        for number in [1, 2] {
            let error = header.place(number).unwrap_err().to_string();
            assert!(error.contains("was written over"), "{error}");
        }
    }

    #[test]
    fn what_overlaps_is_an_error_with_all_that_follow() {
        let mut build = Build::new(Version::Data64, 0);
        build.dimensions = vec![("x", 4)];
        for (name, begin) in [("a", 2000), ("b", 2008), ("c", 4000)] {
            build.variable(name, &[0], Kind::Int, begin);
        }
        let header = parse(&build);
        assert!(header.place(0).is_ok());
        for number in [1, 2] {
            let error = header.place(number).unwrap_err().to_string();
            assert!(error.contains("b begins before the end of what precedes it, 0x7e0"), "{error}");
        }
    }

    #[test]
    fn sizes_of_more_than_64_bits_are_errors() {
        let mut build = Build::new(Version::Data64, u64::MAX - 1);
        build.dimensions = vec![("time", 0), ("x", 1 << 62), ("y", 8)];
        build.variable("large", &[1, 2], Kind::Byte, 2000);
        build.variable("many", &[0, 2], Kind::Double, 3000);
        let header = parse(&build);
        for number in [0, 1] {
            assert!(header.place(number).unwrap_err().to_string().contains("does not fit 64 bits"));
        }
    }
}
