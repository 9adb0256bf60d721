//! A listing as text: one line per object, in columns.

use super::attribute::ShownAttribute;
use super::entry::{DatasetEntry, Entry, EntryKind};
use super::properties::{FileProperties, fill_words, optional_text};
use crate::failure::one_line;
use crate::output::{Align, Line, table};
use hyperslab::storage::Filter;
use hyperslab::{File, LinkTarget, filters, hdf5};
use hyperslab_listing::index_kind::index_kind;
use hyperslab_listing::json::Json;
use hyperslab_listing::object_paths::text_of;
use hyperslab_units::{counted_text, size};

const HEAD: [(&str, Align); 9] = [
    ("path", Align::Left),
    ("shape", Align::Left),
    ("type", Align::Left),
    ("chunks", Align::Left),
    ("filters", Align::Left),
    ("stored", Align::Right),
    ("logical", Align::Right),
    ("ratio", Align::Right),
    ("index", Align::Left),
];

/// Longer descriptions of a datatype are truncated in the table; `--verbose` shows them in full.
const DTYPE_CHARS_MAX: usize = 40;
/// Longer values of attributes are truncated.
const VALUE_CHARS_MAX: usize = 100;

/// The whole listing.
pub(super) fn listing(file: &File, entries: &[Entry], properties: Option<&FileProperties>) -> String {
    let driver = file.driver().map_or(String::new(), |driver| format!(", {} driver", driver.name()));
    let format = match hdf5::superblock(file) {
        Ok(superblock) => format!("superblock version {}", superblock.version),
        Err(_) => file.format_name().to_owned(),
    };
    let mut text = format!("{}: {}, {format}{driver}\n", one_line(&file.name()), size::bytes(file.len()));
    text.extend(properties.map(|properties| properties.line() + "\n"));
    let lines: Vec<Line> = entries.iter().flat_map(lines).collect();
    if lines.is_empty() {
        text.push_str("(empty)\n");
    } else {
        text.push_str(&table(&HEAD, &lines));
    }
    text
}

fn lines(entry: &Entry) -> Vec<Line> {
    let path = one_line(&text_of(&entry.path));
    let note = |path: String, note: String| Line::Cells(vec![path, note]);
    let mut lines = vec![match &entry.kind {
        EntryKind::Group { links } => {
            let members = match links {
                Some(1) => "group of 1 member".into(),
                Some(links) => format!("group of {links} members"),
                None => "group".into(),
            };
            note(if path.ends_with('/') { path } else { format!("{path}/") }, members)
        }
        EntryKind::Dataset(dataset) => Line::Cells(row(path, dataset, entry.attributes.is_some())),
        EntryKind::Datatype { dtype } => note(path, format!("datatype {}", one_line(dtype))),
        EntryKind::Alias { target } => note(path, format!("same as {}", one_line(&text_of(target)))),
        EntryKind::Link(target) => note(path, link(target)),
        EntryKind::Damaged(why) => note(path, format!("error: {}", one_line(why))),
    }];
    if let EntryKind::Dataset(dataset) = &entry.kind {
        lines.extend(details(dataset, entry.attributes.is_some()).into_iter().map(Line::Text));
    }
    if let (Some(place), Some(_)) = (&entry.place, &entry.attributes) {
        let links = counted_text(u64::from(place.references), "hard link");
        lines.push(Line::Text(format!("    object header at {}, {links}", place.address)));
    }
    lines.extend(entry.attributes.iter().flatten().map(|attribute| Line::Text(attribute_line(attribute))));
    lines
}

