//! An open file of a store or of a web server, as a source of bytes.

use crate::client::{Cause, Client, Received, get_all};
use crate::network::Network;
use crate::options::RemoteOptions;
use crate::traffic;
use crate::transport::{ObjectOfStore, Transport, WebServer, is_store_url};
use bytes::Bytes;
use hyperslab_io::{Advice, Cancel, Cancelled, Deliver, Location, Source, Version, purpose};
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// An open file of a store or of a web server.
pub struct RemoteFile {
    client: Arc<Client>,
    version: Arc<Version>,
    /// The beginning of the file, from the first response.
    head: Bytes,
}

/// The time between two checks of the cancellation flag while no bytes arrive.
const CANCEL_INTERVAL: Duration = Duration::from_millis(20);

impl RemoteFile {
    /// Opens the file at a URL. This takes one request.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`], [`io::ErrorKind::PermissionDenied`], [`io::ErrorKind::InvalidInput`] for an invalid
    /// URL or option, or the error of the server or the connection.
    pub fn open(url: &str, options: RemoteOptions) -> io::Result<Self> {
        let transport: Box<dyn Transport> = match is_store_url(url) {
            true => Box::new(ObjectOfStore::new(url, &options.store)?),
            false => Box::new(WebServer::new(url, &options.headers)?),
        };
        let client = Arc::new(Client::new(Location::from(url).to_string(), transport, options));
        let cause = Cause { round: traffic::begin_round(), reason: "beginning of the file" };
        let (began, first) = (Instant::now(), client.clone());
        let opened = Network::get()?.wait(async move { first.first(cause).await });
        traffic::waited(began.elapsed());
        let (version, head) = opened?;
        Ok(Self { client, version: Arc::new(version), head })
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

impl Source for RemoteFile {
    fn len(&self) -> u64 {
        self.version.len
    }

    fn beginning(&self) -> Bytes {
        self.head.clone()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let range = at..at.checked_add(out.len() as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut result = Err(Cancelled.into());
        self.fetch(&[range], &Cancel::never(), &mut |_, bytes| {
            result = bytes.map(|bytes| out.copy_from_slice(&bytes));
            std::ops::ControlFlow::Break(())
        });
        result
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        let mut remote = Vec::with_capacity(ranges.len());
        for (index, range) in ranges.iter().enumerate() {
            let known = match self.check(range) {
                Ok(()) => self.in_head(range).or_else(|| range.is_empty().then(Bytes::new)).map(Ok),
                Err(error) => Some(Err(error)),
            };
            match known {
                None => remote.push((index, range.clone())),
                Some(result) => {
                    if cancel.is_cancelled() || deliver(index, result).is_break() {
                        return;
                    }
                }
            }
        }
        let Some(&(first, _)) = remote.first() else { return };
        let network = match Network::get() {
            Ok(network) => network,
            Err(error) => {
                let _ = deliver(first, Err(error));
                return;
            }
        };
        let cause = Cause { round: traffic::begin_round(), reason: purpose::current() };
        let (sender, received) = channel();
        let began = Instant::now();
        let expected = remote.iter().map(|(index, _)| *index).collect();
        let _task = network.spawn(get_all(self.client.clone(), self.version.clone(), remote, cause, sender));
        deliver_all(&received, expected, cancel, deliver);
        traffic::waited(began.elapsed());
    }

    fn advice(&self) -> Advice {
        // Many requests are in flight at the same time, so only small gaps are worth fetching.
        Advice {
            gap_bytes: 64 << 10,
            request_bytes_max: 4 << 20,
            block_bytes: 64 << 10,
            in_flight_max: self.client.options.in_flight_max.max(2),
        }
    }

    fn name(&self) -> String {
        self.client.name.clone()
    }
}

/// Delivers the responses as they arrive, on this thread, until each of the `expected` ones has arrived.
fn deliver_all(
    received: &Receiver<Received>,
    mut expected: BTreeSet<usize>,
    cancel: &Cancel,
    deliver: &mut Deliver<'_>,
) {
    while !expected.is_empty() && !cancel.is_cancelled() {
        let (index, result) = match received.recv_timeout(CANCEL_INTERVAL) {
            Ok(Received { index, result, .. }) => (index, result),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => {
                let first = expected.first().copied().expect("the set is not empty");
                (first, Err(io::Error::other("a network task ended without a result")))
            }
        };
        expected.remove(&index);
        if deliver(index, result).is_break() {
            return;
        }
    }
}
