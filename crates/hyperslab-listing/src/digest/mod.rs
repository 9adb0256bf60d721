//! Every object of a file, with a checksum of every value, as JSON lines.
//!
//! If the digests of two files, or of the same file read by two libraries, are equal, so are the values. A part that
//! cannot be read becomes an `error` in its record and does not hide anything else.
//!
//! ```text
//! traversal ──► items in order ──► a record each: what the object is, its values, its attributes
//!             └─► paths: the path of every object, which references are written as
//! ```

mod attributes;
mod canonical;
mod dataset;
mod describe_type;
mod elements;
mod extent;
mod file_record;
mod slabs;
mod text_hasher;
mod text_plan;
mod values;

use crate::json::{Json, Object, write_object};
use crate::object_paths::ObjectPaths;
use crate::traversal::{Item, Traversal};
use hyperslab::{File, LinkTarget, Object as H5Object, Prefetch, absent};
use std::io::{self, Write};
use values::{Value, error_text};

pub use file_record::describe as describe_file;

/// Settings of a digest.
#[derive(Debug, Clone)]
pub struct Options {
    /// The file name to put into the records; `None` omits it, and also the file's own record.
    pub name: Option<String>,
    /// Values of more bytes than this are skipped.
    pub bytes_max: u64,
}

/// The outcome of a digest.
#[derive(Debug, Default)]
pub struct Summary {
    /// Number of objects that were listed.
    pub objects: u64,
    /// Number of objects, values and attributes that could not be read.
    pub errors: u64,
    /// Number of values that were skipped because they are too large.
    pub skipped: u64,
    /// The file driver, if the file consists of several files.
    pub driver: Option<hyperslab::Driver>,
    /// What the file refers to and lacks.
    pub absent: Vec<String>,
    /// The reason why the file could not be opened, if it could not.
    pub unopened: Option<hyperslab::Error>,
}

/// Writes the records of the objects of a file, or nothing if it could not be opened.
///
/// # Errors
/// Those of `out`.
pub fn objects(file: hyperslab::Result<File>, options: &Options, out: &mut dyn Write) -> io::Result<Summary> {
    let mut writer = Writer { options, out, summary: Summary::default() };
    let file = match file {
        Ok(file) => file,
        Err(error) => return Ok(Summary { unopened: Some(error), ..Summary::default() }),
    };
    let (items, paths) = match file.root() {
        Ok(root) => {
            let prefetch = Prefetch { depth: 0, chunk_indexes: true, attributes: true };
            Traversal::run(H5Object::Group(root), b"/", usize::MAX, prefetch)
        }
        Err(error) => (vec![Item::Unopened { path: b"/".to_vec(), error }], ObjectPaths::default()),
    };
    writer.summary.driver = file.driver();
    writer.summary.absent = absent(&file).iter().map(ToString::to_string).collect();
    for item in items {
        let record = writer.describe(item, &file, &paths);
        writer.write(record)?;
    }
    Ok(writer.summary)
}

/// Writes the record of a file itself, which [`describe_file`] began, after those of its objects.
///
/// # Errors
/// Those of `out`.
pub fn write_file_record(
    mut record: Object,
    summary: &Summary,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some(driver) = summary.driver {
        record.insert("driver", driver.name().into());
    }
    match &summary.unopened {
        Some(error) => {
            record.insert("status", "unreadable".into());
            record.insert("error", error_text(error));
        }
        None => record.extend([
            ("status", if summary.errors == 0 { "ok" } else { "partial" }.into()),
            ("objects", summary.objects.into()),
            ("errors", summary.errors.into()),
        ]),
    }
    Writer { options, out, summary: Summary::default() }.write(record)
}

struct Writer<'w> {
    options: &'w Options,
    out: &'w mut dyn Write,
    summary: Summary,
}

impl Writer<'_> {
    fn write(&mut self, mut record: Object) -> io::Result<()> {
        if let Some(name) = &self.options.name {
            record.insert("file", name.as_str().into());
        }
        let mut line = String::new();
        write_object(&record, &mut line);
        line.push('\n');
        self.out.write_all(line.as_bytes())
    }

    fn describe(&mut self, item: Item, file: &File, paths: &ObjectPaths) -> Object {
        let entry = |t: &str, path: Vec<u8>, kind: &str| {
            Object::from([("t", t.into()), ("path", Json::Text(path)), ("kind", kind.into())])
        };
        match item {
            Item::Object { path, object, links } => {
                self.summary.objects += 1;
                let mut record = entry("obj", path, "");
                record.extend(links.map(|links| ("nlinks", links.into())));
                self.describe_object(&object, file, paths, &mut record);
                record
            }
            Item::Unopened { path, error } => {
                self.summary.errors += 1;
                // If the path is not that of the root, nothing is known about the object.
                let kind = if path == b"/" { "group" } else { "unknown" };
                let mut record = entry("obj", path, kind);
                record.insert("error", error_text(&error));
                record
            }
            Item::Alias { path, target } => {
                let mut record = entry("link", path, "alias");
                record.insert("target", Json::Text(target));
                record
            }
            Item::Link { path, target } => {
                let mut record = entry("link", path, "");
                describe_link(&target, &mut record);
                record
            }
            Item::BrokenLink { path, error } => {
                self.summary.errors += 1;
                let mut record = entry("link", path, "error");
                record.insert("error", error_text(&error));
                record
            }
        }
    }

    fn describe_object(&mut self, object: &H5Object, file: &File, paths: &ObjectPaths, record: &mut Object) {
        let bytes_max = self.options.bytes_max;
        match object {
            H5Object::Group(_) => {
                record.insert("kind", "group".into());
            }
            H5Object::Datatype(named) => {
                record.insert("kind", "datatype".into());
                let mut datatype = describe_type::describe(named.datatype());
                if let Json::Object(members) = &mut datatype {
                    members.insert("committed", true.into());
                }
                record.insert("dtype", datatype);
            }
            H5Object::Dataset(dataset) => {
                record.insert("kind", "dataset".into());
                self.summary.errors += dataset::describe(dataset, record);
                if let Err(error) = Value::of_dataset(dataset).digest(file, paths, bytes_max, record) {
                    record.insert("error", error_text(&error));
                    self.summary.errors += 1;
                }
                self.summary.skipped += u64::from(record.contains_key("skipped"));
            }
        }
        self.summary.errors += attributes::describe(&object.attributes(), file, paths, bytes_max, record);
    }
}

fn describe_link(target: &LinkTarget, record: &mut Object) {
    let kind = match target {
        LinkTarget::Hard(_) => "alias",
        LinkTarget::Soft(path) => {
            record.insert("target", path.into());
            "soft"
        }
        LinkTarget::External { file, path } => {
            record.insert("target", Json::list([file, path]));
            "external"
        }
        LinkTarget::UserDefined { class, .. } => {
            record.insert("class", (*class).into());
            "user"
        }
    };
    record.insert("kind", kind.into());
}
