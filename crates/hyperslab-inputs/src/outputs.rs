//! Files that are written beside an answer: pages, recipes, indexes, logs. Never in place of data: a file that is
//! read, or that has the signature of a data format, is not replaced by one of them.

use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// What files of values begin with, at the beginning or after a user block of HDF5.
const SIGNATURES: [(&[u8], &str); 5] = [
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"CDF\x01", "a netCDF file"),
    (b"CDF\x02", "a netCDF file"),
    (b"CDF\x05", "a netCDF file"),
    (b"\x0e\x03\x13\x01", "an HDF4 file"),
];
/// The smallest user block. Others are twice, four times, ... as large.
const SMALLEST_USER_BLOCK: u64 = 512;

/// A file that will be written.
pub struct Output<'a> {
    /// The option that names it, for messages.
    pub option: &'static str,
    /// Its place.
    pub path: &'a Path,
    /// What is written.
    pub kind: OutputKind,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// Text or an index, in place of what is there.
    Report,
    /// Lines after those that are there, which may be read as well.
    Log,
    /// Values, in place of what is there.
    Data,
}

/// Fails where a file that is written would replace one that is read, other data, or another one that is written.
///
/// # Errors
/// If it cannot be written.
pub fn check_outputs(outputs: &[Output<'_>], inputs: &[PathBuf]) -> Result<()> {
    if outputs.is_empty() {
        return Ok(());
    }
    // An index of each file has as many outputs as inputs: every name is looked up once.
    let read: HashSet<Identity> = inputs.iter().filter_map(|input| Identity::of(local(input))).collect();
    let mut written = HashMap::new();
    for output in outputs {
        let refused = |what: &str| {
            let message = format!("{} {}: {what}", output.option, output.path.display());
            Err(Error::wrong_request(message).hint("nothing was written; name another file"))
        };
        let identity = Identity::of(output.path);
        if output.kind != OutputKind::Log && identity.as_ref().is_some_and(|file| read.contains(file)) {
            return refused("this file is read, and would be replaced");
        }
        if let Some(other) = identity.and_then(|file| written.insert(file, output.option)) {
            return refused(&format!("{other} names the same file"));
        }
        if let Some(kind) = data_format(output.path).filter(|_| output.kind != OutputKind::Data) {
            return refused(&format!("this is {kind}, which is not replaced"));
        }
    }
    Ok(())
}

/// Fails where `path`, which an option names, cannot be written in the end.
///
/// # Errors
/// If it cannot be written.
pub fn check_file(option: &str, path: &Path) -> Result<()> {
    let was_there = path.symlink_metadata().is_ok();
    OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
        Error::wrong_request(format!("{option} {}: cannot be written: {error}", path.display()))
            .hint("nothing was done yet; name a file in a folder that is there")
    })?;
    if !was_there {
        // It is made in the end, if there is one.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// Writes text to a file, or says that it cannot.
///
/// # Errors
/// If it cannot be written.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    let written = fs::write(path, text);
    written.map_err(|error| Error::system(format!("{}: cannot be written: {error}", path.display()), &error))
}

/// A URL of a local file as its path.
fn local(path: &Path) -> &Path {
    path.to_str().and_then(|text| text.strip_prefix("file://")).map_or(path, Path::new)
}

/// What all names of one file have in common. Devices and folders have none.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    /// A regular file, by its device and number.
    #[cfg(unix)]
    File(u64, u64),
    /// A regular file, by the name without links.
    #[cfg(not(unix))]
    File(PathBuf),
    /// A file that is not there yet, by its name.
    Absent(PathBuf),
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(found) => found.is_file().then(|| Self::of_file(path, &found))?,
            Err(_) => std::path::absolute(path).ok().map(Self::Absent),
        }
    }

    #[cfg(unix)]
    fn of_file(_: &Path, found: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self::File(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn of_file(path: &Path, _: &Metadata) -> Option<Self> {
        path.canonicalize().ok().map(Self::File)
    }
}

/// The format of a file that holds values.
fn data_format(path: &Path) -> Option<&'static str> {
    // Nothing but a regular file has a beginning that can be read and left.
    let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
    let mut file = File::open(path).ok()?;
    let user_blocks = std::iter::successors(Some(SMALLEST_USER_BLOCK), |bytes| bytes.checked_mul(2));
    let mut starts = std::iter::once(0).chain(user_blocks).take_while(|start| *start < metadata.len());
    starts.find_map(|start| {
        let mut first = Vec::new();
        file.seek(SeekFrom::Start(start)).ok()?;
        io::Read::by_ref(&mut file).take(8).read_to_end(&mut first).ok()?;
        // Only HDF5 has user blocks.
        let known = if start == 0 { &SIGNATURES[..] } else { &SIGNATURES[..1] };
        known.iter().find(|(signature, _)| first.starts_with(signature)).map(|(_, kind)| *kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report<'a>(option: &'static str, path: &'a Path) -> Output<'a> {
        Output { option, path, kind: OutputKind::Report }
    }

    fn refusal(option: &'static str, path: &Path, inputs: &[PathBuf]) -> Option<String> {
        check_outputs(&[report(option, path)], inputs).err().map(|failure| failure.message)
    }

    #[test]
    fn data_is_recognized_behind_a_user_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let mut user_block = vec![b' '; 2048];
        user_block.extend(b"\x89HDF\r\n\x1a\n");
        for (bytes, kind) in [
            (user_block.as_slice(), Some("an HDF5 file")),
            (b"\x89HDF\r\n\x1a\n", Some("an HDF5 file")),
            (b"CDF\x05\0\0\0\0", Some("a netCDF file")),
            (b"", None),
            (b"{}", None),
            (b"CDF\x07", None),
        ] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(data_format(&path), kind);
            assert_eq!(refusal("--html", &path, &[]).is_some(), kind.is_some());
        }
        fs::write(&path, user_block).unwrap();
        let kept = || Output { option: "--keep", path: &path, kind: OutputKind::Data };
        assert!(check_outputs(&[kept()], &[]).is_ok());
        assert!(check_outputs(&[kept()], std::slice::from_ref(&path)).is_err());
    }

    #[test]
    fn a_file_is_known_by_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("read.jsonl"), "{}").unwrap();
        fs::hard_link(at("read.jsonl"), at("hard")).unwrap();
        let url = PathBuf::from(format!("file://{}", at("read.jsonl").display()));
        for input in [at("read.jsonl"), folder.path().join(".").join("hard"), url] {
            assert!(refusal("--html", &at("hard"), &[input]).is_some());
        }
        let log = Output { option: "--resume", path: &at("hard"), kind: OutputKind::Log };
        assert!(check_outputs(&[log], &[at("read.jsonl")]).is_ok());
        assert_eq!(refusal("--html", &at("new.html"), &[at("read.jsonl")]), None);
        let (one, other) = (at("same"), folder.path().join(".").join("same"));
        let both = [report("--html", &one), report("--csv", &other)];
        let failure = check_outputs(&both, &[]).unwrap_err();
        assert_eq!(failure.kind, hyperslab::ErrorKind::Invalid);
        assert!(failure.message.ends_with("--html names the same file"), "{}", failure.message);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_what_it_leads_to_and_devices_are_not_files() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.jsonl"), folder.path().join("link"));
        fs::write(&file, "{}").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(refusal("-o", &link, &[file]).is_some());
        assert_eq!(refusal("-o", Path::new("/dev/null"), &[PathBuf::from("/dev/null")]), None);
    }
}
