//! Opening sources by location, so that a file can refer to other files of the same file system or server.

use crate::{LocalFile, Source};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

/// The location of a source: a path of the file system, or a URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location(PathBuf);

impl Location {
    /// The path. For a URL, its text as a path.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// True for a URL: a text that begins with a scheme and `://`.
    pub fn is_url(&self) -> bool {
        self.0.to_str().is_some_and(has_scheme)
    }

    /// The name of the file, without its folder.
    pub fn file_name(&self) -> Option<&OsStr> {
        match self.0.to_str().filter(|text| has_scheme(text)) {
            Some(url) => Some(&url[url_folder(url).len()..]).filter(|name| !name.is_empty()).map(OsStr::new),
            None => self.0.file_name(),
        }
    }

    /// The text by which the location is recognized again: of the URL of a web server without user, password, fragment, and
    /// the parameters of a signature, which differ each time a URL is signed. Other parameters may be secrets, too, so it
    /// is not for messages or files: store a hash of it.
    pub fn identity(&self) -> String {
        let text = self.0.display().to_string();
        let is_web = self.is_url() && text.starts_with("http");
        let Some((before, query)) = text.split_once('?').filter(|_| is_web) else {
            return self.to_string();
        };
        let query = query.split('#').next().unwrap_or_default();
        let kept: Vec<&str> = query.split('&').filter(|parameter| !is_of_signature(parameter)).collect();
        let before = Location::from(before);
        if kept.is_empty() { before.to_string() } else { format!("{before}?{}", kept.join("&")) }
    }

    /// Resolves a name that is stored in the file at this location: relative to the folder of the file, unless the name
    /// is an absolute path or a URL.
    pub fn beside(&self, name: impl AsRef<Path>) -> Location {
        let name = name.as_ref();
        if name.is_absolute() || name.to_str().is_some_and(has_scheme) {
            return Location(name.to_path_buf());
        }
        match self.0.to_str().filter(|text| has_scheme(text)) {
            Some(url) => Location(format!("{}{}", url_folder(url), name.display()).into()),
            None => Location(self.0.parent().unwrap_or(Path::new("")).join(name)),
        }
    }

    /// The same location, independent of the working directory. `..` is not resolved, because the folder before it may
    /// be a symbolic link.
    pub fn absolute(&self) -> Location {
        if self.is_url() {
            return self.clone();
        }
        std::path::absolute(&self.0).map_or_else(|_| self.clone(), Location)
    }
}

fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// The parameters with which AWS (two versions), Google, Azure and CloudFront sign URLs.
const SIGNATURE_PARAMETERS: [&str; 19] = [
    "awsaccesskeyid",
    "signature",
    "expires",
    "policy",
    "key-pair-id",
    "googleaccessid",
    "response-content-disposition",
    "response-content-type",
    "sv",
    "ss",
    "srt",
    "sp",
    "se",
    "st",
    "spr",
    "sig",
    "sr",
    "skoid",
    "sip",
];

/// True for a parameter of a query that belongs to its signature.
fn is_of_signature(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.is_empty()
        || name.starts_with("x-amz-")
        || name.starts_with("x-goog-")
        || SIGNATURE_PARAMETERS.contains(&&*name)
}

/// A URL up to the last slash of its path.
fn url_folder(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rfind('/').map_or(path, |slash| &path[..=slash])
}

impl<P: Into<PathBuf>> From<P> for Location {
    fn from(path: P) -> Self {
        Self(path.into())
    }
}

/// For messages: a URL is shown without user, password, query and fragment, which may contain a signature.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((scheme, rest)) =
            self.0.to_str().filter(|text| has_scheme(text)).and_then(|url| url.split_once("://"))
        else {
            return self.0.display().fmt(f);
        };
        // A key of a store may contain `?` and `#`; only the query of a web server is secret.
        let rest =
            if scheme.starts_with("http") { rest.split(['?', '#']).next().unwrap_or(rest) } else { rest };
        let host = rest.find('/').unwrap_or(rest.len());
        let is_user = scheme.starts_with("http");
        let start = rest[..host].rfind('@').filter(|_| is_user).map_or(0, |at| at + 1);
        write!(f, "{scheme}://{}", &rest[start..])
    }
}

