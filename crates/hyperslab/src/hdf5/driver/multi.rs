//! The multi and split drivers: a member for each kind of data, with its own range of addresses.
//!
//! ```text
//! member of each kind 6 × 1 | reserved 2 | (start 8 | end 8) × members | (name NUL, padded to 8) × members
//!
//! kinds   superblock, B-trees, raw data, global heaps, local heaps, object headers; 0 is "a member of its own"
//! name    `%s` in it stands for the part that all names have in common
//! ```
//!
//! As in libhdf5, a missing member is an error only when its bytes are read: a split file without its raw data can still
//! be listed.

use super::kind::{Driver, missing};
use crate::format_error::OrError;
use crate::{Error, Result};
use hyperslab_format::{Bytes, Cursor, Widths};
use hyperslab_io::{Location, Opener, Piece, Pieces};
use std::path::Path;

/// The endings of the first member's name, in files of h5py, of `H5Pset_fapl_split` and of `H5Pset_fapl_multi`.
pub(super) const FIRST_ENDINGS: [&str; 3] = ["-m.h5", ".meta", "-s.h5"];

const KINDS: u8 = 6;
const SUPERBLOCK: u8 = 1;
/// A missing member counts as having up to this many bytes, so that a read of them reports the name of the member. It
/// also bounds what may be allocated for them.
const MISSED_BYTES_MAX: u64 = 1 << 30;

/// A member as the driver information lists it.
#[derive(Debug, PartialEq, Eq)]
struct Member {
    /// The first kind of data that it contains.
    kind: u8,
    start: u64,
    /// The end of the allocated bytes, relative to its beginning.
    end: u64,
    template: String,
}

/// All members, joined. `path` is the path of the first member.
pub(super) fn members(opener: &dyn Opener, path: &Path, data: &Bytes) -> Result<(Driver, Pieces)> {
    let members = parse(data)?;
    let driver = if members.len() == 2 { Driver::Split } else { Driver::Multi };
    let first = members.iter().find(|member| member.kind == SUPERBLOCK);
    let template = first.map_or("", |member| &member.template);
    let stem = stem(path, template).ok_or_else(|| {
        let what = format!(
            "belongs to a file of the {} driver, in which its name has the form {template:?}",
            driver.name()
        );
        Error::unsupported(what).with_hint("give all members their original names")
    })?;
    let mut starts: Vec<u64> = members.iter().map(|member| member.start).collect();
    starts.sort_unstable();
    let pieces = members.into_iter().map(|member| {
        let next = starts.iter().find(|&&start| start > member.start).copied().unwrap_or(u64::MAX);
        let room = next - member.start;
        let location = Location::from(member.template.replacen("%s", stem, 1));
        // The name comes from the file, so only regular files are opened, not, for example, pipes.
        let source = if opener.is_file(&location) { opener.open(&location).ok() } else { None };
        match source {
            Some(source) => Piece { start: member.start, len: room, source: Ok(source) },
            None => {
                let len = member.end.min(MISSED_BYTES_MAX).min(room);
                let error = missing(&location, driver);
                let why = format!("{}; {}", error.message(), error.hint().unwrap_or_default());
                Piece { start: member.start, len, source: Err(why) }
            }
        }
    });
    let pieces = Pieces::new(pieces.collect());
    let pieces = pieces.ok_or_else(|| Error::damaged("the members of the file overlap, or are empty"))?;
    Ok((driver, pieces))
}

/// The part of the path that all members have in common, including the folder.
fn stem<'p>(path: &'p Path, template: &str) -> Option<&'p str> {
    let (before, after) = template.split_once("%s")?;
    path.to_str()?.strip_prefix(before)?.strip_suffix(after)
}

