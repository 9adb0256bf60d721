//! `hyperslab bench` on the libhdf5 of a Python's h5py, where there is one: all engines read the same, and what was
//! counted in the real library is what was simulated.

#[path = "bench/recipes.rs"]
mod recipes;
#[path = "bench/results.rs"]
mod results;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The command, with the tests' Python before all others.
fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperslab"));
    command.arg("bench").args(arguments).env_remove("VIRTUAL_ENV").env_remove("CONDA_PREFIX");
    // What is remembered for --resume stays out of the user's own folder.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    if let Some(folder) =
        std::env::var_os("HYPERSLAB_PYTHON").map(PathBuf::from).and_then(|p| Some(p.parent()?.to_owned()))
    {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(folder).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(all).unwrap());
    }
    command
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {:?}", output))
}

/// Every library that is found, by its kind: each is loaded to be described, so this is asked once.
fn libraries() -> &'static Value {
    static FOUND: OnceLock<Value> = OnceLock::new();
    FOUND.get_or_init(|| json(&bench(&["--list", "--json"]).output().unwrap()))
}

/// The first library of a kind, as tasks name it.
fn engine(kind: &str) -> Value {
    serde_json::json!({ kind: libraries()[kind][0] })
}

/// False, said aloud, where a library is not found that a test measures.
fn has(library: &str, package: &str) -> bool {
    let any = !libraries()[library].as_array().unwrap().is_empty();
    if !any {
        eprintln!("skipped: no {library} was found; set HYPERSLAB_PYTHON to a Python with {package}");
    }
    any
}

fn has_libhdf5() -> bool {
    has("libhdf5", "h5py")
}

fn rows(arguments: &[&str]) -> Vec<Value> {
    let output = bench(&[arguments, &["--json", "--repeats", "1"]].concat()).output().unwrap();
    let found = json(&output);
    assert_eq!(found["skipped"], Value::Array(Vec::new()), "{arguments:?}");
    assert_eq!(output.status.code(), Some(0));
    found["rows"].as_array().unwrap().clone()
}

#[test]
fn decodes_of_the_real_library_are_those_simulated() {
    if !has_libhdf5() {
        return;
    }
    let storage = [
        "--chunks",
        "10x20x30",
        "--chunks",
        "40x7x9",
        "--filter",
        "gzip=1",
        "--filter",
        "shuffle+gzip=4",
        "--filter",
        "fletcher32",
    ];
    let access = ["--read", "1x40x50", "--read", ":x1x1", "--order", "0,1,2", "--order", "2,0,1"];
    let caches = ["--cache", "default", "--cache", "30KiB,7,0.5", "--cache", "0"];
    let subject = ["--synthetic", "40x40x50", "--type", ">f4", "--reads", "150"];
    let found = rows(&[&subject[..], &storage, &access, &caches].concat());
    let of_libhdf5 = found.iter().filter(|row| row["engine"].as_str().unwrap().starts_with("libhdf5"));
    let counts: Vec<(u64, u64)> = of_libhdf5
        .filter_map(|row| {
            Some((row["read"]["decodes"].as_u64()?, row["read"]["simulated_decodes"].as_u64().unwrap()))
        })
        .collect();
    // 6 storages, 2 blocks in 2 orders, 3 caches; and a library that hides its filters counts nothing.
    if counts.is_empty() {
        eprintln!("skipped: this build of libhdf5 lets nobody count");
        return;
    }
    assert_eq!(counts.len(), 6 * 2 * 2 * 3);
    assert!(counts.iter().all(|(counted, simulated)| counted == simulated), "{counts:?}");
    assert!(counts.iter().any(|(counted, _)| *counted > 150), "some cache has to thrash");
    let ours = found.iter().filter(|row| row["engine"] == "hyperslab");
    assert_eq!(ours.count(), 6 * 2 * 2, "hyperslab has no cache to vary");
}

/// Rows of one engine.
fn of<'a>(rows: &'a [Value], engine: &str) -> Vec<&'a Value> {
    rows.iter().filter(|row| row["engine"].as_str().unwrap().starts_with(engine)).collect()
}

