//! `hyperslab advise`, followed: its lines make the storage that they promise, with the programs that they are for; asked
//! again it is content; the published cases come out as they were published.

use super::faults::{pasted, report, written};
use super::run::run;
use hyperslab_testkit::files::{fixture, python};
use hyperslab_testkit::{Missing, require, skipped};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// 240 smooth maps, a map a chunk.
const MAPS: &str = "t, y, x = np.ogrid[:240, :60, :80]; f.create_dataset('d', data=(280 + 9 * np.sin(t / 40 + y / 9) + 5 * np.cos(x / 11)).astype('f4') + r.normal(size=(240, 60, 80)).astype('f4') / 64, chunks=(1, 60, 80), compression='gzip', compression_opts=6)";
const BOTH: [&str; 6] = ["--read", "1x60x80", "--read", ":x1x1", "--readers", "libhdf5-1.14"];

fn advice(path: &Path, options: &[&str]) -> Value {
    let told = run(&[&["advise", "--json", "--seconds", "20", "{}"], options].concat(), path);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    document["datasets"][0].clone()
}

fn recommended(advice: &Value) -> &Value {
    &advice["recommendations"][0]
}

/// The chunk shape of `/d` in a file, its filters as advice names them, and its bytes.
fn stored(path: &Path) -> (Value, String, u64) {
    let told = run(&["ls", "--json", "{}", "/d"], path);
    let listing: Value = serde_json::from_str(&told.out).unwrap();
    let object = &listing["objects"][0];
    let filters = object["filters"].as_array().unwrap().iter();
    let words = filters.map(|filter| match filter["id"].as_u64().unwrap() {
        1 => format!("gzip={}", filter["parameters"][0]),
        2 => "shuffle".to_owned(),
        id => id.to_string(),
    });
    (object["chunks"].clone(), words.collect::<Vec<_>>().join("+"), object["stored_bytes"].as_u64().unwrap())
}

/// The checksum of the values of `/d`.
fn checksum(path: &Path) -> String {
    let told = run(&["digest", "--bare", "{}"], path);
    let mut records = told.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let record = records.find(|record| record["path"] == "/d").unwrap_or_else(|| panic!("{}", told.out));
    record["sha256"].as_str().unwrap_or_else(|| panic!("{record}")).to_owned()
}

/// Runs a line of Python in which `data` are the values, `out` is a new HDF5 file, and `ds` the same for xarray.
const WRITE: &str = r"
import sys, os, h5py
file, target, line = sys.argv[1:4]
with h5py.File(file) as opened:
    data = opened['/d'][...]
if target == 'h5py':
    with h5py.File('out.h5', 'w') as out:
        exec(line)
else:
    import xarray as xr
    exec(line)
    xr.Dataset({'d': ([f'x{n}' for n in range(data.ndim)], data)}).to_netcdf('out.h5', format='NETCDF4', encoding=encoding)
";

/// Makes `out.h5` or `out.nc` beside the file.
fn made(tool: &str, line: &str, path: &Path) -> Result<PathBuf, Missing> {
    let folder = path.parent().unwrap();
    match tool {
        "hyperslab" => {
            let line = line.replacen("hyperslab", env!("CARGO_BIN_EXE_hyperslab"), 1);
            let line = line.replace("FILE", path.to_str().unwrap());
            let output = Command::new("sh").args(["-c", &line]).current_dir(folder).output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            Ok(folder.join(line.rsplit(' ').next().unwrap()))
        }
        "h5repack" | "nccopy" => pasted(line, path),
        "CDL" => {
            if Command::new("ncgen").output().is_err() {
                return Err(Missing::new("ncgen is not installed".to_owned()));
            }
            let cdl = format!(
                "netcdf out {{ dimensions: t = 240 ; y = 60 ; x = 80 ; variables: float d(t, y, x) ; {line} }}"
            );
            fs::write(folder.join("out.cdl"), cdl).unwrap();
            let output = Command::new("ncgen")
                .args(["-k", "nc4", "-o", "out.nc", "out.cdl"])
                .current_dir(folder)
                .output();
            let output = output.unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            Ok(folder.join("out.nc"))
        }
        _ => {
            let arguments = [path.to_str().unwrap(), tool, line];
            let output = Command::new(python()?)
                .args(["-c", WRITE])
                .args(arguments)
                .current_dir(folder)
                .output()
                .unwrap();
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            if let Some(missing) = error.lines().find(|line| line.starts_with("ModuleNotFoundError")) {
                return Err(Missing::new(missing.to_owned()));
            }
            assert!(output.status.success(), "{tool}: {line}: {error}");
            Ok(folder.join("out.h5"))
        }
    }
}