fn parse(data: &Bytes) -> Result<Vec<Member>> {
    let mut cursor = Cursor::new("driver information", 0, data.clone(), Widths::default());
    let mut members: Vec<Member> = Vec::new();
    let mut seen = [false; KINDS as usize + 1];
    for kind in 1..=KINDS {
        let holder = match cursor.u8("member of a kind of data").or_error()? {
            0 => kind,
            holder @ 1..=KINDS => holder,
            other => {
                return Err(Error::damaged(format!("driver information: {other} is not a valid member")));
            }
        };
        if !std::mem::replace(&mut seen[usize::from(holder)], true) {
            members.push(Member { kind, start: 0, end: 0, template: String::new() });
        }
    }
    cursor.skip("reserved", 2).or_error()?;
    for member in &mut members {
        member.start = cursor.u64("start of a member").or_error()?;
        member.end = cursor.u64("end of a member").or_error()?;
    }
    for member in &mut members {
        let name = cursor.nul_terminated("name of a member").or_error()?;
        let padding = (name.len() + 1).next_multiple_of(8) - (name.len() + 1);
        cursor.skip("padding of a name", padding).or_error()?;
        let name = String::from_utf8(name.to_vec());
        member.template = name.map_err(|_| Error::unsupported("the name of a member is not UTF-8"))?;
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_io::{LocalFiles, Source};

    fn information(map: [u8; 6], members: &[(u64, u64, &str)]) -> Bytes {
        let mut bytes = map.to_vec();
        bytes.extend([0; 2]);
        members
            .iter()
            .for_each(|(start, end, _)| bytes.extend([start.to_le_bytes(), end.to_le_bytes()].concat()));
        for (_, _, name) in members {
            bytes.extend(name.bytes());
            bytes.push(0);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        bytes.into()
    }

    fn split() -> Bytes {
        information([1, 1, 3, 3, 1, 1], &[(0, 2048, "%s-m.h5"), (1 << 62, 4096, "%s-raw.h5")])
    }

    #[test]
    fn kinds_share_members() {
        let member = |kind, start, end, name: &str| Member { kind, start, end, template: name.into() };
        let expected = [member(1, 0, 2048, "%s-m.h5"), member(3, 1 << 62, 4096, "%s-raw.h5")];
        assert_eq!(parse(&split()).unwrap(), expected);
        let six: Vec<_> = (0..6).map(|i| (i << 61, 100, "%s")).collect();
        assert_eq!(parse(&information([0; 6], &six)).unwrap().len(), 6);
        for len in 0..split().len() - 7 {
            assert!(parse(&split().slice(..len)).is_err(), "{len} bytes");
        }
        assert!(parse(&information([7, 0, 0, 0, 0, 0], &six)).is_err());
    }

    #[test]
    fn members_lie_side_by_side_and_one_may_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a-m.h5"), [1; 10]).unwrap();
        let (driver, pieces) = members(&LocalFiles, &path("a-m.h5"), &split()).unwrap();
        assert_eq!((driver, pieces.held_from(0), pieces.len()), (Driver::Split, 10, (1 << 62) + 4096));
        let error = pieces.read_into(1 << 62, &mut [0]).unwrap_err().to_string();
        let expected = "a-raw.h5 of the split driver does not exist; all members must be";
        assert!(error.contains(expected), "{error}");
        std::fs::write(path("a-raw.h5"), [2; 10]).unwrap();
        let (_, pieces) = members(&LocalFiles, &path("a-m.h5"), &split()).unwrap();
        let mut out = [0; 2];
        pieces.read_into((1 << 62) + 8, &mut out).unwrap();
        assert_eq!((out, pieces.len()), ([2, 2], (1 << 62) + 10));
    }

    #[test]
    fn a_first_member_under_another_name_is_refused() {
        let error = members(&LocalFiles, Path::new("/x/renamed.h5"), &split()).err().unwrap();
        assert!(error.message().contains("split") && error.message().contains("%s-m.h5"), "{error}");
        let same = information([1, 1, 3, 3, 1, 1], &[(0, 9, "%s-m.h5"), (0, 9, "%s-m.h5")]);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a-m.h5"), [1; 10]).unwrap();
        assert!(members(&LocalFiles, &folder.path().join("a-m.h5"), &same).is_err());
    }
}
