//! A response: its status and headers, which are checked before its body is read, and its body.

use crate::failure::Failure;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use hyperslab_io::Version;
use reqwest::StatusCode;
use reqwest::header::{self, HeaderMap, HeaderName};
use std::io;
use std::ops::Range;
use std::time::Duration;

/// A response to a request for a range.
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: BoxStream<'static, Result<Bytes, Failure>>,
}

/// The largest initial buffer for a body. A length that a server claims is not allocated before the bytes arrive.
const CLAIMED_BYTES_MAX: usize = 4 << 20;
/// The most bytes that are read of the body of an error.
const ERROR_BODY_MAX: usize = 16 << 10;
/// The most characters of a server's message that are shown.
const WORDS_MAX: usize = 300;

/// The bytes that the body of a successful response contains.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// The bytes of the file that the body contains.
    pub range: Range<u64>,
    /// The length of the whole file.
    pub total: u64,
    /// The entity tag or, without one, the time of the last modification.
    pub tag: Option<String>,
    /// True if the server sent the whole file instead of the requested range.
    pub is_whole: bool,
}

impl Answer {
    /// What the body contains, or why the request failed.
    pub fn content(&self) -> Result<Content, Failure> {
        let header = |name: HeaderName| self.headers.get(name).and_then(|value| value.to_str().ok());
        let (range, total) = match self.status.as_u16() {
            206 => {
                let text = header(header::CONTENT_RANGE).unwrap_or("nothing");
                let invalid =
                    || Failure::refused(format!("the server sent the invalid Content-Range {text:?}"));
                content_range(text).ok_or_else(invalid)?
            }
            200 => {
                let total = header(header::CONTENT_LENGTH).and_then(|text| text.parse().ok());
                let unknown = || Failure::refused("the server does not report the length of the file");
                let total = total.ok_or_else(unknown)?;
                (0..total, total)
            }
            // The first request to an empty file.
            416 if header(header::CONTENT_RANGE) == Some("bytes */0") => (0..0, 0),
            _ => return Err(self.refusal()),
        };
        if let Some(coding) = header(header::CONTENT_ENCODING).filter(|coding| !is_identity(coding)) {
            let what =
                format!("the server encodes the bytes as {coding}, so that ranges of the file are not known");
            return Err(Failure::refused(what));
        }
        let tag = header(header::ETAG).or_else(|| header(header::LAST_MODIFIED)).map(str::to_string);
        Ok(Content { range, total, tag, is_whole: self.status == StatusCode::OK })
    }

    /// The failure that the status means.
    fn refusal(&self) -> Failure {
        let status = self.status.as_u16();
        let error = |kind| io::Error::new(kind, format!("the server responded with status {status}"));
        let after = self.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        match status {
            404 | 410 => Failure::Final(error(io::ErrorKind::NotFound)),
            401 | 403 => Failure::Final(error(io::ErrorKind::PermissionDenied)),
            408 | 425 | 429 | 500..=599 => Failure::Transient {
                error: error(io::ErrorKind::Other),
                pause: after.map(Duration::from_secs),
                is_busy: matches!(status, 429 | 503),
                is_unreachable: false,
            },
            _ => Failure::Final(error(io::ErrorKind::Other)),
        }
    }

    /// The failure, with the server's words from the body.
    pub async fn explain(mut self, failure: Failure) -> Failure {
        if self.status.is_success() {
            return failure;
        }
        let mut body = Vec::new();
        while let Some(Ok(bytes)) = self.body.next().await {
            body.extend_from_slice(&bytes[..bytes.len().min(ERROR_BODY_MAX - body.len())]);
            if body.len() == ERROR_BODY_MAX {
                break;
            }
        }
        let (code, words) = server_words(&String::from_utf8_lossy(&body));
        let say = |error: io::Error| match words.as_str() {
            "" => error,
            words => io::Error::new(error.kind(), format!("{error}: {words}")),
        };
        match (failure, code.as_deref()) {
            // S3 reports some temporary failures with status 400.
            (
                Failure::Final(error),
                Some("RequestTimeout" | "SlowDown" | "InternalError" | "ServiceUnavailable"),
            ) => Failure::connection(say(error)),
            (Failure::Final(error), Some("ExpiredToken" | "TokenRefreshRequired" | "RequestExpired")) => {
                Failure::Final(io::Error::new(io::ErrorKind::PermissionDenied, say(error).to_string()))
            }
            (Failure::Final(error), _) => Failure::Final(say(error)),
            (Failure::Transient { error, pause, is_busy, is_unreachable }, _) => {
                Failure::Transient { error: say(error), pause, is_busy, is_unreachable }
            }
        }
    }

    /// Reads exactly `len` bytes, with this timeout for each part that arrives.
    pub async fn receive(&mut self, len: u64, timeout: Duration) -> Result<Bytes, Failure> {
        let mut buffer = Vec::new();
        let claimed = usize::try_from(len).unwrap_or(usize::MAX).min(CLAIMED_BYTES_MAX);
        buffer.try_reserve_exact(claimed).map_err(|error| Failure::Final(error.into()))?;
        while (buffer.len() as u64) < len {
            let next = tokio::time::timeout(timeout, self.body.next()).await;
            match next.map_err(|_| Failure::timed_out("the next part of the response", timeout))? {
                None => return Err(Failure::short(buffer.len() as u64, len)),
                Some(bytes) => {
                    let bytes = bytes?;
                    let wanted = usize::try_from(len - buffer.len() as u64).unwrap_or(usize::MAX);
                    buffer.try_reserve(bytes.len()).map_err(|error| Failure::Final(error.into()))?;
                    buffer.extend_from_slice(&bytes[..bytes.len().min(wanted)]);
                }
            }
        }
        // The connection can be used again only after the end of the body.
        let _ = tokio::time::timeout(Duration::from_millis(50), self.body.next()).await;
        Ok(Bytes::from(buffer))
    }
}

