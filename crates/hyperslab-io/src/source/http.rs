//! A file on an HTTP server that supports range requests (RFC 9110, section 14), over plain `http`.
//!
//! The first request fetches the beginning of the file. Its response also contains the length and the entity tag, so
//! opening takes one request. All further requests ask for the same state of the file (`If-Match`), and their responses
//! are checked. A request that fails for a temporary reason (a busy server, a broken connection) is repeated a few
//! times.
//!
//! Not handled: TLS, authentication, and servers without range requests (unless the whole file is not larger than the
//! first request).

mod response;

use super::{Advice, Source};
use crate::{Cancel, Deliver, Version, fetch_on_threads};
use bytes::Bytes;
use response::{Failure, ResponseHead};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// The settings for reading a file on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The most requests in flight, each on its own connection.
    pub in_flight_max: usize,
    /// The number of attempts before a failed request is reported; at least 1.
    pub attempts: u32,
    /// The timeout for a connection, and for further bytes on a connection.
    pub timeout: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self { in_flight_max: 32, attempts: 4, timeout: Duration::from_secs(30) }
    }
}

/// An open file on a server.
pub struct HttpFile {
    client: Arc<Client>,
    version: Version,
    /// The beginning of the file, from the first response.
    head: Bytes,
    in_flight_max: usize,
}

/// The bytes of the first request.
const HEAD_BYTES: u64 = 64 << 10;
/// The pause before the second attempt. It doubles before each further attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The largest initial buffer of a response. A length that a server claims is not allocated before the bytes arrive.
const CLAIMED_BYTES_MAX: usize = 4 << 20;

impl HttpFile {
    /// Opens a file by its URL, which begins with `http://`.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`], [`io::ErrorKind::PermissionDenied`], or the error of the server or the connection.
    pub fn open(url: &str) -> io::Result<Self> {
        Self::open_with(url, HttpOptions::default())
    }

    /// Opens a file by its URL, with these settings.
    ///
    /// # Errors
    /// As [`HttpFile::open`].
    pub fn open_with(url: &str, options: HttpOptions) -> io::Result<Self> {
        let HttpOptions { in_flight_max, attempts, timeout } = options;
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_idle_connections(in_flight_max)
            .max_idle_connections_per_host(in_flight_max)
            .timeout_connect(Some(timeout))
            .timeout_recv_response(Some(timeout))
            .timeout_per_read(Some(timeout))
            .build();
        let client = Client { agent: config.into(), url: url.to_string(), attempts: attempts.max(1) };
        let first = 0..HEAD_BYTES;
        let (version, head) = client.get(&first, None, |head, body| {
            let len = head.first_len(&first)?;
            Ok((head.version(), received(body, len)?))
        })?;
        Ok(Self { client: Arc::new(client), version, head, in_flight_max: in_flight_max.max(1) })
    }

    /// The state of the file that was opened.
    pub fn version(&self) -> &Version {
        &self.version
    }

    fn in_head(&self, range: &Range<u64>) -> Option<Bytes> {
        let fits = range.start <= range.end && range.end <= self.head.len() as u64;
        fits.then(|| self.head.slice(range.start as usize..range.end as usize))
    }

