//! An open file of a store or of a web server, as a source of bytes.

use crate::client::{Cause, Client, Received, Wanted, get_all};
use crate::disk_cache::CachedState;
use crate::network::{CANCEL_INTERVAL, Network};
use crate::options::RemoteOptions;
use crate::traffic;
use crate::transport::{ObjectOfStore, Transport, WebServer, endpoints, is_store_url};
use bytes::Bytes;
use hyperslab_io::{
    Advice, CachedExtents, Cancel, Cancelled, Deliver, DividedRanges, Location, Source, Version, purpose,
};
use purpose::Purpose;
use std::collections::BTreeSet;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

/// An open file of a store or of a web server.
pub struct RemoteFile {
    client: Arc<Client>,
    version: Arc<Version>,
    /// The beginning of the file, from the first response, until its memory is needed for metadata that is used more.
    head: CachedExtents,
    head_bytes: u64,
    cached: Option<CachedState>,
}

impl RemoteFile {
    /// Opens the file at a URL. This takes one request.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`], [`io::ErrorKind::PermissionDenied`], [`io::ErrorKind::InvalidInput`] for an invalid
    /// URL or option, or the error of the server or the connection.
    pub fn open(url: &str, options: RemoteOptions) -> io::Result<Self> {
        let transport: Box<dyn Transport> = match is_store_url(url) {
            true => Box::new(ObjectOfStore::new(url, &options)?),
            false => Box::new(WebServer::new(url, &options)?),
        };
        let location = Location::from(url);
        let server = if is_store_url(url) { endpoints(&options.store) } else { String::new() };
        let cached = options.disk_cache.as_ref().map(|cache| cache.file(&location, &server));
        let known = cached.as_ref().and_then(|cached| cached.state());
        let client = Arc::new(Client::new(location.to_string(), transport, options));
        let purpose = Purpose { reason: "beginning of the file", serves: 1 };
        let cause = Cause { round: traffic::begin_round(), purpose };
        let (began, first) = (Instant::now(), client.clone());
        let opened = Network::get()?.wait(async move { first.first(known.as_ref(), cause).await });
        traffic::waited(began.elapsed());
        let (version, sent) = opened?;
        let cached = cached.and_then(|cached| cached.of_state(&version));
        let head = match (sent, &cached) {
            (Some(head), Some(cached)) => {
                keep_head(cached, &head);
                head
            }
            (Some(head), None) => head,
            // The file is still in the state that is known. If its beginning was removed, it is requested when needed.
            (None, cached) => {
                let range = 0..client.options.first_bytes.min(version.len);
                cached.as_ref().and_then(|cached| cached.get(&range)).unwrap_or_default()
            }
        };
        let extents = CachedExtents::new();
        extents.insert(0, &head);
        Ok(Self { client, version: Arc::new(version), head: extents, head_bytes: head.len() as u64, cached })
    }

    /// The state of the file that was opened.
    pub fn version(&self) -> &Version {
        &self.version
    }

    fn in_head(&self, range: &Range<u64>) -> Option<Bytes> {
        let fits = range.start < range.end && range.end <= self.head_bytes;
        if fits { self.head.get(range.start, range.end - range.start) } else { None }
    }

    /// The bytes of a range that need no request.
    fn known(&self, range: &Range<u64>) -> Option<Bytes> {
        let kept = || self.cached.as_ref().and_then(|cached| cached.get(range));
        self.in_head(range).or_else(|| range.is_empty().then(Bytes::new)).or_else(kept)
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
        self.in_head(&(0..self.head_bytes)).unwrap_or_default()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let range = at..at.checked_add(out.len() as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut result = Err(Cancelled.into());
        self.fetch(&[range], &Cancel::current(), &mut |_, bytes| {
            result = bytes.map(|bytes| out.copy_from_slice(&bytes));
            ControlFlow::Break(())
        });
        result
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        let mut remote = Vec::with_capacity(ranges.len());
        for (index, range) in ranges.iter().enumerate() {
            let known = match self.check(range) {
                Ok(()) => self.known(range).map(Ok),
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
        let round = traffic::begin_round();
        let (sender, received) = channel();
        let began = Instant::now();
        let bytes = remote.iter().map(|(_, range)| range.end - range.start).sum();
        let mut keep = self.cached.as_ref().and_then(|cached| cached.keep(bytes));
        let mut pieces = DividedRanges::of(remote, self.advice());
        let starts: Vec<u64> = pieces.ranges().map(|range| range.start).collect();
        let wanted = |(index, range): (usize, Range<u64>)| {
            let cause = Cause { round, purpose: purpose::of(range.start) };
            Wanted { index, range, cause }
        };
        let wanted = pieces.ranges().enumerate().map(wanted).collect();
        let _task = network.spawn(get_all(self.client.clone(), self.version.clone(), wanted, sender));
        deliver_all(&received, (0..starts.len()).collect(), cancel, &mut |piece, result| {
            if let (Ok(bytes), Some(kept)) = (&result, &mut keep)
                && !kept.add(starts[piece], bytes)
            {
                keep = None;
            }
            match pieces.add(piece, result) {
                Some((index, result)) => deliver(index, result),
                None => ControlFlow::Continue(()),
            }
        });
        traffic::waited(began.elapsed());
        if let Some(keep) = keep {
            keep.finish();
        }
    }

    fn version(&self) -> Option<Version> {
        Some((*self.version).clone())
    }

    fn advice(&self) -> Advice {
        Advice { in_flight_max: self.client.options.in_flight_max.max(2), ..Advice::REMOTE }
    }

    fn metadata_gap_bytes(&self) -> u64 {
        self.client.link().gap_bytes(self.client.in_flight())
    }

    fn name(&self) -> String {
        self.client.name.clone()
    }
}

/// Keeps the beginning of a file.
fn keep_head(cached: &CachedState, head: &Bytes) {
    let range = 0..head.len() as u64;
    if !head.is_empty()
        && cached.get(&range).is_none()
        && let Some(mut keep) = cached.keep(range.end)
        && keep.add(0, head)
    {
        keep.finish();
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
