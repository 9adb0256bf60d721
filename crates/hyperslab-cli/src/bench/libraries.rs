//! `hyperslab bench --list`: the libraries that are found.

use super::arguments::BenchArgs;
use crate::failure::{self, Failure};
use hyperslab_apps::bench::{self, Installed};
use hyperslab_apps::schema;
use hyperslab_engines::EngineKind;
use hyperslab_engines::library::Found;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Every library that is found, with its version and its default cache.
pub(super) fn list(args: &BenchArgs, out: &mut dyn Write) -> Result<i32, Failure> {
    let installed = bench::libraries(&args.request())?;
    let mut document = Map::new();
    for kind in EngineKind::LIBRARIES {
        let found: Vec<&Installed> = installed.iter().filter(|one| one.kind == kind).collect();
        if found.is_empty() && !args.json {
            writeln!(out, "{}: none was found; {}", kind.name(), kind.how_to_get())?;
        }
        for one in &found {
            if !args.json {
                write(one, out)?;
            }
        }
        let described = found.into_iter().map(described).collect();
        document.insert(kind.key().to_owned(), Value::Array(described));
    }
    if args.json {
        out.write_all(schema::document(schema::BENCH_LIBRARIES, &document)?.as_bytes())?;
    }
    Ok(failure::DONE)
}

fn described(Installed { library, told, .. }: &Installed) -> Value {
    let mut value = json!(library);
    match told {
        Ok(outcome) => {
            value["version"] = json!(outcome.version);
            value["hdf5_version"] = json!(outcome.hdf5_version);
            value["default_cache"] = json!(outcome.default_cache);
        }
        Err(error) => value["error"] = json!(error.to_string()),
    }
    value
}

fn write(Installed { kind, library, told }: &Installed, out: &mut dyn Write) -> std::io::Result<()> {
    let version = match told {
        Ok(outcome) => outcome.release(),
        Err(error) => format!("that cannot be loaded ({error})"),
    };
    let Found { path, origin, plugins } = library;
    write!(out, "{} {version}: {origin}: {}", kind.name(), path.display())?;
    match plugins {
        Some(folder) => writeln!(out, " (plug-ins in {})", folder.display()),
        None => writeln!(out),
    }
}