    /// Returns an error for a range that is not in the file.
    fn check(&self, range: &Range<u64>) -> io::Result<()> {
        if range.start <= range.end && range.end <= self.version.len {
            return Ok(());
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

impl Source for HttpFile {
    fn len(&self) -> u64 {
        self.version.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let range = at..at.checked_add(out.len() as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.check(&range)?;
        if let Some(bytes) = self.in_head(&range) {
            out.copy_from_slice(&bytes);
            return Ok(());
        }
        self.client.get(&range, Some(&self.version), |_, body| fill(body, out))
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        let mut remote = Vec::with_capacity(ranges.len());
        for (index, range) in ranges.iter().enumerate() {
            let known = match self.check(range) {
                Ok(()) => self.in_head(range).or_else(|| range.is_empty().then(Bytes::new)).map(Ok),
                Err(error) => Some(Err(error)),
            };
            match known {
                None => remote.push(index),
                Some(result) => {
                    if cancel.is_cancelled() || deliver(index, result).is_break() {
                        return;
                    }
                }
            }
        }
        let wanted: Vec<_> = remote.iter().map(|&index| ranges[index].clone()).collect();
        let (client, version) = (self.client.clone(), self.version.clone());
        let read = move |range: Range<u64>| {
            client.get(&range, Some(&version), |_, body| received(body, range.end - range.start))
        };
        fetch_on_threads(Arc::new(read), self.in_flight_max, &wanted, cancel, &mut |number, result| {
            deliver(remote[number], result)
        });
    }

    fn advice(&self) -> Advice {
        // A request takes some tens of milliseconds, in which a connection could transfer megabytes. But other requests
        // are in flight at the same time, so only small gaps are worth fetching. There can be as many responses in
        // memory as requests, so requests must not be large.
        Advice {
            gap_bytes: 128 << 10,
            request_bytes_max: 4 << 20,
            block_bytes: 64 << 10,
            in_flight_max: self.in_flight_max,
        }
    }

    fn name(&self) -> String {
        self.client.url.clone()
    }
}

/// Makes requests for one URL.
struct Client {
    agent: ureq::Agent,
    url: String,
    attempts: u32,
}

impl Client {
    /// Requests a range of the state `opened` of the file (of any state if `None`), and calls `take` to read the body
    /// of the response. A request that fails for a temporary reason is repeated.
    fn get<T>(
        &self,
        range: &Range<u64>,
        opened: Option<&Version>,
        mut take: impl FnMut(&ResponseHead, &mut dyn Read) -> Result<T, Failure>,
    ) -> io::Result<T> {
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            match self.try_get(range, opened, &mut take) {
                Ok(value) => return Ok(value),
                Err(Failure::Transient(_)) if attempt < self.attempts => {}
                Err(failure) => return Err(failure.of_request(&self.url, range, attempt)),
            }
            std::thread::sleep(pause);
            pause *= 2;
        }
        unreachable!("the last attempt returns")
    }

    fn try_get<T>(
        &self,
        range: &Range<u64>,
        opened: Option<&Version>,
        take: &mut impl FnMut(&ResponseHead, &mut dyn Read) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let last = range.end.saturating_sub(1);
        let mut request = self
            .agent
            .get(&self.url)
            .header("Range", format!("bytes={}-{last}", range.start))
            .header("Accept-Encoding", "identity");
        if let Some(tag) = opened.and_then(response::strong_tag) {
            request = request.header("If-Match", tag);
        }
        let mut response = request.call().map_err(Failure::of_connection)?;
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let status = response.status().as_u16();
        if let (412, Some(opened)) = (status, opened) {
            return Err(Failure::changed(&self.url, opened, "another entity tag".into()));
        }
        let head = ResponseHead::new(status, header)?;
        if let Some(opened) = opened {
            head.check(&self.url, range, opened)?;
        }
        take(&head, &mut response.body_mut().as_reader())
    }
}

/// Reads exactly `len` bytes into a buffer that grows as they arrive.
fn received(body: &mut dyn Read, len: u64) -> Result<Bytes, Failure> {
    let mut bytes = Vec::new();
    let claimed = usize::try_from(len).unwrap_or(usize::MAX).min(CLAIMED_BYTES_MAX);
    bytes.try_reserve_exact(claimed).map_err(|error| Failure::Final(error.into()))?;
    body.take(len).read_to_end(&mut bytes).map_err(Failure::Transient)?;
    if (bytes.len() as u64) < len {
        return Err(Failure::short(bytes.len() as u64, len));
    }
    read_to_end(body);
    Ok(Bytes::from(bytes))
}

/// Fills `out` with exactly as many bytes as it has.
fn fill(body: &mut dyn Read, out: &mut [u8]) -> Result<(), Failure> {
    let mut filled = 0;
    while filled < out.len() {
        match body.read(&mut out[filled..]).map_err(Failure::Transient)? {
            0 => return Err(Failure::short(filled as u64, out.len() as u64)),
            read => filled += read,
        }
    }
    read_to_end(body);
    Ok(())
}

/// Reads the end of the body, which is necessary for the connection to be used again.
fn read_to_end(body: &mut dyn Read) {
    let _ = body.read(&mut [0]);
}
