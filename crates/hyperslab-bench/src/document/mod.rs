//! The report of a bench: values that can be serialised, from which everything that shows it takes what it shows.
//!
//! ```text
//!   Rows (of the runner) ─► Document { Head, rows, skipped, notes, verdicts, changes } ─► findings, tables, pages
//! ```

mod change;
#[allow(clippy::module_inception)]
mod document;
pub mod finding;
mod head;
mod machine;
mod measured;
pub mod names;
pub mod paste;
pub mod value;
pub mod verdict;

pub use change::{Change, Changes};
pub use document::{Document, DocumentError};
pub use head::{Data, Head, Participant};
pub use machine::{Machine, free_bytes};
pub use measured::Measured;

/// Rows for tests.
#[cfg(any(test, feature = "testing"))]
pub mod testing {
    use crate::matrix::Row;
    use hyperslab_measure::runner::Summary;
    use serde_json::{Value, json};

    /// Three runs around so many seconds.
    fn summary(seconds: f64) -> Value {
        json!(Summary::of(&[seconds, seconds * 1.02, seconds * 0.98]))
    }

    /// A row of an engine with so many seconds and decodes.
    pub fn row(engine: &str, seconds: f64, decodes: Option<u64>) -> Row {
        let runs = summary(seconds);
        serde_json::from_value(json!({
            "storage": null, "stored_as": "as it is", "read_as": "1x717", "engine": engine, "version": "1.0",
            "access": { "block": [1, 717], "step": [1, 1], "walk": { "sweep": { "order": [0, 1] } } },
            "cache": null, "is_default_cache": true, "page_buffer": null, "write": null,
            "read": {
                "read": runs, "open_read_close": runs, "first": runs, "average": seconds / 10.0,
                "cpu": runs, "reads": 10, "reads_in_all": 10, "extrapolated_read": null, "bytes": 28680,
                "read_calls": 11, "read_bytes": 30000, "memory_bytes": 1000, "decodes": decodes,
                "simulated_decodes": decodes, "predicted_seconds": null, "page_cache": "warm",
            },
        }))
        .unwrap()
    }

    /// What writing by a library came to.
    pub fn write(engine: &str, seconds: f64, file_bytes: u64) -> Value {
        let runs = summary(seconds);
        json!({
            "engine": engine, "version": "2.0.0", "written_as": "1x717", "cache": null,
            "access": { "block": [1, 717], "step": [1, 1], "walk": { "sweep": { "order": [0, 1] } } },
            "is_default_cache": true, "write": runs, "open_write_close": runs, "cpu": runs, "writes": 1,
            "bytes": 1, "write_calls": 1, "write_bytes": 1, "memory_bytes": 0, "encodes": null, "decodes": null,
            "file_bytes": file_bytes, "overhead_bytes": 0,
        })
    }

    /// A row of a file that was made here, with seconds to read and to write it.
    pub fn stored(name: &str, seconds: f64, write_seconds: f64, file_bytes: u64) -> Row {
        let storage = json!({
            "format": "hdf5", "shape": [10, 717], "unlimited": false, "element": "<f4", "chunks": [4, 4],
            "filters": [], "fill_value": null, "fill_time": "if-set", "alloc_time": "default", "libver": "default",
            "page_bytes": null,
        });
        Row {
            storage: serde_json::from_value(storage).unwrap(),
            stored_as: name.to_owned(),
            write: serde_json::from_value(write("a", write_seconds, file_bytes)).unwrap(),
            ..row("a", seconds, None)
        }
    }
}
