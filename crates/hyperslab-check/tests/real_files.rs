//! Files that the library and others wrote have no errors and no warnings, except for those that are known to be damaged or wrong.

use hyperslab_check::{CheckError, Options, check};
use hyperslab_io::LocalFile;
use hyperslab_testkit::files::{corpus, fixtures, hdf5_files};
use hyperslab_testkit::require;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Larger files take too long for a test.
const BYTES_MAX: u64 = 64 << 20;

/// Files with errors, by the beginnings of their paths in the corpus, with the rules that they violate and the reason.
const KNOWN: &[(&str, &[&str], &str)] = &[
    // Files that were made to crash readers: any error may be found in them.
    ("SegfaultMasters+covering360/", &["*"], "damaged on purpose"),
    ("TeamSeri0us+pocs/", &["*"], "damaged on purpose"),
    ("magicSwordsMan+PAAFS/", &["*"], "damaged on purpose"),
    ("hoene+libmysofa/tests/fail-issue-", &["*"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/test/cve_", &["*"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/test/testfiles/cve_", &["*"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/test/testfiles/bad_", &["*"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/test/testfiles/corrupt_stab_msg.h5", &["signature"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/test/testfiles/memleak_", &["*"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/test/testfiles/tbad_msg_count.h5", &["message-count"], "damaged on purpose"),
    (
        "debian-hdf5-1.14.6/test/testfiles/th5s.h5",
        &["invalid-value", "limit"],
        "has 33 dimensions on purpose",
    ),
    ("debian-hdf5-1.14.6/test/testfiles/tmisc38a.h5", &["invalid-value"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/tools/test/h5dump/testfiles/tCVE", &["*"], "damaged on purpose"),
    (
        "debian-hdf5-1.14.6/tools/test/h5dump/testfiles/err_attr_dspace.h5",
        &["unknown-value"],
        "damaged on purpose",
    ),
    ("debian-hdf5-1.14.6/tools/test/h5repack/testfiles/h5repack_CVE", &["*"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/tools/test/h5stat/testfiles/h5stat_err_", &["*"], "damaged on purpose"),
    ("debian-hdf5-1.14.6/tools/test/misc/testfiles/h5clear_", &["*"], "not closed, on purpose"),
    (
        "debian-hdf5-1.14.6/tools/test/misc/testfiles/latest_h5clear_",
        &["not-closed"],
        "not closed, on purpose",
    ),
    // Members of files of several members, which are not joined here.
    ("debian-hdf5-1.14.6/test/testfiles/family_v16", &["truncated", "past-end"], "one member"),
    ("debian-hdf5-1.14.6/test/testfiles/multi_file_v16", &["truncated", "past-end"], "one member"),
    (
        "debian-hdf5-1.14.6/tools/test/h5dump/testfiles/test_subfiling",
        &["truncated", "past-end"],
        "one member",
    ),
    ("debian-hdf5-1.14.6/tools/test/h5dump/testfiles/tfamily", &["truncated", "past-end"], "one member"),
    ("debian-hdf5-1.14.6/tools/test/h5dump/testfiles/tmulti-", &["past-end"], "one member"),
    ("debian-hdf5-1.14.6/tools/test/h5dump/testfiles/tsplit_file-", &["past-end"], "one member"),
    ("debian-hdf5-1.14.6/tools/test/misc/testfiles/family_file", &["truncated", "past-end"], "one member"),
    // Versions of the format that were given up before they were released.
    (
        "debian-hdf5-1.14.6/test/testfiles/fsm_aggr_persist.h5",
        &["invalid-value"],
        "a file space strategy of version 1 in a message of version 0; libhdf5 refuses it, too",
    ),
    (
        "debian-hdf5-1.14.6/tools/test/h5diff/testfiles/h5diff_types.h5",
        &["too-short"],
        "sizes in the list of free sections have ceil(log2/8) bytes, as before H5VM_limit_enc_size",
    ),
    ("debian-hdf5-1.14.6/tools/test/h5dump/testfiles/tfcontents1.h5", &["too-short"], "the same"),
    // Writers other than libhdf5.
    (
        "jamesmudd+jhdf/jhdf/src/test/resources/hdf5/globalheaps_test.hdf5",
        &["global-heap-size"],
        "edited by hand: collections of 40 bytes, which H5HGcache.c refuses",
    ),
    (
        "jamesmudd+jhdf/jhdf/src/test/resources/hdf5/var-length-strings-reused.hdf5",
        &["creation-order", "global-heap-size"],
        "jHDF writes creation order 0 for all attributes, and small collections",
    ),
    (
        "jamesmudd+jhdf/jhdf/src/test/resources/hdf5/test_attribute_with_creation_order.hdf5",
        &["creation-order"],
        "jHDF writes creation order 0 for all attributes",
    ),
    (
        "jamesmudd+jhdf/jhdf/src/test/resources/hdf5/superblock-extension.hdf5",
        &["extension-message"],
        "the extension is the header of a group",
    ),
    (
        "jamesmudd+jhdf/jhdf/src/test/resources/hdf5/test_byteshuffle_compressed_datasets_latest.hdf5",
        &["not-closed"],
        "the writer did not close it",
    ),
];

/// The rules of errors in a file. `None` if it has no superblock.
fn errors(path: &Path) -> Option<(BTreeSet<&'static str>, Vec<String>)> {
    let file = LocalFile::open(path).expect("a readable file");
    let report = match check(&file, Options { data: false }) {
        Ok(report) => report,
        Err(CheckError::NoSuperblock(_)) => return None,
        Err(error) => panic!("{}: {error}", path.display()),
    };
    let is_error =
        |finding: &&hyperslab_check::Finding| finding.rule.severity >= hyperslab_check::Severity::Warning;
    let found: Vec<_> = report.findings.iter().filter(is_error).collect();
    let listed = found.iter().map(|f| format!("{} {} {:#x}: {}", f.rule.code, f.object, f.at, f.message));
    Some((found.iter().map(|finding| finding.rule.code).collect(), listed.collect()))
}

#[test]
fn files_of_the_corpus_have_only_known_errors() {
    let corpus = require!(corpus());
    let mut unexpected = Vec::new();
    let mut used: BTreeMap<&str, u64> = BTreeMap::new();
    let mut files = 0;
    for path in hdf5_files(&corpus, BYTES_MAX) {
        let Some((codes, listed)) = errors(&path) else { continue };
        files += 1;
        let name = path.strip_prefix(&corpus).unwrap().to_str().unwrap().to_owned();
        let known = KNOWN.iter().find(|(beginning, _, _)| name.starts_with(beginning));
        if let Some((beginning, _, _)) = known {
            *used.entry(beginning).or_default() += u64::from(!codes.is_empty());
        }
        let is_known =
            |code: &&str| known.is_some_and(|(_, codes, _)| codes.contains(code) || codes[0] == "*");
        if !codes.iter().all(is_known) {
            unexpected.push(format!("{name}: {}", listed.join("; ")));
        }
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    assert!(files > 500, "{files} files");
    let unused: Vec<_> =
        KNOWN.iter().filter(|(name, _, _)| used.get(name).copied().unwrap_or(0) == 0).collect();
    assert!(unused.is_empty(), "these have no errors: {unused:?}");
}

#[test]
fn fixtures_have_no_errors() {
    let fixtures = require!(fixtures());
    let mut files = 0;
    for path in hdf5_files(&fixtures, BYTES_MAX) {
        let Some((codes, listed)) = errors(&path) else { continue };
        files += 1;
        assert!(codes.is_empty(), "{}: {}", path.display(), listed.join("; "));
    }
    assert!(files > 200, "{files} files");
}

#[test]
fn chunks_of_the_fixtures_decode() {
    let fixtures = require!(fixtures());
    let mut chunks = 0;
    for path in hdf5_files(&fixtures, 4 << 20) {
        let file = LocalFile::open(&path).unwrap();
        let Ok(report) = check(&file, Options { data: true }) else { continue };
        chunks += report.chunks;
        let listed: Vec<_> = report.findings.iter().map(|f| (f.rule.code, &f.object, &f.message)).collect();
        assert_eq!(report.errors, 0, "{}: {listed:?}", path.display());
        assert_eq!(report.counts.get("filter-missing"), None, "{}", path.display());
    }
    assert!(chunks > 1000, "{chunks} chunks");
}
