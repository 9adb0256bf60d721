//! Which file becomes which.

use super::{NewFormat, Request};
use crate::Error;
use crate::error::system_text;
use crate::files::is_folder;
use crate::runner::{self, Found};
use hyperslab::recognize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The files, each with its new file.
#[derive(Debug)]
pub(super) struct Targets {
    pub inputs: Vec<PathBuf>,
    pub outputs: BTreeMap<PathBuf, PathBuf>,
    /// True for exactly one file that was named.
    pub is_single: bool,
    /// Files that were found in OUT, because it lies in a folder that was named: those of earlier runs.
    pub passed_over: Vec<PathBuf>,
    /// What else the folders have.
    pub notes: Vec<String>,
}

/// Finds the files. One file becomes OUT, or a file of its name in OUT if that is a folder; the files of a folder become
/// the same tree of files in OUT. OUT itself is not searched.
pub(super) fn targets(request: &Request) -> Result<Targets, Error> {
    let mut named = request.inputs.clone();
    let out = match request.in_place {
        true => None,
        false => Some(request.output.clone().ok_or_else(|| Error::wrong_request("no new file was given"))?),
    };
    if let Some(list) = &request.files_from {
        named.extend(listed(list)?);
    }
    if named.is_empty() {
        return Err(match &request.files_from {
            Some(list) => Error::wrong_request(format!("{} names no file", list.display())),
            None => Error::wrong_request("no new file was given").hint("repack IN OUT, or --in-place IN"),
        });
    }
    let is_single = named.len() == 1 && request.files_from.is_none() && !is_folder(&named[0]);
    let ending = if request.to == Some(NewFormat::Hdf5H4) { ".h5" } else { ".nc" };
    let mut inputs = Vec::new();
    let mut outputs = BTreeMap::new();
    let (mut passed_over, mut notes) = (Vec::new(), Vec::new());
    for name in &named {
        let Found { files, passed_over: others } = runner::files(std::slice::from_ref(name))?;
        let text = if files.is_empty() { others.nothing_found() } else { others.text().unwrap_or_default() };
        notes.extend(Some(text).filter(|text| !text.is_empty() && is_folder(name)));
        let own = out.as_deref().and_then(|out| inside(name, out));
        for file in files {
            if own.as_ref().is_some_and(|own| file.starts_with(own)) {
                passed_over.push(file);
                continue;
            }
            let output = match &out {
                None => std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone()),
                Some(out) if is_single && !out.is_dir() => out.clone(),
                Some(out) => converted(&file, out.join(below(&file, name)), ending),
            };
            if let Some(other) = outputs.insert(file.clone(), output.clone())
                && other != output
            {
                let message = format!("{} is named twice, for two new files", file.display());
                return Err(Error::wrong_request(message));
            }
            inputs.push(file);
        }
    }
    if !is_single && let Some(out) = out.filter(|out| out.is_file()) {
        let message = format!("{} is a file; several files need a folder", out.display());
        return Err(Error::wrong_request(message));
    }
    if inputs.is_empty() {
        let what = "no file of HDF5, netCDF or HDF4 was found in these folders".to_owned();
        return Err(Error::wrong_request(notes.into_iter().next().unwrap_or(what)));
    }
    inputs.sort();
    inputs.dedup();
    let mut seen: BTreeMap<&PathBuf, &PathBuf> = BTreeMap::new();
    for (input, output) in &outputs {
        if let Some(other) = seen.insert(output, input) {
            let (input, other, output) = (input.display(), other.display(), output.display());
            return Err(Error::wrong_request(format!("{other} and {input} would both become {output}")));
        }
    }
    Ok(Targets { inputs, outputs, is_single, passed_over, notes })
}

/// Where OUT lies below a folder that was named, by the name of that folder; `None` if it does not, or does not exist.
fn inside(named: &Path, out: &Path) -> Option<PathBuf> {
    let [folder, out] = [named, out].map(std::fs::canonicalize);
    let (folder, out) = (folder.ok()?, out.ok()?);
    let below = out.strip_prefix(&folder).ok().filter(|below| !below.as_os_str().is_empty())?;
    (folder.is_dir() && out.is_dir()).then(|| named.join(below))
}

/// The place of a file in the new tree: below the folder that was named, or its name. A listed file keeps its relative
/// path.
fn below(file: &Path, named: &Path) -> PathBuf {
    match file.strip_prefix(named) {
        Ok(rest) if !rest.as_os_str().is_empty() => rest.to_owned(),
        _ if file.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) => {
            file.components().filter(|part| matches!(part, Component::Normal(_))).collect()
        }
        _ => file.file_name().map(PathBuf::from).unwrap_or_default(),
    }
}

/// The name of a new file: what was HDF4 says what it becomes (`a.hdf.nc`).
fn converted(file: &Path, output: PathBuf, ending: &str) -> PathBuf {
    let mut head = [0; 4];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut head));
    match read.is_ok() && recognize(&head, u64::MAX).is_some_and(|format| format.name == "HDF4") {
        true => [output.as_os_str(), OsStr::new(ending)].into_iter().collect::<OsString>().into(),
        false => output,
    }
}

fn listed(list: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut text = String::new();
    let read = if list.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).map(|_| ())
    } else {
        std::fs::read_to_string(list).map(|read| text = read)
    };
    read.map_err(|error| Error::wrong_request(format!("{}: {}", list.display(), system_text(&error))))?;
    Ok(text.lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_keeps_its_shape() {
        let below = |file: &str, named: &str| super::below(Path::new(file), Path::new(named));
        assert_eq!(below("in/a/b.nc", "in"), Path::new("a/b.nc"));
        assert_eq!(below("a/b.nc", "a/b.nc"), Path::new("a/b.nc"));
        assert_eq!(below("/data/b.nc", "/data/b.nc"), Path::new("b.nc"));
        assert_eq!(below("../b.nc", "../b.nc"), Path::new("b.nc"));
    }
}
