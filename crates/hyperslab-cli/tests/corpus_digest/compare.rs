//! Two digests of one file, compared record by record.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// Something that is not the same.
#[derive(Debug)]
pub enum Finding {
    /// Both have a value, and it is not the same.
    Differs { place: String, keys: Vec<String>, oracle: String, ours: String },
    /// The reference has a value, and we have an error.
    Failed { place: String, error: String },
    /// The reference lists an object that we do not list.
    Missing { place: String },
    /// We list an object that the reference does not list, in a file that it read without an error.
    Extra { place: String },
    /// The reference has an error, and we have a value.
    Beyond,
}

impl Finding {
    /// Where it is: a path, perhaps with `@` and the name of an attribute.
    pub fn place(&self) -> &str {
        match self {
            Self::Differs { place, .. } | Self::Failed { place, .. } => place,
            Self::Missing { place } | Self::Extra { place } => place,
            Self::Beyond => "",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs { place, keys, oracle, ours } => {
                write!(f, "{place}: {keys:?} should be {oracle:.300}, but is {ours:.300}")
            }
            Self::Failed { place, error } => write!(f, "{place}: error: {error}"),
            Self::Missing { place } => write!(f, "{place} is missing"),
            Self::Extra { place } => write!(f, "{place} should not exist"),
            Self::Beyond => write!(f, "the reference has an error"),
        }
    }
}

/// What depends on the reader, not on the file.
const OF_THE_READER: [&str; 10] = [
    "file",
    "wall",
    "h5dump",
    "h5py_crashed_on",
    "filters_missing",
    "attrs",
    "error",
    "fill_error",
    "objects",
    "errors",
];
/// What is not defined where nothing was ever written.
const UNDEFINED: [&str; 2] = ["sha256", "value"];
/// What is there only after a value was read.
const OF_THE_VALUE: [&str; 7] = ["enc", "sha256", "nbytes", "value", "x87", "np", "nlinks"];

/// Compares the records of one file; `ours` has the file's own record among them.
pub fn compare(file: &Value, oracle: &[Value], ours: &[Value]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (own, ours): (Vec<&Value>, Vec<&Value>) = ours.iter().partition(|record| record["t"] == "file");
    let [own] = own[..] else {
        findings.push(Finding::Missing { place: "the file's own record".into() });
        return findings;
    };
    let is_sound = file["status"] == "ok";
    compare_keys("the file", object(file), object(own), &["status"], &mut findings);
    if let (true, Some(error)) = (is_sound, own["error"].as_str()) {
        findings.push(Finding::Failed { place: "the file".into(), error: error.into() });
        return findings;
    }
    let by_place = |records: &[&Value]| -> BTreeMap<(bool, String), Value> {
        // A group whose links cannot be read has a record of its own besides that of the group.
        let key =
            |record: &Value| (record["kind"] == "error", record["path"].as_str().unwrap_or("").to_owned());
        records.iter().map(|record| (key(record), (*record).clone())).collect()
    };
    let oracle_by_place = by_place(&oracle.iter().collect::<Vec<_>>());
    let ours_by_place = by_place(&ours);
    for (key, expected) in &oracle_by_place {
        let place = &key.1;
        let failed = !expected["error"].is_null() && expected["kind"] != "user";
        match ours_by_place.get(key) {
            Some(_) if failed && expected["kind"] == "unknown" => findings.push(Finding::Beyond),
            Some(found) => compare_records(place, expected, found, &mut findings),
            None if failed => findings.push(Finding::Beyond),
            None => findings.push(Finding::Missing { place: place.clone() }),
        }
    }
    if is_sound {
        let extra = ours_by_place.keys().filter(|key| !oracle_by_place.contains_key(key));
        findings.extend(extra.map(|key| Finding::Extra { place: key.1.clone() }));
        let paths = |records: &[&Value]| -> Vec<String> {
            records.iter().map(|record| record["path"].as_str().unwrap_or("").to_owned()).collect()
        };
        if oracle_by_place.len() == ours_by_place.len()
            && paths(&oracle.iter().collect::<Vec<_>>()) != paths(&ours)
        {
            findings.push(Finding::Extra { place: "another order of records".into() });
        }
    }
    findings
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("records are objects")
}

fn compare_records(place: &str, oracle: &Value, ours: &Value, findings: &mut Vec<Finding>) {
    compare_values(place, object(oracle), object(ours), findings);
    let attributes = |record: &Value| record["attrs"].as_array().cloned().unwrap_or_default();
    let (oracle, ours) = (attributes(oracle), attributes(ours));
    if oracle.len() != ours.len() {
        let (oracle, ours) = (oracle.len().to_string(), ours.len().to_string());
        let keys = vec!["attrs".into()];
        findings.push(Finding::Differs { place: place.into(), keys, oracle, ours });
        return;
    }
    // An attribute that the reference could not open has no name there, and sorts elsewhere.
    for expected in &oracle {
        let name = &expected["name"];
        if name.is_null() {
            findings.push(Finding::Beyond);
            continue;
        }
        let place = format!("{place}@{}", name.as_str().unwrap_or(""));
        match ours.iter().find(|found| found["name"] == *name) {
            Some(found) => compare_values(&place, object(expected), object(found), findings),
            None => findings.push(Finding::Missing { place }),
        }
    }
}

/// Compares what is said of one value.
fn compare_values(
    place: &str,
    oracle: &Map<String, Value>,
    ours: &Map<String, Value>,
    findings: &mut Vec<Finding>,
) {
    let is_user_link = oracle.get("kind").is_some_and(|kind| kind == "user");
    let mut ignored: Vec<&str> = Vec::new();
    match (oracle.get("error"), ours.get("error")) {
        (Some(_), found) if !is_user_link => {
            ignored.extend(OF_THE_VALUE);
            if found.is_none() {
                findings.push(Finding::Beyond);
            }
        }
        (None, Some(error)) => {
            ignored.extend(OF_THE_VALUE);
            let error = error.as_str().unwrap_or("").into();
            findings.push(Finding::Failed { place: place.into(), error });
        }
        _ => {}
    }
    if oracle.get("values_undefined").is_some_and(|undefined| undefined == true) {
        ignored.extend(UNDEFINED);
    }
    compare_keys(place, oracle, ours, &ignored, findings);
}

fn compare_keys(
    place: &str,
    oracle: &Map<String, Value>,
    ours: &Map<String, Value>,
    ignored: &[&str],
    findings: &mut Vec<Finding>,
) {
    let mut keys: Vec<&String> = oracle.keys().chain(ours.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| !OF_THE_READER.contains(&key.as_str()) && !ignored.contains(&key.as_str()));
    keys.retain(|key| oracle.get(*key) != ours.get(*key));
    if keys.is_empty() {
        return;
    }
    let show = |record: &Map<String, Value>| {
        keys.iter()
            .map(|key| record.get(*key).map_or("nothing".into(), Value::to_string))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (oracle, ours) = (show(oracle), show(ours));
    let keys = keys.into_iter().cloned().collect();
    findings.push(Finding::Differs { place: place.into(), keys, oracle, ours });
}
