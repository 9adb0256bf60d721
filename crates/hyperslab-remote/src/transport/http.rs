//! Requests to a web server, for `http://` and `https://` URLs. The query, which may contain a signature, is kept.
//!
//! Redirections are followed here and not by the HTTP client, because of what each server may receive: the headers and the
//! user of the URL are for its own server, and each login is for its own host. The last URL of a redirection, which is often
//! signed for a limited time, is used for the next requests until its server refuses it.

use super::login::{Login, Logins};
use super::{Condition, Transport};
use crate::answer::Answer;
use crate::failure::{Failure, with_causes};
use crate::network::Network;
use crate::options::RemoteOptions;
use crate::traffic;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_MATCH,
    IF_NONE_MATCH, LOCATION, RANGE,
};
use reqwest::{Response, Url};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most redirections of one request.
const REDIRECTIONS_MAX: usize = 10;

/// A file of a web server.
pub(crate) struct WebServer {
    url: Url,
    headers: HeaderMap,
    /// Of which the limits count redirected requests, too.
    options: RemoteOptions,
    state: Mutex<State>,
}

/// What was found out by earlier requests.
#[derive(Default)]
struct State {
    /// Where they were redirected to.
    target: Option<Url>,
    logins: Option<Arc<Logins>>,
}

/// A request for a range of the file, to any server.
struct RangeRequest {
    range: Range<u64>,
    condition: Condition,
    logins: Arc<Logins>,
}

impl WebServer {
    /// The file at a URL, which is requested with the headers of the options, too.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the URL or a header is invalid.
    pub fn new(url: &str, options: &RemoteOptions) -> io::Result<Self> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        let url = Url::parse(url).map_err(|error| invalid(format!("invalid URL: {error}")))?;
        let header = |(name, value): &(String, String)| -> Option<(HeaderName, HeaderValue)> {
            let mut value: HeaderValue = value.parse().ok()?;
            value.set_sensitive(true);
            Some((name.parse().ok()?, value))
        };
        let header = |pair| header(pair).ok_or_else(|| invalid(format!("invalid header {:?}", pair.0)));
        let headers = options.headers.iter().map(header).collect::<io::Result<_>>()?;
        Ok(Self { url, headers, options: options.clone(), state: Mutex::default() })
    }

    async fn get(&self, range: Range<u64>, condition: Condition) -> Result<Answer, Failure> {
        let (target, logins) = {
            let mut state = self.state();
            let logins = state.logins.get_or_insert_with(|| Arc::new(Logins::read())).clone();
            (state.target.clone(), logins)
        };
        let request = RangeRequest { range, condition, logins };
        if let Some(target) = target {
            let response = self.follow(target, &request).await?;
            if !matches!(response.status().as_u16(), 400 | 401 | 403 | 404 | 410) {
                return Ok(answer(response));
            }
            // The signature of the URL, or the login, has expired.
            *self.state() = State::default();
            self.count()?;
            let logins = Arc::new(Logins::read());
            return Ok(answer(self.follow(self.url.clone(), &RangeRequest { logins, ..request }).await?));
        }
        Ok(answer(self.follow(self.url.clone(), &request).await?))
    }

    /// Makes a request, and further ones as long as it is redirected.
    async fn follow(&self, start: Url, request: &RangeRequest) -> Result<Response, Failure> {
        let mut url = start.clone();
        for _ in 0..=REDIRECTIONS_MAX {
            let response = self.send(&url, request).await?;
            let Some(next) = redirection(&url, &response)? else {
                if url.host_str() != self.url.host_str() {
                    refuse_login_page(&url, &response)?;
                }
                if url != start && response.status().is_success() {
                    self.state().target = Some(url);
                }
                return Ok(response);
            };
            self.count()?;
            url = next;
        }
        Err(Failure::refused(format!("the server redirects more than {REDIRECTIONS_MAX} times")))
    }

    /// Counts a further request for the same range. The first one was counted by its caller.
    fn count(&self) -> Result<(), Failure> {
        traffic::begin_request(self.options.limits()).map_err(Failure::Final)
    }

    /// Makes a single request.
    async fn send(&self, url: &Url, request: &RangeRequest) -> Result<Response, Failure> {
        let network = Network::get().map_err(Failure::Final)?;
        let last = request.range.end.saturating_sub(1);
        let mut sent = network
            .client
            .get(url.clone())
            .header(RANGE, format!("bytes={}-{last}", request.range.start))
            .header(ACCEPT_ENCODING, "identity");
        sent = match &request.condition {
            Condition::None => sent,
            Condition::Match(tag) => sent.header(IF_MATCH, tag),
            Condition::NoneMatch(tag) => sent.header(IF_NONE_MATCH, tag),
        };
        let is_own = url.origin() == self.url.origin();
        if is_own {
            sent = sent.headers(self.headers.clone());
        }
        let is_authorized =
            is_own && (self.headers.contains_key(AUTHORIZATION) || !url.username().is_empty());
        if let (Some(login), false) = (request.logins.of(url), is_authorized) {
            sent = match login {
                Login::Password { user, password } => sent.basic_auth(user, Some(password)),
                Login::Token(token) => sent.bearer_auth(token),
            };
        }
        sent.send().await.map_err(of_reqwest)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a response redirects to, if it does.
fn redirection(from: &Url, response: &Response) -> Result<Option<Url>, Failure> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let next = location.and_then(|location| from.join(location).ok());
    let next = next.filter(|next| matches!(next.scheme(), "http" | "https"));
    let next = next.ok_or_else(|| Failure::refused("the server redirects to an invalid URL"))?;
    if from.scheme() == "https" && next.scheme() == "http" {
        return Err(Failure::refused("the server redirects to a connection without encryption"));
    }
    Ok(Some(next))
}

/// Returns an error for the page of a login, to which the server of the file has redirected.
fn refuse_login_page(url: &Url, response: &Response) -> Result<(), Failure> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_page = response.status().is_success() && kind.starts_with("text/html");
    if response.status().as_u16() != 401 && !is_page {
        return Ok(());
    }
    let host = url.host_str().unwrap_or_default();
    let what = format!(
        "the server redirects to a login at {host}; add `machine {host} login USER password PASSWORD` to ~/.netrc (for \
         Earthdata, a token in EARTHDATA_TOKEN serves, too)"
    );
    Err(Failure::Final(io::Error::new(io::ErrorKind::PermissionDenied, what)))
}

fn answer(response: Response) -> Answer {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response.bytes_stream().map(|bytes| bytes.map_err(of_reqwest)).boxed();
    Answer { status, headers, body }
}

impl Transport for WebServer {
    fn get(&self, range: Range<u64>, condition: Condition) -> BoxFuture<'_, Result<Answer, Failure>> {
        self.get(range, condition).boxed()
    }
}

/// Errors of connections are temporary; those of the request itself are not.
pub(super) fn of_reqwest(error: reqwest::Error) -> Failure {
    let (is_final, is_unreachable) = (error.is_builder(), error.is_connect());
    let kind = if error.is_timeout() { io::ErrorKind::TimedOut } else { io::ErrorKind::Other };
    let error = io::Error::new(kind, with_causes(&error.without_url()));
    match (is_final, is_unreachable) {
        (true, _) => Failure::Final(error),
        (false, true) => Failure::unreachable(error),
        (false, false) => Failure::connection(error),
    }
}
