//! Files of netCDF classic, 64-bit offset and CDF-5: the header, and where variables are.

use crate::finding::Report;
use crate::rule::{Rule, rules};
use hyperslab_classic::{Header, RecordCount, RemarkKind, Version};
use hyperslab_format::Stop;
use hyperslab_io::Source;
use std::io;

rules! { RULES:
    /// The header can be read: its lists have their tags, their counts fit the file, and types and dimensions exist.
    HEADER = Error "classic-header", "NetCDF Classic Format Specification";
    /// Names and the values of attributes are padded with zeros.
    PADDING = Error "classic-padding", "NetCDF Classic Format Specification";
    /// Names have no NULs, which some writers count as a part of them.
    NAME = Note "classic-name", "NetCDF Classic Format Specification";
    /// The types that CDF-5 has added are in files of CDF-5 only.
    TYPES = Error "classic-types", "CDF-5 Format Specification";
    /// At most one dimension is the record dimension.
    RECORD_DIMENSIONS = Error "classic-record-dimensions", "NetCDF Classic Format Specification";
    /// No variable but the last is larger than the version allows. netCDF-C does not open such a file.
    SIZE = Error "classic-size", "NetCDF Classic Format Specification";
    /// Variables follow each other in the order of the header, and do not overlap.
    ORDER = Error "classic-order", "NetCDF Classic Format Specification";
    /// The file has all values that its header promises: a shorter file is truncated. netCDF-C reads zeros there.
    TRUNCATED = Error "classic-truncated", "NetCDF Classic Format Specification";
    /// The file has no bytes after its last value.
    BYTES_AFTER_END = Note "classic-bytes-after-end", "NetCDF Classic Format Specification";
    /// The sizes of variables that the header states (`vsize`) are those that follow from their dimensions.
    VSIZE = Note "classic-vsize", "NetCDF Classic Format Specification";
    /// The header says how many records there are.
    STREAMING = Note "classic-streaming", "NetCDF Classic Format Specification";
}

/// So many first bytes are read, and twice as many if they are not enough.
const FIRST_BYTES: u64 = 64 << 10;
/// A longer header is not checked.
const HEADER_BYTES_MAX: u64 = 1 << 28;
/// The last value may be padded.
const ALIGN: u64 = 4;

/// Checks the file if it is of one of these formats.
pub(crate) fn check(source: &dyn Source) -> io::Result<Option<Report>> {
    let len = source.len();
    let mut bytes = read(source, len.min(FIRST_BYTES))?;
    if Version::of(&bytes).is_none() {
        return Ok(None);
    }
    let mut report = Report { file_bytes: len, ..Report::default() };
    loop {
        match Header::parse(&bytes, len) {
            Ok(header) => {
                check_header(&header, len, &mut report);
                return Ok(Some(report));
            }
            Err(Stop::Need(needs)) => {
                let end = needs.iter().map(|need| need.range.end).max().unwrap_or(0).min(len);
                if end <= bytes.len() as u64 || end > HEADER_BYTES_MAX {
                    report.note(
                        &HEADER,
                        "",
                        "header",
                        0,
                        format!("it has more than {HEADER_BYTES_MAX} bytes"),
                    );
                    return Ok(Some(report));
                }
                bytes = read(source, end)?;
            }
            Err(Stop::Bad(error)) => {
                report.note(&HEADER, "", error.structure, error.at, error.to_string());
                return Ok(Some(report));
            }
        }
    }
}

fn read(source: &dyn Source, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len as usize];
    source.read_into(0, &mut bytes)?;
    Ok(bytes)
}

fn check_header(header: &Header, file_len: u64, report: &mut Report) {
    let variables = header.variables.len() as u64;
    (report.objects, report.structures) = (1 + variables, 1 + variables);
    for remark in &header.remarks {
        let (rule, message) = match remark.kind {
            RemarkKind::Padding => (&PADDING, "what pads it is not zero".to_owned()),
            RemarkKind::NewType(name) => {
                (&TYPES, format!("the type {name} in CDF-{}", header.version.number()))
            }
            RemarkKind::NulInName => (&NAME, "the name ends with NULs".to_owned()),
        };
        report.note(rule, "", remark.structure, remark.at, message);
    }
    let growing: Vec<String> =
        header.dimensions.iter().filter(|one| one.is_record()).map(|one| one.name.to_string()).collect();
    if growing.len() > 1 {
        let message = format!("{} are of length 0", growing.join(" and "));
        report.note(&RECORD_DIMENSIONS, "", "dimension", 0, message);
    }
    if let RecordCount::Streamed(count) = header.records {
        let message = format!("the number of records is not known; the file has room for {count}");
        report.note(&STREAMING, "", "header", 4, message);
    }
    for number in header.too_large() {
        let max = header.version.variable_bytes_max().unwrap_or(u64::MAX);
        let message = format!("more than {max} bytes, and it is not the last variable");
        of_variable(header, number, &SIZE, message, report);
    }
    check_places(header, file_len, report);
}

fn of_variable(header: &Header, number: usize, rule: &'static Rule, message: String, report: &mut Report) {
    let variable = &header.variables[number];
    report.note(rule, format!("/{}", variable.name), "variable", variable.at, message);
}

