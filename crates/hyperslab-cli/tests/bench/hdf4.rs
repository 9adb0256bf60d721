//! HDF4: datasets, and tables of records.

use super::{bench, has, json, rows};
use serde_json::Value;

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
        // hyperslab reads them, too; libhdf5 does not.
        let all = rows(&[&subject[..], &access, more].concat());
        let (found, others): (Vec<&Value>, Vec<&Value>) =
            all.iter().partition(|row| row["engine"].as_str().unwrap().starts_with("HDF4"));
        assert!(others.len() == found.len() && others.iter().all(|row| row["engine"] == "hyperslab"));
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
        let subject = [
            "--synthetic",
            "2000",
            "--type",
            "{a:<f4,b:<i2,c:>f4[3],d:S1}",
            "--format",
            "hdf4",
            "--engine",
            "hdf4",
        ];
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
