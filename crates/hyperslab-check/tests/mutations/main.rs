//! Changed bytes of every structure are found, and no bytes at all make the check panic.
//!
//! Each structure of small files that libhdf5 wrote is changed byte by byte. Checksums are then computed again, so that it
//! is the fields that are checked and not only the checksum.

mod checksums;

use hyperslab_check::{
    CheckError, Options, Report, Structure, check, check_with_structures, rules_by_structure,
};
use hyperslab_io::Memory;
use hyperslab_testkit::files::{fixture, hdf5_files};
use hyperslab_testkit::{Missing, require, scale};
use std::collections::{BTreeMap, BTreeSet};

const FILE_BYTES_MAX: u64 = 64 << 10;
/// Changes of each file in the full run.
const CHANGES: usize = 7_000;

/// The folders whose small files are changed.
const FOLDERS: [&str; 6] =
    ["structures", "old_structures", "rare_structures", "groups", "object_headers", "superblocks"];

/// Rules that changes of single bytes of these files do not violate, with the reason.
const NOT_TRIGGERED: [(&str, &str); 9] = [
    ("mixed-page", "metadata and raw data of the samples are in different pages, and no byte moves them"),
    ("persistent-space", "the parser reads managers only if free space is kept"),
    ("datatype-version", "the samples have no arrays, complex numbers or revised references in headers"),
    ("datatype-members", "needs two bytes: names of members differ in more than one"),
    ("compact-and-dense", "needs a message and a heap"),
    ("global-heap-free-space", "see `the_free_space_of_a_collection_reaches_to_its_end`"),
    (
        "global-heap-size",
        "the parser refuses a size that does not fit; see the files of jHDF in `real_files`",
    ),
    ("shared-message-types", "needs two indexes"),
    ("mandatory-filter-skipped", "see `a_mask_of_a_mandatory_filter_is_odd`"),
];

/// A file with the structures that it consists of.
struct Sample {
    name: String,
    bytes: Vec<u8>,
    structures: Vec<Structure>,
    clean: BTreeMap<&'static str, u64>,
}

fn samples() -> Result<Vec<Sample>, Missing> {
    let mut samples = Vec::new();
    for folder in FOLDERS {
        for path in hdf5_files(&fixture(folder)?, FILE_BYTES_MAX) {
            let bytes = std::fs::read(&path).expect("a readable file");
            let (report, structures) =
                check_with_structures(&Memory::new("sample", bytes.clone()), Options::default())
                    .expect("a fixture has a superblock");
            assert_eq!(report.errors, 0, "{}", path.display());
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            samples.push(Sample { name, bytes, structures, clean: report.counts });
        }
    }
    Ok(samples)
}

/// The rules that a changed file violates more often than the file itself; a file without a superblock violates
/// `signature`.
fn found(sample: &Sample, bytes: Vec<u8>) -> BTreeSet<&'static str> {
    match check(&Memory::new("changed", bytes), Options { data: true }) {
        Ok(report) => more(&report, &sample.clean),
        Err(CheckError::NoSuperblock(_)) => BTreeSet::from(["signature"]),
        Err(CheckError::Io(error)) => panic!("{}: {error}", sample.name),
    }
}

