//! Which files are meant: those that are named, and the files of HDF5, netCDF and HDF4 below folders that are named.

use super::passed_over::{PassedOver, unreadable_folder};
use crate::Error;
use crate::files::{self, is_folder, is_url};
use hyperslab::{HEAD_BYTES, recognize};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Endings of HDF5 files: of those that are looked for in stores, and of those that may have a user block.
const ENDINGS: [&str; 24] = [
    "bag", "cdf", "cool", "cxi", "fast5", "h5", "h5ad", "h5mu", "hdf", "hdf4", "hdf5", "he2", "he5", "jld2",
    "loom", "mat", "mcool", "mnc", "nc", "nc4", "nwb", "nx5", "nxs", "snirf",
];
/// The first bytes of an HDF5 file, after its user block if it has one.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
/// Formats before HDF5 that are read, too.
const OLDER: [&str; 2] = ["netCDF classic", "HDF4"];
/// The end of the names of files that are not complete, as `repack` and `NewFile` give them.
const INCOMPLETE: &[u8] = b".hyperslab-part";

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// The files that are meant.
    pub files: Vec<PathBuf>,
    /// The other files of folders that were named.
    pub passed_over: PassedOver,
}

/// The files that are meant: a file as it is named, of a folder all files of HDF5, netCDF and HDF4 below it, in order of name. Of a
/// folder of a store, those whose names have a usual ending.
pub fn files(inputs: &[PathBuf]) -> Result<Found, Error> {
    let mut files = Vec::new();
    let mut others = Vec::new();
    for input in inputs {
        if !is_folder(input) {
            files.push(input.clone());
            continue;
        }
        if is_url(input) {
            let listed = files::list(input)?.into_iter();
            let (usual, unusual): (Vec<_>, Vec<_>) = listed.partition(|path| has_usual_ending(path));
            files.extend(usual);
            let named = |path: &PathBuf| ("object with another ending".into(), files::shown(path), 0);
            others.extend(unusual.iter().map(named));
            continue;
        }
        let before = files.len();
        let mut folders = vec![input.clone()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if folder == *input => {
                    return Err(Error::unreadable(format!("{}: {error}", folder.display())));
                }
                Err(_) => {
                    others.push(unreadable_folder(&folder));
                    continue;
                }
            };
            for entry in entries.flatten() {
                let path = entry.path();
                // Links to folders are not followed, so that no folder is visited twice.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if let Some(kind) = other_kind(&path) {
                    let bytes = fs::metadata(&path).map_or(0, |metadata| metadata.len());
                    others.push((kind, path.display().to_string(), bytes));
                } else {
                    files.push(path);
                }
            }
        }
        files[before..].sort();
    }
    let mut seen = BTreeSet::new();
    files.retain(|path| seen.insert(path.clone()));
    Ok(Found { files, passed_over: PassedOver::of(others) })
}

/// What a file is that is not read; `None` for one that begins as HDF5 or an older format does, whatever its name, for one with a usual
/// ending that does so after a user block, and for one that cannot be opened, which is then said of it. Archives (tar) of HDF5
/// files have a signature at such a place, too, and other endings.
fn other_kind(path: &Path) -> Option<String> {
    if path.as_os_str().as_encoded_bytes().ends_with(INCOMPLETE) {
        return Some("incomplete file of hyperslab".into());
    }
    match fs::metadata(path) {
        Err(_) if path.is_symlink() => return Some("link that leads nowhere".into()),
        Err(_) => return None,
        Ok(metadata) if metadata.is_dir() => return Some("link to a folder".into()),
        Ok(metadata) if !metadata.is_file() => return Some("not a regular file".into()),
        Ok(_) => {}
    }
    let mut file = fs::File::open(path).ok()?;
    if has_signature(&mut file, 0) {
        return None;
    }
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let is_behind_user_block = has_usual_ending(path)
        && std::iter::successors(Some(512_u64), |place| place.checked_mul(2))
            .take_while(|place| *place < bytes)
            .any(|place| has_signature(&mut file, place));
    if is_behind_user_block {
        return None;
    }
    let mut head = Vec::new();
    let read =
        file.seek(SeekFrom::Start(0)).and_then(|_| file.take(HEAD_BYTES as u64).read_to_end(&mut head));
    let format = read.ok().and_then(|_| recognize(&head, bytes));
    if format.is_some_and(|format| OLDER.contains(&format.name)) {
        return None;
    }
    Some(format.map_or("unknown format", |format| format.name).into())
}

fn has_signature(file: &mut fs::File, place: u64) -> bool {
    let mut found = [0; 8];
    file.seek(SeekFrom::Start(place)).and_then(|_| file.read_exact(&mut found)).is_ok() && found == SIGNATURE
}

fn has_usual_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    ENDINGS.contains(&ending.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_searched_for_hdf5_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("b")).unwrap();
        for name in ["b/two.nc", "no_ending", "one.h5", "weights.other"] {
            fs::write(at(name), SIGNATURE).unwrap();
        }
        let after = |bytes: usize| [&vec![b' '; bytes][..], &SIGNATURE].concat();
        fs::write(at("matlab.mat"), after(512)).unwrap();
        fs::write(at("large.nwb"), after(4096)).unwrap();
        for (name, content) in [
            ("classic.nc", b"CDF\x01....".to_vec()),
            ("empty.h5", Vec::new()),
            ("elsewhere.h5", after(600)),
            ("archive.tar", after(512)),
            (".one.h5.hyperslab-part", SIGNATURE.to_vec()),
        ] {
            fs::write(at(name), content).unwrap();
        }
        std::os::unix::fs::symlink("nowhere", at("link.h5")).unwrap();
        std::os::unix::fs::symlink("b", at("folder")).unwrap();
        let Found { files: found, passed_over } = files(&[folder.path().to_owned(), at("one.h5")]).unwrap();
        let names =
            ["b/two.nc", "classic.nc", "large.nwb", "matlab.mat", "no_ending", "one.h5", "weights.other"];
        assert_eq!(found, names.map(at));
        let at = |name: &str| at(name).display().to_string();
        assert_eq!(
            passed_over.text().unwrap(),
            format!(
                "passed over 6: 1 empty ({}), 1 incomplete file of hyperslab ({}), 1 link that leads nowhere ({}), \
                 1 link to a folder ({}), 2 unknown format ({}, ...)",
                at("empty.h5"),
                at(".one.h5.hyperslab-part"),
                at("link.h5"),
                at("folder"),
                at("archive.tar"),
            )
        );
        assert!(!passed_over.has_unreadable());
    }
}