fn row(path: String, dataset: &DatasetEntry, verbose: bool) -> Vec<String> {
    let shape = match dataset.shape.as_deref() {
        None => "null".into(),
        Some([]) => "scalar".into(),
        Some(shape) => size::shape(shape),
    };
    let chunks = match &dataset.chunks {
        Some(chunks) => format!("{} ({})", size::shape(&chunks.dims), size::bytes(chunks.bytes)),
        None => dataset.layout.into(),
    };
    let described = if verbose { filters::describe_in_use } else { filters::describe };
    let filters = dataset.filters.iter().map(described).collect::<Vec<_>>().join(", ");
    let (stored, ratio) = match &dataset.stored_bytes {
        Ok(stored) => (size::bytes(*stored), size::ratio(dataset.logical_bytes, *stored)),
        Err(_) => ("?".into(), None),
    };
    vec![
        path,
        shape,
        if verbose { one_line(&dataset.dtype) } else { cut(one_line(&dataset.dtype), DTYPE_CHARS_MAX) },
        chunks,
        if filters.is_empty() { "none".into() } else { filters },
        stored,
        size::bytes(dataset.logical_bytes),
        ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}")),
        dataset.chunks.as_ref().map(|chunks| index_kind(&chunks.index).0.into()).unwrap_or_default(),
    ]
}

fn details(dataset: &DatasetEntry, verbose: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Err(why) = &dataset.stored_bytes {
        lines.push(format!("    error: {}", one_line(why)));
    }
    if !verbose {
        return lines;
    }
    let shape = dataset.shape.as_deref().unwrap_or_default();
    if dataset.max_shape.iter().zip(shape).any(|(max, dim)| *max != Some(*dim)) {
        lines.push(format!("    can grow to {}", size::max_shape(&dataset.max_shape)));
    }
    if let Some(value) = &dataset.fill_value {
        lines.push(format!("    fill value {}", shown(value)));
    }
    match &dataset.stored_dtype {
        None => {
            let (allocation, time, value) = fill_words(&dataset.fill);
            lines.push(format!("    allocation time {allocation}, fill time {time}, fill value {value}"));
        }
        // Other formats have no such properties, and one byte order.
        Some(stored) => lines.push(format!("    stored as {stored}")),
    }
    if let Some((first, step)) = dataset.records {
        lines.push(format!("    records at {first}, each {step} bytes behind the one before"));
    }
    if let Some(address) = dataset.data_address {
        lines.push(format!("    data at {address}"));
    }
    if !dataset.filters.is_empty() {
        let filter = |filter: &Filter| {
            format!("{} ({})", filters::describe(filter), optional_text(filter.is_optional()))
        };
        lines.push(format!(
            "    filters {}",
            dataset.filters.iter().map(filter).collect::<Vec<_>>().join(", ")
        ));
    }
    lines
}

fn link(target: &LinkTarget) -> String {
    match target {
        LinkTarget::Hard(address) => format!("-> object at {address}"),
        LinkTarget::Soft(path) => format!("-> {} (soft link)", one_line(&path.to_string())),
        LinkTarget::External { file, path } => {
            format!("-> {} in {} (external link)", one_line(&path.to_string()), one_line(&file.to_string()))
        }
        LinkTarget::UserDefined { class, .. } => format!("link of user-defined class {class}"),
    }
}

fn attribute_line(attribute: &ShownAttribute) -> String {
    let name = one_line(&text_of(&attribute.name));
    match &attribute.value {
        Err(why) if name.is_empty() => format!("    @ error: {}", one_line(why)),
        Err(why) => format!("    @{name}  error: {}", one_line(why)),
        Ok(value) => {
            let shape = match attribute.shape.as_deref() {
                None | Some([]) => String::new(),
                Some(shape) => format!(" {}", size::shape(shape)),
            };
            let more = if attribute.left_out > 0 {
                format!(" and {} more", attribute.left_out)
            } else {
                String::new()
            };
            format!(
                "    @{name} = {}{more}  ({}{shape})",
                shown(value),
                cut(one_line(&attribute.dtype), DTYPE_CHARS_MAX)
            )
        }
    }
}

fn shown(value: &Json) -> String {
    let mut text = String::new();
    push_shown(value, &mut text);
    cut(text, VALUE_CHARS_MAX)
}

fn push_shown(value: &Json, text: &mut String) {
    match value {
        Json::Text(bytes) => text.push_str(&format!("{:?}", String::from_utf8_lossy(bytes))),
        Json::List(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    text.push_str(", ");
                }
                push_shown(item, text);
            }
            text.push(']');
        }
        other => other.write(text),
    }
}

fn cut(text: String, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text;
    }
    text.chars().take(chars_max - 1).chain(['…']).collect()
}