#[test]
fn every_line_makes_the_recommended_storage_and_is_content_with_it() {
    let folder = tempfile::tempdir().unwrap();
    // The ending makes it a netCDF-4 file, for which there is a line of nccopy.
    let path = require!(written(folder.path(), "maps.nc", MAPS));
    let before = checksum(&path);
    let told = advice(&path, &BOTH);
    let one = recommended(&told);
    assert_eq!(one["verdict"], "rewrite", "{one}");
    let mut tried = Vec::new();
    for line in one["lines"].as_array().unwrap() {
        let (tool, line) = (line["tool"].as_str().unwrap(), line["line"].as_str().unwrap());
        for old in ["out.h5", "out.nc"] {
            let _ = fs::remove_file(folder.path().join(old));
        }
        let out = match made(tool, line, &path) {
            Ok(out) => out,
            Err(missing) => {
                skipped(&missing);
                continue;
            }
        };
        let (chunk, filters, bytes) = stored(&out);
        assert_eq!(chunk, one["storage"]["chunk"], "{tool}: {line}");
        assert_eq!(filters, one["storage"]["filters"].as_str().unwrap(), "{tool}: {line}");
        // CDL has no values.
        if tool != "CDL" {
            assert_eq!(checksum(&out), before, "{tool}: {line}");
            let promised = one["storage"]["stored_bytes"].as_u64().unwrap() as f64;
            assert!((0.85..1.15).contains(&(bytes as f64 / promised)), "{tool}: {bytes} of {promised} bytes");
        }
        if tool == "hyperslab" {
            let again = advice(&out, &BOTH);
            assert_eq!(recommended(&again)["verdict"], "already-good", "{}", recommended(&again));
        }
        tried.push(tool.to_owned());
    }
    assert!(["hyperslab", "h5py"].iter().all(|tool| tried.iter().any(|one| one == tool)), "{tried:?}");
}

/// Decoded bytes of a read of a file in libhdf5 1.14.
fn decoded_bytes(path: &Path, read: &str) -> u64 {
    let told = report(path, &["--read", read, "--profile", "libhdf5 1.14"]);
    let dataset = &told["datasets"][0];
    let decodes = dataset["reads"][0]["profiles"][0]["decodes"].as_u64().unwrap();
    decodes * dataset["chunk_bytes"].as_u64().unwrap()
}

#[test]
fn chunks_for_maps_and_series_serve_both_within_a_factor_of_three() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let told = advice(&path, &BOTH);
    let lines = recommended(&told)["lines"].as_array().unwrap();
    let line = lines.iter().find(|line| line["tool"] == "hyperslab").unwrap();
    let out = require!(made("hyperslab", line["line"].as_str().unwrap(), &path));
    let [maps, series] = ["1x60x80", ":x1x1"].map(|read| decoded_bytes(&out, read));
    assert!(maps.max(series) <= 3 * maps.min(series).max(1), "maps {maps} and series {series} bytes");
    let before = decoded_bytes(&path, ":x1x1");
    assert!(10 * series < before, "{before} bytes before, {series} after");
}

