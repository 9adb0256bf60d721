//! Where readers find the indexed files. Credentials are never written.

use super::arguments::{IndexArgs, IndexFormat};
use crate::failure::Failure;
use hyperslab::File;
use hyperslab::io::Location;
use std::path::{Component, Path, PathBuf};

/// Parameters of a signed URL, in lower case.
const SIGNATURES: [&str; 8] = [
    "x-amz-signature=",
    "x-amz-credential=",
    "x-amz-security-token=",
    "x-goog-signature=",
    "signature=",
    "sig=",
    "awsaccesskeyid=",
    "access_token=",
];

/// The names of the files for readers.
pub(super) struct Urls {
    given: Option<String>,
    /// The folder that paths are relative to.
    relative_to: Option<PathBuf>,
    /// Local files are named by URLs, too.
    needs_scheme: bool,
}

impl Urls {
    pub fn new(args: &IndexArgs) -> Result<Self, Failure> {
        let is_single = args.files.len() == 1 && !args.files[0].is_dir();
        if let Some(url) = &args.url {
            refuse_credentials(url)?;
            if !is_single && !url.contains("{name}") && !url.contains("{path}") {
                let message = "--url is the same for all files";
                return Err(
                    Failure::wrong_request(message).hint("with {name} in it, it differs: s3://bucket/{name}")
                );
            }
        }
        let folder = args.output.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let needs_scheme = matches!(args.format, IndexFormat::Zarr | IndexFormat::Icechunk);
        let relative_to = args.relative.then(|| std::path::absolute(folder.join("x"))).transpose()?;
        let relative_to = relative_to.and_then(|file| file.parent().map(Path::to_owned));
        Ok(Self { given: args.url.clone(), relative_to, needs_scheme })
    }

    /// Where readers find a file.
    pub fn of(&self, path: &Path, file: &File) -> Result<String, Failure> {
        // The name of an open file has no signature, and is that of the file if `path` is an index of it.
        let name = file.name();
        if let Some(url) = &self.given {
            let last =
                Location::from(name.clone()).file_name().map(|name| name.to_string_lossy().into_owned());
            let url = url.replace("{name}", &last.unwrap_or_default());
            return Ok(url.replace("{path}", &path.to_string_lossy()));
        }
        if Location::from(name.clone()).is_url() {
            return Ok(name);
        }
        let absolute = std::path::absolute(&name)?;
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

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("{}: the path is not UTF-8", path.display());
        Failure::wrong_request(message).hint("name the file for readers with --url")
    })
}

/// The path of a file as seen from a folder, both absolute.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let same = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(same).map(|_| Component::ParentDir);
    up.chain(file.components().skip(same)).collect()
}

fn refuse_credentials(url: &str) -> Result<(), Failure> {
    let Some((scheme, rest)) = url.split_once("://") else { return Ok(()) };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let has_password = scheme.starts_with("http") && authority.contains('@');
    let query = rest.split_once('?').map_or("", |(_, query)| query).to_lowercase();
    if has_password || SIGNATURES.iter().any(|name| query.split('&').any(|pair| pair.starts_with(name))) {
        let message = "--url contains a password or a signature, which an index must not have";
        return Err(
            Failure::wrong_request(message).hint("give readers their credentials when they open the index")
        );
    }
    Ok(())
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
        for url in
            ["https://u:p@host/f.nc", "https://host/f.nc?a=1&X-Amz-Signature=0", "https://host/f.nc?sig=x"]
        {
            assert_eq!(refuse_credentials(url).unwrap_err().code, crate::failure::WRONG_REQUEST, "{url}");
        }
        for url in ["s3://bucket/a@b.nc", "https://host/f.nc?version=2", "/a/b.nc"] {
            assert!(refuse_credentials(url).is_ok(), "{url}");
        }
    }
}
