//! `hyperslab advise`, followed: its lines make the storage that they promise, with the programs that they are for; asked
//! again it recommends no further change; the published cases come out as they were published.

use super::faults::{pasted, report, written};
use super::run::run;
use hyperslab_testkit::files::{fixture, python};
use hyperslab_testkit::{Missing, require, skipped};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// 240 smooth maps, a map a chunk.
pub(super) const MAPS: &str = "t, y, x = np.ogrid[:240, :60, :80]; f.create_dataset('d', data=(280 + 9 * np.sin(t / 40 + y / 9) + 5 * np.cos(x / 11)).astype('f4') + r.normal(size=(240, 60, 80)).astype('f4') / 64, chunks=(1, 60, 80), compression='gzip', compression_opts=6)";
pub(super) const BOTH: [&str; 6] = ["--read", "1x60x80", "--read", ":x1x1", "--readers", "libhdf5-1.14"];

pub(super) fn advice(path: &Path, options: &[&str]) -> Value {
    let told = run(&[&["advise", "--json", "--seconds", "20", "{}"], options].concat(), path);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    document["datasets"][0].clone()
}

pub(super) fn recommended(advice: &Value) -> &Value {
    &advice["recommendations"][0]
}

/// The chunk shape of `/d` in a file, its filters as advice names them, and its bytes.
pub(super) fn stored(path: &Path) -> (Value, String, u64) {
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
pub(super) fn checksum(path: &Path) -> String {
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
pub(super) fn made(tool: &str, line: &str, path: &Path) -> Result<PathBuf, Missing> {
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
