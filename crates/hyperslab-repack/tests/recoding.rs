//! Files whose datasets get other chunks, filters and layouts have the same values, and each chunk of the source is
//! decoded once.

use hyperslab::{Dataset, Endianness, File, Link, LinkTarget, Object, Selection};
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{
    Change, ChangeSet, FilterRequest, LayoutRequest, Monitor, ObjectSelection, PathPattern, RepackError,
    RepackOptions, RepackPlan, Rule, SampleSize, Size,
};
use hyperslab_testkit::files::{corpus, fixture, fixtures, hdf5_files};
use hyperslab_testkit::{require, scale};
use hyperslab_write::WriteOptions;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const FILE_BYTES_MAX: u64 = 1 << 20;

fn rule(datasets: &str, change: Change) -> Rule {
    let datasets = PathPattern::parse(datasets).unwrap();
    Rule { option: "--an-option".into(), datasets, change }
}

fn filter(id: u16, parameters: &[u32]) -> FilterRequest {
    FilterRequest { id, parameters: parameters.into() }
}

fn options(rules: Vec<Rule>, memory_bytes: u64) -> RepackOptions {
    RepackOptions {
        write: WriteOptions::default(),
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes: ChangeSet { rules, ..ChangeSet::default() },
        memory_bytes,
        threads: 2,
        gzip: hyperslab_storage::GzipEncoder::default(),
        verify: true,
        keep_going: false,
        moved: None,
        temporary_folder: std::env::temp_dir(),
    }
}

fn repacked(file: &File, options: RepackOptions) -> Result<File, RepackError> {
    let (sink, monitor) = (MemorySink::default(), Monitor::default());
    let written = RepackPlan::new(file, options)?.run(&sink, &monitor)?;
    let bytes = sink.into_bytes();
    assert_eq!(bytes.len() as u64, written.bytes);
    let target = File::from_source(Arc::new(Memory::new("repacked", bytes)))?;
    written.verify(&target, 2, &monitor)?;
    Ok(target)
}

