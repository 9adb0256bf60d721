//! Files that are written for a bench: what is decided at creation, how they are written, and that no other is touched.

use super::{bench, engine, has_libhdf5, rows, served};
use std::collections::HashSet;

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
fn lines_that_store_what_several_libraries_read_best_are_told_once() {
    if !has_libhdf5() {
        return;
    }
    let subject = ["--synthetic", "400x400", "--filter", "gzip=1", "--chunks", "1x400", "--chunks", "400x4"];
    let how = ["--read", "400x1", "--repeats", "1", "--engine", "libhdf5", "--engine", "hyperslab"];
    let output = bench(&[subject, how].concat()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  hyperslab  ")).collect();
    assert!(lines.iter().all(|line| line.contains("hyperslab repack --chunks /data:")), "{text}");
    assert!(!lines.is_empty() && lines.iter().collect::<HashSet<_>>().len() == lines.len(), "{text}");
    // Both libraries have a verdict; the second of the same storage has no lines of its own.
    assert_eq!(lines.len() + text.matches("The lines that store it so are above.").count(), 2, "{text}");
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
        "options": { "cache": null, "page_buffer": null },
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
