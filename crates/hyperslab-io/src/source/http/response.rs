//! The status and the headers of a response, which are checked before its body is read.

use crate::{Changed, Version};
use std::io;
use std::ops::Range;

/// Why a request failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// For a temporary reason: it may succeed if it is repeated.
    Transient(io::Error),
    /// For a permanent reason.
    Final(io::Error),
}

impl Failure {
    fn refused(what: impl Into<String>) -> Self {
        Self::Final(io::Error::other(what.into()))
    }

    /// The file has changed since it was opened.
    pub fn changed(url: &str, opened: &Version, found: String) -> Self {
        Self::Final(Changed { name: url.into(), opened: opened.clone(), found }.into())
    }

    /// The body ended early.
    pub fn short(found: u64, expected: u64) -> Self {
        let what = format!("the response ended after {found} of {expected} bytes");
        Self::Transient(io::Error::new(io::ErrorKind::UnexpectedEof, what))
    }

    /// There was no response.
    pub fn of_connection(error: ureq::Error) -> Self {
        match error {
            ureq::Error::Io(_)
            | ureq::Error::Timeout(_)
            | ureq::Error::ConnectionFailed
            | ureq::Error::Protocol(_) => Self::Transient(error.into_io()),
            ureq::Error::HostNotFound => {
                Self::Final(io::Error::new(io::ErrorKind::NotFound, error.to_string()))
            }
            other => Self::Final(other.into_io()),
        }
    }

    /// The error, with the request in its message.
    pub fn of_request(self, url: &str, range: &Range<u64>, attempts: u32) -> io::Error {
        let (Self::Transient(error) | Self::Final(error)) = self;
        if error.get_ref().is_some_and(|inner| inner.is::<Changed>()) {
            return error;
        }
        let tried = if attempts > 1 { format!(" (tried {attempts} times)") } else { String::new() };
        io::Error::new(
            error.kind(),
            format!("GET {url} bytes {}..{}: {error}{tried}", range.start, range.end),
        )
    }
}

/// The status and the headers of a response that contains bytes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResponseHead {
    /// The length of the whole file.
    total: u64,
    /// The bytes of the file that the body contains.
    range: Range<u64>,
    tag: Option<String>,
    /// True if the server sent the whole file instead of the requested range.
    is_whole: bool,
}

impl ResponseHead {
    /// Checks the status and the headers.
    pub fn new<'h>(status: u16, header: impl Fn(&str) -> Option<&'h str>) -> Result<Self, Failure> {
        if let Some(coding) = header("content-encoding").filter(|coding| *coding != "identity") {
            return Err(Failure::refused(format!("the server encodes the bytes as {coding}")));
        }
        let tag = header("etag").or_else(|| header("last-modified")).map(str::to_string);
        let (range, total) = match status {
            206 => {
                let text = header("content-range").unwrap_or("nothing");
                let parsed = content_range(text);
                let invalid =
                    || Failure::refused(format!("the server sent the invalid Content-Range {text:?}"));
                parsed.ok_or_else(invalid)?
            }
            200 => {
                let total = header("content-length").and_then(|text| text.parse().ok());
                let total = total
                    .ok_or_else(|| Failure::refused("the server does not report the length of the file"))?;
                (0..total, total)
            }
            // The first request to an empty file.
            416 if header("content-range") == Some("bytes */0") => (0..0, 0),
            404 | 410 => return Err(Failure::Final(status_error(io::ErrorKind::NotFound, status))),
            401 | 403 => return Err(Failure::Final(status_error(io::ErrorKind::PermissionDenied, status))),
            408 | 429 | 500..=599 => {
                return Err(Failure::Transient(status_error(io::ErrorKind::Other, status)));
            }
            _ => return Err(Failure::Final(status_error(io::ErrorKind::Other, status))),
        };
        Ok(Self { total, range, tag, is_whole: status == 200 })
    }

    /// The state of the file that the server reports.
    pub fn version(&self) -> Version {
        Version { len: self.total, modified: None, tag: self.tag.clone() }
    }

    /// The number of bytes in the body of the first response, which `requested` the beginning of a file of unknown
    /// length.
    pub fn first_len(&self, requested: &Range<u64>) -> Result<u64, Failure> {
        if self.range == (requested.start..requested.end.min(self.total)) {
            return Ok(self.range.end - self.range.start);
        }
        Err(self.wrong_range(requested))
    }

    /// Returns an error unless the body contains the requested bytes of the state that was opened.
    pub fn check(&self, url: &str, requested: &Range<u64>, opened: &Version) -> Result<(), Failure> {
        let is_same_tag = self.tag.is_none() || self.tag == opened.tag;
        if self.total != opened.len || !is_same_tag {
            return Err(Failure::changed(url, opened, self.version().to_string()));
        }
        if self.range == *requested { Ok(()) } else { Err(self.wrong_range(requested)) }
    }

    fn wrong_range(&self, requested: &Range<u64>) -> Failure {
        if self.is_whole {
            let what = format!(
                "the server sent the whole file ({} bytes) instead of a range; it must support range requests",
                self.total
            );
            return Failure::refused(what);
        }
        let (found, end) = (&self.range, requested.end);
        Failure::refused(format!(
            "the server sent bytes {}..{} for a request of {}..{end}",
            found.start, found.end, requested.start
        ))
    }
}

