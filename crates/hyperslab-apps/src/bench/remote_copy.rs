//! A copy of a remote file, which is measured instead of it: most libraries read local files only, and the network is not
//! what a bench compares.

use super::Request;
use crate::{Error, Result, files};
use hyperslab_bench::document::free_bytes;
use hyperslab_io::{Cancel, Location, Source, fetch_all};
use hyperslab_units::size;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A remote file that was fetched.
pub(super) struct RemoteCopy {
    /// The command line, with the copy in place of the URL.
    pub(super) request: Request,
    /// The URL, without user and query.
    pub(super) url: PathBuf,
    /// What was done, for the report.
    pub(super) note: String,
}

/// Bytes of a request, and of the requests that are made together.
const REQUEST_BYTES: u64 = 4 << 20;
const ROUND_BYTES: u64 = 64 << 20;

impl RemoteCopy {
    /// Fetches the file that a URL of the command line names into a folder; `None` for a local file.
    ///
    /// # Errors
    /// If the file cannot be read, if its values are in other files, or if the disk has no room for it.
    pub(super) fn of(request: &Request, folder: &Path, stop: &AtomicBool) -> Result<Option<Self>> {
        let Some(url) = request.file.as_deref().filter(|file| files::is_url(file)) else { return Ok(None) };
        let shown = files::shown(url);
        if request.resume.is_some() {
            let why = format!("--resume: a copy of {shown} is measured, which is another file each time");
            return Err(Error::wrong_request(why).hint("download the file, and bench that"));
        }
        let file = files::open(url)?;
        let dataset = hyperslab_netcdf::find_dataset(&file, request.dataset.as_deref().unwrap_or("/"))?;
        if dataset.virtual_sources().is_some()
            || dataset.external_sources().is_some()
            || file.driver().is_some()
        {
            let why =
                format!("{shown}: values of {} are in other files, which are not copied", dataset.path());
            return Err(Error::wrong_request(why).hint("download all of the files, and bench those"));
        }
        let source = file.source();
        if let Some(free) = free_bytes(folder).filter(|free| *free < source.len()) {
            let (bytes, free, folder) = (size::bytes(source.len()), size::bytes(free), folder.display());
            let why =
                format!("{shown}: a copy of {bytes} would be written to {folder}, which has {free} left");
            return Err(Error::wrong_request(why).hint("--folder names another disk"));
        }
        let began = Instant::now();
        let path = folder.join(name(url));
        fetch(&*source, &path, &shown, stop)?;
        let (bytes, seconds) = (size::bytes(source.len()), began.elapsed().as_secs_f64());
        let note =
            format!("{shown} was fetched ({bytes} in {seconds:.1} s), and a local copy of it is measured");
        let request = Request { file: Some(path), ..request.clone() };
        Ok(Some(Self { request, url: shown.into(), note }))
    }
}

/// The name of the copy: that of the URL, without its query.
fn name(url: &Path) -> PathBuf {
    let location = Location::from(files::shown(url));
    let is_plain = |name: &&OsStr| Path::new(name).file_name() == Some(name);
    location.file_name().filter(is_plain).unwrap_or(OsStr::new("file.h5")).into()
}

/// Writes all bytes of a file, in rounds of requests, until the user stops it.
fn fetch(source: &dyn Source, path: &Path, shown: &str, stop: &AtomicBool) -> Result<()> {
    let written = |error: std::io::Error| Error::unreadable(format!("{}: {error}", path.display()));
    let mut copy = File::create(path).map_err(written)?;
    let len = source.len();
    for round in (0..len).step_by(ROUND_BYTES as usize) {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::interrupted(format!("{shown}: interrupted after {}", size::bytes(round))));
        }
        let end = (round + ROUND_BYTES).min(len);
        let starts = (round..end).step_by(REQUEST_BYTES as usize);
        let ranges: Vec<_> = starts.map(|start| start..(start + REQUEST_BYTES).min(end)).collect();
        let pieces = fetch_all(source, &ranges, &Cancel::never());
        for piece in pieces.map_err(|error| Error::unreadable(error.to_string()))? {
            copy.write_all(&piece).map_err(written)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_name_of_the_file_unless_it_is_none() {
        for (url, expected) in [
            ("https://host/a/b.nc?key=x", "b.nc"),
            ("s3://bucket/a b.h5", "a b.h5"),
            ("https://host/..", "file.h5"),
            ("https://host/", "file.h5"),
        ] {
            assert_eq!(name(Path::new(url)), Path::new(expected), "{url}");
        }
    }
}
