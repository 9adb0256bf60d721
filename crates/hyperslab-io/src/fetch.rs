//! Fetching several ranges at once.

use crate::{Cancel, Cancelled, Deliver, Source};
use bytes::Bytes;
use std::io;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Fetches all ranges and returns their bytes in the order of `ranges`.
///
/// # Errors
/// The error of the first range that fails, or [`Cancelled`].
pub fn fetch_all(source: &dyn Source, ranges: &[Range<u64>], cancel: &Cancel) -> io::Result<Vec<Bytes>> {
    let mut results = vec![Bytes::new(); ranges.len()];
    let mut delivered = 0;
    let mut failure = None;
    source.fetch(ranges, cancel, &mut |index, result| {
        match result {
            Ok(bytes) => results[index] = bytes,
            Err(error) => {
                failure = Some(error);
                return ControlFlow::Break(());
            }
        }
        delivered += 1;
        ControlFlow::Continue(())
    });
    match failure {
        Some(error) => Err(error),
        None if delivered < ranges.len() => Err(Cancelled.into()),
        None => Ok(results),
    }
}

/// The time between two checks of the cancellation flag while no bytes arrive.
const CANCEL_INTERVAL: Duration = Duration::from_millis(20);

/// [`Source::fetch`] for a source whose `read` blocks.
///
/// Up to `in_flight_max` threads read, and each holds at most one response that was not delivered yet. The threads end
/// with this call. If the call is cancelled, it returns at once; threads with a request in flight end after that
/// request.
pub fn fetch_on_threads(
    read: Arc<dyn Fn(Range<u64>) -> io::Result<Bytes> + Send + Sync>,
    in_flight_max: usize,
    ranges: &[Range<u64>],
    cancel: &Cancel,
    deliver: &mut Deliver<'_>,
) {
    if let ([range], true) = (ranges, cancel.is_never()) {
        // A single request that cannot be cancelled needs no thread.
        let _ = deliver(0, read(range.clone()));
        return;
    }
    let threads = in_flight_max.min(ranges.len());
    let ranges: Arc<[Range<u64>]> = ranges.into();
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, results) = sync_channel(0);
    for _ in 0..threads {
        let (read, ranges, next, sender) = (read.clone(), ranges.clone(), next.clone(), sender.clone());
        let work = move || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(range) = ranges.get(index) else { return };
                let result = catch_unwind(AssertUnwindSafe(|| read(range.clone())));
                let result = result.unwrap_or_else(|_| Err(io::Error::other("a fetching thread panicked")));
                if sender.send((index, result)).is_err() {
                    return;
                }
            }
        };
        if std::thread::Builder::new().name("hyperslab-fetch".into()).spawn(work).is_err() {
            break;
        }
    }
    drop(sender);
    let mut delivered = 0;
    while delivered < ranges.len() && !cancel.is_cancelled() {
        match results.recv_timeout(CANCEL_INTERVAL) {
            Ok((index, result)) => {
                delivered += 1;
                if deliver(index, result).is_break() {
                    return;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The system could not start any thread.
            Err(RecvTimeoutError::Disconnected) => {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(range) = ranges.get(index) else { return };
                delivered += 1;
                if deliver(index, read(range.clone())).is_break() {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Condvar, Mutex};
    use std::time::Instant;

    fn ranges(count: u64) -> Vec<Range<u64>> {
        (0..count).map(|i| 10 * i..10 * i + i % 10).collect()
    }

    #[test]
    fn every_range_is_delivered_once_with_many_in_flight_and_no_more_than_allowed() {
        let in_flight = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let counts = in_flight.clone();
        let read = move |range: Range<u64>| {
            counts.1.fetch_max(counts.0.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
            counts.0.fetch_sub(1, Ordering::SeqCst);
            Ok(Bytes::from(vec![range.start as u8; (range.end - range.start) as usize]))
        };
        let ranges = ranges(100);
        let mut times = vec![0; 100];
        fetch_on_threads(Arc::new(read), 8, &ranges, &Cancel::never(), &mut |index, result| {
            times[index] += 1;
            let range = &ranges[index];
            assert_eq!(result.unwrap(), vec![range.start as u8; (range.end - range.start) as usize]);
            ControlFlow::Continue(())
        });
        assert_eq!(times, vec![1; 100]);
        assert!((2..=8).contains(&in_flight.1.load(Ordering::SeqCst)));
    }

    #[test]
    fn a_cancelled_fetch_does_not_wait_for_its_requests() {
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        let held = gate.clone();
        let read = move |_: Range<u64>| {
            let open = held.0.lock().unwrap();
            drop(held.1.wait_while(open, |open| !*open).unwrap());
            Ok(Bytes::new())
        };
        let cancel = Cancel::new();
        let canceller = cancel.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            canceller.cancel();
        });
        let began = Instant::now();
        fetch_on_threads(Arc::new(read), 4, &ranges(10), &cancel, &mut |_, _| panic!("nothing arrives"));
        assert!(began.elapsed() < Duration::from_secs(5));
        thread.join().unwrap();
        *gate.0.lock().unwrap() = true;
        gate.1.notify_all();
    }

    #[test]
    fn no_request_begins_after_a_break_and_a_panic_is_an_error() {
        let begun = Arc::new(AtomicUsize::new(0));
        let counter = begun.clone();
        let read = move |_: Range<u64>| {
            counter.fetch_add(1, Ordering::SeqCst);
            Ok(Bytes::new())
        };
        fetch_on_threads(Arc::new(read), 4, &ranges(1000), &Cancel::never(), &mut |_, _| {
            ControlFlow::Break(())
        });
        std::thread::sleep(Duration::from_millis(20));
        assert!(begun.load(Ordering::SeqCst) <= 1 + 2 * 4);

        let mut results = Vec::new();
        let read =
            |range: Range<u64>| if range.start == 10 { panic!("on purpose") } else { Ok(Bytes::new()) };
        fetch_on_threads(Arc::new(read), 2, &ranges(3), &Cancel::never(), &mut |index, result| {
            results.push((index, result.err().map(|error| error.to_string())));
            ControlFlow::Continue(())
        });
        results.sort();
        assert_eq!(results, [(0, None), (1, Some("a fetching thread panicked".to_string())), (2, None)]);
    }
}