fn status_error(kind: io::ErrorKind, status: u16) -> io::Error {
    io::Error::new(kind, format!("the server responded with status {status}"))
}

/// The entity tag, if it is a strong one. `If-Match` does not accept weak entity tags.
pub(super) fn strong_tag(version: &Version) -> Option<&str> {
    version.tag.as_deref().filter(|tag| tag.starts_with('"'))
}

/// Parses `bytes 0-99/1234`: the range, half-open, and the length of the whole file.
fn content_range(text: &str) -> Option<(Range<u64>, u64)> {
    let (range, total) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last, total): (u64, u64, u64) =
        (first.parse().ok()?, last.parse().ok()?, total.parse().ok()?);
    (first <= last && last < total).then_some((first..last + 1, total))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(status: u16, headers: &[(&str, &'static str)]) -> Result<ResponseHead, String> {
        let header = |name: &str| headers.iter().find(|header| header.0 == name).map(|header| header.1);
        ResponseHead::new(status, header)
            .map_err(|failure| failure.of_request("http://x/f", &(5..9), 1).to_string())
    }

    #[test]
    fn valid_ranges_are_parsed_and_others_refused() {
        assert_eq!(content_range("bytes 5-8/100"), Some((5..9, 100)));
        for wrong in ["bytes 8-5/100", "bytes 5-100/100", "bytes 5-8/*", "items 5-8/100", "bytes */9", ""] {
            assert_eq!(content_range(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_response_must_have_the_requested_bytes_of_the_file_that_was_opened() {
        let received = head(206, &[("content-range", "bytes 5-8/100"), ("etag", "\"a\"")]).unwrap();
        let opened = received.version();
        let check = |requested: Range<u64>, opened: &Version| {
            let outcome = received.check("http://x/f", &requested, opened);
            outcome.map_err(|failure| failure.of_request("http://x/f", &requested, 1).to_string())
        };
        assert_eq!(check(5..9, &opened), Ok(()));
        let other = "GET http://x/f bytes 5..10: the server sent bytes 5..9 for a request of 5..10";
        assert_eq!(check(5..10, &opened).unwrap_err(), other);
        for version in
            [Version { tag: Some("\"b\"".into()), ..opened.clone() }, Version { len: 99, ..opened.clone() }]
        {
            assert!(check(5..9, &version).unwrap_err().starts_with("http://x/f changed after it was opened"));
        }
    }

    #[test]
    fn the_first_response_may_be_shorter_or_the_whole_of_a_small_file() {
        let whole = head(200, &[("content-length", "7")]).unwrap();
        assert_eq!((whole.first_len(&(0..10)).unwrap(), whole.version().len), (7, 7));
        assert!(whole.first_len(&(0..5)).is_err());
        let short = head(206, &[("content-range", "bytes 0-6/7")]).unwrap();
        assert_eq!(short.first_len(&(0..10)).unwrap(), 7);
        let empty = head(416, &[("content-range", "bytes */0")]).unwrap();
        assert_eq!(empty.first_len(&(0..10)).unwrap(), 0);
    }

    #[test]
    fn refusals_name_the_request() {
        let refusal = |status| head(status, &[]).unwrap_err();
        assert_eq!(refusal(404), "GET http://x/f bytes 5..9: the server responded with status 404");
        assert!(refusal(206).ends_with("the server sent the invalid Content-Range \"nothing\""));
        assert!(refusal(200).ends_with("the server does not report the length of the file"));
        let packed = head(206, &[("content-encoding", "gzip")]).unwrap_err();
        assert!(packed.ends_with("the server encodes the bytes as gzip"));
    }
}