impl Content {
    /// The content of a response that says that the file is still in this state.
    pub fn unchanged(known: &Version) -> Self {
        Self { range: 0..0, total: known.len, tag: known.tag.clone(), is_whole: false }
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
    pub fn check(&self, name: &str, requested: &Range<u64>, opened: &Version) -> Result<(), Failure> {
        let is_same_tag = self.tag.is_none() || self.tag == opened.tag;
        if self.total != opened.len || !is_same_tag {
            return Err(Failure::changed(name, opened, self.version().to_string()));
        }
        if self.range == *requested { Ok(()) } else { Err(self.wrong_range(requested)) }
    }

    fn wrong_range(&self, requested: &Range<u64>) -> Failure {
        if self.is_whole {
            return Failure::refused(format!(
                "the server sent the whole file ({} bytes) instead of a range; it must support range requests",
                self.total
            ));
        }
        let (found, end) = (&self.range, requested.end);
        Failure::refused(format!(
            "the server sent bytes {}..{} for a request of {}..{end}",
            found.start, found.end, requested.start
        ))
    }
}

/// `aws-chunked` is how the object was uploaded; its stored bytes are not encoded.
fn is_identity(coding: &str) -> bool {
    coding.split(',').all(|coding| matches!(coding.trim(), "identity" | "aws-chunked" | ""))
}

/// The entity tag, if it is a strong one. `If-Match` does not accept weak entity tags.
pub(crate) fn strong_tag(version: &Version) -> Option<&str> {
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

/// The code and the message in the body of an error: of XML those elements, of JSON and other text all of it; nothing
/// of a web page.
pub(crate) fn server_words(body: &str) -> (Option<String>, String) {
    let element = |name: &str| {
        let (_, rest) = body.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(text, _)| text.trim().to_string())
    };
    let code = element("Code");
    let text = match (&code, element("Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.clone(),
        (None, _) if body.trim_start().starts_with('<') => String::new(),
        (None, _) => body.trim().to_string(),
    };
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(WORDS_MAX).collect();
    (code, crate::failure::without_queries(&shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &'static str)]) -> Answer {
        let pairs = headers
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), header::HeaderValue::from_static(value)));
        let status = StatusCode::from_u16(status).unwrap();
        Answer { status, headers: pairs.collect(), body: futures_util::stream::empty().boxed() }
    }

    fn content(status: u16, headers: &[(&'static str, &'static str)]) -> Result<Content, String> {
        let failed = |failure: Failure| failure.of_request("http://x/f", &(5..9), 1).to_string();
        answer(status, headers).content().map_err(failed)
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
        let received = content(206, &[("content-range", "bytes 5-8/100"), ("etag", "\"a\"")]).unwrap();
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
        let whole = content(200, &[("content-length", "7")]).unwrap();
        assert_eq!((whole.first_len(&(0..10)).unwrap(), whole.version().len), (7, 7));
        assert!(whole.first_len(&(0..5)).is_err());
        let short = content(206, &[("content-range", "bytes 0-6/7")]).unwrap();
        assert_eq!(short.first_len(&(0..10)).unwrap(), 7);
        let empty = content(416, &[("content-range", "bytes */0")]).unwrap();
        assert_eq!(empty.first_len(&(0..10)).unwrap(), 0);
    }

    #[test]
    fn refusals_name_the_request() {
        let refusal = |status| content(status, &[]).unwrap_err();
        assert_eq!(refusal(404), "GET http://x/f bytes 5..9: the server responded with status 404");
        assert!(refusal(206).ends_with("the server sent the invalid Content-Range \"nothing\""));
        assert!(refusal(200).ends_with("the server does not report the length of the file"));
        let packed =
            content(206, &[("content-range", "bytes 5-8/100"), ("content-encoding", "gzip")]).unwrap_err();
        assert!(packed.contains("the server encodes the bytes as gzip"), "{packed}");
        let uploaded = [("content-range", "bytes 5-8/100"), ("content-encoding", "aws-chunked")];
        assert!(content(206, &uploaded).is_ok());
    }

    #[test]
    fn busy_servers_and_temporary_failures_are_recognized() {
        let failure = answer(503, &[("retry-after", "3")]).content().unwrap_err();
        let Failure::Transient { pause, is_busy, .. } = failure else { panic!("{failure:?}") };
        assert_eq!((pause, is_busy), (Some(Duration::from_secs(3)), true));
        let failure = answer(500, &[]).content().unwrap_err();
        assert!(matches!(
            failure,
            Failure::Transient { is_busy: false, pause: None, is_unreachable: false, .. }
        ));
    }

    #[test]
    fn the_words_of_a_server_are_shown_and_web_pages_are_not() {
        let xml =
            "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>It is\nmissing</Message></Error>";
        assert_eq!(server_words(xml), (Some("NoSuchKey".into()), "NoSuchKey: It is missing".into()));
        assert_eq!(server_words("<html><body>no</body></html>"), (None, String::new()));
        assert_eq!(server_words(" plain words "), (None, "plain words".into()));
    }
}
