//! Files of many objects: all libraries make and visit the same.

use super::{engine, has, has_libhdf5, served, storage, task};
use serde_json::Value;

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
                task["options"]["page_buffer"] = 65536.into();
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
