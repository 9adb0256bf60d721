//! Which files are meant: those that are named, and the HDF5 files below folders that are named.

use crate::failure::Failure;
use crate::location::{self, is_folder, is_url};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Endings of HDF5 files: of those that are looked for in stores, and of those that may have a user block.
const ENDINGS: [&str; 22] = [
    "bag", "cdf", "cool", "cxi", "fast5", "h5", "h5ad", "h5mu", "hdf", "hdf5", "he5", "jld2", "loom", "mat",
    "mcool", "mnc", "nc", "nc4", "nwb", "nx5", "nxs", "snirf",
];
/// The first bytes of an HDF5 file, after its user block if it has one.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
/// The end of the names of files that are not complete, as `repack` and `NewFile` give them.
const INCOMPLETE: &[u8] = b".hyperslab-part";

/// The files that are meant: a file as it is named, of a folder all HDF5 and netCDF-4 files below it, in order of name. Of a
/// folder of a store, those whose names have a usual ending.
pub(crate) fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for input in inputs {
        if !is_folder(input) {
            files.push(input.clone());
            continue;
        }
        if is_url(input) {
            files.extend(location::list(input)?.into_iter().filter(|path| has_usual_ending(path)));
            continue;
        }
        let before = files.len();
        let mut folders = vec![input.clone()];
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder);
            let entries =
                entries.map_err(|error| Failure::unreadable(format!("{}: {error}", folder.display())))?;
            for entry in entries.flatten() {
                let path = entry.path();
                // Links to folders are not followed, so that no folder is visited twice.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if path.is_file() && is_candidate(&path) {
                    files.push(path);
                }
            }
        }
        files[before..].sort();
    }
    let mut seen = BTreeSet::new();
    files.retain(|path| seen.insert(path.clone()));
    Ok(files)
}

/// True for a file that begins as HDF5 does, whatever its name; and for one with a usual ending that does so after a user
/// block. Archives (tar) of HDF5 files have a signature at such a place, too, and other endings.
fn is_candidate(path: &Path) -> bool {
    if path.as_os_str().as_encoded_bytes().ends_with(INCOMPLETE) {
        return false;
    }
    let Ok(mut file) = fs::File::open(path) else { return false };
    if has_signature(&mut file, 0) {
        return true;
    }
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    has_usual_ending(path)
        && std::iter::successors(Some(512_u64), |place| place.checked_mul(2))
            .take_while(|place| *place < bytes)
            .any(|place| has_signature(&mut file, place))
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
        let found = files(&[folder.path().to_owned(), at("one.h5")]).unwrap();
        let names = ["b/two.nc", "large.nwb", "matlab.mat", "no_ending", "one.h5", "weights.other"];
        assert_eq!(found, names.map(at));
    }
}
