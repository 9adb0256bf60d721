//! A simulated remote source in the same process: latency, bandwidth, faults and counts without sockets.

use crate::link::{Counts, Fault, Link, Traffic};
use bytes::Bytes;
use hyperslab_io::{
    Advice, Cancel, Changed, Deliver, Epoch, Source, Version, fetch_on_threads, read_into_zeros,
};
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A source that is read through a [`Link`].
#[derive(Clone)]
pub struct DistantSource {
    remote: Arc<Remote>,
    advice: Advice,
}

struct Remote {
    source: Arc<dyn Source>,
    link: Link,
    traffic: Traffic,
    is_replaced: AtomicBool,
}

impl DistantSource {
    /// Reads `source` through a link, with up to `in_flight_max` requests in flight.
    pub fn new(source: Arc<dyn Source>, link: Link, in_flight_max: usize) -> Self {
        let advice =
            Advice { gap_bytes: 128 << 10, request_bytes_max: 8 << 20, block_bytes: 64 << 10, in_flight_max };
        let (traffic, is_replaced) = (Traffic::default(), AtomicBool::new(false));
        Self { remote: Arc::new(Remote { source, link, traffic, is_replaced }), advice }
    }

    /// The same source with different advice.
    pub fn advising(self, advice: Advice) -> Self {
        Self { advice, ..self }
    }

    /// The counts of the requests so far.
    pub fn counts(&self) -> Counts {
        self.remote.traffic.counts()
    }

    /// Returns the counts since the last call.
    pub fn take_counts(&self) -> Counts {
        self.remote.traffic.take()
    }

    /// Sets the faults of the next requests, in order. `None` is a request without a fault.
    pub fn order(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.remote.traffic.order(faults);
    }

    /// From now on, every request fails because the file has changed.
    pub fn replace(&self) {
        self.remote.is_replaced.store(true, Ordering::SeqCst);
    }
}

impl Remote {
    fn read(&self, range: Range<u64>, out: &mut [u8]) -> io::Result<()> {
        let (_in_flight, fault) = self.traffic.request(range.clone());
        std::thread::sleep(self.link.latency);
        match fault {
            Some(Fault::Stall(pause)) => std::thread::sleep(pause),
            Some(fault) => {
                return Err(io::Error::other(format!("{} has a fault: {fault:?}", self.source.name())));
            }
            None => {}
        }
        self.check_unchanged()?;
        self.source.read_into(range.start, out)?;
        std::thread::sleep(self.link.transfer(out.len() as u64));
        self.traffic.sent(out.len() as u64);
        Ok(())
    }

    fn read_range(&self, range: Range<u64>) -> io::Result<Bytes> {
        if range.start > range.end || range.end > self.source.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; (range.end - range.start) as usize];
        self.read(range, &mut bytes)?;
        Ok(Bytes::from(bytes))
    }

    fn check_unchanged(&self) -> io::Result<()> {
        if !self.is_replaced.load(Ordering::SeqCst) {
            return Ok(());
        }
        let opened = Version { len: self.source.len(), modified: None, tag: None };
        Err(Changed { name: self.source.name(), opened, found: "another file".into() }.into())
    }
}

#[deny(clippy::missing_trait_methods)]
impl Source for DistantSource {
    fn len(&self) -> u64 {
        self.remote.source.len()
    }

    fn epoch(&self) -> Epoch {
        self.remote.source.epoch()
    }

    fn is_empty(&self) -> bool {
        self.remote.source.is_empty()
    }

    fn held_from(&self, at: u64) -> u64 {
        self.remote.source.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.remote.source.stored_bytes()
    }

    fn beginning(&self) -> Bytes {
        Bytes::new()
    }

    fn knows_structures(&self) -> bool {
        false
    }

    fn known(&self, _: u64, _: u64) -> Option<Bytes> {
        None
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.remote.read(at..at + out.len() as u64, out)
    }

    fn read_unwritten<'o>(&self, at: u64, out: &'o mut [MaybeUninit<u8>]) -> io::Result<&'o mut [u8]> {
        read_into_zeros(self, at, out)
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        let remote = self.remote.clone();
        let read = Arc::new(move |range| remote.read_range(range));
        fetch_on_threads(read, self.advice.in_flight_max, ranges, cancel, deliver);
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.remote.check_unchanged()
    }

    fn lock_shared(&self) -> io::Result<()> {
        self.remote.source.lock_shared()
    }

    fn unlock(&self) {
        self.remote.source.unlock();
    }

    fn version(&self) -> Option<Version> {
        self.remote.source.version()
    }

    fn advice(&self) -> Advice {
        self.advice
    }

    fn metadata_gap_bytes(&self) -> u64 {
        Advice::METADATA_GAP_BYTES
    }

    fn name(&self) -> String {
        self.remote.source.name()
    }

    /// Other files are not searched for in the folder of a remote file.
    fn path(&self) -> Option<&std::path::Path> {
        None
    }
}
