//! The names and versions of the JSON that `--json` and `digest` print.
//!
//! Every document has a member `schema`. In a stream of JSON lines, the object in the first line has it:
//!
//! ```json
//! {"schema": {"name": "hyperslab.ls", "version": 1}, "file": "era5.nc", ...}
//! ```
//!
//! Adding a member does not change the version; removing or renaming one, or changing its meaning, does.
//! `tests/commands/schemas.rs` pins the members of each document.

use crate::{Error, Result};
use hyperslab_listing::json::{Json, Object};
use serde::Serialize;

/// The name and the version of a kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Schema {
    name: &'static str,
    version: u32,
}

/// `hyperslab ls --json`.
pub const LS: Schema = Schema { name: "hyperslab.ls", version: 1 };
/// `hyperslab ls --netcdf --json`.
pub const LS_NETCDF: Schema = Schema { name: "hyperslab.ls.netcdf", version: 1 };
/// `hyperslab ls --bytes --json`.
pub const LS_BYTES: Schema = Schema { name: "hyperslab.ls.bytes", version: 1 };
/// `hyperslab chunks --json`.
pub const CHUNKS: Schema = Schema { name: "hyperslab.chunks", version: 1 };
/// `hyperslab explain --json`.
pub const EXPLAIN: Schema = Schema { name: "hyperslab.explain", version: 1 };
/// The lines of `hyperslab digest`.
pub const DIGEST: Schema = Schema { name: "hyperslab.digest", version: 1 };
/// `hyperslab trace --json`.
pub const TRACE: Schema = Schema { name: "hyperslab.trace", version: 1 };
/// `hyperslab repack --json`.
pub const REPACK: Schema = Schema { name: "hyperslab.repack", version: 1 };
/// `hyperslab doctor --json`.
pub const DOCTOR: Schema = Schema { name: "hyperslab.doctor", version: 1 };
/// The last line of `hyperslab doctor --json` over several files.
pub const DOCTOR_SUMMARY: Schema = Schema { name: "hyperslab.doctor.summary", version: 1 };
/// The lines of `hyperslab doctor --summary --json`, one for each file, and of the log of `--resume`.
pub const ARCHIVE_FILE: Schema = Schema { name: "hyperslab.archive.file", version: 1 };
/// The last line of `hyperslab doctor --summary --json`.
pub const ARCHIVE_SUMMARY: Schema = Schema { name: "hyperslab.archive.summary", version: 1 };
/// `hyperslab advise --json`.
pub const ADVISE: Schema = Schema { name: "hyperslab.advise", version: 1 };
/// `hyperslab check --json`.
pub const CHECK: Schema = Schema { name: "hyperslab.check", version: 1 };
/// A file that `hyperslab check --json` cannot read, of several.
pub const CHECK_UNREADABLE: Schema = Schema { name: "hyperslab.check.unreadable", version: 1 };
/// The last line of `hyperslab check --json` over several files.
pub const CHECK_SUMMARY: Schema = Schema { name: "hyperslab.check.summary", version: 1 };
/// `hyperslab bench --json`.
pub const BENCH: Schema = Schema { name: "hyperslab.bench", version: 2 };
/// `hyperslab bench --dry-run --json`.
pub const BENCH_PLAN: Schema = Schema { name: "hyperslab.bench.plan", version: 1 };
/// `hyperslab bench --list --json`.
pub const BENCH_LIBRARIES: Schema = Schema { name: "hyperslab.bench.libraries", version: 1 };
/// `hyperslab bench --recipe NAME --json`.
pub const BENCH_RECIPE: Schema = Schema { name: "hyperslab.bench.recipe", version: 1 };
/// `hyperslab bench --recipe list --json`.
pub const BENCH_RECIPES: Schema = Schema { name: "hyperslab.bench.recipes", version: 1 };

impl Schema {
    /// True for a document that says so of itself.
    pub fn is(self, name: &str, version: u32) -> bool {
        (self.name, self.version) == (name, version)
    }

    /// The value of the member `schema`.
    pub fn json(self) -> Json {
        Object::from([("name", self.name.into()), ("version", self.version.into())]).into()
    }
}

/// Serializes a value as one line of JSON, an object with its schema as the first member.
pub fn document(schema: Schema, content: &impl Serialize) -> Result<String> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        schema: Schema,
        #[serde(flatten)]
        content: &'a T,
    }
    let text = serde_json::to_string(&Document { schema, content });
    Ok(text.map_err(|error| Error::unreadable(error.to_string()))? + "\n")
}
