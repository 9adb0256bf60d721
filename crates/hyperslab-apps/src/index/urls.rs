//! Where readers find the indexed files. Credentials are never written.

use super::Request;
use crate::{Error, Result};
use hyperslab::File;
use hyperslab::io::Location;
use std::path::{Component, Path, PathBuf};

/// Parts of the names of parameters whose values are secrets, in lower case, without `-` and `_`: of signed URLs, tokens,
/// passwords, keys.
const SECRETS: [&str; 10] = [
    "signature",
    "credential",
    "token",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "authorization",
];
/// Schemes in whose URLs `CONTAINER@ACCOUNT` is a place.
const CONTAINER_SCHEMES: [&str; 4] = ["abfs", "abfss", "wasb", "wasbs"];
/// Such names that are also parts of others.
const SHORT_SECRETS: [&str; 8] = ["sig", "key", "pwd", "pw", "pass", "auth", "jwt", "sas"];

/// The names of the files for readers.
pub(super) struct Urls {
    given: Option<String>,
    /// The folder that paths are relative to.
    relative_to: Option<PathBuf>,
    /// Local files are named by URLs, too.
    needs_scheme: bool,
}

impl Urls {
    pub fn new(request: &Request) -> Result<Self> {
        let is_single = request.files.len() == 1 && !request.files[0].is_dir();
        if let Some(url) = &request.url {
            let hint = "give readers their credentials when they open the index";
            refuse_credentials("--url", url, hint)?;
            if !is_single && !url.contains("{name}") && !url.contains("{path}") {
                let message = "--url is the same for all files";
                return Err(
                    Error::wrong_request(message).hint("with {name} in it, it differs: s3://bucket/{name}")
                );
            }
        }
        let folder = request.output.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let needs_scheme = request.format.names_local_files_by_url;
        let relative_to = request.relative.then(|| normal(folder)).transpose().map_err(unknown)?;
        Ok(Self { given: request.url.clone(), relative_to, needs_scheme })
    }

    /// Where readers find a file.
    pub fn of(&self, path: &Path, file: &File) -> Result<String> {
        // The name of an open file has no signature, and is that of the file if `path` is an index of it.
        let name = file.name();
        if let Some(url) = &self.given {
            let last =
                Location::from(name.clone()).file_name().map(|name| name.to_string_lossy().into_owned());
            let url = url.replace("{name}", &last.unwrap_or_default());
            // The path of a URL without the secrets that it may have.
            return Ok(url.replace("{path}", &crate::files::shown(path)));
        }
        if Location::from(name.clone()).is_url() {
            refuse_credentials("the URL of the file", &name, "name the file for readers with --url")?;
            return Ok(name);
        }
        let absolute = normal(Path::new(&name)).map_err(unknown)?;
        if let Some(folder) = &self.relative_to {
            return text(&relative(&absolute, folder));
        }
        let absolute = text(&absolute)?;
        Ok(if self.needs_scheme { format!("file://{absolute}") } else { absolute })
    }
}

/// The longest folder that all URLs begin with, up to its last slash; empty if there is none.
pub(super) fn common_folder(urls: &[String]) -> &str {
    let Some(first) = urls.first() else { return "" };
    let same = |other: &String| first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let common = urls.iter().map(same).min().unwrap_or(0);
    let folder =
        first.as_bytes()[..common].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    &first[..folder]
}

/// An error where the current folder or a link is not there.
fn unknown(error: std::io::Error) -> Error {
    Error::system(format!("the path of the file for readers: {error}"), &error)
}

fn text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("{}: the path is not UTF-8", path.display());
        Error::wrong_request(message).hint("name the file for readers with --url")
    })
}

/// An absolute path without `.` and `..`, which not all readers resolve. What `..` leads out of may be a link, and is
/// looked up; other links stay.
fn normal(path: &Path) -> std::io::Result<PathBuf> {
    let current = std::env::current_dir;
    let absolute = if path.is_absolute() { path.to_owned() } else { current()?.join(path) };
    let mut normal = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal = normal.canonicalize()?;
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    Ok(normal)
}