#[test]
fn netcdf_c_writes_and_reads_its_formats() {
    if !has("netcdf", "netCDF4") || !has_libhdf5() {
        return;
    }
    let subject =
        ["--synthetic", "30x20x25", "--type", ">f4", "--type", "<i2", "--read", "1x20x25", "--read", ":x1x1"];
    let storage =
        ["--format", "netcdf4", "--chunks", "7x9x11", "--chunks", "default", "--filter", "shuffle+gzip=2"];
    let more = ["--cache", "default", "--cache", "10KiB,7,0.5", "--reads", "60", "--unlimited"];
    let found = rows(&[&subject[..], &storage, &more].concat());
    let (netcdf, libhdf5, ours) = (of(&found, "netCDF-C"), of(&found, "libhdf5"), of(&found, "hyperslab"));
    // 2 types, 2 storages, 2 reads, 2 caches; hyperslab has none.
    assert_eq!((netcdf.len(), libhdf5.len(), ours.len()), (16, 16, 8));
    for row in &netcdf {
        assert!(row["write"]["engine"].as_str().unwrap().starts_with("netCDF-C"));
        assert!(row["cache"].is_object(), "{row}");
        let read = &row["read"];
        assert!(read["decodes"].is_null() || read["decodes"] == read["simulated_decodes"], "{row}");
    }
    assert!(
        netcdf.iter().any(|row| row["read"]["simulated_decodes"].as_u64() > Some(60)),
        "some cache thrashes"
    );
    let chunks = |row: &&&Value| row["stored_as"].as_str().unwrap().contains("default chunks");
    assert_eq!(netcdf.iter().filter(chunks).count(), 8);
}

#[test]
fn classic_files_have_fewer_readers_and_the_report_says_so() {
    if !has("netcdf", "netCDF4") {
        return;
    }
    let output = bench(&[
        "--synthetic",
        "12x30",
        "--type",
        "<f8",
        "--format",
        "classic",
        "--format",
        "cdf5",
        "--chunks",
        "4x4",
        "--chunks",
        "5x5",
        "--filter",
        "gzip",
        "--read",
        "4x4",
        "--stride",
        "1x1",
        "--stride",
        "2x3",
        "--unlimited",
        "--fill-time",
        "never",
        "--repeats",
        "1",
    ])
    .output()
    .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    // Neither chunks nor filters: each format is written once.
    assert_eq!(said.matches("netCDF classic unlimited fill time Never, read 4x4").count(), 2, "{said}");
    assert_eq!(said.matches("netCDF CDF-5 unlimited fill time Never, read 4x4").count(), 2, "{said}");
    assert_eq!(said.matches("note: netCDF classic files are read by netCDF-C").count(), 1, "{said}");
    assert!(!said.contains("not measured"), "{said}");
}

