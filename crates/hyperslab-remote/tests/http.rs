//! Files on a server: exact bytes with many requests in flight, and an error that says why for every fault.

use hyperslab_io::{Cancel, Changed, Source, fetch_all};
use hyperslab_remote::{RemoteFile, RemoteOptions};
use hyperslab_testkit::{Fault, Link, RangeServer};
use std::io;
use std::ops::Range;
use std::time::{Duration, Instant};

fn bytes(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn options() -> RemoteOptions {
    let mut options = RemoteOptions::default();
    options.attempts = 2;
    options.timeout = Duration::from_secs(5);
    options.first_bytes = 64 << 10;
    options
}

/// A served file, opened, with the counts of the opening taken away.
fn open(len: usize, link: Link) -> (RangeServer, RemoteFile, Vec<u8>) {
    let bytes = bytes(len);
    let server = RangeServer::start(bytes.clone(), link);
    let file = RemoteFile::open(&server.url("f.h5"), options()).unwrap();
    assert_eq!(server.take_counts().requests, 1, "no request but the first");
    assert_eq!(file.len(), len as u64);
    (server, file, bytes)
}

fn read(file: &RemoteFile, range: Range<u64>) -> io::Result<Vec<u8>> {
    let mut out = vec![0; (range.end - range.start) as usize];
    file.read_into(range.start, &mut out).map(|()| out)
}

#[test]
fn ranges_are_exact_and_the_beginning_is_fetched_once() {
    let (server, file, bytes) = open(300_000, Link::default());
    for range in [0..10, 60_000..65_536, 0..0] {
        assert_eq!(read(&file, range.clone()).unwrap(), bytes[range.start as usize..range.end as usize]);
    }
    assert_eq!(server.counts().requests, 0, "those came with the first response");
    for range in [65_000..66_000, 299_999..300_000] {
        assert_eq!(read(&file, range.clone()).unwrap(), bytes[range.start as usize..range.end as usize]);
    }
    assert_eq!(read(&file, 299_999..300_001).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    let counts = server.take_counts();
    assert_eq!((counts.ranges, counts.bytes), (vec![65_000..66_000, 299_999..300_000], 1001));
}

#[test]
fn small_and_empty_files_come_with_the_first_response() {
    for len in [0, 1, 65_536] {
        let (server, file, bytes) = open(len, Link::default());
        assert_eq!(read(&file, 0..len as u64).unwrap(), bytes);
        assert_eq!(server.counts().requests, 0);
    }
}

#[test]
fn two_hundred_and_fifty_six_requests_are_in_flight_on_connections_that_are_kept() {
    let link = Link { latency: Duration::from_millis(100), bytes_per_second: None };
    let bytes = bytes(1 << 20);
    let server = RangeServer::start(bytes.clone(), link);
    let mut options = options();
    options.in_flight_max = 256;
    let file = RemoteFile::open(&server.url("f.h5"), options).unwrap();
    server.take_counts();
    let ranges: Vec<Range<u64>> =
        (0..1000).map(|i| 70_000 + i * 900..70_000 + i * 900 + i % 100 + 1).collect();
    let began = Instant::now();
    let fetched = fetch_all(&file, &ranges, &Cancel::never()).unwrap();
    let took = began.elapsed();
    for (range, found) in ranges.iter().zip(fetched) {
        assert_eq!(found, bytes[range.start as usize..range.end as usize]);
    }
    let counts = server.counts();
    assert_eq!(counts.requests, 1000);
    assert!((128..=256).contains(&counts.in_flight_max), "{}", counts.in_flight_max);
    // The client may begin a connection while another becomes free: how often depends on the machine.
    assert!(counts.connections < 750, "{} connections for 1000 requests", counts.connections);
    // The server may accept a connection after the last answer: the client had begun it for a request that another one took.
    let mut known = counts.connections;
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = server.counts().connections;
        if std::mem::replace(&mut known, now) == now {
            break;
        }
    }
    server.take_counts();
    for range in &ranges[..20] {
        assert_eq!(read(&file, range.clone()).unwrap(), bytes[range.start as usize..range.end as usize]);
    }
    assert_eq!(server.counts().connections, 0, "one after the other, they use what is kept");
    assert!(took < Duration::from_secs(20), "one after the other would take 100 s: {took:?}");
}

#[test]
fn temporary_failures_are_retried() {
    let faults = [
        Fault::Status(503),
        Fault::Status(500),
        Fault::Truncated(10),
        Fault::Reset,
        Fault::Stall(Duration::from_millis(50)),
    ];
    for fault in faults {
        let (server, file, bytes) = open(100_000, Link::default());
        server.order([Some(fault)]);
        assert_eq!(read(&file, 70_000..71_000).unwrap(), bytes[70_000..71_000], "{fault:?}");
        server.order([Some(fault)]);
        let both = fetch_all(&file, &[80_000..80_100, 90_000..90_100], &Cancel::never()).unwrap();
        assert_eq!(
            (&both[0][..], &both[1][..]),
            (&bytes[80_000..80_100], &bytes[90_000..90_100]),
            "{fault:?}"
        );
    }
}

#[test]
fn repeated_failures_are_errors_with_url_range_and_reason() {
    let cases = [
        (Fault::Status(503), "the server responded with status 503 (tried 2 times)"),
        (Fault::Status(404), "the server responded with status 404"),
        (Fault::Truncated(10), "(tried 2 times)"),
        (Fault::Reset, "(tried 2 times)"),
        (Fault::WholeFile, "the server sent the whole file (100000 bytes) instead of a range"),
        (Fault::WrongRange, "the server sent bytes 70001..71001 for a request of 70000..71000"),
    ];
    for (fault, reason) in cases {
        let (server, file, _) = open(100_000, Link::default());
        let request = format!("GET {} bytes 70000..71000: ", server.url("f.h5"));
        for attempt in 0..2 {
            server.order([Some(fault), Some(fault)]);
            let outcome = match attempt {
                0 => read(&file, 70_000..71_000).map(drop),
                _ => fetch_all(&file, std::slice::from_ref(&(70_000..71_000)), &Cancel::never()).map(drop),
            };
            let error = outcome.unwrap_err().to_string();
            assert!(error.starts_with(&request) && error.contains(reason), "{fault:?}: {error}");
            // Uses up the faults that one attempt left.
            let _ = read(&file, 70_000..71_000);
        }
    }
}

#[test]
fn a_stalled_server_is_not_waited_for_forever() {
    let bytes = bytes(100_000);
    let server = RangeServer::start(bytes, Link::default());
    let mut options = options();
    (options.timeout, options.attempts) = (Duration::from_millis(200), 1);
    let file = RemoteFile::open(&server.url("f.h5"), options).unwrap();
    server.order([Some(Fault::Stall(Duration::from_secs(10)))]);
    let began = Instant::now();
    assert!(read(&file, 70_000..71_000).unwrap_err().to_string().contains("bytes 70000..71000: "));
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_cancelled_fetch_returns_at_once() {
    let (server, file, _) = open(200_000, Link { latency: Duration::from_secs(3), bytes_per_second: None });
    let cancel = Cancel::new();
    let began = Instant::now();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            cancel.cancel();
        });
        fetch_all(&file, &[100_000..100_001, 150_000..150_001], &cancel)
    });
    assert_eq!(outcome.unwrap_err().to_string(), "cancelled");
    assert!(began.elapsed() < Duration::from_secs(2));
    assert!(server.counts().requests <= 2);
}

