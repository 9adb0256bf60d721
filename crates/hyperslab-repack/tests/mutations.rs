//! Damaged files: a repack of any bytes ends, without panic, and what it writes is a file without errors in which our own
//! reader reads what it reads from the input; libhdf5 (by way of h5py) does so, too.

use hyperslab::{Dataset, Endianness, File, Group, LinkTarget, Object, Selection};
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{
    Change, ChangeSet, LayoutRequest, Monitor, ObjectSelection, PathPattern, RepackError, RepackOptions,
    RepackPlan, Rule,
};
use hyperslab_testkit::files::{fixtures, hdf5_files, python};
use hyperslab_testkit::{Missing, require, scale};
use hyperslab_write::WriteOptions;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

const FILE_BYTES_MAX: u64 = 16 << 10;
/// Larger datasets are claims of a few bytes.
const DATASET_BYTES_MAX: u64 = 1 << 20;
const CHANGES: usize = 1000;
/// Changes of which another reader compares the results, too.
const COMPARED_CHANGES: usize = 40;

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// One to four changed bytes: of any value, of one bit, or of many bits.
fn changed(bytes: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=numbers.next(4) {
        let at = numbers.next(bytes.len());
        match numbers.next(4) {
            0 => bytes[at] = numbers.next(256) as u8,
            1 => bytes[at] ^= 1 << numbers.next(8),
            2 => bytes[at] = 0xff,
            _ => bytes[at] = 0,
        }
    }
    bytes
}

fn open(bytes: Vec<u8>) -> Option<File> {
    File::from_source(Arc::new(Memory::new("changed", bytes))).ok()
}

fn options(keep_going: bool, layout: Option<LayoutRequest>) -> RepackOptions {
    let rule = |layout| Rule {
        option: "--chunk-bytes".into(),
        datasets: PathPattern::All,
        change: Change::Layout(layout),
    };
    RepackOptions {
        write: WriteOptions::default(),
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes: ChangeSet { rules: layout.map(rule).into_iter().collect(), ..ChangeSet::default() },
        memory_bytes: 32 << 20,
        threads: 1,
        gzip: hyperslab_storage::GzipEncoder::default(),
        verify: true,
        keep_going,
        moved: None,
        temporary_folder: std::env::temp_dir(),
    }
}

/// Datasets by their paths.
fn datasets(file: &File) -> BTreeMap<String, Dataset> {
    fn visit(group: &Group, path: &str, depth: usize, found: &mut BTreeMap<String, Dataset>) {
        for link in group.links().unwrap_or_default().into_iter().flatten() {
            let LinkTarget::Hard(_) = link.target else { continue };
            let path = format!("{path}/{}", link.name);
            match group.open(&link) {
                Ok(Object::Dataset(dataset)) => drop(found.insert(path, dataset)),
                Ok(Object::Group(group)) if depth > 0 => visit(&group, &path, depth - 1, found),
                _ => {}
            }
        }
    }
    let mut found = BTreeMap::new();
    if let Ok(root) = file.root() {
        visit(&root, "", 4, &mut found);
    }
    found
}

/// The elements, if they can be read and mean the same in both files.
fn values(dataset: &Dataset) -> Option<Vec<u8>> {
    let datatype = dataset.datatype();
    if datatype.is_variable() || datatype.contains_reference() || dataset.logical_bytes() > DATASET_BYTES_MAX
    {
        return None;
    }
    let whole = Selection::block(&vec![0; dataset.shape().len()], dataset.shape());
    dataset.read_bytes(&whole, Endianness::File).ok()
}