#[test]
fn what_netcdf_c_cannot_write_is_said() {
    if !has("netcdf", "netCDF4") {
        return;
    }
    let why = |arguments: &[&str]| {
        let output = bench(&[arguments, &["--json", "--engine", "netcdf", "--repeats", "1"]].concat())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        json(&output)["skipped"][0]["why"].as_str().unwrap().to_owned()
    };
    let with = |format, element, filter| {
        why(&[
            "--synthetic",
            "8x8",
            "--chunks",
            "4x4",
            "--format",
            format,
            "--type",
            element,
            "--filter",
            filter,
        ])
    };
    assert!(with("classic", "<u4", "none").contains("cdf5 and netcdf4 have"));
    assert!(with("netcdf4", "S8", "none").contains("S1 there"));
    assert!(with("netcdf4", "<i4", "gzip=1+shuffle").contains("another order"));
    assert!(with("netcdf4", "<i4", "nbit").contains("writes no nbit"));
    assert!(with("netcdf4", "<i4", "59999").contains("HDF5_PLUGIN_PATH"));
    let output = bench(&["--synthetic", "8", "--format", "netcdf4", "--page-size", "4096"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not for netCDF-4"));
}

#[test]
fn a_library_that_is_missing_is_said_with_how_to_get_it() {
    let empty = tempfile::tempdir().unwrap();
    for (engine, says) in [("netcdf", "pip install netCDF4"), ("hdf4", "pip install pyhdf")] {
        let mut command = bench(&["--synthetic", "8", "--engine", engine]);
        // Without a Python, and where the system has none.
        let output = command.env("PATH", empty.path()).env_remove("LD_LIBRARY_PATH").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(2) {
            eprintln!("skipped: this system has {engine} without a Python");
            continue;
        }
        assert!(said.contains(says), "{said}");
    }
    let listed = bench(&["--list"]).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("netCDF-C"));
}

#[test]
fn what_is_decided_at_creation_varies_and_reads_alike() {
    if !has_libhdf5() {
        return;
    }
    let storage =
        ["--chunks", "contiguous", "--fill-value", "-1.5", "--fill-time", "alloc", "--fill-time", "never"];
    let more = ["--alloc-time", "early", "--libver", "earliest", "--libver", "latest", "--page-size", "4096"];
    let found = rows(
        &[&["--synthetic", "30x20", "--stride", "2x3", "--moved", "--read", "10x10"][..], &storage, &more]
            .concat(),
    );
    // 4 storages, 3 ways to move, 2 engines.
    assert_eq!(found.len(), 4 * 3 * 2);
    assert!(found.iter().all(|row| row["write"]["file_bytes"].as_u64().unwrap() >= 2400));
    for row in rows(&[
        "--synthetic",
        "50x50",
        "--type",
        "S8",
        "--chunks",
        "10x10",
        "--unlimited",
        "--random",
        "40",
        "--read",
        "4x4",
    ]) {
        assert_eq!(row["read"]["reads"], 40);
        assert_eq!(row["read"]["bytes"], 40 * 16 * 8);
    }
}

#[test]
fn writing_varies_in_blocks_orders_and_caches() {
    if !has_libhdf5() {
        return;
    }
    let subject =
        ["--synthetic", "40x40x20", "--chunks", "20x10x10", "--filter", "gzip=1", "--engine", "libhdf5"];
    let ways = ["--write", "4KiB", "--write-order", "all", "--write-cache", "0", "--write-cache", "64MiB"];
    let found = rows(&[&subject[..], &ways, &["--write-repeats", "2"]].concat());
    assert_eq!(found.len(), 6 * 2);
    let chunks = 2 * 4 * 2;
    for row in &found {
        let write = &row["write"];
        assert_eq!(write["write"]["runs"], 2, "{write}");
        assert_eq!(write["bytes"], 40 * 40 * 20 * 4);
        let Some(encodes) = write["encodes"].as_u64() else { continue };
        let decodes = write["decodes"].as_u64().unwrap();
        match write["cache"]["nbytes"].as_u64().unwrap() {
            // Every write of a part of a chunk takes it out of the file and puts it back.
            0 => assert!(encodes > chunks && decodes >= encodes - chunks, "{write}"),
            _ => assert_eq!((encodes, decodes), (chunks, 0), "{write}"),
        }
    }
    let buffers: Vec<&str> = found.iter().map(|row| row["write"]["written_as"].as_str().unwrap()).collect();
    assert_eq!(buffers[0], "1x40x20", "the last dimensions of the first order fit whole");
    assert_eq!(buffers[11], "40x25x1 order 2,1,0");
}

#[test]
fn a_file_is_only_read_and_nothing_is_left_behind() {
    if !has_libhdf5() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made");
    std::fs::create_dir(&made).unwrap();
    // Rows of a first bench tell nothing of its file, which goes: a file of the tests' own is written by its worker.
    let file = folder.path().join("input.h5");
    let task = serde_json::json!({
        "engine": engine("libhdf5"),
        "file": file, "dataset": "/d",
        "access": { "block": [4, 25], "step": [1, 1], "walk": { "sweep": { "order": [0, 1] } } },
        "opening": { "cache": null, "page_buffer": null },
        "operation": { "write": {
            "storage": {
                "format": "hdf5", "shape": [20, 25], "unlimited": false, "element": "<f8", "chunks": [4, 25],
                "filters": ["gzip=1"], "fill_value": null, "fill_time": "if-set", "alloc_time": "default",
                "libver": "default", "page_bytes": null,
            },
            "values": { "synthetic": { "shape": [20, 25], "element": "<f8", "noise_bits": 8.0, "seed": 1 } },
        } },
    });
    let answer = served(&task.to_string());
    assert_eq!(answer["done"]["blocks"], 5, "{answer}");
    let before = std::fs::read(&file).unwrap();
    let (input, made_in) = (file.to_str().unwrap(), made.to_str().unwrap());
    let found = rows(&[
        input, "/d", "--chunks", "as-is", "--chunks", "20x5", "--filter", "gzip=9", "--read", "1x:",
        "--folder", made_in,
    ]);
    assert_eq!(found.len(), 2 * 2);
    assert_eq!(found[0]["stored_as"], "as it is");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(std::fs::read_dir(&made).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_is_said_and_the_rest_goes_on() {
    let output =
        bench(&["--synthetic", "10", "--libhdf5", "/nowhere/libhdf5.so", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found = json(&output);
    assert!(found["skipped"][0]["why"].as_str().unwrap().contains("/nowhere/libhdf5.so"), "{found}");
    for (arguments, says) in [
        (&["--synthetic", "10x10", "--read", "5"][..], "dimensions"),
        (&["--synthetic", "10", "--filter", "snappy"], "registered filter"),
        (&["--synthetic", "10", "--engine", "zarr"], "no engine"),
        (&["/nowhere.h5", "/d"], "nowhere.h5"),
        (&["--synthetic", "10", "--libver", "oldest"], "earliest"),
    ] {
        let output = bench(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    let answer = served("not a task");
    assert!(answer["failed"].as_str().unwrap().contains("not understood"));
}

#[test]
fn records_are_the_same_in_every_layout() {
    if !has_libhdf5() {
        return;
    }
    let subject = [
        "--synthetic",
        "3000",
        "--type",
        "{a:<f4,b:>i2,c:<f4[3],d:S1}",
        "--type",
        "struct{a:<f4,b:<i2,c:>f8,d:S3}",
    ];
    let stored = ["--chunks", "contiguous", "--chunks", "700", "--read", "900"];
    let bytes = |more: &[&str]| {
        let found = rows(&[&subject[..], &stored, more].concat());
        assert_eq!(found.len(), 2 * 2 * 2);
        let read = |engine: &str| -> Vec<u64> {
            of(&found, engine).iter().map(|row| row["read"]["bytes"].as_u64().unwrap() / 3000).collect()
        };
        (read("libhdf5"), read("hyperslab"))
    };
    // Packed, and with the gaps of a C struct in the file: 4 + 2 + 12 + 1, and 4 + 2 (+ 2) + 8 + 3 (+ 5).
    assert_eq!(bytes(&[]), (vec![19, 19, 24, 24], vec![19, 19, 24, 24]));
    assert_eq!(bytes(&["--memory", "struct"]), (vec![24; 4], vec![19, 19, 24, 24]));
    assert_eq!(bytes(&["--fields", "d,a"]), (vec![5, 5, 7, 7], vec![5, 5, 7, 7]));
    assert_eq!(bytes(&["--fields", "d,a", "--memory", "struct"]), (vec![8; 4], vec![5, 5, 7, 7]));
    // Records of a file are rewritten with other chunks, and stay what they are.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.h5");
    let libhdf5 = engine("libhdf5");
    for element in ["{a:>i4,b:|S3,c:<f8[2]}", "struct{a:>i4,b:|S3,c:<f8[2]}"] {
        let storage = storage(serde_json::json!({ "shape": [50], "element": element }));
        let synthetic =
            serde_json::json!({ "shape": [50], "element": element, "noise_bits": 8.0, "seed": 1 });
        let write =
            serde_json::json!({ "write": { "storage": storage, "values": { "synthetic": synthetic } } });
        let written = served(&task(&libhdf5, &file, write));
        assert_eq!(written["done"]["blocks"], 50, "{written}");
        let again = ["--chunks", "as-is", "--chunks", "7", "--filter", "shuffle+gzip"];
        let found = rows(&[&[file.to_str().unwrap(), "/d"][..], &again].concat());
        assert_eq!(found.len(), 4);
        assert_eq!(found[3]["storage"]["element"], element);
    }
    let output =
        bench(&["--synthetic", "9", "--type", "{a:<f4}", "--fields", "b", "--json"]).output().unwrap();
    let found = json(&output);
    assert_eq!(found["skipped"].as_array().unwrap().len(), 2, "{found}");
    assert!(found["skipped"][0]["why"].as_str().unwrap().contains("no field \"b\""), "{found}");
    for (arguments, says) in [
        (&["--type", "{a:<f4", "--synthetic", "9"][..], "no record"),
        (&["--synthetic", "9", "--type", "{a:<f4}", "--memory", "rows"], "columns"),
        (&["--synthetic", "9", "--type", "{a:<f4}", "--fill-value", "1"], "no record"),
    ] {
        let output = bench(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(says), "{arguments:?} {output:?}");
    }
}

#[test]
fn hdf4_writes_and_reads_datasets_and_tables() {
    if !has("hdf4", "pyhdf") {
        return;
    }
    // Compared with what was written, as nobody else reads them.
    let datasets = |more: &[&str]| {
        let subject =
            ["--synthetic", "40x30", "--type", ">f4", "--type", "<i2", "--type", "u1", "--format", "hdf4"];
        let access = ["--read", "7x9", "--stride", "1x1", "--stride", "2x3", "--order", "1,0"];
        let found = rows(&[&subject[..], &access, more].concat());
        assert!(found.iter().all(|row| row["engine"].as_str().unwrap().starts_with("HDF4")));
        assert!(found.iter().all(|row| row["version"].as_str().unwrap().starts_with("4.")));
        found.len()
    };
    assert_eq!(datasets(&["--chunks", "contiguous", "--fill-time", "never"]), 6);
    assert_eq!(datasets(&["--chunks", "contiguous", "--unlimited", "--write", "3x30"]), 6);
    assert_eq!(
        datasets(&["--chunks", "8x8", "--filter", "none", "--filter", "gzip=2", "--fill-value", "3"]),
        12
    );
    let tables = |more: &[&str]| {
        let subject = ["--synthetic", "2000", "--type", "{a:<f4,b:<i2,c:>f4[3],d:S1}", "--format", "hdf4"];
        let found = rows(&[&subject[..], &["--chunks", "contiguous", "--read", "700"], more].concat());
        found.iter().map(|row| row["read"]["bytes"].as_u64().unwrap() / 2000).collect::<Vec<_>>()
    };
    assert_eq!(tables(&[]), [19]);
    assert_eq!(
        tables(&["--chunks", "500", "--filter", "gzip"]),
        [19],
        "tables have neither, and are written once"
    );
    assert_eq!(tables(&["--memory", "columns", "--write", "300"]), [19]);
    assert_eq!(tables(&["--fields", "c,a"]), [16]);
    assert_eq!(tables(&["--fields", "b,d", "--memory", "columns"]), [3]);
    let why = |more: &[&str]| {
        let output = bench(&[&["--json", "--format", "hdf4"][..], more].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{more:?}");
        json(&output)["skipped"][0]["why"].as_str().unwrap().to_owned()
    };
    assert!(why(&["--synthetic", "9", "--type", "<i8"]).contains("32 bits"));
    assert!(why(&["--synthetic", "9", "--chunks", "3", "--filter", "shuffle"]).contains("gzip alone"));
    assert!(why(&["--synthetic", "9x9", "--type", "{a:<f4}"]).contains("one dimension"));
    assert!(why(&["--synthetic", "9", "--engine", "libhdf5"]).contains("not read by libhdf5"));
    let two = ["--synthetic", "9x9", "--format", "hdf4", "--format", "hdf5", "--chunks", "contiguous"];
    let output = bench(&two).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.matches("note: HDF4 files are read by HDF4").count(), 1, "{said}");
}

#[test]
fn many_datasets_of_hdf4_are_those_of_hdf5() {
    if !has("hdf4", "pyhdf") || !has_libhdf5() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let sums: Vec<Value> = ["hdf4", "libhdf5"]
        .into_iter()
        .map(|name| {
            let (file, engine) = (folder.path().join(name), engine(name));
            let format = if name == "hdf4" { "hdf4" } else { "hdf5" };
            let storage = storage(serde_json::json!({ "format": format, "element": "<i2" }));
            let tree = serde_json::json!({
                "groups": 0, "datasets": 200, "attributes": 2, "storage": storage, "seed": 7,
            });
            let made = served(&task(&engine, &file, serde_json::json!({ "make": { "tree": tree } })));
            assert_eq!(made["done"]["objects"]["datasets"], 200, "{made}");
            let visit = serde_json::json!({ "visit": { "wanted": "all", "cold": true, "check": true } });
            let visited = served(&task(&engine, &file, visit));
            assert_eq!(visited["done"]["objects"], made["done"]["objects"], "{visited}");
            visited["done"]["checksum"].clone()
        })
        .collect();
    assert!(sums[0].is_string());
    assert_eq!(sums[0], sums[1]);
}

#[test]
fn variables_of_netcdf_c_are_visited_alike() {
    if !has("netcdf", "netCDF4") || !has_libhdf5() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.nc");
    let netcdf = engine("netcdf");
    let storage = storage(serde_json::json!({ "format": "netcdf4", "chunks": [4], "filters": ["gzip=1"] }));
    let tree =
        serde_json::json!({ "groups": 12, "datasets": 60, "attributes": 2, "storage": storage, "seed": 3 });
    let made = served(&task(&netcdf, &file, serde_json::json!({ "make": { "tree": tree } })));
    assert_eq!(made["done"]["objects"]["groups"], 13, "{made}");
    let visit = serde_json::json!({ "visit": { "wanted": "all", "cold": false, "check": true } });
    let engines = [netcdf, engine("libhdf5"), serde_json::json!("hyperslab")];
    let visited: Vec<Value> =
        engines.iter().map(|engine| served(&task(engine, &file, visit.clone()))["done"].clone()).collect();
    assert_eq!(visited[0]["objects"], made["done"]["objects"], "{}", visited[0]);
    assert!(visited[0]["checksum"].is_string());
    assert!(visited.iter().all(|one| one["checksum"] == visited[0]["checksum"]), "{visited:?}");
    // In HDF5, the dimension is a dataset more.
    assert_eq!(visited[2]["objects"]["datasets"], 61);
}

/// A task for the worker, with what most of them have alike.
fn task(engine: &Value, file: &Path, operation: Value) -> String {
    serde_json::json!({
        "engine": engine, "file": file, "dataset": "/d",
        "access": { "block": [1], "step": [1], "walk": { "sweep": { "order": [0] } } },
        "opening": { "cache": null, "page_buffer": null },
        "operation": operation,
    })
    .to_string()
}

fn storage(changes: Value) -> Value {
    let mut storage = serde_json::json!({
        "format": "hdf5", "shape": [6], "unlimited": false, "element": "<f4", "chunks": null, "filters": [],
        "fill_value": null, "fill_time": "if-set", "alloc_time": "default", "libver": "default", "page_bytes": null,
    });
    for (key, value) in changes.as_object().unwrap() {
        storage[key] = value.clone();
    }
    storage
}

#[test]
fn files_of_many_objects_are_made_and_visited_alike() {
    if !has_libhdf5() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.h5");
    let libhdf5 = engine("libhdf5");
    for (changes, groups) in [
        (serde_json::json!({ "page_bytes": 16384, "chunks": [4], "filters": ["gzip=1"] }), 171),
        (serde_json::json!({ "element": ">i2", "libver": "latest" }), 0),
    ] {
        let is_paged = !changes["page_bytes"].is_null();
        let tree = serde_json::json!({
            "groups": groups, "datasets": 500, "attributes": 3, "storage": storage(changes), "seed": 1,
        });
        let made = served(&task(&libhdf5, &file, serde_json::json!({ "make": { "tree": tree } })));
        let objects = serde_json::json!({
            "groups": groups + 1, "datasets": 500, "attributes": (500 + groups) * 3,
        });
        assert_eq!(made["done"]["objects"], objects, "{made}");
        assert!(made["done"]["file_bytes"].as_u64().unwrap() > 500 * 12);
        let visited = |engine: &Value, wanted: &str| {
            let visit = serde_json::json!({ "visit": { "wanted": wanted, "cold": false, "check": true } });
            let mut task: Value = serde_json::from_str(&task(engine, &file, visit)).unwrap();
            if is_paged && engine.is_object() {
                task["opening"]["page_buffer"] = 65536.into();
            }
            let answer = served(&task.to_string());
            assert_eq!(answer["done"]["objects"], objects, "{answer}");
            answer["done"].clone()
        };
        let ours = serde_json::json!("hyperslab");
        let mut sums = Vec::new();
        for wanted in ["nothing", "first", "all"] {
            let (theirs, ours) = (visited(&libhdf5, wanted), visited(&ours, wanted));
            assert_eq!(theirs["checksum"], ours["checksum"], "{wanted} {groups}");
            assert_eq!(theirs["bytes"], ours["bytes"]);
            assert_eq!(theirs["page_buffer"].is_object(), is_paged, "{theirs}");
            if is_paged {
                let metadata = &theirs["page_buffer"]["metadata"];
                let number = |name: &str| metadata[name].as_u64().unwrap();
                assert!(number("accesses") > 500, "{theirs}");
                assert_eq!(number("accesses"), number("hits") + number("misses"), "{theirs}");
            }
            sums.push(theirs["checksum"].as_str().unwrap().to_owned());
        }
        assert!(sums[0] != sums[1] && sums[1] != sums[2], "values are part of the checksum");
    }
}

fn served(task: &str) -> Value {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_hyperslab"))
        .arg("bench-worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(task.as_bytes()).unwrap();
    json(&child.wait_with_output().unwrap())
}
