//! Bounds that the user gives: how far values may change, and how much the data may take.

use super::advise::{BOTH, MAPS, advice, recommended, stored};
use super::faults::written;
use super::run::run;
use hyperslab_testkit::require;
use serde_json::Value;
use std::path::Path;

#[test]
fn lossy_filters_keep_the_bound_that_the_user_gives() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let filters = |advice: &Value| -> Vec<String> {
        let all = advice["pareto"].as_array().unwrap().iter().chain([&recommended(advice)["storage"]]);
        all.map(|storage| storage["filters"].as_str().unwrap().to_owned()).collect()
    };
    let is_lossy =
        |filters: &String| ["scaleoffset", "round=", "zfp"].iter().any(|name| filters.contains(name));
    assert!(!filters(&advice(&path, &BOTH)).iter().any(is_lossy));
    let told = advice(&path, &[&BOTH[..], &["--max-error", "0.01"]].concat());
    let one = recommended(&told);
    let text = one["storage"]["filters"].as_str().unwrap();
    // Which of them is faster to read depends on the machine.
    assert!(text.starts_with("scaleoffset=2") || text.starts_with("round=2+"), "{text}");
    let bound = one["storage"]["largest_error"].as_f64().unwrap();
    assert!(bound > 0.0 && bound <= 0.01, "{bound}");
    assert!(!filters(&told).iter().any(|filters| filters.contains("zfp")), "libhdf5 alone has no zfp");
    let line = one["lines"][0]["line"].as_str().unwrap().replace("FILE", path.to_str().unwrap());
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let out = folder.path().join("out.h5");
    let words = [&words[..words.len() - 1], &[out.to_str().unwrap(), "--json"]].concat();
    let repacked = run(&words, &path);
    assert_eq!(repacked.code, 0, "{}", repacked.err);
    let repacked: Value = serde_json::from_str(&repacked.out).unwrap();
    let error = repacked["result"]["rounding"][0]["error_max"].as_f64().unwrap();
    assert!(error >= bound && error <= 0.01, "{bound} of the samples, {error} of all values");
    let (chunk, _, bytes) = stored(&out);
    assert_eq!(chunk, one["storage"]["chunk"]);
    let said = one["storage"]["stored_bytes"].as_u64().unwrap() as f64;
    assert!((bytes as f64 / said - 1.0).abs() < 0.1, "{bytes} of {said}");
    let words = ["advise", "{}", "--seconds", "5", "--max-error", "0.01"];
    let text = run(&[&words[..], &BOTH].concat(), &path).out;
    assert!(text.contains("lossy: in the sampled chunks, no value changes by more than"), "{text}");
    assert_eq!(run(&["advise", "{}", "--max-error", "-1"], &path).code, 2);
}

#[test]
fn data_becomes_as_small_as_it_must() {
    let folder = tempfile::tempdir().unwrap();
    let raw = format!("{MAPS}; f.create_dataset('raw', data=f['d'][...])");
    let path = require!(written(folder.path(), "raw.h5", &raw));
    let words = ["advise", "{}", "/raw", "--seconds", "5", "--read", "1x60x80", "--size-bound"];
    let told = run(&[&words[..], &["0.7x"]].concat(), &path).out;
    assert!(told.contains("recommended: chunks of"), "{told}");
    assert!(told.contains("as long as now, because the data must become smaller"), "{told}");
    let told = run(&[&words[..], &["1KiB"]].concat(), &path).out;
    assert!(told.contains("; no storage that was tried is so small, the smallest takes"), "{told}");
    assert!(told.contains("kept as it is, because no storage keeps to the bound of the size"), "{told}");
}

#[test]
fn filters_that_take_only_little_endian_floats_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let turned = format!("{MAPS}; f.create_dataset('big', data=f['d'][...].astype('>f4'))");
    let path = require!(written(folder.path(), "big.h5", &turned));
    let words = ["advise", "{}", "/big", "--seconds", "1", "--readers", "hyperslab", "--max-error"];
    let note = "does not apply to /big: the filters that keep a share of each value take only little-endian";
    assert!(run(&[&words[..], &["0.1%"]].concat(), &path).err.contains(note));
    assert!(!run(&[&words[..], &["0.1"]].concat(), &path).err.contains(note));
}

#[test]
fn digits_keep_a_share_of_each_value() {
    let folder = tempfile::tempdir().unwrap();
    // Values of all magnitudes.
    let spread = "f['d'][...] = f['d'][...] * (10.0 ** r.integers(-9, 9, f['d'].shape)).astype('f4')";
    let line = format!("{MAPS}; {spread}");
    let path = require!(written(folder.path(), "maps.h5", &line));
    let words = ["--read", "1x60x80", "--readers", "hyperslab,h5py+granularbitround", "--max-error", "0.1%"];
    let words = [&words[..], &["--size-bound", "0.75x"]].concat();
    let told = advice(&path, &words);
    let one = recommended(&told);
    let storage = &one["storage"];
    let filters = storage["filters"].as_str().unwrap();
    // BitGroom is not among what both read.
    assert!(filters.starts_with("granularbitround=4+shuffle+gzip="), "{filters}");
    assert!(storage["largest_error"].is_null(), "{storage}");
    let seen = storage["largest_relative_error"].as_f64().unwrap();
    let promise = storage["relative_error_max"].as_f64().unwrap();
    assert!(seen > 0.0 && seen <= promise && promise <= 0.001, "{seen} of {promise}");

    let line = one["lines"][0]["line"].as_str().unwrap().replace("FILE", path.to_str().unwrap());
    let words_of_line: Vec<&str> = line.split(' ').skip(1).collect();
    let out = folder.path().join("out.h5");
    let repack = [&words_of_line[..words_of_line.len() - 1], &[out.to_str().unwrap()]].concat();
    let repacked = run(&repack, &path);
    assert_eq!(repacked.code, 0, "{line}: {}", repacked.err);
    let values = |path: &Path| -> Vec<f32> {
        let file = hyperslab::File::open(path).unwrap();
        let dataset = file.dataset("/d").unwrap();
        let all = hyperslab::Selection::parse(":, :, :", dataset.shape()).unwrap();
        dataset.read(&all).unwrap()
    };
    let (before, after) = (values(&path), values(&out));
    assert_eq!(before.len(), after.len());
    let share = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs() / f64::from(*a).abs();
    let largest = before.iter().zip(&after).filter(|(a, b)| a != b).map(share).fold(0.0, f64::max);
    assert!(
        largest >= seen && largest <= promise,
        "{largest} of all values, {seen} of the samples, at most {promise}"
    );

    let text = run(&[&["advise", "{}", "--seconds", "5"], &words[..]].concat(), &path).out;
    assert!(
        text.contains("lossy: no value changes by more than 0.0500 % of it; in the sampled chunks"),
        "{text}"
    );
    // Readers that lack the filters get a note and lossless advice.
    let plain = run(&["advise", "{}", "--seconds", "5", "--max-error", "0.1%"], &path);
    assert!(plain.err.contains("is kept by bitgroom and granularbitround, which"), "{}", plain.err);
    assert!(!plain.out.contains("lossy"), "{}", plain.out);
    assert_eq!(run(&["advise", "{}", "--max-error", "100%"], &path).code, 2);
}
