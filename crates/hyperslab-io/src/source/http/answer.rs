//! What a server's status and headers say, before a byte of the body is believed.

use crate::{Changed, Version};
use std::io;
use std::ops::Range;

/// Why a request failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// It may succeed if it is made again.
    Transient(io::Error),
    /// It will not.
    Final(io::Error),
}

impl Failure {
    fn refused(what: impl Into<String>) -> Self {
        Self::Final(io::Error::other(what.into()))
    }

    /// The file is not the one that was opened.
    pub fn changed(url: &str, opened: &Version, found: String) -> Self {
        Self::Final(Changed { name: url.into(), opened: opened.clone(), found }.into())
    }

    /// A body that ended early.
    pub fn short(found: u64, expected: u64) -> Self {
        let what = format!("the answer ended after {found} of {expected} bytes");
        Self::Transient(io::Error::new(io::ErrorKind::UnexpectedEof, what))
    }

    /// A request that got no answer.
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

    /// The error that names the request.
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

/// An answer that brings bytes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// Length of the whole file.
    total: u64,
    /// Which of its bytes the body brings.
    range: Range<u64>,
    tag: Option<String>,
    /// True where the server sent the whole file though a range was asked for.
    is_whole: bool,
}

impl Answer {
    /// Reads the status and the headers.
    pub fn new<'h>(status: u16, header: impl Fn(&str) -> Option<&'h str>) -> Result<Self, Failure> {
        if let Some(coding) = header("content-encoding").filter(|coding| *coding != "identity") {
            return Err(Failure::refused(format!("the server encodes the bytes as {coding}")));
        }
        let tag = header("etag").or_else(|| header("last-modified")).map(str::to_string);
        let (range, total) = match status {
            206 => {
                let text = header("content-range").unwrap_or("nothing");
                let parsed = content_range(text);
                parsed.ok_or_else(|| Failure::refused(format!("the server says that it sends {text:?}")))?
            }
            200 => {
                let total = header("content-length").and_then(|text| text.parse().ok());
                let total =
                    total.ok_or_else(|| Failure::refused("the server does not tell the file's length"))?;
                (0..total, total)
            }
            // The first bytes of a file without bytes.
            416 if header("content-range") == Some("bytes */0") => (0..0, 0),
            404 | 410 => return Err(Failure::Final(said(io::ErrorKind::NotFound, status))),
            401 | 403 => return Err(Failure::Final(said(io::ErrorKind::PermissionDenied, status))),
            408 | 429 | 500..=599 => return Err(Failure::Transient(said(io::ErrorKind::Other, status))),
            _ => return Err(Failure::Final(said(io::ErrorKind::Other, status))),
        };
        Ok(Self { total, range, tag, is_whole: status == 200 })
    }

    /// The state of the file that this is an answer of.
    pub fn version(&self) -> Version {
        Version { len: self.total, modified: None, tag: self.tag.clone() }
    }

    /// How many bytes the body of the first answer has, to a request for `asked`.
    pub fn first_len(&self, asked: &Range<u64>) -> Result<u64, Failure> {
        if self.range == (asked.start..asked.end.min(self.total)) {
            return Ok(self.range.end - self.range.start);
        }
        Err(self.unasked(asked))
    }

    /// An error unless this brings `asked` of the state that was opened.
    pub fn check(&self, url: &str, asked: &Range<u64>, opened: &Version) -> Result<(), Failure> {
        let is_same_tag = self.tag.is_none() || self.tag == opened.tag;
        if self.total != opened.len || !is_same_tag {
            return Err(Failure::changed(url, opened, self.version().to_string()));
        }
        if self.range == *asked { Ok(()) } else { Err(self.unasked(asked)) }
    }

    fn unasked(&self, asked: &Range<u64>) -> Failure {
        if self.is_whole {
            let what = format!(
                "the server answers with the whole file ({} bytes) instead of a range; \
                 it must support range requests",
                self.total
            );
            return Failure::refused(what);
        }
        let (found, end) = (&self.range, asked.end);
        Failure::refused(format!(
            "the server answers bytes {}..{} to a request for {}..{end}",
            found.start, found.end, asked.start
        ))
    }
}

fn said(kind: io::ErrorKind, status: u16) -> io::Error {
    io::Error::new(kind, format!("the server answers with status {status}"))
}

/// An entity tag that a server compares byte by byte; `If-Match` knows no other.
pub(super) fn strong_tag(version: &Version) -> Option<&str> {
    version.tag.as_deref().filter(|tag| tag.starts_with('"'))
}

/// `bytes 0-99/1234`: the range, half-open, and the length of all.
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

    fn answer(status: u16, headers: &[(&str, &'static str)]) -> Result<Answer, String> {
        let header = |name: &str| headers.iter().find(|header| header.0 == name).map(|header| header.1);
        Answer::new(status, header)
            .map_err(|failure| failure.of_request("http://x/f", &(5..9), 1).to_string())
    }

    #[test]
    fn ranges_are_read_and_nonsense_is_not() {
        assert_eq!(content_range("bytes 5-8/100"), Some((5..9, 100)));
        for wrong in ["bytes 8-5/100", "bytes 5-100/100", "bytes 5-8/*", "items 5-8/100", "bytes */9", ""] {
            assert_eq!(content_range(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_answer_brings_what_was_asked_of_the_file_that_was_opened() {
        let told = answer(206, &[("content-range", "bytes 5-8/100"), ("etag", "\"a\"")]).unwrap();
        let opened = told.version();
        let check = |asked: Range<u64>, opened: &Version| {
            let outcome = told.check("http://x/f", &asked, opened);
            outcome.map_err(|failure| failure.of_request("http://x/f", &asked, 1).to_string())
        };
        assert_eq!(check(5..9, &opened), Ok(()));
        let other = "GET http://x/f bytes 5..10: the server answers bytes 5..9 to a request for 5..10";
        assert_eq!(check(5..10, &opened).unwrap_err(), other);
        for version in
            [Version { tag: Some("\"b\"".into()), ..opened.clone() }, Version { len: 99, ..opened.clone() }]
        {
            assert!(check(5..9, &version).unwrap_err().starts_with("http://x/f changed after it was opened"));
        }
    }

    #[test]
    fn the_first_answer_may_be_shorter_or_the_whole_of_a_small_file() {
        let whole = answer(200, &[("content-length", "7")]).unwrap();
        assert_eq!((whole.first_len(&(0..10)).unwrap(), whole.version().len), (7, 7));
        assert!(whole.first_len(&(0..5)).is_err());
        let short = answer(206, &[("content-range", "bytes 0-6/7")]).unwrap();
        assert_eq!(short.first_len(&(0..10)).unwrap(), 7);
        let empty = answer(416, &[("content-range", "bytes */0")]).unwrap();
        assert_eq!(empty.first_len(&(0..10)).unwrap(), 0);
    }

    #[test]
    fn refusals_name_the_request() {
        let refusal = |status| answer(status, &[]).unwrap_err();
        assert_eq!(refusal(404), "GET http://x/f bytes 5..9: the server answers with status 404");
        assert!(refusal(206).ends_with("the server says that it sends \"nothing\""));
        assert!(refusal(200).ends_with("the server does not tell the file's length"));
        let packed = answer(206, &[("content-encoding", "gzip")]).unwrap_err();
        assert!(packed.ends_with("the server encodes the bytes as gzip"));
    }
}
