//! The family driver: the address space is divided into members of equal size, with numbers in their names.
//!
//! The driver information is the size of a member, 8 bytes. If there is none, the length of the first member is the
//! size.

use super::kind::{Driver, missing};
use crate::{Error, Result};
use hyperslab_format::superblock::SIGNATURE;
use hyperslab_io::{Location, Opener, Piece, Pieces};
use std::path::{Path, PathBuf};

/// How the members of a family are named: a number, padded to a width, between two fixed parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Naming {
    folder: PathBuf,
    before: String,
    after: String,
    width: usize,
    padding: char,
}

impl Naming {
    /// From a pattern of C's `printf` with one number, such as `data%05d.h5`.
    pub fn of_pattern(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let (before, rest) = name.split_once('%')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (width, rest) = rest.split_at(digits);
        let after = rest.strip_prefix(['d', 'i', 'u'])?;
        let padding = if width.starts_with('0') { '0' } else { ' ' };
        let width = if width.is_empty() { 0 } else { width.parse().ok().filter(|&width| width <= 64)? };
        let one = !after.contains('%');
        let (before, after) = (before.to_owned(), after.to_owned());
        one.then(|| Self { folder: parent(path), before, after, width, padding })
    }

    /// From the name of the first member. The last zeros in it are its number, unless only an earlier group of zeros
    /// leads to an existing second member.
    pub fn of_first(opener: &dyn Opener, path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let mut numbers = Vec::new();
        let mut end = name.len();
        while let Some(last) = name[..end].rfind('0') {
            let start = name[..=last].trim_end_matches('0').len();
            let (before, after) = (name[..start].to_owned(), name[last + 1..].to_owned());
            numbers.push(Self { folder: parent(path), before, after, width: last + 1 - start, padding: '0' });
            end = start;
        }
        let leads_on = numbers.iter().position(|naming| naming.has_second(opener)).unwrap_or(0);
        (!numbers.is_empty()).then(|| numbers.swap_remove(leads_on))
    }

    /// True if a second member exists.
    fn has_second(&self, opener: &dyn Opener) -> bool {
        opener.is_file(&self.member(1))
    }

    /// True if the second file looks like the continuation of a first one of `len` bytes: it has the right length, and
    /// is not an HDF5 file itself. Otherwise, it is another file of a series, and the first file is truncated.
    pub fn continues(&self, opener: &dyn Opener, len: u64, end: u64) -> bool {
        let second = Some(self.member(1)).filter(|member| opener.is_file(member));
        let Some(file) = second.and_then(|member| opener.open(&member).ok()) else { return false };
        let mut head = [0; SIGNATURE.len()];
        let is_hdf5 = file.read_into(0, &mut head).is_ok() && head == SIGNATURE;
        file.len() == len.min(end.saturating_sub(len)) && !is_hdf5
    }

    /// The location of a member.
    pub fn member(&self, number: u64) -> Location {
        let number = number.to_string();
        let padding: String =
            std::iter::repeat_n(self.padding, self.width.saturating_sub(number.len())).collect();
        Location::from(self.folder.join(format!("{}{padding}{number}{}", self.before, self.after)))
    }
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_path_buf()
}

/// The size of a member, from the driver information.
pub(super) fn member_size(data: &[u8]) -> Result<u64> {
    let size = data.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    size.ok_or_else(|| Error::damaged("the driver information of the family is shorter than 8 bytes"))
}

/// The members that contain the addresses up to `end`.
pub(super) fn members(opener: &dyn Opener, naming: &Naming, size: u64, end: u64) -> Result<Pieces> {
    if size == 0 {
        return Err(Error::damaged("the members of the family are empty"));
    }
    let mut pieces = Vec::new();
    for number in 0..end.div_ceil(size) {
        let member = naming.member(number);
        if !opener.is_file(&member) {
            return Err(missing(&member, Driver::Family));
        }
        let opened = opener.open(&member);
        let source = opened.map_err(|error| Error::from(error).in_file(member.to_string()))?;
        pieces.push(Piece { start: number * size, len: size, source: Ok(source) });
    }
    Pieces::new(pieces).ok_or_else(|| Error::damaged("the members of the family are empty"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_io::LocalFiles;

    fn pattern(path: &str) -> Option<[String; 3]> {
        let naming = Naming::of_pattern(Path::new(path))?;
        Some([0, 7, 123].map(|number| naming.member(number).to_string()))
    }

    #[test]
    fn patterns_number_as_printf_does() {
        assert_eq!(pattern("a/b%02d.h5").unwrap(), ["a/b00.h5", "a/b07.h5", "a/b123.h5"]);
        assert_eq!(pattern("%d").unwrap(), ["0", "7", "123"]);
        assert_eq!(pattern("x%4u").unwrap(), ["x   0", "x   7", "x 123"]);
        for none in ["a.h5", "%s.h5", "%d%d", "%", "100%", "%999999999d"] {
            assert_eq!(pattern(none), None, "{none}");
        }
    }

    #[test]
    fn the_zeros_of_the_first_name_are_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let second = |name: &str| {
            let naming = Naming::of_first(&LocalFiles, &folder.path().join(name))?;
            Some(naming.member(1).file_name().unwrap().to_str().unwrap().to_owned())
        };
        assert_eq!(second("v2.0-00000.h5").unwrap(), "v2.0-00001.h5");
        assert_eq!(second("data.h5"), None);
        // The last zeros are not the number where others lead to a member.
        std::fs::write(folder.path().join("run001-v2.0.h5"), "").unwrap();
        assert_eq!(second("run000-v2.0.h5").unwrap(), "run001-v2.0.h5");
    }

    #[test]
    fn the_next_file_of_a_series_is_not_a_second_member() {
        let folder = tempfile::tempdir().unwrap();
        let naming = Naming::of_first(&LocalFiles, &folder.path().join("data_0.h5")).unwrap();
        let second = |bytes: &[u8]| std::fs::write(folder.path().join("data_1.h5"), bytes).unwrap();
        assert!(!naming.continues(&LocalFiles, 20, 50));
        second(&[7; 20]);
        assert!(
            naming.continues(&LocalFiles, 20, 50)
                && !naming.continues(&LocalFiles, 20, 35)
                && !naming.continues(&LocalFiles, 19, 50)
        );
        second(&[7; 15]);
        assert!(naming.continues(&LocalFiles, 20, 35));
        second(&[&SIGNATURE[..], &[7; 12]].concat());
        assert!(!naming.continues(&LocalFiles, 20, 50));
    }

    #[test]
    fn a_family_without_size_or_members_is_an_error() {
        let naming = Naming::of_pattern(Path::new("/nowhere/f%d.h5")).unwrap();
        assert!(members(&LocalFiles, &naming, 0, 1).is_err());
        let error = members(&LocalFiles, &naming, 1, u64::MAX).err().unwrap();
        assert!(error.message().contains("/nowhere/f0.h5 of the family driver"), "{error}");
        assert!(member_size(&[1, 2]).is_err());
        assert_eq!(member_size(&[1, 2, 0, 0, 0, 0, 0, 0, 9]).unwrap(), 513);
    }
}