/// The bytes of a repack; `None` for what is refused.
fn written(source: &File, options: RepackOptions, what: &str) -> Option<Vec<u8>> {
    let is_huge = |dataset: &Dataset| dataset.logical_bytes() > DATASET_BYTES_MAX;
    if datasets(source).values().any(is_huge) {
        return None;
    }
    let (sink, monitor) = (MemorySink::default(), Monitor::default());
    let written = match RepackPlan::new(source, options).and_then(|plan| plan.run(&sink, &monitor)) {
        Ok(written) => written,
        Err(RepackError::Differs { object, what: why }) => panic!("{what}: {object}: {why}"),
        Err(_) => return None,
    };
    let bytes = sink.into_bytes();
    let target = open(bytes.clone()).unwrap_or_else(|| panic!("{what}: the new file cannot be opened"));
    let verified = written.verify(&target, 1, &monitor);
    assert!(!matches!(verified, Err(RepackError::Differs { .. })), "{what}: {verified:?}");
    let source = datasets(source);
    for (path, after) in datasets(&target) {
        let Some(before) = source.get(&path) else { panic!("{what}: {path} is new") };
        if let Some(before) = values(before) {
            assert!(Some(before) == values(&after), "{what}: {path} has other values");
        }
    }
    Some(bytes)
}

#[test]
fn repacks_of_damaged_files_have_the_same_values() {
    let files = hdf5_files(&require!(fixtures()), FILE_BYTES_MAX);
    let mut numbers = Numbers(1);
    let mut repacked = 0;
    let count = scale().of(CHANGES);
    for number in 0..count {
        let path = &files[numbers.next(files.len())];
        let bytes = changed(&std::fs::read(path).unwrap(), &mut numbers);
        let Some(source) = open(bytes) else { continue };
        let layout = [
            None,
            Some(LayoutRequest::ChunkBytes { bytes: 500, read: None }),
            Some(LayoutRequest::Contiguous),
        ];
        let what = format!("change {number} of {}", path.display());
        let options = options(number % 2 == 0, layout[number % 3].clone());
        repacked += usize::from(written(&source, options, &what).is_some());
    }
    println!("{repacked} of {count} changed files were repacked");
    assert!(repacked > count / 10, "{repacked}");
}

/// Changed files with their repacks, beside each other in a folder.
fn pairs(folder: &Path, count: usize) -> Result<Vec<(PathBuf, PathBuf)>, Missing> {
    let files = hdf5_files(&fixtures()?, FILE_BYTES_MAX);
    let mut numbers = Numbers(2);
    let mut pairs = Vec::new();
    for number in 0..count {
        let path = &files[numbers.next(files.len())];
        let bytes = changed(&std::fs::read(path).expect("a fixture"), &mut numbers);
        let Some(source) = open(bytes.clone()) else { continue };
        let layout = (number % 2 == 0).then_some(LayoutRequest::ChunkBytes { bytes: 500, read: None });
        let what = format!("change {number} of {}", path.display());
        let Some(target) = written(&source, options(false, layout), &what) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let [before, after] =
            ["before", "after"].map(|which| folder.join(format!("{number} {which} {name}")));
        std::fs::write(&before, bytes).expect("a temporary file");
        std::fs::write(&after, target).expect("a temporary file");
        pairs.push((before, after));
    }
    Ok(pairs)
}

/// The other reader may refuse what this one reads, and read what this one refuses; but not anything else.
#[test]
fn h5py_reads_the_same_from_repacks_of_damaged_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let count = scale().of(COMPARED_CHANGES);
    let pairs = require!(pairs(folder.path(), count));
    assert!(pairs.len() > count / 10, "{} of {count}", pairs.len());
    let lines: String = pairs.iter().map(|(a, b)| format!("{}\t{}\n", a.display(), b.display())).collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare_values.py");
    let mut process = Command::new(require!(python()))
        .arg(script)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    process.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("Python reads");
    let output = process.wait_with_output().expect("Python ends");
    let text = String::from_utf8_lossy(&output.stdout);
    // A damaged file may end libhdf5 or keep it busy: then nothing can be compared.
    let found: Vec<&str> = text.lines().filter(|line| !line.contains("ended with status")).collect();
    assert_eq!(found, ["done"], "{} pairs", pairs.len());
}
