//! The formats of an index: a file each, and a line in [`ALL`].

mod dmrpp;
mod hsds;
mod icechunk;
mod kerchunk;
mod kerchunk_parquet;
pub(super) mod native;
mod zarr;

use crate::Result;
use hyperslab::File;
use hyperslab_index::{FillMeaning, Index, Omitted};
use std::fs;
use std::io::Write;
use std::path::Path;

/// Every format, in the order in which help lists them.
pub static ALL: [&Format; 7] = [
    &kerchunk::FORMAT,
    &kerchunk_parquet::FORMAT,
    &zarr::FORMAT,
    &icechunk::FORMAT,
    &dmrpp::FORMAT,
    &hsds::FORMAT,
    &native::FORMAT,
];

/// A format of an index.
pub struct Format {
    /// Its name in requests.
    pub name: &'static str,
    /// What it is, for help.
    pub about: &'static str,
    /// The ending of the names of its indexes.
    pub ending: &'static str,
    /// True if several files can be combined in one.
    pub combines: bool,
    /// True if the folder of the files can be written once, as a template.
    pub has_template: bool,
    /// True if local files are named by URLs, too.
    pub names_local_files_by_url: bool,
    /// What the fill value of an array means.
    pub fill: FillMeaning,
    /// How it is written.
    pub(super) writer: Writer,
}

impl Format {
    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.into_iter().find(|format| format.name == name)
    }

    /// True for an index that can be printed.
    pub fn is_text(&self) -> bool {
        matches!(self.writer, Writer::Text(_) | Writer::TextOfFile(_))
    }
}

/// A format as a request that is written down has it: by its name.
pub(super) mod by_name {
    use super::Format;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(format: &&'static Format, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(format.name)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static Format, D::Error> {
        let name = String::deserialize(deserializer)?;
        Format::named(&name).ok_or_else(|| D::Error::custom(format!("{name:?} is not a format of an index")))
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// How an index is written. Each returns what was left out.
pub(super) enum Writer {
    /// As text, of one or several files; true for a template.
    Text(fn(&Index, bool, &mut dyn Write) -> Result<Vec<Omitted>>),
    /// Into the new folder that is named second, which will replace the first.
    Folder(fn(&Index, &Path, &Path) -> Result<Vec<Omitted>>),
    /// As text, of one file, whose URL is given.
    TextOfFile(fn(&File, &str, &mut dyn Write) -> Result<Vec<Omitted>>),
    /// Into a file, of one file, whose URL is given.
    BinaryOfFile(fn(&File, &str, &mut fs::File) -> Result<Vec<Omitted>>),
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::index::Request;

    #[test]
    fn a_request_is_written_down_and_read_again() {
        for format in ALL {
            let request = Request {
                files: vec!["a.nc".into()],
                format,
                output: None,
                url: Some("s3://bucket/{name}".into()),
                relative: false,
                template: false,
                concat: None,
            };
            let written = serde_json::to_string(&request).unwrap();
            let read: Request = serde_json::from_str(&written).unwrap();
            assert_eq!((format!("{read:?}"), read.format.name), (format!("{request:?}"), format.name));
        }
        let wrong = r#"{"files": [], "format": "zar", "relative": false, "template": false}"#;
        let error = serde_json::from_str::<Request>(wrong).unwrap_err().to_string();
        assert!(error.contains("\"zar\" is not a format of an index"), "{error}");
    }
}
