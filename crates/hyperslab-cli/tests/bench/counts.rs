//! Decodes that were counted in the real library against those simulated.

use super::{has_libhdf5, rows};

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
        hyperslab_testkit::skip!("this build of libhdf5 cannot be counted in");
    }
    assert_eq!(counts.len(), 6 * 2 * 2 * 3);
    assert!(counts.iter().all(|(counted, simulated)| counted == simulated), "{counts:?}");
    assert!(counts.iter().any(|(counted, _)| *counted > 150), "some cache has to thrash");
    let ours = found.iter().filter(|row| row["engine"] == "hyperslab");
    assert_eq!(ours.count(), 6 * 2 * 2, "hyperslab has no cache to vary");
}
