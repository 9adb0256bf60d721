//! `hyperslab ls`: lists the contents of a file.
//!
//! ```text
//! traversal ──► entries (looked up in parallel) ──► a table, or one JSON document
//! ```

mod attribute;
mod bytes;
mod entry;
mod json;
mod netcdf;
mod properties;
mod text;
mod value;

use crate::absent;
use crate::args::LsArgs;
use crate::failure::{self, Failure, one_line};
use entry::Entry;
use hyperslab::{Absent, AbsentSearch, File, Object, Prefetch};
use hyperslab_apps::files;
use hyperslab_listing::traversal::{Item, Traversal};
use hyperslab_units::counted_text;
use properties::FileProperties;
use rayon::prelude::*;
use std::io::Write;

/// Runs the command.
pub(crate) fn run(args: &LsArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let file = files::look(&args.file)?;
    if args.netcdf {
        return netcdf::run(args, &file, out, err);
    }
    if args.bytes {
        return bytes::run(&file, args.json, out, err);
    }
    let start = hyperslab_netcdf::find_object(&file, &args.path)?;
    let is_group = matches!(start, Object::Group(_));
    let path = match start.path() {
        path if path.starts_with('/') => path.to_owned(),
        path => format!("/{path}"),
    };
    let prefetch = Prefetch { depth: 0, chunk_indexes: true, attributes: args.verbose };
    let depth_max = if args.recursive { usize::MAX } else { 1 };
    let (items, _) = Traversal::run(start, path.as_bytes(), depth_max, prefetch);
    let absent = absent::sentences(&absent_of(&file, &items));
    // The group that was named is listed only if its attributes are shown.
    let members = items.into_par_iter().skip(usize::from(is_group && !args.verbose));
    let entries: Vec<Entry> = members.map(|item| Entry::look_up(item, &file, args.verbose)).collect();
    let damaged = entries.iter().filter(|entry| entry.is_damaged()).count();
    let counts_metadata = args.verbose || args.json && !files::is_url(&args.file);
    let properties = || FileProperties::of(&file, counts_metadata);
    let listing = if args.json {
        json::document(&file, &path, &entries, &absent, properties().as_ref())
    } else {
        text::listing(&file, &entries, args.verbose.then(properties).flatten().as_ref())
    };
    out.write_all(listing.as_bytes())?;
    out.flush()?;
    absent::warn(&file.name(), &absent, err);
    if damaged == 0 {
        return Ok(failure::DONE);
    }
    let _ = writeln!(
        err,
        "error: {}: {} could not be read; see the errors above",
        one_line(&file.name()),
        counted_text(damaged as u64, "part")
    );
    Ok(failure::UNREADABLE)
}

/// What the listed objects refer to and the file lacks.
fn absent_of(file: &File, items: &[Item]) -> Vec<Absent> {
    let mut search = AbsentSearch::new(file);
    for item in items {
        match item {
            Item::Object { object: Object::Dataset(dataset), .. } => search.dataset(dataset),
            Item::Link { path, target } => {
                if let Ok(path) = std::str::from_utf8(path) {
                    search.link(file, path, target);
                }
            }
            _ => {}
        }
    }
    search.found
}
