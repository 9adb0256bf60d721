//! Any bytes as a file that is repacked.

use hyperslab::{Dataset, Endianness, File, LinkTarget, Object, Selection};
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{ChangeSet, Monitor, ObjectSelection, RepackError, RepackOptions, RepackPlan};
use hyperslab_storage::GzipEncoder;
use hyperslab_write::WriteOptions;
use std::sync::Arc;

/// Larger datasets are claims of a few bytes, which take long to fill.
const DATASET_BYTES_MAX: u64 = 1 << 20;

/// Repacks the file, verifies the new one, and reads the same values from the datasets of both root groups.
///
/// # Panics
///
/// If the new file is not what was read.
pub fn repack(bytes: &[u8]) {
    let Ok(source) = File::from_source(Arc::new(Memory::new("fuzz", bytes.to_vec()))) else { return };
    if datasets(&source).iter().any(|(_, dataset)| dataset.logical_bytes() > DATASET_BYTES_MAX) {
        return;
    }
    let options = RepackOptions {
        write: WriteOptions::default(),
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes: ChangeSet::default(),
        memory_bytes: 32 << 20,
        threads: 1,
        verify: true,
        gzip: GzipEncoder::default(),
        keep_going: bytes.len() % 2 == 0,
        moved: None,
        temporary_folder: std::env::temp_dir(),
    };
    let (sink, monitor) = (MemorySink::default(), Monitor::default());
    let Ok(written) = RepackPlan::new(&source, options).and_then(|plan| plan.run(&sink, &monitor)) else {
        return;
    };
    let target = File::from_source(Arc::new(Memory::new("repacked", sink.into_bytes())));
    let target = target.expect("a new file can be opened");
    let verified = written.verify(&target, 1, &monitor);
    assert!(!matches!(verified, Err(RepackError::Differs { .. })), "{verified:?}");
    for ((path, before), (same, after)) in datasets(&source).iter().zip(datasets(&target)) {
        assert_eq!(*path, same);
        if let Some(values) = values(before) {
            assert!(Some(values) == values_of(&after), "{path} has other values");
        }
    }
}

/// The datasets of the root group, by name.
fn datasets(file: &File) -> Vec<(String, Dataset)> {
    let Ok(root) = file.root() else { return Vec::new() };
    let links = root.links().unwrap_or_default().into_iter().flatten();
    let hard = links.filter(|link| matches!(link.target, LinkTarget::Hard(_)));
    let mut found: Vec<_> = hard
        .filter_map(|link| match root.open(&link) {
            Ok(Object::Dataset(dataset)) => Some((link.name.to_string(), dataset)),
            _ => None,
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The elements, if they mean the same in both files and can be read.
fn values(dataset: &Dataset) -> Option<Vec<u8>> {
    let datatype = dataset.datatype();
    if datatype.is_variable() || datatype.contains_reference() {
        return None;
    }
    values_of(dataset)
}

fn values_of(dataset: &Dataset) -> Option<Vec<u8>> {
    let whole = Selection::block(&vec![0; dataset.shape().len()], dataset.shape());
    dataset.read_bytes(&whole, Endianness::File).ok()
}
