//! How a request for a range is sent: to a web server, or to a store with its signature.

mod http;
mod store;

use crate::answer::Answer;
use crate::failure::Failure;
use futures_util::future::BoxFuture;
pub(crate) use http::WebServer;
use std::ops::Range;
pub(crate) use store::{ObjectOfStore, is_store_url};

/// Sends requests for ranges of one file.
pub(crate) trait Transport: Send + Sync {
    /// Requests a range; if `tag` is given, only of the state of the file with this entity tag.
    fn get(&self, range: Range<u64>, tag: Option<String>) -> BoxFuture<'_, Result<Answer, Failure>>;
}
