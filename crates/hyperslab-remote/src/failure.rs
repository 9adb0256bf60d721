//! Why a request failed.

use hyperslab_io::{Changed, Version};
use std::io;
use std::ops::Range;
use std::time::Duration;

/// Why an attempt of a request failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// For a temporary reason: it may succeed if it is repeated.
    Transient {
        /// The reason.
        error: io::Error,
        /// The pause that the server asks for.
        pause: Option<Duration>,
        /// The server has too many requests.
        is_busy: bool,
        /// There was no connection: no server listens, or the name of the host is unknown.
        is_unreachable: bool,
    },
    /// For a permanent reason.
    Final(io::Error),
}

impl Failure {
    /// A permanent failure with this message.
    pub fn refused(what: impl Into<String>) -> Self {
        Self::Final(io::Error::other(what.into()))
    }

    /// A temporary failure of a connection.
    pub fn connection(error: io::Error) -> Self {
        Self::Transient { error, pause: None, is_busy: false, is_unreachable: false }
    }

    /// A connection could not be made.
    pub fn unreachable(error: io::Error) -> Self {
        Self::Transient { error, pause: None, is_busy: false, is_unreachable: true }
    }

    /// The file has changed since it was opened.
    pub fn changed(name: &str, opened: &Version, found: String) -> Self {
        Self::Final(Changed { name: name.into(), opened: opened.clone(), found }.into())
    }

    /// The body ended early.
    pub fn short(found: u64, expected: u64) -> Self {
        let what = format!("the response ended after {found} of {expected} bytes");
        Self::connection(io::Error::new(io::ErrorKind::UnexpectedEof, what))
    }

    /// The response did not arrive in time.
    pub fn timed_out(what: &str, after: Duration) -> Self {
        let what = format!("{what} did not arrive within {after:?}");
        Self::connection(io::Error::new(io::ErrorKind::TimedOut, what))
    }

    /// The error, with the request in its message.
    pub fn of_request(self, name: &str, range: &Range<u64>, attempts: u32) -> io::Error {
        let (Self::Transient { error, .. } | Self::Final(error)) = self;
        if error.get_ref().is_some_and(|inner| inner.is::<Changed>()) {
            return error;
        }
        let tried = if attempts > 1 { format!(" (tried {attempts} times)") } else { String::new() };
        io::Error::new(
            error.kind(),
            format!("GET {name} bytes {}..{}: {error}{tried}", range.start, range.end),
        )
    }
}

/// The messages of an error and of its causes, joined, each once.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    without_queries(&text)
}

/// The text with the query of every URL in it removed: queries contain signatures and tokens.
pub(crate) fn without_queries(text: &str) -> String {
    let shown = |word: &str| match (word.contains("://"), word.find('?')) {
        (true, Some(query)) => {
            let end = word[query..].find(['"', '\'', ')', '>', ',']).map_or(word.len(), |end| query + end);
            format!("{}{}", &word[..query], &word[end..])
        }
        _ => word.to_string(),
    };
    text.split(' ').map(shown).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_urls_are_not_shown() {
        let text = "error for url (https://host/a?X-Amz-Signature=secret&b=1), why? because";
        assert_eq!(without_queries(text), "error for url (https://host/a), why? because");
    }

    #[test]
    fn an_error_names_the_request_unless_the_file_has_changed() {
        let error = Failure::short(3, 10).of_request("s3://b/k", &(5..15), 2);
        assert_eq!(
            error.to_string(),
            "GET s3://b/k bytes 5..15: the response ended after 3 of 10 bytes (tried 2 times)"
        );
        let opened = Version { len: 10, modified: None, tag: None };
        let error =
            Failure::changed("s3://b/k", &opened, "11 bytes".into()).of_request("s3://b/k", &(0..1), 1);
        assert!(error.to_string().starts_with("s3://b/k changed after it was opened"), "{error}");
    }
}
