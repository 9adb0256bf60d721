//! Files of HDF4: descriptors, the elements that they lead to, and the structures that refer to others.

use crate::finding::Report;
use crate::rule::rules;
use hyperslab_format::FormatError;
use hyperslab_hdf4::{Descriptor, Descriptors, MAGIC, Special, Vdata, Vgroup, tag};
use hyperslab_io::Source;
use std::io;
use std::ops::Range;

rules! { RULES:
    /// The blocks of data descriptors can be read, and none leads back to another.
    DESCRIPTORS = Error "hdf4-descriptors", "HDF Specification and Developer's Guide, chapter 2";
    /// No element ends behind the end of the file: a shorter file is truncated.
    TRUNCATED = Error "hdf4-truncated", "HDF Specification and Developer's Guide, chapter 2";
    /// The descriptions of special elements can be read.
    SPECIAL = Error "hdf4-special-element", "HDF Specification and Developer's Guide, chapter 10";
    /// Vgroups and Vdatas can be read, and the fields of a Vdata lie in its records.
    STRUCTURE = Error "hdf4-structure", "HDF Specification and Developer's Guide, chapter 9";
    /// A Vdata has all records that its description promises.
    RECORDS = Error "hdf4-records", "HDF Specification and Developer's Guide, chapter 9";
    /// The members of a Vgroup exist. Libraries leave the names of elements there that nobody wrote.
    MEMBER = Note "hdf4-member", "HDF Specification and Developer's Guide, chapter 9";
    /// A tag and a reference belong to one element.
    TWICE = Error "hdf4-element-twice", "HDF Specification and Developer's Guide, chapter 2";
}

/// Longer elements are values, which are not looked at.
const STRUCTURE_BYTES_MAX: u64 = 1 << 24;

/// Checks the file if it is HDF4.
pub(crate) fn check(source: &dyn Source) -> io::Result<Option<Report>> {
    let len = source.len();
    if len < MAGIC.len() as u64 || read(source, 0..MAGIC.len() as u64)? != MAGIC {
        return Ok(None);
    }
    let mut report = Report { file_bytes: len, ..Report::default() };
    let descriptors = match Descriptors::read(len, |range| read(source, range).map_err(ReadError::Io)) {
        Ok(descriptors) => descriptors,
        Err(ReadError::Io(error)) => return Err(error),
        Err(ReadError::Format(error)) => {
            report.note(&DESCRIPTORS, "", error.structure, error.at, error.to_string());
            return Ok(Some(report));
        }
    };
    let check = Check { source, descriptors: &descriptors };
    check.elements(&mut report)?;
    Ok(Some(report))
}

enum ReadError {
    Io(io::Error),
    Format(FormatError),
}

impl From<FormatError> for ReadError {
    fn from(error: FormatError) -> Self {
        ReadError::Format(error)
    }
}

fn read(source: &dyn Source, range: Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    source.read_into(range.start, &mut bytes)?;
    Ok(bytes)
}

/// A check of one file.
struct Check<'s> {
    source: &'s dyn Source,
    descriptors: &'s Descriptors,
}

impl Check<'_> {
    fn elements(&self, report: &mut Report) -> io::Result<()> {
        report.structures = self.descriptors.blocks().len() as u64;
        for descriptor in self.descriptors.iter() {
            report.structures += 1;
            let first = self.descriptors.get(descriptor.tag, descriptor.reference);
            if first.is_some_and(|first| first != descriptor) {
                let message = format!("there are two elements {}", name(descriptor));
                report.note(&TWICE, "", "data descriptor", descriptor.offset.into(), message);
            }
            let Some(range) = descriptor.range() else { continue };
            if range.end > self.source.len() {
                let message = format!(
                    "{} ends at byte {:#x}, the file at {:#x}",
                    name(descriptor),
                    range.end,
                    self.source.len()
                );
                report.note(&TRUNCATED, "", "element", range.start, message);
                continue;
            }
            if range.end - range.start <= STRUCTURE_BYTES_MAX {
                self.structure(descriptor, range, report)?;
            }
        }
        Ok(())
    }

    /// Checks the structure that an element is, if it is one.
    fn structure(&self, descriptor: &Descriptor, range: Range<u64>, report: &mut Report) -> io::Result<()> {
        let at = range.start;
        let is_vgroup = tag::base(descriptor.tag) == tag::VGROUP;
        let is_vdata = tag::base(descriptor.tag) == tag::VDATA;
        if descriptor.is_special() {
            if let Err(error) = Special::parse(&read(self.source, range)?, at) {
                report.note(&SPECIAL, "", error.structure, error.at, error.to_string());
            }
        } else if is_vgroup {
            report.objects += 1;
            match Vgroup::parse(&read(self.source, range)?, at) {
                Ok(vgroup) => self.members(&vgroup, at, report),
                Err(error) => report.note(&STRUCTURE, "", error.structure, error.at, error.to_string()),
            }
        } else if is_vdata {
            report.objects += 1;
            match Vdata::parse(&read(self.source, range)?, at) {
                Ok(vdata) => self.records(descriptor.reference, &vdata, at, report),
                Err(error) => report.note(&STRUCTURE, "", error.structure, error.at, error.to_string()),
            }
        }
        Ok(())
    }

    fn members(&self, vgroup: &Vgroup, at: u64, report: &mut Report) {
        for (tag, reference) in &vgroup.members {
            if self.descriptors.get(*tag, *reference).is_none() {
                let message = format!("there is no element of tag {tag} and reference {reference}");
                report.note(&MEMBER, format!("/{}", vgroup.name), "Vgroup", at, message);
            }
        }
    }

    fn records(&self, reference: u16, vdata: &Vdata, at: u64, report: &mut Report) {
        let records = self.descriptors.get(tag::VDATA_RECORDS, reference);
        let Some(records) = records.filter(|records| !records.is_special()) else { return };
        let there = records.range().map_or(0, |range| range.end - range.start);
        if there < vdata.bytes() {
            let message = format!("{there} bytes of records, {} are promised", vdata.bytes());
            report.note(&RECORDS, format!("/{}", vdata.name), "Vdata", at, message);
        }
    }
}

/// An element by its tag and its reference.
fn name(descriptor: &Descriptor) -> String {
    format!("of tag {} and reference {}", tag::base(descriptor.tag), descriptor.reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_io::Memory;

    /// A file with a Vgroup that has a member which is not there, and an element that ends behind the file.
    fn file() -> Vec<u8> {
        let vgroup: Vec<u8> =
            [&[0, 1, 2, 190, 0, 9, 0, 1][..], b"v", &[0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0]].concat();
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0, 2, 0, 0, 0, 0]);
        bytes.extend([7, 173, 0, 1, 0, 0, 0, 34]);
        bytes.extend((vgroup.len() as u32).to_be_bytes());
        bytes.extend([2, 190, 0, 2, 0, 0, 0, 40, 0, 0, 1, 0]);
        bytes.extend(vgroup);
        bytes
    }

    fn codes(bytes: Vec<u8>) -> Vec<&'static str> {
        let report = check(&Memory::new("made.hdf", bytes)).unwrap().unwrap();
        report.findings.iter().map(|finding| finding.rule.code).collect()
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(codes(file()), ["hdf4-member", "hdf4-truncated"]);
        assert_eq!(codes(file()[..20].to_vec()), ["hdf4-descriptors"]);
        assert!(check(&Memory::new("other", b"CDF\x01".to_vec())).unwrap().is_none());
    }
}
