//! A listing as one JSON document.

use super::attribute::ShownAttribute;
use super::entry::{DatasetEntry, Entry, EntryKind};
use super::properties::{FileProperties, fill_words, optional_text};
use hyperslab::storage::Filter;
use hyperslab::{File, LinkTarget, filters, hdf5};
use hyperslab_apps::schema;
use hyperslab_listing::index_kind::index_kind;
use hyperslab_listing::json::{Json, Object, write_object};
use hyperslab_listing::object_paths::text_of;
use hyperslab_units::size;

/// The document, including the line break at its end.
pub(super) fn document(
    file: &File,
    path: &str,
    entries: &[Entry],
    absent: &[String],
    properties: Option<&FileProperties>,
) -> String {
    let mut document = Object::from([
        ("schema", schema::LS.json()),
        ("file", file.name().into()),
        ("format", file.format_word().into()),
        ("bytes", file.len().into()),
        ("path", path.into()),
        ("objects", Json::list(entries.iter().map(entry))),
    ]);
    if let Ok(superblock) = hdf5::superblock(file) {
        document.insert("superblock", superblock.version.into());
    }
    if let Some(properties) = properties {
        properties.insert_into(&mut document);
    }
    if !absent.is_empty() {
        document.insert("absent", Json::list(absent.iter().map(String::as_str)));
    }
    document.extend(file.driver().map(|driver| ("driver", driver.name().into())));
    let mut text = String::new();
    write_object(&document, &mut text);
    text.push('\n');
    text
}

fn entry(entry: &Entry) -> Object {
    let mut members = match &entry.kind {
        EntryKind::Group { links } => Object::from([("kind", "group".into()), ("members", (*links).into())]),
        EntryKind::Dataset(dataset) => self::dataset(dataset),
        EntryKind::Datatype { dtype } => {
            Object::from([("kind", "datatype".into()), ("dtype", dtype.as_str().into())])
        }
        EntryKind::Alias { target } => {
            Object::from([("kind", "alias".into()), ("target", text_of(target).into())])
        }
        EntryKind::Link(target) => link(target),
        EntryKind::Damaged(why) => Object::from([("kind", "unknown".into()), ("error", why.as_str().into())]),
    };
    members.insert("path", text_of(&entry.path).into());
    if let Some(place) = &entry.place {
        members.extend([("address", place.address.into()), ("references", place.references.into())]);
    }
    if let Some(attributes) = &entry.attributes {
        members.insert("attributes", Json::list(attributes.iter().map(attribute)));
    }
    members
}

fn dataset(dataset: &DatasetEntry) -> Object {
    let mut members = Object::from([
        ("kind", "dataset".into()),
        ("shape", dataset.shape.as_ref().map(|shape| Json::list(shape.iter().copied())).into()),
        ("max_shape", Json::list(dataset.max_shape.iter().copied())),
        ("dtype", dataset.dtype.as_str().into()),
        ("layout", dataset.layout.into()),
        ("filters", Json::list(dataset.filters.iter().map(filter))),
        ("logical_bytes", dataset.logical_bytes.into()),
        ("data_address", dataset.data_address.into()),
    ]);
    let (allocation, time, value) = fill_words(&dataset.fill);
    members.extend([
        ("allocation_time", allocation.into()),
        ("fill_time", time.into()),
        ("fill_value_is", value.into()),
    ]);
    match &dataset.stored_bytes {
        Ok(stored) => {
            let ratio = size::ratio(dataset.logical_bytes, *stored);
            members.insert("stored_bytes", (*stored).into());
            members.insert("ratio", ratio.map_or(Json::Null, Json::Float));
        }
        Err(why) => {
            members.insert("error", why.as_str().into());
        }
    }
    if let Some(chunks) = &dataset.chunks {
        members.extend([
            ("chunks", Json::list(chunks.dims.iter().copied())),
            ("chunk_bytes", chunks.bytes.into()),
            ("index", index_kind(&chunks.index).1.into()),
        ]);
    }
    if let Some(value) = &dataset.fill_value {
        members.insert("fill_value", value.clone());
    }
    members
}

fn filter(filter: &Filter) -> Object {
    Object::from([
        ("id", filter.id.into()),
        ("flags", filter.flags.into()),
        ("use", optional_text(filter.is_optional()).into()),
        ("parameters", Json::list(filter.parameters.iter().copied())),
        ("description", filters::describe(filter).into()),
    ])
}

fn link(target: &LinkTarget) -> Object {
    match target {
        LinkTarget::Hard(address) => Object::from([("kind", "hard".into()), ("target", address.0.into())]),
        LinkTarget::Soft(path) => {
            Object::from([("kind", "soft".into()), ("target", text_of(path.as_bytes()).into())])
        }
        LinkTarget::External { file, path } => Object::from([
            ("kind", "external".into()),
            ("target_file", text_of(file.as_bytes()).into()),
            ("target", text_of(path.as_bytes()).into()),
        ]),
        LinkTarget::UserDefined { class, .. } => {
            Object::from([("kind", "user".into()), ("class", (*class).into())])
        }
    }
}

fn attribute(attribute: &ShownAttribute) -> Object {
    let mut members = Object::from([("name", text_of(&attribute.name).into())]);
    match &attribute.value {
        Err(why) => {
            members.insert("error", why.as_str().into());
        }
        Ok(value) => {
            members.extend([
                ("dtype", attribute.dtype.as_str().into()),
                ("shape", attribute.shape.as_ref().map(|shape| Json::list(shape.iter().copied())).into()),
                ("value", value.clone()),
            ]);
            if attribute.left_out > 0 {
                members.insert("left_out", attribute.left_out.into());
            }
        }
    }
    members
}