fn check_places(header: &Header, file_len: u64, report: &mut Report) {
    let (mut end, mut used) = (header.bytes, header.bytes);
    let mut is_known = true;
    for number in 0..header.variables.len() {
        let place = match header.place(number) {
            Ok(place) => place,
            Err(error) => {
                is_known = false;
                of_variable(header, number, &ORDER, error.to_string(), report);
                continue;
            }
        };
        let variable = &header.variables[number];
        let bytes = place.shape.iter().try_fold(variable.kind.bytes(), |bytes, len| bytes.checked_mul(*len));
        used = used.saturating_add(bytes.unwrap_or(u64::MAX));
        if place.end > file_len {
            let message = format!("its values end at byte {:#x}, the file at {file_len:#x}", place.end);
            of_variable(header, number, &TRUNCATED, message, report);
        }
        end = end.max(place.end);
        check_vsize(header, number, report);
    }
    report.orphan_bytes = if is_known { file_len.min(end).saturating_sub(used) } else { 0 };
    let last = end.checked_next_multiple_of(ALIGN).unwrap_or(end);
    if is_known && file_len > last {
        let message = format!("{} bytes follow the last value", file_len - last);
        report.note(&BYTES_AFTER_END, "", "file", last, message);
    }
}

/// The size of a variable, or of a record of it, as the header states it.
fn check_vsize(header: &Header, number: usize, report: &mut Report) {
    let variable = &header.variables[number];
    let Some(computed) = header.padded_bytes(number) else { return };
    let most = if header.version == Version::Data64 { u64::MAX } else { u32::MAX.into() };
    let stored = variable.stored_bytes;
    // A size that does not fit is written as the largest number; only record variable of small values, it is not padded.
    let unpadded = computed.saturating_sub(ALIGN - 1)..=computed;
    let is_too_large = computed > most && stored == most;
    if !unpadded.contains(&stored) && !is_too_large {
        let message = format!("vsize is {stored}, the dimensions give {computed}");
        of_variable(header, number, &VSIZE, message, report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_classic::{Attribute, Dimension, Kind, Variable};
    use hyperslab_io::Memory;

    fn header() -> Header {
        let dimension = |name: &str, len| Dimension { name: name.into(), len };
        let variable = |name: &str, dimensions: &[usize]| Variable {
            name: name.into(),
            dimensions: dimensions.to_vec(),
            attributes: vec![Attribute { name: "units".into(), kind: Kind::Char, values: b"K".to_vec() }],
            kind: Kind::Short,
            stored_bytes: 0,
            begin: 0,
            at: 0,
        };
        let dimensions = vec![dimension("time", 0), dimension("x", 5)];
        let variables = vec![variable("a", &[0, 1]), variable("b", &[1]), variable("c", &[0])];
        Header::new(Version::Classic, 2, dimensions, Vec::new(), variables).unwrap()
    }

    fn file(header: &Header) -> Vec<u8> {
        let end = (0..3).map(|number| header.place(number).unwrap().end).max().unwrap();
        let mut bytes = header.encode();
        bytes.resize(end as usize, 0);
        bytes
    }

    fn codes(bytes: Vec<u8>) -> Vec<&'static str> {
        let report = check(&Memory::new("test.nc", bytes)).unwrap().unwrap();
        report.findings.iter().map(|finding| finding.rule.code).collect()
    }

    #[test]
    fn a_sound_file_has_no_finding() {
        assert_eq!(codes(file(&header())), [""; 0]);
        assert!(check(&Memory::new("test.h5", b"\x89HDF\r\n\x1a\n".to_vec())).unwrap().is_none());
    }

    #[test]
    fn each_rule_is_violated_by_a_change() {
        let whole = file(&header());
        let changed = |change: fn(&mut Vec<u8>)| {
            let mut bytes = whole.clone();
            change(&mut bytes);
            codes(bytes)
        };
        assert_eq!(changed(|bytes| bytes.truncate(60)), ["classic-header"]);
        assert_eq!(changed(|bytes| bytes.truncate(bytes.len() - 3)), ["classic-truncated"]);
        assert_eq!(changed(|bytes| bytes.extend([0; 9])), ["classic-bytes-after-end"]);
        assert_eq!(changed(|bytes| bytes[4..8].fill(0xff)), ["classic-streaming"]);
        assert_eq!(changed(|bytes| bytes[11] = 9), ["classic-header"]);
        let with = |change: fn(&mut Header)| {
            let mut header = header();
            change(&mut header);
            let mut bytes = header.encode();
            bytes.resize(whole.len(), 0);
            codes(bytes)
        };
        assert_eq!(with(|header| header.variables[2].begin += 400)[..1], ["classic-truncated"]);
        assert_eq!(with(|header| header.variables[1].begin = 8), ["classic-order"]);
        assert_eq!(with(|header| header.variables[1].stored_bytes = 99), ["classic-vsize"]);
        assert!(with(|header| header.variables[1].kind = Kind::UShort).contains(&"classic-types"));
        let another = |header: &mut Header| header.dimensions.push(Dimension { name: "y".into(), len: 0 });
        assert!(with(another).contains(&"classic-record-dimensions"));
        assert!(with(|header| header.dimensions[1].len = 1 << 31).contains(&"classic-size"));
        // The padding of the first name: `time` has none, `x` has three bytes.
        let at = whole.windows(4).position(|bytes| bytes == b"x\0\0\0").unwrap();
        let mut padded = whole.clone();
        padded[at + 2] = 1;
        assert_eq!(codes(padded), ["classic-padding"]);
        let at = whole.windows(4).position(|bytes| bytes == b"time").unwrap();
        let mut nul = whole.clone();
        nul[at + 3] = 0;
        assert_eq!(codes(nul), ["classic-name"]);
    }
}
