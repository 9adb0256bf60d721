//! Files for tests, and reading all that a file holds.
#![allow(dead_code, reason = "every test uses a part of this")]

use hyperslab::{Attributes, File, Group, LinkTarget, Object, Order, Result, Selection};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The folder that `corpus/recipes/make.py` fills, if it has been run.
pub fn fixtures() -> Option<PathBuf> {
    folder("HYPERSLAB_FIXTURES", "../../fixtures", "run corpus/recipes/make.py")
}

/// The real files that lie beside the project, if they do.
pub fn corpus() -> Option<PathBuf> {
    folder("HYPERSLAB_CORPUS", "../../../shared/corpus", "the corpus lies beside the project")
}

fn folder(variable: &str, default: &str, hint: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join(default);
    let path = std::env::var_os(variable).map_or(beside, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there ({hint})", path.display());
    None
}

/// All HDF5 files below a folder that are at most this long, in a fixed order.
pub fn hdf5_files(folder: &Path, bytes_max: u64) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.metadata().is_ok_and(|metadata| metadata.len() <= bytes_max) {
                let head = std::fs::read(&path).unwrap_or_default();
                if head.starts_with(b"\x89HDF\r\n\x1a\n") {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    found
}

/// What was met on a walk through a whole file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Met {
    pub objects: usize,
    pub values: usize,
    pub errors: usize,
}

/// Values of datasets larger than this are not read.
const VALUE_BYTES_MAX: u64 = 4 << 20;

/// Reads everything that can be reached in a file.
pub fn read_everything(file: &File) -> Result<Met> {
    let mut met = Met::default();
    let mut seen = HashSet::new();
    let mut groups = vec![file.root()?];
    met.objects += 1;
    while let Some(group) = groups.pop() {
        read_attributes(group.attributes(), &mut met);
        read_group(&group, &mut groups, &mut seen, &mut met);
    }
    Ok(met)
}

fn read_group(group: &Group, groups: &mut Vec<Group>, seen: &mut HashSet<u64>, met: &mut Met) {
    let Ok(links) = group.links() else {
        met.errors += 1;
        return;
    };
    for link in links {
        let Ok(link) = link else {
            met.errors += 1;
            continue;
        };
        match &link.target {
            LinkTarget::Hard(address) if seen.insert(address.0) => {}
            _ => continue,
        }
        match group.open(&link) {
            Ok(Object::Group(group)) => groups.push(group),
            Ok(object) => {
                read_attributes(object.attributes(), met);
                if let Object::Dataset(dataset) = &object
                    && dataset.logical_bytes() <= VALUE_BYTES_MAX
                {
                    match dataset.read_bytes(&Selection::All, Order::File) {
                        Ok(_) => met.values += 1,
                        Err(_) => met.errors += 1,
                    }
                }
            }
            Err(_) => met.errors += 1,
        }
        met.objects += 1;
    }
}

fn read_attributes(attributes: Attributes<'_>, met: &mut Met) {
    match attributes.list() {
        Ok(list) => list.iter().for_each(|one| if one.is_ok() { met.values += 1 } else { met.errors += 1 }),
        Err(_) => met.errors += 1,
    }
}