/// Opens sources by their locations.
pub trait Opener: Send + Sync {
    /// Opens the source at a location.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is nothing at the location.
    fn open(&self, location: &Location) -> io::Result<Arc<dyn Source>>;

    /// True if there is a regular file at a location. This is checked before opening a name that is stored in another
    /// file: such a name must not make a program open, for example, a pipe.
    fn is_file(&self, location: &Location) -> bool;
}

/// Opens files of the local file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalFiles;

impl Opener for LocalFiles {
    fn open(&self, location: &Location) -> io::Result<Arc<dyn Source>> {
        Ok(Arc::new(LocalFile::open(location.as_path())?))
    }

    fn is_file(&self, location: &Location) -> bool {
        location.as_path().is_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(from: &str, name: &str) -> String {
        Location::from(from).beside(name).to_string()
    }

    #[test]
    fn names_are_relative_to_the_folder_of_the_file_that_contains_them() {
        assert_eq!(beside("a/b.h5", "c.h5"), "a/c.h5");
        assert_eq!(beside("b.h5", "../c.h5"), "../c.h5");
        assert_eq!(beside("a/b.h5", "/c.h5"), "/c.h5");
        assert_eq!(beside("https://host/a/b.h5?v=/1", "c/d.h5"), "https://host/a/c/d.h5");
        assert_eq!(beside("https://host/a/b.h5", "s3://bucket/c.h5"), "s3://bucket/c.h5");
        assert_eq!(beside("a/b.h5", "https://host/c.h5"), "https://host/c.h5");
    }

    #[test]
    fn urls_are_distinguished_from_paths() {
        for (text, is_url) in [("s3://b/k", true), ("a+b://c", true), ("/a://b", false), ("a/b.h5", false)] {
            assert_eq!(Location::from(text).is_url(), is_url, "{text}");
        }
        let shown = Location::from("https://user:password@host/a/b.h5?X-Amz-Signature=secret#x").to_string();
        assert_eq!(shown, "https://host/a/b.h5");
        assert_eq!(
            Location::from("abfs://container@account/a?b").to_string(),
            "abfs://container@account/a?b"
        );
        let name = |text: &str| Location::from(text).file_name().map(|name| name.to_os_string());
        assert_eq!(name("s3://bucket/k.h5"), Some("k.h5".into()));
        assert_eq!(name("a/k.h5"), Some("k.h5".into()));
        assert_eq!(Location::from("s3://b/k").absolute(), Location::from("s3://b/k"));
    }

    #[test]
    fn a_location_is_recognized_whenever_it_was_signed() {
        let identity = |text: &str| Location::from(text).identity();
        for signed in [
            "https://user:password@host/a.h5?X-Amz-Date=1&X-Amz-Signature=x#y",
            "https://host/a.h5?sv=2020&se=2030&sig=x",
            "https://host/a.h5?",
            "https://host/a.h5",
        ] {
            assert_eq!(identity(signed), "https://host/a.h5", "{signed}");
        }
        assert_eq!(identity("https://host/get?file=a&sig=x&token=y"), "https://host/get?file=a&token=y");
        assert_eq!(identity("s3://bucket/a?b#c"), "s3://bucket/a?b#c");
        assert_eq!(identity("a/b?c"), "a/b?c");
    }

    #[test]
    fn local_files_are_opened_and_folders_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = Location::from(folder.path().join("a"));
        assert!(!LocalFiles.is_file(&path));
        assert_eq!(LocalFiles.open(&path).err().unwrap().kind(), io::ErrorKind::NotFound);
        std::fs::write(path.as_path(), "12345").unwrap();
        assert!(LocalFiles.is_file(&path) && !LocalFiles.is_file(&folder.path().into()));
        assert_eq!(LocalFiles.open(&path).unwrap().len(), 5);
    }
}