/// All datasets below the root with their paths.
fn datasets(file: &File) -> Vec<(String, Dataset)> {
    fn visit(group: &hyperslab::Group, path: &str, depth: usize, found: &mut Vec<(String, Dataset)>) {
        let Ok(links) = group.links() else { return };
        for link in links.into_iter().flatten() {
            let Link { name, target: LinkTarget::Hard(_), .. } = &link else { continue };
            let path = format!("{path}/{name}");
            match group.open(&link) {
                Ok(Object::Dataset(dataset)) => found.push((path, dataset)),
                Ok(Object::Group(group)) if depth > 0 => visit(&group, &path, depth - 1, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    visit(&file.root().unwrap(), "", 6, &mut found);
    found
}

/// The values of a dataset without addresses, or that they cannot be read.
fn values(dataset: &Dataset) -> Option<Result<Vec<u8>, String>> {
    if dataset.datatype().is_variable() || dataset.datatype().contains_reference() {
        return None;
    }
    let whole = Selection::block(&vec![0; dataset.shape().len()], dataset.shape());
    Some(dataset.read_bytes(&whole, Endianness::File).map_err(|_| "unreadable".into()))
}

fn assert_same(before: &File, after: &File, what: &str) -> usize {
    let after: BTreeMap<_, _> = datasets(after).into_iter().collect();
    let mut compared = 0;
    // The files of other data are not beside a file in memory.
    let is_here = |dataset: &Dataset| !matches!(dataset.layout_name(), "virtual" | "external");
    for (path, before) in datasets(before).into_iter().filter(|(_, dataset)| is_here(dataset)) {
        let after = after.get(&path).unwrap_or_else(|| panic!("{what}: {path} is missing"));
        assert_eq!(before.shape(), after.shape(), "{what}: {path}");
        assert!(values(&before) == values(after), "{what}: {path}");
        compared += 1;
    }
    compared
}

#[test]
fn values_of_all_fixtures_stay_the_same() {
    let chunk_bytes = |bytes| Change::Layout(LayoutRequest::ChunkBytes { bytes, read: None });
    let cases = [
        ("filters", vec![rule("*", Change::Filters(vec![filter(2, &[]), filter(1, &[4])]))], 64 << 20),
        ("no filters", vec![rule("*", Change::Filters(Vec::new()))], 64 << 20),
        ("chunks", vec![rule("*", chunk_bytes(2000))], 64 << 20),
        (
            "chunks in little memory",
            vec![rule("*", chunk_bytes(900)), rule("*", Change::Filters(vec![filter(32015, &[3])]))],
            60_000,
        ),
        ("contiguous", vec![rule("*", Change::Layout(LayoutRequest::Contiguous))], 64 << 20),
        ("checksums", vec![rule("*", Change::Filters(vec![filter(3, &[])]))], 64 << 20),
    ];
    let files = hdf5_files(&require!(fixtures()), FILE_BYTES_MAX);
    let (mut compared, mut changed) = (0, 0);
    for path in files.iter().filter(|path| !path.to_string_lossy().contains("external")) {
        let Ok(file) = File::open(path) else { continue };
        for (name, rules, memory_bytes) in &cases {
            let what = format!("{} {name}", path.display());
            let options = options(rules.clone(), *memory_bytes);
            match RepackPlan::new(&file, options.clone()) {
                Ok(plan) => changed += plan.datasets.len(),
                // Damage, files without datasets, and chunks larger than the memory.
                Err(RepackError::Read(_) | RepackError::Refused { .. } | RepackError::Unsupported { .. }) => {
                    continue;
                }
                Err(error) => panic!("{what}: {error}"),
            }
            match repacked(&file, options) {
                Ok(target) => compared += assert_same(&file, &target, &what),
                Err(RepackError::Read(error)) => println!("{what}: {error}"),
                Err(error) => panic!("{what}: {error}"),
            }
        }
    }
    println!("{compared} datasets compared, {changed} changed");
    assert!(changed > 1000, "{changed}");
}

/// Rechunks `/t2m` of a fixture and returns decodes of source chunks, chunks of the source, and the plan's memory and
/// temporary bytes; `None` if the memory is too small.
fn rechunked(memory_bytes: u64) -> Result<Option<(u64, u64, u64, u64)>, hyperslab_testkit::Missing> {
    let path = fixture("chunk_indexes/v110_gzip.h5")?;
    let file = File::options().cache_bytes(0).open(&path).unwrap();
    let (path, dataset) = datasets(&file).into_iter().max_by_key(|(_, d)| d.logical_bytes()).unwrap();
    let source = dataset.chunk_shape().unwrap();
    let sizes = source.iter().map(|size| Size::Elements(size * 2 - 1)).collect();
    let rules = vec![rule(&path, Change::Layout(LayoutRequest::Chunks(sizes)))];
    let options = options(rules, memory_bytes);
    let plan = match RepackPlan::new(&file, options.clone()) {
        Err(RepackError::Refused { .. } | RepackError::Missing { .. }) => return Ok(None),
        plan => plan.unwrap(),
    };
    let (memory, temporary) = (plan.datasets[0].memory_bytes, plan.datasets[0].temporary_bytes);
    let before = file.decodes();
    let (sink, monitor) = (MemorySink::default(), Monitor::default());
    plan.run(&sink, &monitor).unwrap();
    let decodes = file.decodes() - before;
    let target = File::from_source(Arc::new(Memory::new("repacked", sink.into_bytes()))).unwrap();
    assert_same(&file, &target, "rechunked");
    Ok(Some((decodes, dataset.chunk_map().unwrap().len() as u64, memory, temporary)))
}

#[test]
fn each_source_chunk_is_decoded_once() {
    let (decodes, chunks, _, temporary) = require!(rechunked(64 << 20)).expect("enough memory");
    assert_eq!((decodes, temporary), (chunks, 0));
    // Through a temporary file in the least memory.
    let steps = (0..1000).map(|step| 2000 + 500 * step);
    let least =
        steps.into_iter().find_map(|memory_bytes| Some((memory_bytes, rechunked(memory_bytes).ok()??)));
    let (memory_bytes, (decodes, chunks, memory, temporary)) = least.expect("enough memory");
    assert!(
        temporary > 0 && memory <= memory_bytes,
        "{temporary} bytes, {memory} of {memory_bytes} in memory"
    );
    assert_eq!(decodes, chunks);
}

/// The predicted and the real size of a new file, and whether the prediction is one of samples; `None` for files that cannot
/// be read or changed so.
fn sizes(path: &Path, options: &RepackOptions, samples: SampleSize) -> Option<(u64, u64, bool)> {
    let file = File::options().cache_bytes(0).open(path).ok()?;
    let options = RepackOptions { verify: false, ..options.clone() };
    let plan = RepackPlan::new(&file, options).ok()?;
    let predicted = plan.estimate(samples);
    let written = plan.run(&MemorySink::default(), &Monitor::default()).ok()?;
    let predicted = predicted.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some((predicted.bytes, written.bytes, predicted.is_sampled))
}

/// How far a prediction is from the truth, in percent; alignment may add some bytes.
fn error_percent(predicted: u64, written: u64) -> f64 {
    predicted.abs_diff(written).saturating_sub(64) as f64 * 100.0 / written as f64
}

#[test]
fn sizes_are_predicted() {
    /// Files at scale 1 in each of the cases.
    const FILES: usize = 90;
    let mut files = hdf5_files(&require!(fixtures()), FILE_BYTES_MAX);
    files.extend(hdf5_files(&require!(corpus()), FILE_BYTES_MAX));
    let step = scale().step(files.len() / FILES);
    let chunk_bytes = |bytes| Change::Layout(LayoutRequest::ChunkBytes { bytes, read: None });
    let (mut compared, mut worst) = (0, 0.0f64);
    for (number, (rules, page_bytes, is_recoded)) in [
        (Vec::new(), None, false),
        (Vec::new(), Some(4096), false),
        (vec![rule("*", Change::Filters(vec![filter(2, &[]), filter(1, &[4])]))], None, true),
        (vec![rule("*", chunk_bytes(5000)), rule("*", Change::Filters(vec![filter(1, &[1])]))], None, true),
        (vec![rule("*", Change::Filters(Vec::new()))], None, true),
    ]
    .into_iter()
    .enumerate()
    {
        let write = WriteOptions { page_bytes, ..WriteOptions::default() };
        let options = RepackOptions { write, ..options(rules, 64 << 20) };
        for path in files.iter().skip(number).step_by(step) {
            let Some((predicted, written, is_sampled)) = sizes(path, &options, SampleSize::default()) else {
                continue;
            };
            let (error, what) = (error_percent(predicted, written), path.display());
            let what = format!("case {number}, {what}: {predicted} predicted, {written} written");
            let bound = if is_recoded { 3.0 } else { 2.0 };
            assert!(error <= bound && !is_sampled, "{what}");
            (compared, worst) = (compared + 1, worst.max(error));
        }
    }
    println!("{compared} sizes compared; the worst is off by {worst:.2} %");
    assert!(compared > FILES, "{compared}");
}

#[test]
fn sizes_are_predicted_from_samples() {
    // So many bytes of each dataset, of some megabytes.
    let samples = SampleSize { encoded_bytes: 200 << 10, decoded_bytes: 100 << 10 };
    let chunks = |bytes| Change::Layout(LayoutRequest::ChunkBytes { bytes, read: None });
    let gzip = || Change::Filters(vec![filter(2, &[]), filter(1, &[4])]);
    for (name, rules) in [
        ("netcdf4/climate.nc", vec![rule("*", gzip())]),
        ("netcdf4/climate.nc", vec![rule("*", chunks(20_000)), rule("*", gzip())]),
        ("chunk_indexes/v110_gzip.h5", vec![rule("*", gzip())]),
        ("chunk_indexes/v110_gzip.h5", vec![rule("*", chunks(64 << 10)), rule("*", gzip())]),
        ("chunk_indexes/v110_plain.h5", vec![rule("*", chunks(64 << 10)), rule("*", gzip())]),
        ("many_datasets/flat_latest.h5", Vec::new()),
        ("string_types/v110.h5", Vec::new()),
    ] {
        let path = require!(fixture(name));
        let (predicted, written, is_sampled) = sizes(&path, &options(rules, 64 << 20), samples).unwrap();
        let what = format!("{name}: {predicted} predicted, {written} written, samples: {is_sampled}");
        println!("{what}");
        assert!(error_percent(predicted, written) <= 15.0, "{what}");
    }
}

/// The values of a dataset of floats of 4 or 8 bytes.
fn floats(dataset: &Dataset) -> Vec<f64> {
    let whole = Selection::block(&vec![0; dataset.shape().len()], dataset.shape());
    let bytes = dataset.read_bytes(&whole, Endianness::Native).unwrap();
    match dataset.datatype().size {
        4 => bytes.as_chunks().0.iter().map(|&value| f32::from_ne_bytes(value).into()).collect(),
        _ => bytes.as_chunks().0.iter().map(|&value| f64::from_ne_bytes(value)).collect(),
    }
}

#[test]
fn floats_are_rounded_without_a_filter_of_the_file() {
    let file = File::open(require!(fixture("netcdf4/climate.nc"))).unwrap();
    let change = Change::Rounded { digits: 1, filters: vec![filter(2, &[]), filter(1, &[4])] };
    let plan = RepackPlan::new(&file, options(vec![rule("*", change)], 64 << 20)).unwrap();
    let (sink, monitor) = (MemorySink::default(), Monitor::default());
    let kept: Vec<String> = plan.kept().map(|(_, reason)| reason.to_string()).collect();
    let repacked = plan.run(&sink, &monitor).unwrap();
    let target = File::from_source(Arc::new(Memory::new("rounded", sink.into_bytes()))).unwrap();
    assert!(!repacked.rounding.is_empty());
    for (path, error_max) in &repacked.rounding {
        let (before, after) = (file.dataset(path).unwrap(), target.dataset(path).unwrap());
        let ids: Vec<u16> = after.filters().iter().map(|filter| filter.id).collect();
        assert_eq!(ids, [2, 1], "{path}");
        let (before, after) = (floats(&before), floats(&after));
        let pairs = before.iter().zip(&after).filter(|(before, after)| before != after && !before.is_nan());
        let largest = pairs.map(|(before, after)| (before - after).abs()).fold(0.0, f64::max);
        assert_eq!(largest, *error_max, "{path}");
        assert!(largest > 0.0 && largest <= 0.05, "{path}: {largest}");
        assert!(
            after.iter().all(|value| value.abs() > 1e6 || value.is_nan() || (value * 16.0).fract() == 0.0)
        );
    }
    assert!(kept.iter().any(|why| why.contains("has no IEEE floats")), "{kept:?}");
}

#[test]
fn rules_that_mean_nothing_are_refused() {
    let file = File::open(require!(fixture("command_line/tour.h5"))).unwrap();
    let refused = |datasets: &str, change: Change| match RepackPlan::new(
        &file,
        options(vec![rule(datasets, change)], 1 << 20),
    ) {
        Err(RepackError::Refused { option, what } | RepackError::Missing { option, what }) => {
            assert_eq!(option, "--an-option");
            what
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("not refused"),
    };
    let chunks = |sizes: &[u64]| {
        Change::Layout(LayoutRequest::Chunks(sizes.iter().map(|&size| Size::Elements(size)).collect()))
    };
    assert_eq!(refused("/absent", chunks(&[1])), "no dataset has this path or name");
    let what = refused("/measured/temperature", chunks(&[1]));
    assert!(what.contains("/measured/temperature has") && what.contains("dimensions, not 1"), "{what}");
    let named = Change::Layout(LayoutRequest::NamedChunks(vec![("nowhere".into(), Size::Whole)]));
    assert!(refused("/measured/temperature", named).contains("no dimension \"nowhere\""));
}

/// Copies a fixture, changes the first place in the copy where `text` is, and returns what verification says.
fn verified_after_change(
    name: &str,
    text: &[u8],
    change: Option<Change>,
) -> Result<Result<u64, RepackError>, hyperslab_testkit::Missing> {
    let file = File::open(fixture(name)?).unwrap();
    let rules = change.map(|change| rule("/variable many", change)).into_iter().collect();
    // Structures for old readers have no checksums, so that a changed byte is a changed value.
    let write = WriteOptions { low: hyperslab_repack::LowBound::Earliest, ..WriteOptions::default() };
    let options = RepackOptions { write, ..options(rules, 64 << 20) };
    let (sink, monitor) = (MemorySink::default(), Monitor::default());
    let written = RepackPlan::new(&file, options).unwrap().run(&sink, &monitor).unwrap();
    let mut bytes = sink.into_bytes().to_vec();
    let open = |bytes: &[u8]| File::from_source(Arc::new(Memory::new("changed", bytes.to_vec()))).unwrap();
    assert!(written.verify(&open(&bytes), 2, &monitor).is_ok(), "{name} is copied well");
    let place = bytes.windows(text.len()).position(|window| window == text).expect("the text is in the copy");
    bytes[place] ^= 1;
    Ok(written.verify(&open(&bytes), 2, &monitor))
}

#[test]
fn verification_follows_links_attributes_and_texts() {
    let differs = |verified: Result<u64, RepackError>| match verified {
        Err(RepackError::Differs { object, what }) => (object, what),
        other => panic!("{other:?}"),
    };
    let tour = "command_line/tour.h5";
    let attribute = differs(require!(verified_after_change(tour, b"a tour", None)));
    assert_eq!(attribute, ("/".into(), "attribute title".into()));
    let strings = "string_types/v110.h5";
    let link = differs(require!(verified_after_change(strings, b"variable long", None)));
    assert_eq!(link, ("/".into(), "link variable long".into()));
    // Texts of variable length, in chunks that were copied and that were recoded.
    for change in [None, Some(Change::Filters(vec![filter(1, &[1])]))] {
        let (object, what) = differs(require!(verified_after_change(strings, b"string number 77", change)));
        assert_eq!(object, "/variable many");
        assert!(what.starts_with("values from "), "{what}");
    }
}
