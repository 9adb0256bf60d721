//! Records: packed and with gaps, whole and some fields of them.

use super::{bench, engine, has_libhdf5, json, of, rows, served, storage, task};

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
