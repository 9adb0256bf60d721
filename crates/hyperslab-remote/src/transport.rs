//! How a request for a range is sent: to a web server, or to a store with its signature.

mod http;
mod login;
mod netrc;
mod store;

use crate::answer::Answer;
use crate::failure::Failure;
use futures_util::future::BoxFuture;
pub(crate) use http::WebServer;
use std::ops::Range;
pub(crate) use store::{ObjectOfStore, endpoints, is_store_url, list};

/// The condition of a request, by the entity tag of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    None,
    /// Only of the state of the file with this entity tag.
    Match(String),
    /// Only if the file has another entity tag.
    NoneMatch(String),
}

/// Sends requests for ranges of one file.
pub(crate) trait Transport: Send + Sync {
    /// Requests a range.
    fn get(&self, range: Range<u64>, condition: Condition) -> BoxFuture<'_, Result<Answer, Failure>>;
}