fn more(report: &Report, clean: &BTreeMap<&'static str, u64>) -> BTreeSet<&'static str> {
    let is_more = |(code, count): (&&'static str, &u64)| {
        (clean.get(code).is_none_or(|clean| count > clean)).then_some(*code)
    };
    report.counts.iter().filter_map(is_more).collect()
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// The structures of the specification, all of which must be among the samples, and the share of changes (in percent)
/// of each that must be found. What is not found are values that may be anything: names, times, data, unused bytes.
const STRUCTURES: [(&str, u32); 30] = [
    ("superblock", 80),
    ("object header", 40),
    ("object header continuation block", 30),
    ("group B-tree node", 5),
    ("symbol table node", 10),
    ("local heap", 90),
    ("local heap data segment", 10),
    ("chunk B-tree node", 5),
    ("version 2 B-tree header", 80),
    ("version 2 B-tree leaf node", 5),
    ("version 2 B-tree internal node", 5),
    ("fractal heap header", 60),
    ("fractal heap direct block", 5),
    ("fractal heap indirect block", 50),
    ("fractal heap huge object", 1),
    ("fixed array header", 90),
    ("fixed array data block", 20),
    ("extensible array header", 75),
    ("extensible array index block", 30),
    ("extensible array super block", 10),
    ("extensible array data block", 20),
    ("global heap collection", 1),
    ("shared message table", 40),
    ("shared message list", 5),
    ("free-space manager", 60),
    ("free-space section list", 50),
    ("metadata cache image", 10),
    ("chunk", 0),
    ("contiguous data", 0),
    ("free space", 0),
];

#[test]
fn changes_of_every_structure_are_found() {
    let samples = require!(samples());
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut triggered: BTreeSet<&str> = BTreeSet::new();
    let mut random = Random(1);
    for sample in &samples {
        let structures: Vec<&Structure> =
            sample.structures.iter().filter(|s| s.name != "user block").collect();
        for _ in 0..scale().sample(250, CHANGES) {
            // Each structure is as likely as any other, whatever its size.
            let structure = structures[random.below(structures.len())];
            let range = structure.at as usize..(structure.at + structure.bytes) as usize;
            let at = range.start + random.below(range.len());
            let mut bytes = sample.bytes.clone();
            bytes[at] = match random.below(4) {
                0 => bytes[at].wrapping_add(1),
                1 => bytes[at].wrapping_sub(1),
                2 => bytes[at] ^ (1 << random.below(8)),
                _ => random.below(256) as u8,
            };
            if bytes[at] == sample.bytes[at] || !checksums::renew(&sample.bytes, &mut bytes, range, at) {
                continue;
            }
            let rules = found(sample, bytes);
            let count = counts.entry(structure.name).or_default();
            count.0 += 1;
            count.1 += u32::from(!rules.is_empty());
            triggered.extend(rules);
        }
    }
    triggered.extend(PAGES.iter().flat_map(|&(bytes, _)| with_pages(&samples, bytes)));
    let names: BTreeSet<&str> = STRUCTURES.iter().map(|(name, _)| *name).collect();
    assert_eq!(counts.keys().copied().collect::<BTreeSet<_>>(), names);
    let mut low = Vec::new();
    for (name, (changes, found)) in &counts {
        let wanted = STRUCTURES.iter().find(|(known, _)| known == name);
        let share = 100 * found / changes;
        println!("{name}: {found} of {changes} changes were found ({share} %)");
        if wanted.is_none_or(|(_, wanted)| share < *wanted) {
            low.push(format!("{name}: {share} %, expected {wanted:?}"));
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
    let rules = rules_by_structure().flat_map(|(_, rules)| rules);
    let silent: Vec<&str> = rules.map(|rule| rule.code).filter(|code| !triggered.contains(code)).collect();
    let unexpected: Vec<&str> =
        silent.into_iter().filter(|code| !NOT_TRIGGERED.iter().any(|(known, _)| known == code)).collect();
    // Fewer changes violate fewer rules.
    assert!(unexpected.is_empty() || scale().sample(250, CHANGES) < CHANGES, "not violated: {unexpected:?}");
}

#[test]
fn any_bytes_are_checked_without_panic() {
    let samples = require!(samples());
    let mut random = Random(2);
    for sample in &samples {
        for _ in 0..scale().of(20) {
            let mut bytes = sample.bytes.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            if random.below(4) == 0 {
                bytes.truncate(random.below(bytes.len()));
            }
            found(sample, bytes);
        }
    }
}

#[test]
fn every_truncation_is_found() {
    for sample in require!(samples()).iter().filter(|sample| sample.bytes.len() < 4096) {
        for len in (0..sample.bytes.len()).step_by(7) {
            let rules = found(sample, sample.bytes[..len].to_vec());
            assert!(!rules.is_empty(), "{} with {len} bytes", sample.name);
        }
    }
}

/// The sample of this name.
fn sample(samples: Vec<Sample>, name: &str) -> Sample {
    samples.into_iter().find(|sample| sample.name == name).expect("a fixture of this name")
}

/// Sizes of pages that a file with pages of 4 KiB may claim, and the rules that it violates then.
const PAGES: [(u64, &[&str]); 2] = [
    // Structures that lay in one page lie in several.
    (512, &["page-boundary"]),
    (256, &["page-boundary", "page-size"]),
];

/// The rules that the sample with pages of 4 KiB violates, if its superblock extension says that they are of another size.
fn with_pages(samples: &[Sample], page_bytes: u64) -> BTreeSet<&'static str> {
    let sample = samples.iter().find(|sample| sample.name == "space_page.h5").expect("a paged fixture");
    // The message of file space: its version, the strategy of pages, free space is kept, sections from one byte on.
    let message = [&[1, 1, 1][..], &1u64.to_le_bytes(), &4096u64.to_le_bytes()].concat();
    let message_at =
        sample.bytes.windows(message.len()).position(|bytes| bytes == message).expect("a message");
    let at = message_at + message.len() - 8;
    let header = sample.structures.iter().find(|structure| {
        structure.name == "object header"
            && (structure.at..structure.at + structure.bytes).contains(&(at as u64))
    });
    let header = header.expect("the superblock extension");
    let mut bytes = sample.bytes.clone();
    bytes[at..at + 8].copy_from_slice(&page_bytes.to_le_bytes());
    let range = header.at as usize..(header.at + header.bytes) as usize;
    assert!(checksums::renew(&sample.bytes, &mut bytes, range, at));
    found(sample, bytes)
}

#[test]
fn pages_of_another_size_are_found() {
    let samples = require!(samples());
    for (page_bytes, rules) in PAGES {
        let expected = BTreeSet::from_iter(rules.iter().copied());
        assert_eq!(with_pages(&samples, page_bytes), expected, "pages of {page_bytes} bytes");
    }
}

#[test]
fn the_free_space_of_a_collection_reaches_to_its_end() {
    let sample = sample(require!(samples()), "global_heap_v110.h5");
    let at = sample.bytes.windows(4).position(|bytes| bytes == b"GCOL").expect("a collection");
    let size = |at: usize| u64::from_le_bytes(sample.bytes[at + 8..at + 16].try_into().unwrap());
    // The first object follows the header of 16 bytes; the free space has index 0.
    let mut object = at + 16;
    while sample.bytes[object..object + 2] != [0, 0] {
        object += 16 + size(object).next_multiple_of(8) as usize;
    }
    let mut bytes = sample.bytes.clone();
    bytes[object + 8..object + 16].copy_from_slice(&(size(object) - 16).to_le_bytes());
    assert_eq!(found(&sample, bytes), BTreeSet::from(["global-heap-free-space"]));
}

#[test]
fn a_mask_of_a_mandatory_filter_is_odd() {
    let path = require!(fixture("filters/earliest.h5"));
    let report = check(&Memory::new("masks", std::fs::read(path).unwrap()), Options::default()).unwrap();
    assert!(report.counts["mandatory-filter-skipped"] > 0);
    assert_eq!(report.errors, 0);
}
