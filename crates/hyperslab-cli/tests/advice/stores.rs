//! Advice and findings for files in object stores.

use super::advise::{BOTH, MAPS, advice, made, recommended};
use super::faults::{report, written};
use super::run::run;
use hyperslab_testkit::require;
use serde_json::Value;
use std::path::Path;

#[test]
fn requests_of_an_object_store_cost_time_and_money() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let [here, there] =
        [&["--place", "local"], &["--place", "s3"]].map(|place| advice(&path, &[&BOTH[..], place].concat()));
    let number = |advice: &Value, name: &str| recommended(advice)["storage"][name].as_f64().unwrap();
    assert!(number(&there, "requests") <= number(&here, "requests"), "{there}");
    assert_eq!(number(&here, "dollars"), 0.0);
    assert!(number(&there, "dollars") > 0.0);
    assert!(run(&["advise", "{}", "--place", "s3"], &path).out.contains('$'));
}

#[test]
fn the_pages_of_a_store_are_in_the_line_that_repacks() {
    let folder = tempfile::tempdir().unwrap();
    // 300 groups, so that the metadata takes many requests, and values that do not compress.
    let line = "[f.create_group(f'g{i}').create_dataset('x', data=np.arange(9.0)) for i in range(300)]; \
                f.create_dataset('d', data=r.normal(size=(400, 100, 100)), chunks=(1, 100, 100))";
    let path = require!(written(folder.path(), "many.h5", line));
    let ask = |options: &[&str]| -> Value {
        let words =
            [&["advise", "--json", "--seconds", "5", "{}", "/d", "--read", "1x100x100"], options].concat();
        let told = run(&words, &path);
        assert_eq!(told.code, 0, "{}", told.err);
        serde_json::from_str(&told.out).unwrap()
    };
    for options in
        [&["--readers", "libhdf5-2"][..], &["--place", "hdd"], &["--readers", "hyperslab", "--place", "s3"]]
    {
        assert!(ask(options)["pages"].is_null(), "{options:?}");
    }
    let told = ask(&["--readers", "libhdf5-2", "--place", "s3"]);
    let pages = &told["pages"];
    let candidates = pages["candidates"].as_array().unwrap();
    let sizes: Vec<u64> =
        candidates.iter().map(|one| one["page_bytes"].as_u64().unwrap_or(0) >> 20).collect();
    assert_eq!(sizes, [0, 1, 4, 8, 16]);
    let allowed = || candidates.iter().filter(|one| one["is_too_large"] == false);
    let slowdown = |one: &Value| one["slowdown"].as_f64().unwrap();
    let best = allowed().map(slowdown).fold(f64::INFINITY, f64::min);
    let chosen = candidates.iter().find(|one| one["page_bytes"] == pages["page_bytes"]).unwrap();
    assert!(chosen["is_too_large"] == false && slowdown(chosen) <= 1.04 * best, "{pages}");
    let line = pages["line"].as_str().unwrap();
    let out = require!(made("hyperslab", line, &path));
    let file = hyperslab::File::open(&out).unwrap();
    let page_bytes = hyperslab::hdf5::census(&file).unwrap().page_bytes;
    assert_eq!(page_bytes, pages["page_bytes"].as_u64());
    let text =
        run(&["advise", "--seconds", "5", "{}", "/d", "--readers", "libhdf5-2", "--place", "s3"], &path).out;
    assert!(text.contains("pages of the file: ") && text.contains("none, metadata first"), "{text}");
}

#[test]
fn what_costs_readers_of_object_stores_is_found_if_asked_for_and_repacking_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let line = "[f.create_group(f'g{i}').create_dataset('d', data=r.normal(size=3000)) for i in range(150)]; f.create_dataset('d', data=r.normal(size=(300, 1000)), chunks=(1, 1000), compression='gzip')";
    let path = require!(written(folder.path(), "many.h5", line));
    let codes = |path: &Path, options: &[&str]| -> Vec<String> {
        let told = report(path, options);
        let datasets = told["datasets"].as_array().unwrap().iter();
        let of = |findings: &Value| findings.as_array().unwrap().clone();
        let all =
            of(&told["findings"]).into_iter().chain(datasets.flat_map(|dataset| of(&dataset["findings"])));
        all.map(|found| found["code"].as_str().unwrap().to_owned()).collect()
    };
    assert!(codes(&path, &[]).iter().all(|code| !code.starts_with("cloud-")));
    let found = codes(&path, &["--cloud"]);
    for code in ["cloud-metadata", "cloud-chunk-size"] {
        assert!(found.iter().any(|one| one == code), "{code}: {found:?}");
    }
    let out = require!(made("hyperslab", "hyperslab repack FILE out.h5", &path));
    let after = codes(&out, &["--cloud"]);
    assert!(!after.iter().any(|code| code == "cloud-metadata"), "{after:?}");
}
