//! Requests to a web server, for `http://` and `https://` URLs. The query, which may contain a signature, is kept.

use super::Transport;
use crate::answer::Answer;
use crate::failure::{Failure, with_causes};
use crate::network::Network;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use reqwest::Url;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, IF_MATCH, RANGE};
use std::io;
use std::ops::Range;

/// A file of a web server.
pub(crate) struct WebServer {
    url: Url,
    headers: HeaderMap,
}

impl WebServer {
    /// The file at a URL, which is requested with these headers, too.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the URL or a header is invalid.
    pub fn new(url: &str, headers: &[(String, String)]) -> io::Result<Self> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        let url = Url::parse(url).map_err(|error| invalid(format!("invalid URL: {error}")))?;
        let header = |(name, value): &(String, String)| -> Option<(HeaderName, HeaderValue)> {
            let mut value: HeaderValue = value.parse().ok()?;
            value.set_sensitive(true);
            Some((name.parse().ok()?, value))
        };
        let header = |pair| header(pair).ok_or_else(|| invalid(format!("invalid header {:?}", pair.0)));
        Ok(Self { url, headers: headers.iter().map(header).collect::<io::Result<_>>()? })
    }

    async fn get(&self, range: Range<u64>, tag: Option<String>) -> Result<Answer, Failure> {
        let network = Network::get().map_err(Failure::Final)?;
        let last = range.end.saturating_sub(1);
        let mut request = network
            .client
            .get(self.url.clone())
            .headers(self.headers.clone())
            .header(RANGE, format!("bytes={}-{last}", range.start))
            .header(ACCEPT_ENCODING, "identity");
        if let Some(tag) = tag {
            request = request.header(IF_MATCH, tag);
        }
        let response = request.send().await.map_err(of_reqwest)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes_stream().map(|bytes| bytes.map_err(of_reqwest)).boxed();
        Ok(Answer { status, headers, body })
    }
}

impl Transport for WebServer {
    fn get(&self, range: Range<u64>, tag: Option<String>) -> BoxFuture<'_, Result<Answer, Failure>> {
        self.get(range, tag).boxed()
    }
}

/// Errors of connections are temporary; those of the request itself and of redirections are not.
pub(super) fn of_reqwest(error: reqwest::Error) -> Failure {
    let is_final = error.is_builder() || error.is_redirect();
    let kind = if error.is_timeout() { io::ErrorKind::TimedOut } else { io::ErrorKind::Other };
    let error = io::Error::new(kind, with_causes(&error.without_url()));
    if is_final { Failure::Final(error) } else { Failure::connection(error) }
}