#[test]
fn the_case_study_of_2015_decodes_each_chunk_once_in_every_library() {
    let path = require!(fixture("case_study/cris.h5"));
    let dataset = "/All_Data/CrIS-SDR_All/ES_ImaginaryLW";
    let told = advice(&path, &[dataset, "--read", "1x1x1x717"]);
    let one = recommended(&told);
    assert_eq!(told["present"]["reads"][0][0]["decodes"], 16_200, "{told}");
    let chunk = one["storage"]["chunk"].as_array().unwrap().iter();
    let counts = chunk.zip(told["shape"].as_array().unwrap());
    let chunks: u64 =
        counts.map(|(chunk, dim)| dim.as_u64().unwrap().div_ceil(chunk.as_u64().unwrap())).product();
    for reads in one["storage"]["reads"].as_array().unwrap() {
        assert_eq!(reads[0]["decodes"], chunks, "{one}");
    }
}

#[test]
fn a_recipe_makes_the_storage_and_a_page_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let [page, recipe, out] = ["maps.html", "maps.toml", "out.h5"].map(|name| folder.path().join(name));
    let files = ["--html", page.to_str().unwrap(), "--recipe-out", recipe.to_str().unwrap()];
    let told = advice(&path, &[&BOTH[..], &files].concat());
    let one = recommended(&told);
    let html = fs::read_to_string(page).unwrap();
    let filters = one["storage"]["filters"].as_str().unwrap();
    for part in ["as it is", "recommended", "<svg", "hyperslab repack --chunks", filters] {
        assert!(html.contains(part), "{part}");
    }
    let arguments = ["repack", "{}", out.to_str().unwrap(), "--recipe", recipe.to_str().unwrap()];
    let ended = run(&arguments, &path);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let (chunk, written_filters, _) = stored(&out);
    assert_eq!((&chunk, written_filters.as_str()), (&one["storage"]["chunk"], filters));
}

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
    let page_bytes = hyperslab::internal::census(&file).unwrap().page_bytes;
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

