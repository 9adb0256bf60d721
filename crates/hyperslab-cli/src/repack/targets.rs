//! Which file becomes which.

use super::arguments::RepackArgs;
use crate::failure::Failure;
use crate::location::is_folder;
use crate::runner;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The files, each with its new file.
#[derive(Debug)]
pub(super) struct Targets {
    pub inputs: Vec<PathBuf>,
    pub outputs: BTreeMap<PathBuf, PathBuf>,
    /// True for exactly one file that was named.
    pub is_single: bool,
}

/// Finds the files. One file becomes OUT, or a file of its name in OUT if that is a folder; the files of a folder become
/// the same tree of files in OUT.
pub(super) fn targets(args: &RepackArgs) -> Result<Targets, Failure> {
    let mut named = args.paths.clone();
    let out = match args.in_place {
        true => None,
        false => Some(named.pop().ok_or_else(|| Failure::wrong_request("no new file was given"))?),
    };
    if let Some(list) = &args.files_from {
        named.extend(listed(list)?);
    }
    if named.is_empty() {
        return Err(Failure::wrong_request("no new file was given").hint("repack IN OUT, or --in-place IN"));
    }
    let is_single = named.len() == 1 && args.files_from.is_none() && !is_folder(&named[0]);
    let mut inputs = Vec::new();
    let mut outputs = BTreeMap::new();
    for name in &named {
        let files = runner::files(std::slice::from_ref(name))?;
        for file in files {
            let output = match &out {
                None => std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone()),
                Some(out) if is_single && !out.is_dir() => out.clone(),
                Some(out) => out.join(below(&file, name)),
            };
            if let Some(other) = outputs.insert(file.clone(), output.clone())
                && other != output
            {
                let message = format!("{} is named twice, for two new files", file.display());
                return Err(Failure::wrong_request(message));
            }
            inputs.push(file);
        }
    }
    if inputs.is_empty() {
        return Err(Failure::wrong_request("no HDF5 or netCDF-4 file was found in these folders"));
    }
    inputs.sort();
    inputs.dedup();
    let mut seen: BTreeMap<&PathBuf, &PathBuf> = BTreeMap::new();
    for (input, output) in &outputs {
        if let Some(other) = seen.insert(output, input) {
            let (input, other, output) = (input.display(), other.display(), output.display());
            return Err(Failure::wrong_request(format!("{other} and {input} would both become {output}")));
        }
    }
    Ok(Targets { inputs, outputs, is_single })
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

fn listed(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut text = String::new();
    let read = if list.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).map(|_| ())
    } else {
        std::fs::read_to_string(list).map(|read| text = read)
    };
    read.map_err(|error| Failure::wrong_request(format!("{}: {error}", list.display())))?;
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
