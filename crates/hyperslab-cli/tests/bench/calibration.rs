//! What the parts of a read cost is measured on a libhdf5, and so is what decoding costs.

use super::{engine, has_libhdf5, served, storage, task};
use serde_json::json;

#[test]
fn every_kind_of_read_is_timed() {
    if !has_libhdf5() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for create in [true, false] {
        let operation = json!({ "calibrate": { "create": create } });
        let pass = &served(&task(&engine("libhdf5"), folder.path(), operation))["kernels"];
        assert!(pass["release"].as_str().unwrap().contains('.'), "{pass}");
        let seconds = pass["seconds"].as_object().unwrap();
        assert_eq!(seconds.len(), 12);
        // Processor time of the least of reads, and of one that copies a mebibyte: neither none nor a second.
        assert!(seconds.values().all(|value| (1e-8..1.0).contains(&value.as_f64().unwrap())), "{pass}");
    }
}

#[test]
fn chunks_of_a_dataset_are_decoded_by_the_library() {
    if !has_libhdf5() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gzip.h5");
    let stored = storage(json!({ "shape": [100_000], "chunks": [10_000], "filters": ["gzip=4"] }));
    let values =
        json!({ "synthetic": { "shape": [100_000], "element": "<f4", "noise_bits": 9.0, "seed": 1 } });
    let library = engine("libhdf5");
    let written = served(&task(&library, &file, json!({ "write": { "storage": stored, "values": values } })));
    assert!(written["done"].is_object(), "{written}");
    let decode = |elements: Vec<[u64; 1]>| {
        let plan =
            json!({ "elements": elements, "chunk_bytes": 40_000, "fits_cache": true, "seconds_max": 1.0 });
        served(&task(&library, &file, json!({ "decode_samples": plan })))
    };
    let decoding = decode((0..10).map(|chunk| [chunk * 10_000]).collect())["decoding"].clone();
    assert!((1e-7..1.0).contains(&decoding["seconds"].as_f64().unwrap()), "{decoding}");
    assert!(decoding["fresh_pages"].as_f64().unwrap() >= 0.0);
    assert!(decode(vec![[0]])["decoding"].is_null(), "one chunk says nothing of others");
    let beyond = decode(vec![[0], [100_000]]);
    assert!(beyond["failed"].as_str().unwrap().contains("100000"), "{beyond}");
}
