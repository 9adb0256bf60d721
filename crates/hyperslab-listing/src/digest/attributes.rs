//! The attributes of an object. One that cannot be read does not hide the others.

use super::values::{Value, error_text};
use super::{describe_type, extent};
use crate::json::{Json, Object};
use crate::object_paths::ObjectPaths;
use hyperslab::{Attributes, File};

/// Adds the attributes to `record`. Returns the number of attributes that could not be read.
pub fn describe(
    attributes: &Attributes<'_>,
    file: &File,
    paths: &ObjectPaths,
    bytes_max: u64,
    record: &mut Object,
) -> u64 {
    let all = match attributes.entries() {
        Ok(all) => all,
        Err(error) => {
            record.insert("attrs_error", error_text(&error));
            return 1;
        }
    };
    let mut errors = 0;
    // Attributes without a readable name come first, as when sorted by name.
    let (named, nameless): (Vec<_>, Vec<_>) = all.into_iter().partition(|entry| entry.name.is_some());
    let described = nameless.into_iter().chain(named).map(|entry| {
        let mut described = Object::new();
        described.extend(entry.name.as_ref().map(|name| ("name", name.into())));
        let done = entry.attribute.and_then(|attribute| {
            described.extend([
                ("dtype", describe_type::describe(&attribute.datatype)),
                ("space", extent::describe(&attribute.dataspace)),
            ]);
            Value::of_attribute(&attribute).digest(file, paths, bytes_max, &mut described)
        });
        if let Err(error) = done {
            described.insert("error", error_text(&error));
            errors += 1;
        }
        described
    });
    let described = Json::list(described);
    record.insert("attrs", described);
    errors
}
