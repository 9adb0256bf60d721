//! A source that is far away, in the same process: latency, bandwidth, faults and counts without sockets.

use crate::link::{Counts, Fault, Link, Traffic};
use bytes::Bytes;
use hyperslab_io::{Advice, Cancel, Changed, Deliver, Source, Version, fetch_on_threads};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Another source, at the other end of a [`Link`].
#[derive(Clone)]
pub struct DistantSource {
    far: Arc<Far>,
    advice: Advice,
}

struct Far {
    source: Arc<dyn Source>,
    link: Link,
    traffic: Traffic,
    is_replaced: AtomicBool,
}

impl DistantSource {
    /// Puts a source far away, with up to `in_flight_max` requests under way.
    pub fn new(source: Arc<dyn Source>, link: Link, in_flight_max: usize) -> Self {
        let advice =
            Advice { gap_bytes: 128 << 10, request_bytes_max: 8 << 20, block_bytes: 64 << 10, in_flight_max };
        let (traffic, is_replaced) = (Traffic::default(), AtomicBool::new(false));
        Self { far: Arc::new(Far { source, link, traffic, is_replaced }), advice }
    }

    /// The same source, which advises otherwise.
    pub fn advising(self, advice: Advice) -> Self {
        Self { advice, ..self }
    }

    /// What was asked for so far.
    pub fn counts(&self) -> Counts {
        self.far.traffic.counts()
    }

    /// Hands over the counts and begins anew.
    pub fn take_counts(&self) -> Counts {
        self.far.traffic.take()
    }

    /// Faults for the next requests, in their order; `None` lets one pass.
    pub fn order(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.far.traffic.order(faults);
    }

    /// From now on, every request finds another file.
    pub fn replace(&self) {
        self.far.is_replaced.store(true, Ordering::SeqCst);
    }
}

impl Far {
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
        self.far.source.len()
    }

    fn is_empty(&self) -> bool {
        self.far.source.is_empty()
    }

    fn held_from(&self, at: u64) -> u64 {
        self.far.source.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.far.source.stored_bytes()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.far.read(at..at + out.len() as u64, out)
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        let far = self.far.clone();
        let read = Arc::new(move |range| far.read_range(range));
        fetch_on_threads(read, self.advice.in_flight_max, ranges, cancel, deliver);
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.far.check_unchanged()
    }

    fn advice(&self) -> Advice {
        self.advice
    }

    fn name(&self) -> String {
        self.far.source.name()
    }

    /// Other files are not looked for beside a file that is far away.
    fn path(&self) -> Option<&std::path::Path> {
        None
    }
}
