//! The head of an HTTP request, as far as a server of files looks at it.

use std::io::{self, BufRead};

/// What a client asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub asked: Asked,
    pub if_match: Option<String>,
    pub is_head: bool,
    pub keeps_alive: bool,
}

/// Which bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    All,
    From { first: u64, last: u64 },
}

/// A head is no longer than this.
const LINES_MAX: usize = 100;

impl Request {
    /// Reads a head; `None` where the client closed the connection.
    pub fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some(first) = line(reader)? else { return Ok(None) };
        let mut request = Self {
            asked: Asked::All,
            if_match: None,
            is_head: first.starts_with("HEAD "),
            keeps_alive: true,
        };
        for _ in 0..LINES_MAX {
            let header = line(reader)?.unwrap_or_default();
            let Some((name, value)) = header.split_once(':') else { return Ok(Some(request)) };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "range" => request.asked = asked(value),
                "if-match" => request.if_match = Some(value.to_string()),
                "connection" => request.keeps_alive = !value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        Err(io::Error::other("a head without an end"))
    }
}

/// A line without its end; `None` at the end of the stream.
fn line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = reader.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end().to_string()))
}

/// `bytes=5-9`, or `bytes=5-`; what is not understood stands for the whole file, as the standard says.
fn asked(value: &str) -> Asked {
    let range = value.strip_prefix("bytes=").and_then(|range| range.split_once('-'));
    let Some((first, last)) = range else { return Asked::All };
    let last = if last.is_empty() { Ok(u64::MAX) } else { last.parse() };
    match (first.parse(), last) {
        (Ok(first), Ok(last)) => Asked::From { first, last },
        _ => Asked::All,
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
            (first.asked, first.if_match.as_deref()),
            (Asked::From { first: 5, last: 9 }, Some("\"a\""))
        );
        assert!(!first.is_head && first.keeps_alive);
        let second = Request::read(&mut text).unwrap().unwrap();
        assert_eq!(second.asked, Asked::From { first: 7, last: u64::MAX });
        assert!(second.is_head && !second.keeps_alive);
        assert_eq!(Request::read(&mut text).unwrap(), None);
    }
}