#[test]
fn axes_of_netcdf_name_the_usual_reads() {
    let path = require!(fixture("netcdf4/climate.nc"));
    let told = run(&["advise", "--json", "--seconds", "1", "{}"], &path);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(document["reads_are_usual"], true);
    let reads = document["datasets"][0]["reads"].as_array().unwrap();
    let names: Vec<&str> = reads.iter().map(|read| read["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"maps") && names.contains(&"time series"), "{names:?}");
    let text = run(&["advise", "--seconds", "1", "{}"], &path).out;
    assert!(text.contains("the usual reads of such data"), "{text}");
}

#[test]
fn reads_that_a_program_made_are_weighed_by_what_they_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let lines = folder.path().join("reads.jsonl");
    // All maps twice, a quarter of the series, and one value.
    let text = "{\"dataset\": \"d\", \"shape\": [1, 60, 80], \"count\": 480}\n\
                {\"dataset\": \"/d\", \"shape\": [240, 1, 1], \"count\": 1199, \"at\": 0.5}\n\
                {\"dataset\": \"/d\", \"shape\": [240, 1, 1]}\n{\"dataset\": \"/d\", \"shape\": [1, 1, 1]}\n";
    fs::write(&lines, text).unwrap();
    let ask =
        |options: &[&str]| run(&[&["advise", "--json", "--seconds", "1", "{}"], options].concat(), &path);
    let told = ask(&["--reads-from", lines.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(
        (&document["reads_are_usual"], &document["datasets"][0]["path"]),
        (&false.into(), &"/d".into())
    );
    let reads = document["datasets"][0]["reads"].as_array().unwrap().iter();
    let reads: Vec<String> = reads.map(|read| format!("{} {}", read["name"], read["weight"])).collect();
    assert_eq!(reads, ["\"1x60x80\" 0.889", "\"240x1x1\" 0.111"]);
    for (text, says) in [
        ("", "it has no line"),
        ("[1, 2]", "line 1: "),
        ("{\"dataset\": \"/d\", \"shape\": [1, 2]}", "a read of 2 dimensions, but /d has 3"),
        ("{\"dataset\": \"/d\", \"shape\": [0, 60, 80]}", "no read of an element of /d"),
        ("{\"dataset\": \"/e\", \"shape\": [1]}", "/e"),
    ] {
        fs::write(&lines, text).unwrap();
        let ended = ask(&["--reads-from", lines.to_str().unwrap()]);
        assert_eq!(ended.code, 2, "{text}: {}", ended.err);
        assert!(ended.err.contains(says), "{text}: {}", ended.err);
    }
}

#[test]
fn datasets_over_the_same_dimensions_get_one_shape_and_a_cache_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!(
        "{MAPS}; f.create_dataset('e', data=f['d'][...].astype('f8'), chunks=(1, 60, 80), compression='gzip'); f['n'] = np.arange(400000.)"
    );
    let path = require!(written(folder.path(), "maps.h5", &line));
    let recipe = folder.path().join("recipe.toml");
    let options = [&BOTH[..], &["/d", "/e", "--recipe-out", recipe.to_str().unwrap()]].concat();
    let told = run(&[&["advise", "--json", "--seconds", "10", "{}"], &options[..]].concat(), &path);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    let [together] = &document["together"].as_array().unwrap()[..] else {
        panic!("{}", document["together"])
    };
    let datasets = together["datasets"].as_array().unwrap();
    assert_eq!(datasets.iter().map(|one| &one["path"]).collect::<Vec<_>>(), ["/d", "/e"]);
    let chunk =
        together["chunk"].as_array().unwrap().iter().map(Value::to_string).collect::<Vec<_>>().join("x");
    let written_recipe = fs::read_to_string(&recipe).unwrap();
    assert_eq!(written_recipe.matches(&format!("chunks = \"{chunk}\"")).count(), 2, "{written_recipe}");
    let cache = &document["datasets"][0]["caches"][0];
    assert_eq!(
        cache["reader"], "libhdf5-1.14",
        "series of maps are found again in a cache that holds them all: {document}"
    );
    assert_eq!(cache["nbytes"], 8 << 20, "4.4 MiB of maps");
    let text = run(&[&["advise", "--seconds", "1", "{}"], &options[..]].concat(), &path).out;
    for part in ["read together: /d and /e have the same dimensions", "rdcc_nbytes=8388608"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn wrong_requests_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(
        folder.path(),
        "few.h5",
        "f['d'] = np.arange(6.).reshape(2, 3); f['s'] = 1.; f['v'] = ['a', 'bc']; f['n'] = h5py.Empty('f4')"
    ));
    for (options, says) in [
        (&["/d", "--readers", "hdf4"][..], "unknown reader \"hdf4\""),
        (&["/d", "--read", "1x1x1"], "--read 1x1x1 has 3 dimensions, but /d has 2"),
        (&["/d", "--write", "4"], "--write 4 has 1 dimension, but /d has 2"),
        (&["/d", "--read", "1x9999"], "--read 1x9999 wants 9999 elements along axis 1, but /d has 3"),
        (&["/d", "--max-error", "0%"], "percentage"),
        (&["/n"], "FILE: /n: it has no values: its dataspace is null"),
        (&["/d", "--size-bound", "huge"], "cannot understand the size bound"),
        (&["/d", "--place", "moon"], "cannot understand the place"),
        (&["/d", "--seconds", "0"], "number of seconds"),
        (&["/s"], "/s: it is a scalar"),
        (&["/v"], "/v: its values are of variable length"),
        (&["/nothing"], "FILE"),
        (&["/nothing"], "nothing"),
    ] {
        let ended = run(&[&["advise", "{}"], options].concat(), &path);
        assert_eq!(ended.code, 2, "{options:?}: {}", ended.err);
        assert!(ended.err.contains(says), "{options:?}: {}", ended.err);
    }
}

#[test]
fn a_reader_that_is_named_twice_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let told = advice(&path, &["--read", "1x60x80", "--readers", "h5py,h5py"]);
    assert_eq!(told["readers"], serde_json::json!(["h5py"]));
    assert_eq!(told["recommendations"].as_array().unwrap().len(), 1);
}

#[test]
fn the_lines_are_about_what_a_soft_link_leads_to() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("{}; f.move('d', 'g/data'); f['link'] = h5py.SoftLink('/g/data')", MAPS);
    let path = require!(written(folder.path(), "maps.h5", &line));
    let told = run(&["advise", "--json", "--seconds", "5", "{}", "/link", "--read", ":x1x1"], &path);
    assert_eq!((told.code, told.err.as_str()), (0, "note: /link is a soft link to /g/data\n"));
    let document: Value = serde_json::from_str(&told.out).unwrap();
    let one = &document["datasets"][0];
    assert_eq!((&one["path"], &recommended(one)["verdict"]), (&"/g/data".into(), &"rewrite".into()));
    let lines = recommended(one)["lines"].as_array().unwrap();
    for line in lines
        .iter()
        .filter(|line| ["hyperslab", "h5repack", "h5py"].contains(&line["tool"].as_str().unwrap()))
    {
        let line = line["line"].as_str().unwrap();
        assert!(line.contains("g/data") && !line.contains("link"), "{line}");
    }
}