/// The path of a file as seen from a folder, both absolute.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let same = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(same).map(|_| Component::ParentDir);
    up.chain(file.components().skip(same)).collect()
}

/// What an index must not have of a URL: a user or password before its host, or a parameter that is a secret.
fn credentials(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some((user, _)) = authority.rsplit_once('@') {
        // Azure's URLs have the container there.
        let is_container = CONTAINER_SCHEMES.contains(&scheme) && !user.contains(':');
        if !is_container {
            return Some("a user or password before the host".to_owned());
        }
    }
    let parameters = rest.find(['?', '#']).map_or("", |start| &rest[start..]);
    let mut names =
        parameters.split(['?', '#', '&', ';']).map(|pair| pair.split('=').next().unwrap_or_default());
    let is_secret = |name: &&str| {
        let name = name.replace(['-', '_'], "").to_lowercase();
        SHORT_SECRETS.contains(&name.as_str()) || SECRETS.iter().any(|part| name.contains(part))
    };
    names.find(is_secret).map(|name| format!("the parameter {name}"))
}

fn refuse_credentials(of: &str, url: &str, hint: &str) -> Result<()> {
    let Some(what) = credentials(url) else { return Ok(()) };
    Err(Error::wrong_request(format!("{of} contains {what}, and an index must not have credentials"))
        .hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_a_folder() {
        let seen =
            |file: &str, folder: &str| relative(Path::new(file), Path::new(folder)).display().to_string();
        assert_eq!(seen("/a/b/c.nc", "/a/b"), "c.nc");
        assert_eq!(seen("/a/b/c.nc", "/a/d/e"), "../../b/c.nc");
    }

    #[cfg(unix)]
    #[test]
    fn a_path_has_no_parts_that_lead_up() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(at.join("a/b")).unwrap();
        std::os::unix::fs::symlink(at.join("a/b"), at.join("link")).unwrap();
        let seen = |path: &str| normal(&at.join(path)).unwrap();
        assert_eq!(seen("a/../x.nc"), at.join("x.nc"));
        assert_eq!(seen("./a/./x.nc"), at.join("a/x.nc"));
        assert_eq!(seen("link/../x.nc"), at.join("a/x.nc"));
        assert_eq!(seen("link/x.nc"), at.join("link/x.nc"));
    }

    #[test]
    fn the_template_is_a_folder() {
        let common = |urls: &[&str]| {
            common_folder(&urls.iter().map(|url| (*url).into()).collect::<Vec<_>>()).to_owned()
        };
        assert_eq!(common(&["s3://b/x/a1.nc", "s3://b/x/a2.nc"]), "s3://b/x/");
        assert_eq!(common(&["s3://b/x/a1.nc"]), "s3://b/x/");
        assert_eq!(common(&["/a", "b"]), "");
    }

    #[test]
    fn credentials_are_refused() {
        for url in [
            "https://u:p@host/f.nc",
            "s3://user:pw@bucket/x.nc",
            "s3://key@bucket/x.nc",
            "https://host/f.nc?a=1&X-Amz-Signature=0",
            "https://host/f.nc?sig=x",
            "s3://b/x?password=xx",
            "https://h/x?token=abc",
            "https://h/x?Api_Key=abc",
            "https://h/x?a=1;access-key=abc",
            "https://h/x#access_token=abc",
            "abfs://user:pw@account/x.nc",
        ] {
            assert!(credentials(url).is_some(), "{url}");
        }
        for url in [
            "s3://bucket/a@b.nc",
            "https://host/f.nc?version=2",
            "https://host/f.nc?keyword=key",
            "abfs://c@account.dfs.core.windows.net/x.nc",
            "/a/b.nc",
        ] {
            assert_eq!(credentials(url), None, "{url}");
        }
    }
}
