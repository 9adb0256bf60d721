//! Files of netCDF's older formats: those that PnetCDF made malformed get the verdict of its `ncvalidator`, and all others of
//! the corpus that netCDF-C reads in full have no error.

use hyperslab_check::{Options, Report, Severity, check};
use hyperslab_io::LocalFile;
use hyperslab_testkit::files::corpus;
use hyperslab_testkit::require;
use std::path::Path;

/// The beginning of a name, and the rule that `ncvalidator` finds violated.
const VERDICTS: [(&str, &str); 13] = [
    ("bad_cdf5_begin", "classic-order"),
    ("bad_dimid", "classic-header"),
    ("bad_large_fixed_var", "classic-size"),
    ("bad_large_rec", "classic-size"),
    ("bad_nattrs", "classic-header"),
    ("bad_ndims", "classic-header"),
    ("bad_nvars", "classic-header"),
    ("bad_padding_", "classic-padding"),
    ("bad_tag_", "classic-header"),
    ("bad_unlimited", "classic-record-dimensions"),
    ("bad_xtype.nc5", "classic-header"),
    ("bad_xtype", "classic-types"),
    // netCDF-C tests with it that it takes padding that is not zero.
    ("ref_null_byte_padding_test", "classic-padding"),
];
/// A header that ends in the middle: netCDF-C refuses it, too.
const CUT: &str = "Roy-64.nc";

/// Files whose padding is not zero, which every reader takes.
const PADDED: &[&str] = &["example_2.nc"];

fn checked(path: &Path) -> Report {
    check(&LocalFile::open(path).unwrap(), Options::default()).unwrap()
}

fn errors(report: &Report) -> Vec<&'static str> {
    let errors = report.findings.iter().filter(|finding| finding.rule.severity == Severity::Error);
    errors.map(|finding| finding.rule.code).collect()
}

#[test]
fn malformed_files_have_the_verdict_of_ncvalidator_and_others_no_error() {
    let corpus = require!(corpus());
    let manifest = String::from_utf8_lossy(&std::fs::read(corpus.join("MANIFEST.tsv")).unwrap()).into_owned();
    let (mut malformed, mut sound, mut unexpected) = (0, 0, Vec::new());
    for line in manifest.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if !fields[5].starts_with("cdf") {
            continue;
        }
        let name = fields[0].rsplit('/').next().unwrap();
        let found = errors(&checked(&corpus.join(fields[0])));
        match VERDICTS.iter().find(|(beginning, _)| name.starts_with(beginning)) {
            Some((_, code)) => {
                malformed += 1;
                assert!(found.contains(code), "{name}: {found:?}, not {code}");
            }
            None if name == CUT => assert_eq!(found, ["classic-header"]),
            None => {
                sound += 1;
                // Padding that is not zero occurs in files that were not made malformed, too.
                let known: &[&str] = if PADDED.contains(&name) { &["classic-padding"] } else { &[] };
                if !found.iter().all(|code| known.contains(code)) {
                    unexpected.push(format!("{name}: {found:?}"));
                }
            }
        }
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    assert!(malformed >= 50 && sound >= 25, "{malformed} malformed, {sound} sound");
}
