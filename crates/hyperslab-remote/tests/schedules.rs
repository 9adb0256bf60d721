//! Seeded schedules of faults over sockets: right values or an error that names the request, and never a hang. Those
//! without sockets, many more, are in `client/tests.rs`.

use hyperslab_io::{Cancel, fetch_all};
use hyperslab_remote::{RemoteFile, RemoteOptions};
use hyperslab_testkit::{Fault, Link, RangeServer, scale};
use std::ops::Range;
use std::time::{Duration, Instant};

const LEN: u64 = 200_000;
const REQUESTS: usize = 200;

/// A generator of numbers (SplitMix64), so that a schedule can be repeated by its seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

fn content() -> Vec<u8> {
    (0..LEN as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Faults after which a repeated request succeeds. Stalls are longer than the timeout.
const TEMPORARY: [Fault; 8] = [
    Fault::Status(503),
    Fault::Status(500),
    Fault::RetryAfter(0),
    Fault::Truncated(3),
    Fault::Reset,
    Fault::Stall(Duration::from_millis(400)),
    Fault::StallInBody(Duration::from_millis(400)),
    Fault::Stall(Duration::from_millis(20)),
];
/// Faults that end a read.
const FINAL: [Fault; 4] = [Fault::Status(403), Fault::WholeFile, Fault::WrongRange, Fault::Gzip];

/// Reads with these chances of faults, of 1000; true if all values were right, false if an error was reported.
fn read_with_faults(seed: u64, temporary: u64, last: u64) -> bool {
    let (mut numbers, content) = (Numbers(seed), content());
    let server = RangeServer::start(content.clone(), Link::default());
    let mut options = RemoteOptions::default();
    (options.first_bytes, options.in_flight_max) = (1 << 10, 16);
    (options.timeout, options.deadline) = (Duration::from_millis(200), Duration::from_secs(20));
    let file = RemoteFile::open(&server.url("f.h5"), options).unwrap();
    let fault = |numbers: &mut Numbers| match numbers.below(1000) {
        chance if chance < temporary => Some(TEMPORARY[numbers.below(TEMPORARY.len() as u64) as usize]),
        chance if chance < temporary + last => Some(FINAL[numbers.below(FINAL.len() as u64) as usize]),
        _ => None,
    };
    server.order((0..2 * REQUESTS).map(|_| fault(&mut numbers)).collect::<Vec<_>>());
    let ranges: Vec<Range<u64>> = (0..REQUESTS)
        .map(|_| {
            let start = 1024 + numbers.below(LEN - 2048);
            start..start + 10 + numbers.below(500)
        })
        .collect();
    let began = Instant::now();
    let found = fetch_all(&file, &ranges, &Cancel::never());
    assert!(began.elapsed() < Duration::from_secs(60), "seed {seed}: {:?}", began.elapsed());
    match found {
        Ok(found) => {
            for (range, found) in ranges.iter().zip(found) {
                assert_eq!(
                    found,
                    content[range.start as usize..range.end as usize],
                    "seed {seed}: {range:?}"
                );
            }
            true
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with(&format!("GET {} bytes ", server.url("f.h5"))), "seed {seed}: {text}");
            false
        }
    }
}

#[test]
fn temporary_faults_end_with_right_values() {
    for seed in 0..scale().of(10) as u64 {
        assert!(read_with_faults(seed, 60, 0), "seed {seed}");
    }
}

#[test]
fn all_faults_end_with_right_values_or_a_clear_error() {
    let schedules = scale().of(10);
    let right = (0..schedules as u64).filter(|&seed| read_with_faults(seed, 30, 5)).count();
    assert!(right < schedules, "some faults cannot be survived");
}
