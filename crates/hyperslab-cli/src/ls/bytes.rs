//! `hyperslab ls --bytes`: what the bytes of the file belong to.

use crate::failure::{self, Failure, one_line};
use crate::output::{Align, Line, table};
use hyperslab::File;
use hyperslab::hdf5::{Census, census};
use hyperslab_apps::schema;
use hyperslab_listing::json::{Json, Object, write_object};
use hyperslab_repack::repacked_bytes;
use hyperslab_units::{counted_text, size};
use std::io::Write;

/// At most this many datasets are listed in the text; the JSON has all.
const DATASETS_MAX: usize = 20;

/// Takes the census of the file and prints it.
pub(super) fn run(file: &File, json: bool, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let census = census(file)?;
    let repacked = repacked_bytes(file).ok();
    let text = if json { document(file, &census, repacked) } else { listing(file, &census, repacked) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    let unread = census.errors.into_iter().map(|error| Failure::from(error).report(err)).max();
    Ok(if unread.is_some() { failure::UNREADABLE } else { failure::DONE })
}

fn document(file: &File, census: &Census, repacked: Option<u64>) -> String {
    let metadata = census.metadata.iter().map(|(structure, kind)| {
        Object::from([
            ("structure", (*structure).into()),
            ("structures", kind.structures.into()),
            ("bytes", kind.bytes.into()),
        ])
    });
    let raw_data = census
        .raw_data
        .iter()
        .map(|(path, bytes)| Object::from([("path", path.as_str().into()), ("bytes", (*bytes).into())]));
    let document = Object::from([
        ("schema", schema::LS_BYTES.json()),
        ("file", file.name().into()),
        ("bytes", census.file_bytes.into()),
        ("objects", census.objects.into()),
        ("page_bytes", census.page_bytes.into()),
        ("metadata", Json::list(metadata)),
        ("raw_data", Json::list(raw_data)),
        ("free_bytes", census.free_bytes.into()),
        ("unaccounted_bytes", census.unaccounted_bytes.into()),
        ("repacked_bytes", repacked.into()),
    ]);
    let mut text = String::new();
    write_object(&document, &mut text);
    text.push('\n');
    text
}

fn listing(file: &File, census: &Census, repacked: Option<u64>) -> String {
    let head = [
        ("bytes of", Align::Left),
        ("bytes", Align::Right),
        ("share", Align::Right),
        ("structures", Align::Right),
    ];
    let share = |bytes: u64| format!("{:.1} %", 100.0 * bytes as f64 / census.file_bytes.max(1) as f64);
    let row = |name: String, bytes: u64, structures: String| {
        Line::Cells(vec![name, bytes.to_string(), share(bytes), structures])
    };
    let mut lines = Vec::new();
    let mut raw: Vec<&(String, u64)> = census.raw_data.iter().collect();
    raw.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    for (path, bytes) in raw.iter().take(DATASETS_MAX) {
        lines.push(row(format!("raw data of {}", one_line(path)), *bytes, String::new()));
    }
    if let Some((_, rest)) = raw.split_at_checked(DATASETS_MAX).filter(|(_, rest)| !rest.is_empty()) {
        let bytes = rest.iter().map(|(_, bytes)| bytes).sum();
        lines.push(row(format!("raw data of {} other datasets", rest.len()), bytes, String::new()));
    }
    for (structure, kind) in &census.metadata {
        lines.push(row((*structure).to_owned(), kind.bytes, kind.structures.to_string()));
    }
    lines.push(row("free space".to_owned(), census.free_bytes, String::new()));
    lines.push(row("unaccounted for".to_owned(), census.unaccounted_bytes, String::new()));
    let objects = counted_text(census.objects, "object");
    let repacked = repacked.map_or_else(String::new, |bytes| {
        let saved = census.file_bytes.saturating_sub(bytes);
        format!(
            "A repack that changes nothing else leaves {} and saves {}.\n",
            size::bytes(bytes),
            size::bytes(saved)
        )
    });
    format!(
        "{}: {}, {objects}\n{}{repacked}",
        one_line(&file.name()),
        size::bytes(census.file_bytes),
        table(&head, &lines)
    )
}
