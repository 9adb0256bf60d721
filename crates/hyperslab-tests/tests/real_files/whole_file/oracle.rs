//! The results of libhdf5 for the files of the corpus.

use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Records of objects, as libhdf5 reads them, by file and path.
pub type Oracle = HashMap<(String, String), Value>;

/// Reads the records of the corpus.
#[allow(dead_code, reason = "not all tests compare with it")]
pub fn oracle(root: &Path) -> Oracle {
    let packed = std::fs::read(root.join("ORACLE.jsonl.gz")).unwrap();
    // A gzip file ends with the length of its decompressed content.
    let len = u32::from_le_bytes(packed[packed.len() - 4..].try_into().unwrap());
    let mut text = vec![0; len as usize];
    libdeflater::Decompressor::new().gzip_decompress(&packed, &mut text).unwrap();
    let records = std::str::from_utf8(&text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap());
    let objects = records.filter(|record: &Value| record["t"] == "obj");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    objects.map(|record| ((text(&record["file"]), text(&record["path"])), record)).collect()
}
