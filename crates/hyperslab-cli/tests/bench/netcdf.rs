//! netCDF-C: its formats, who reads them, and what it cannot write.

use super::{bench, has, has_libhdf5, json, of, rows};
use serde_json::Value;

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
    assert_eq!(said.matches("netCDF classic unlimited, fill time never, read 4x4").count(), 2, "{said}");
    assert_eq!(said.matches("netCDF CDF-5 unlimited, fill time never, read 4x4").count(), 2, "{said}");
    assert_eq!(said.matches("\nhyperslab 0.1.0  ").count(), 4, "{said}");
    assert!(!said.contains("libhdf5 ("), "libhdf5 reads none of them: {said}");
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
