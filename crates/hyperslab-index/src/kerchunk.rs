//! Kerchunk's references, version 1: one JSON document that fsspec reads as a Zarr 2 hierarchy.
//!
//! ```text
//! {"version": 1, "refs": {".zgroup": "…", "tas/.zarray": "…", "tas/.zattrs": "…", …, ".zmetadata": "…",
//!                         "tas/0.0.0": [url, offset, bytes], …}}
//! ```
//!
//! Metadata and inlined chunks are text, or `base64:` and their bytes. `.zmetadata` repeats all metadata. A chunk without a key
//! has the fill value of the array. URLs may begin with a template, `{{u}}`, whose value is written once. Format:
//! <https://fsspec.github.io/kerchunk/spec.html>.

use crate::attribute::quoted;
use crate::chunks::Content;
use crate::model::Index;
use crate::zarr2::{self, key, prefix};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::io::{self, Write};

/// Writes the references. `template` is the beginning of all URLs that is written once, so that it can be changed in one
/// place; empty for none.
///
/// # Errors
/// Those of `out`.
pub fn write_kerchunk(index: &Index, template: &str, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"version\":1,")?;
    if !template.is_empty() {
        write!(out, "\"templates\":{{\"u\":{}}},", quoted(template.as_bytes()))?;
    }
    out.write_all(b"\"refs\":{")?;
    let mut first = true;
    let members = zarr2::members(index);
    for (name, metadata) in &members {
        entry(out, &mut first, name, &text(metadata))?;
    }
    // Without it, zarr-python finds the members of the root only: it cannot list groups through fsspec.
    let consolidated = format!("{{\"zarr_consolidated_format\":1,\"metadata\":{}}}", zarr2::object(&members));
    entry(out, &mut first, ".zmetadata", &text(&consolidated))?;
    let urls: Vec<String> =
        index.files.iter().map(|url| quoted(shortened(url, template).as_bytes())).collect();
    for array in &index.arrays {
        let prefix = prefix(&array.path);
        array.chunks.visit(|coordinates, content| {
            let value = match content {
                Content::Stored { file, offset, bytes } => format!("[{},{offset},{bytes}]", urls[file]),
                Content::Inline(bytes) => format!("\"base64:{}\"", BASE64.encode(bytes)),
            };
            entry(out, &mut first, &format!("{prefix}{}", key(coordinates, ".")), &value)
        })?;
    }
    out.write_all(b"}}")
}

/// A URL with the template in place of what it stands for.
fn shortened(url: &str, template: &str) -> String {
    match url.strip_prefix(template).filter(|_| !template.is_empty()) {
        Some(rest) => format!("{{{{u}}}}{rest}"),
        None => url.to_owned(),
    }
}

fn entry(out: &mut dyn Write, first: &mut bool, key: &str, value: &str) -> io::Result<()> {
    let comma = if std::mem::take(first) { "" } else { "," };
    write!(out, "{comma}{}:{value}", quoted(key.as_bytes()))
}

/// JSON text as a JSON string.
fn text(json: &str) -> String {
    quoted(json.as_bytes())
}
