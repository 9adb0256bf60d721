//! The head of an HTTP request: the fields that a server of files uses.

use std::io::{self, BufRead};

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub bytes: RequestedBytes,
    /// The path and the query of the URL.
    pub path: String,
    pub if_match: Option<String>,
    pub if_none_match: Option<String>,
    pub is_head: bool,
    pub keeps_alive: bool,
}

/// The requested bytes of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestedBytes {
    All,
    Range { first: u64, last: u64 },
}

/// The most lines of a head.
const LINES_MAX: usize = 100;

impl Request {
    /// Reads a head; `None` if the client has closed the connection.
    pub fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some(first) = line(reader)? else { return Ok(None) };
        let mut request = Self {
            bytes: RequestedBytes::All,
            path: first.split(' ').nth(1).unwrap_or_default().to_string(),
            if_match: None,
            if_none_match: None,
            is_head: first.starts_with("HEAD "),
            keeps_alive: true,
        };
        for _ in 0..LINES_MAX {
            let header = line(reader)?.unwrap_or_default();
            let Some((name, value)) = header.split_once(':') else { return Ok(Some(request)) };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "range" => request.bytes = requested_bytes(value),
                "if-match" => request.if_match = Some(value.to_string()),
                "if-none-match" => request.if_none_match = Some(value.to_string()),
                "connection" => request.keeps_alive = !value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        Err(io::Error::other(format!("the head has more than {LINES_MAX} lines")))
    }
}

/// A line without its line break; `None` at the end of the stream.
fn line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = reader.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end().to_string()))
}

/// Parses `bytes=5-9` or `bytes=5-`. A header that is not understood means the whole file, as the standard requires.
fn requested_bytes(value: &str) -> RequestedBytes {
    let range = value.strip_prefix("bytes=").and_then(|range| range.split_once('-'));
    let Some((first, last)) = range else { return RequestedBytes::All };
    let last = if last.is_empty() { Ok(u64::MAX) } else { last.parse() };
    match (first.parse(), last) {
        (Ok(first), Ok(last)) => RequestedBytes::Range { first, last },
        _ => RequestedBytes::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_one_after_the_other() {
        let mut text = &b"GET /x HTTP/1.1\r\nHost: y\r\nRange: bytes=5-9\r\nIf-Match: \"a\"\r\n\r\n\
                          HEAD / HTTP/1.1\r\nrange: bytes=7-\r\nConnection: close\r\n\r\n"[..];
        let first = Request::read(&mut text).unwrap().unwrap();
        assert_eq!(
            (first.bytes, first.if_match.as_deref()),
            (RequestedBytes::Range { first: 5, last: 9 }, Some("\"a\""))
        );
        assert!(!first.is_head && first.keeps_alive && first.path == "/x" && first.if_none_match.is_none());
        let second = Request::read(&mut text).unwrap().unwrap();
        assert_eq!(second.bytes, RequestedBytes::Range { first: 7, last: u64::MAX });
        assert!(second.is_head && !second.keeps_alive);
        assert_eq!(Request::read(&mut text).unwrap(), None);
    }
}
