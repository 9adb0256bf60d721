//! `hyperslab repack --like doctor` and `--profile cmip7`: changes that follow from the file.

use super::{repack_document, run, written};
use hyperslab::File;
use hyperslab_testkit::require;
use serde_json::json;

#[test]
fn the_doctor_finds_nothing_more_to_repack() {
    for (code, dataset) in [
        // Time steps, of which only the last bytes differ much.
        (
            "shuffle-missing",
            "data=1.98e8 + np.arange(400000) * 1e-4, chunks=(20000,), compression='gzip', compression_opts=4",
        ),
        ("chunks-too-small", "data=r.normal(size=100000), chunks=(8,)"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        // A name of which each character means something in a pattern or a list of objects.
        let input = require!(written(folder.path(), &format!("f.create_dataset('d,[a]*', {dataset})\n")));
        let [first, second] = ["first.nc", "second.nc"].map(|name| folder.path().join(name));
        let planned =
            run(&["repack", "{}", first.to_str().unwrap(), "--like", "doctor", "--dry-run"], &input);
        assert!(planned.out.contains(&format!("(`--like doctor: {code}`)")), "{}", planned.out);
        let document = repack_document(&input, &first, &["--like", "doctor"]);
        let plan = &document["plan"]["datasets"];
        assert_eq!(plan.as_array().unwrap().len(), 1, "{plan}");
        assert_eq!(plan[0]["options"], json!([format!("--like doctor: {code}")]));
        let again = repack_document(&first, &second, &["--like", "doctor"]);
        assert_eq!((&again["plan"]["datasets"], &again["plan"]["kept"]), (&json!([]), &json!([])), "{code}");
        // Options of the command line override the doctor's.
        let options = ["--like", "doctor", "--filter", "zstd=3", "--chunks", "1000"];
        let document = repack_document(&input, &first, &options);
        assert_eq!(document["plan"]["datasets"][0]["options"], json!(["--chunks 1000", "--filter zstd=3"]));
    }
}

#[test]
fn reads_are_counted_before_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let body = "f.create_dataset('t', data=r.integers(0, 9, (256, 64, 64), 'i4'), chunks=(1, 64, 64), compression='gzip')\n";
    let input = require!(written(folder.path(), body));
    let output = folder.path().join("out.nc");
    let document = repack_document(&input, &output, &["--chunks", "256x8x8"]);
    let reads = document["result"]["reads"].as_array().unwrap();
    let series = reads.iter().find(|read| read["shape"] == json!([256, 1, 1])).expect("a time series");
    // 4096 series, each of 256 chunks of 16 KiB, of which the cache of 1 MiB holds 64; of the new file, each of one chunk,
    // which serves the next seven as well.
    assert_eq!(series["before"]["decodes"], 4096 * 256);
    assert_eq!(series["after"]["decodes"], 64);
    let ended =
        run(&["repack", "{}", output.to_str().unwrap(), "--overwrite", "--chunks", "256x8x8"], &input);
    let line = "/t, series along axis 0 (256x1x1): faster in libhdf5 1.14: ";
    let counts = "64 chunks decoded (4.0 MiB) instead of 1048576 (16.0 GiB)";
    assert!(ended.out.contains(&format!("{line}{counts}")), "{}", ended.out);
}

#[test]
fn cmip7_files_have_large_chunks_and_old_structures() {
    let folder = tempfile::tempdir().unwrap();
    let body = "f.attrs['variable_id'] = 'tas'\n\
                t = f.create_dataset('time', data=np.arange(300.), chunks=(1,), maxshape=(None,))\n\
                t.attrs['bounds'] = np.bytes_('time_bnds')\n\
                f.create_dataset('time_bnds', data=np.zeros((300, 2)), chunks=(1, 2), maxshape=(None, 2))\n\
                f.create_dataset('tas', data=r.integers(0, 99, (300, 90, 90)).astype('f4'), chunks=(1, 90, 90))\n\
                f.create_dataset('lat', data=np.arange(90.), chunks=(10,))\n";
    let input = require!(written(folder.path(), body));
    let [first, second] = ["first.nc", "second.nc"].map(|name| folder.path().join(name));
    let document = repack_document(&input, &first, &["--profile", "cmip7"]);
    let changed = document["plan"]["datasets"].as_array().unwrap().iter();
    let after: Vec<_> =
        changed.map(|dataset| (dataset["path"].clone(), dataset["after"]["chunk"].clone())).collect();
    let expected = [
        (json!("/tas"), json!([129, 90, 90])),
        (json!("/time"), json!([300])),
        (json!("/time_bnds"), json!([300, 2])),
    ];
    assert_eq!(after, expected);
    let file = File::open(&first).unwrap();
    for name in ["tas", "time", "time_bnds"] {
        let filters: Vec<_> = file.dataset(name).unwrap().filters().iter().map(|filter| filter.id).collect();
        assert_eq!(filters, [2, 1, 3], "{name}");
    }
    let listed = run(&["ls", "-r", "{}"], &first).out;
    assert!(listed.contains("superblock version 0") && !listed.contains("v2 B-tree"), "{listed}");
    assert!(listed.contains("v1 B-tree"), "{listed}");
    // All metadata is in front of all data.
    let metadata_bytes = document["result"]["metadata_bytes"].as_u64().unwrap();
    for name in ["tas", "time", "time_bnds", "lat"] {
        let map = file.dataset(name).unwrap().chunk_map().unwrap();
        assert!(map.iter().all(|(_, chunk)| chunk.address >= metadata_bytes), "{name}");
    }
    let again = repack_document(&first, &second, &["--profile", "cmip7"]);
    assert_eq!(again["plan"]["datasets"], json!([]));
}
