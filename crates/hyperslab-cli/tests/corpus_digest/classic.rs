//! The digest of every file of netCDF classic, 64-bit offset and CDF-5 of the corpus against what netCDF-C reads from it.
//!
//! netCDF4-python takes NULs out of texts, and netCDF-C makes zeros of values that lie behind the end of the file: nothing else
//! may differ.

use super::{ours, parse_all};
use hyperslab::File;
use hyperslab_testkit::files::corpus;
use hyperslab_testkit::require;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Files of which at least one variable was compared.
const FILES_MIN: usize = 35;

#[test]
fn every_file_of_netcdf_classic_digests_as_netcdf_c_reads_it() {
    let corpus = require!(corpus());
    let (mut compared, mut failures) = (0, Vec::new());
    for (name, (file, objects)) in
        parse_all(&corpus, |format| format.as_str().is_some_and(|format| format.starts_with("cdf")))
    {
        let path = corpus.join(&name);
        let (records, _) = ours(&path, &name);
        if file["status"] != "ok" {
            continue;
        }
        let found: BTreeMap<&str, &Value> =
            records.iter().filter_map(|record| Some((record["path"].as_str()?, record))).collect();
        let mut failed = |place: &str, what: String| failures.push(format!("{name}: {place}: {what}"));
        for object in objects.iter().filter(|object| object["t"] == "obj") {
            let place = object["path"].as_str().unwrap();
            let Some(own) = found.get(place) else {
                failed(place, "is missing".into());
                continue;
            };
            if object["kind"] == "variable" && own["sha256"] != object["sha256"] {
                let error = own["error"].as_str().unwrap_or("another value");
                if !error.contains("beyond the end of the file") {
                    failed(place, error.to_owned());
                }
            }
            compared += usize::from(object["kind"] == "variable" && place == first_variable(&objects));
            attributes(&path, place, object, own, &mut failed);
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(compared >= FILES_MIN, "{compared} files were compared");
}

fn first_variable(objects: &[Value]) -> &str {
    let first = objects.iter().find(|object| object["kind"] == "variable");
    first.and_then(|first| first["path"].as_str()).unwrap_or_default()
}

fn attributes(path: &Path, place: &str, oracle: &Value, own: &Value, failed: &mut impl FnMut(&str, String)) {
    let list = |record: &Value| record["attrs"].as_array().cloned().unwrap_or_default();
    let own = list(own);
    for expected in list(oracle) {
        let name = expected["name"].as_str().unwrap();
        match own.iter().find(|found| found["name"] == expected["name"]) {
            None => failed(place, format!("attribute {name} is missing")),
            Some(found) if found["sha256"] == expected["sha256"] => {}
            Some(_)
                if expected["type"] == "char" && without_nuls(path, place, name) == expected["sha256"] => {}
            Some(found) => failed(place, format!("attribute {name} is {found}, not {expected}")),
        }
    }
}

/// The checksum of a text without its NULs.
fn without_nuls(path: &Path, place: &str, name: &str) -> String {
    let file = File::open(path).unwrap();
    let attribute = file.get(place).unwrap().attributes().get(name).unwrap();
    let text: Vec<u8> = attribute.data.iter().copied().filter(|&byte| byte != 0).collect();
    // It makes text of what is none.
    let text = String::from_utf8_lossy(&text).into_owned();
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
