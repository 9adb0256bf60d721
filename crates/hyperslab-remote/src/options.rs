//! The settings of remote files.

use crate::disk_cache::DiskCache;
use crate::traffic::Limits;
use std::time::Duration;

/// The settings for reading remote files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteOptions {
    /// The most requests in flight for one file, each on its own connection. At first there are at most 256; there are more
    /// if the server bears them, and never more than half of the files that the process may have open.
    pub in_flight_max: usize,
    /// The time within which a request must succeed, including all of its attempts.
    pub deadline: Duration,
    /// The number of attempts before a failed request is reported; at least 1.
    pub attempts: u32,
    /// The timeout for a response, and for further bytes of a response.
    pub timeout: Duration,
    /// The bytes of the first request. A file that is not larger takes no other request.
    pub first_bytes: u64,
    /// The most requests that the process may make; a guard against a surprise on the bill.
    pub requests_max: Option<u64>,
    /// The most bytes that the process may fetch.
    pub bytes_max: Option<u64>,
    /// Options of the store, as name and value, by the names of `object_store` (`aws_endpoint`, `azure_storage_account_name`)
    /// or those of fsspec (`anon`, `key`, `secret`, `token`, `endpoint_url`, `account_name`). They have priority over
    /// the environment.
    pub store: Vec<(String, String)>,
    /// Headers of each request to a web server, for example with a token. They are not sent to other servers to which it
    /// redirects.
    pub headers: Vec<(String, String)>,
    /// Where responses are kept for later runs and other processes.
    pub disk_cache: Option<DiskCache>,
}

impl RemoteOptions {
    /// The default settings, with the disk cache that the environment names.
    pub fn from_environment() -> Self {
        Self { disk_cache: DiskCache::from_environment(), ..Self::default() }
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { requests: self.requests_max, bytes: self.bytes_max }
    }
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self {
            in_flight_max: 1024,
            deadline: Duration::from_secs(60),
            attempts: 8,
            timeout: Duration::from_secs(20),
            first_bytes: 256 << 10,
            requests_max: None,
            bytes_max: None,
            store: Vec::new(),
            headers: Vec::new(),
            disk_cache: None,
        }
    }
}