#[test]
fn names_cannot_control_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let name = "'new\\nline\\x1b[31m\\x07'";
    let line = format!("{}; f.move('d', {name})", MAPS);
    let path = require!(written(folder.path(), "maps.h5", &line));
    let page = folder.path().join("page.html");
    let page = page.to_str().unwrap();
    for command in [
        &["advise", "{}", "--seconds", "3", "--read", ":x1x1", "--html", page][..],
        &["advise", "{}", "--seconds", "3", "--place", "s3"],
        &["doctor", "{}", "--html", page],
        &["doctor", "--all", "--cloud", "{}"],
        &["doctor", "--summary", "{}"],
        &["doctor", "{}", folder.path().to_str().unwrap()],
    ] {
        let told = run(command, &path);
        assert_eq!(told.code, 0, "{command:?}: {}", told.err);
        for text in [&told.out, &told.err] {
            let is_odd = |c: char| c.is_control() && c != '\n';
            assert!(!text.contains(is_odd), "{command:?}: {text:?}");
            assert!(!text.lines().any(|line| line.starts_with("line")), "{command:?}: {text}");
        }
        assert!(told.out.contains("new\\nline"), "{command:?}: {}", told.out);
    }
}

/// Samples for the user's libhdf5 lie in a folder with the number of the process in its name.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_advice_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let mut child = Command::new(env!("CARGO_BIN_EXE_hyperslab"))
        .args(["advise", "--seconds", "30"])
        .arg(&path)
        .env("TMPDIR", folder.path())
        // The libhdf5 of this Python decodes the samples.
        .env("VIRTUAL_ENV", require!(python()).ancestors().nth(2).unwrap())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let prefix = format!("hyperslab-advise-{}-", child.id());
    let has_samples = || {
        let places = [Path::new("/dev/shm"), folder.path()];
        let entries = places.into_iter().filter_map(|place| fs::read_dir(place).ok()).flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
    };
    let mut found = false;
    while !found && child.try_wait().unwrap().is_none() {
        found = has_samples();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let code = child.wait().unwrap().code();
    assert!(interrupted.is_ok_and(|status| status.success()));
    assert_eq!((found, code), (true, Some(130)));
    assert!(!has_samples());
}

#[test]
fn advice_that_fails_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "damaged.h5", MAPS));
    let chunks = run(&["chunks", "--csv", "{}", "/d"], &path).out;
    // The file ends in the middle of its chunks.
    assert!(chunks.lines().count() > 100, "{chunks}");
    let mut bytes = fs::read(&path).unwrap();
    let len = bytes.len();
    bytes.truncate(len / 2);
    fs::write(&path, &bytes).unwrap();
    let told = run(&["advise", "{}", "/d"], &path);
    assert_ne!(told.code, 0);
    assert!(told.err.starts_with("error: FILE: "), "{}", told.err);
}