#[test]
fn a_file_that_is_replaced_is_an_error_and_never_mixed_with_the_old_one() {
    for len in [100_000, 90_000] {
        let (server, file, _) = open(100_000, Link::default());
        server.replace(bytes(len));
        for outcome in [
            read(&file, 70_000..71_000).map(drop),
            fetch_all(&file, &[70_000..71_000, 80_000..81_000], &Cancel::never()).map(drop),
        ] {
            let error = outcome.unwrap_err();
            assert!(error.get_ref().is_some_and(|error| error.is::<Changed>()), "{error}");
            assert!(error.to_string().starts_with(&server.url("f.h5")), "{error}");
        }
    }
}

#[test]
fn a_server_without_range_requests_is_an_error_unless_the_file_is_small() {
    for (len, is_fine) in [(65_536, true), (65_537, false)] {
        let server = RangeServer::start(bytes(len), Link::default());
        server.order([Some(Fault::WholeFile)]);
        match RemoteFile::open(&server.url("f.h5"), options()) {
            Ok(file) => assert!(is_fine && read(&file, 0..len as u64).unwrap() == bytes(len)),
            Err(error) => {
                assert!(!is_fine && error.to_string().contains("must support range requests"), "{error}")
            }
        }
    }
}

#[test]
fn a_missing_file_and_an_unreachable_server_are_errors() {
    let server = RangeServer::start(bytes(10), Link::default());
    server.order([Some(Fault::Status(404))]);
    let url = server.url("f.h5");
    assert_eq!(RemoteFile::open(&url, options()).err().unwrap().kind(), io::ErrorKind::NotFound);
    drop(server);
    let error = RemoteFile::open(&url, options()).err().unwrap();
    assert!(error.to_string().starts_with(&format!("GET {url} bytes 0..65536: ")), "{error}");
}

#[test]
fn a_request_that_stalls_is_made_a_second_time_and_the_first_answer_counts() {
    let (server, file, bytes) = open(300_000, Link::default());
    let usual: Vec<Range<u64>> = (0..60).map(|i| 70_000 + i * 1000..70_000 + i * 1000 + 100).collect();
    fetch_all(&file, &usual, &Cancel::never()).unwrap();
    server.take_counts();
    server.order([Some(Fault::Stall(Duration::from_secs(4)))]);
    let began = Instant::now();
    assert_eq!(read(&file, 200_000..200_100).unwrap(), bytes[200_000..200_100]);
    let took = began.elapsed();
    assert_eq!(server.counts().ranges, [200_000..200_100, 200_000..200_100]);
    assert!(took < Duration::from_secs(4), "the stalled one was not waited for: {took:?}");
}
