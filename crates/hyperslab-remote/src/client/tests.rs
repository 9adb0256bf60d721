//! Seeded schedules of faults, without sockets and with a virtual clock: right values or a clear error, within the
//! deadline.

use super::*;
use crate::answer::Answer;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use hyperslab_testkit::scale;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::sync::Mutex;
use std::time::Duration;

const NAME: &str = "test://host/f.h5";
const LEN: u64 = 100_000;
const TAG: &str = "\"first\"";

/// A generator of numbers (SplitMix64), so that a schedule can be repeated by its seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Busy,
    BusyUntil(u64),
    Internal,
    Forbidden,
    Truncated,
    WholeFile,
    WrongRange,
    NoRange,
    Reset,
    ResetInBody,
    Stall,
    StallInBody,
    Changed,
    Gzip,
}

/// Faults after which a repeated request succeeds, and those that end it.
const TEMPORARY: [Fault; 8] = [
    Fault::Busy,
    Fault::BusyUntil(2),
    Fault::Internal,
    Fault::Truncated,
    Fault::Reset,
    Fault::ResetInBody,
    Fault::Stall,
    Fault::StallInBody,
];
const FINAL: [Fault; 6] =
    [Fault::Forbidden, Fault::WholeFile, Fault::WrongRange, Fault::NoRange, Fault::Changed, Fault::Gzip];

fn content(range: Range<u64>) -> Bytes {
    range.map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// A file of a server with faults.
struct Faulty {
    numbers: Mutex<Numbers>,
    /// Of 1000 requests, so many have a temporary and so many a permanent fault.
    temporary: u64,
    last: u64,
    latency: Duration,
}

impl Faulty {
    fn fault(&self) -> Fault {
        let mut numbers = self.numbers.lock().unwrap();
        let chance = numbers.below(1000);
        if chance < self.temporary {
            TEMPORARY[numbers.below(TEMPORARY.len() as u64) as usize]
        } else if chance < self.temporary + self.last {
            FINAL[numbers.below(FINAL.len() as u64) as usize]
        } else {
            Fault::None
        }
    }

    async fn answer(&self, range: Range<u64>, condition: Condition) -> Result<Answer, Failure> {
        let fault = self.fault();
        sleep(self.latency).await;
        let reset = || Failure::connection(io::Error::from(io::ErrorKind::ConnectionReset));
        match fault {
            Fault::Reset => return Err(reset()),
            Fault::Stall => sleep(Duration::from_secs(100_000)).await,
            _ => {}
        }
        let range = range.start.min(LEN)..range.end.min(LEN);
        let sent = match fault {
            Fault::WholeFile => 0..LEN,
            Fault::WrongRange => range.start + 1..range.end + 1,
            _ => range.clone(),
        };
        let (status, bytes) = match fault {
            Fault::Busy | Fault::BusyUntil(_) => {
                (503, Bytes::from_static(b"<Error><Code>SlowDown</Code></Error>"))
            }
            Fault::Internal => (500, Bytes::new()),
            Fault::Forbidden => (403, Bytes::from_static(b"<Error><Code>ExpiredToken</Code></Error>")),
            Fault::Changed if condition != Condition::None => (412, Bytes::new()),
            Fault::WholeFile => (200, content(sent.clone())),
            _ => (206, content(sent.clone())),
        };
        let mut headers = HeaderMap::new();
        let mut header = |name: &'static str, value: String| {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(&value).unwrap());
        };
        header("etag", if fault == Fault::Changed { "\"second\"".into() } else { TAG.into() });
        header("content-length", bytes.len().to_string());
        match fault {
            Fault::NoRange => {}
            _ if status == 206 => {
                header("content-range", format!("bytes {}-{}/{LEN}", sent.start, sent.end - 1))
            }
            _ => {}
        }
        match fault {
            Fault::BusyUntil(seconds) => header("retry-after", seconds.to_string()),
            Fault::Gzip => header("content-encoding", "gzip".into()),
            _ => {}
        }
        let half = bytes.len() / 2;
        let pieces: Vec<Result<Bytes, Failure>> = match fault {
            Fault::Truncated => vec![Ok(bytes.slice(..half))],
            Fault::ResetInBody => vec![Ok(bytes.slice(..half)), Err(reset())],
            _ => vec![Ok(bytes.slice(..half)), Ok(bytes.slice(half..))],
        };
        let stalls = fault == Fault::StallInBody;
        let body = stream::iter(pieces).enumerate().then(move |(number, piece)| async move {
            if stalls && number == 1 {
                sleep(Duration::from_secs(100_000)).await;
            }
            piece
        });
        Ok(Answer { status: StatusCode::from_u16(status).unwrap(), headers, body: body.boxed() })
    }
}

impl Transport for Faulty {
    fn get(&self, range: Range<u64>, condition: Condition) -> BoxFuture<'_, Result<Answer, Failure>> {
        self.answer(range, condition).boxed()
    }
}

fn client(seed: u64, temporary: u64, last: u64, in_flight_max: usize) -> Arc<Client> {
    let options = RemoteOptions {
        in_flight_max,
        deadline: Duration::from_secs(30),
        timeout: Duration::from_secs(5),
        ..RemoteOptions::default()
    };
    let latency = Duration::from_millis(40);
    let transport = Faulty { numbers: Mutex::new(Numbers(seed)), temporary, last, latency };
    Arc::new(Client::new(NAME.into(), Box::new(transport), options))
}

/// Runs a future with a clock that advances whenever nothing else can be done. Returns how far it advanced, too.
fn run<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let began = Instant::now();
        let result = future.await;
        (result, began.elapsed())
    })
}

fn opened() -> Arc<Version> {
    Arc::new(Version { len: LEN, modified: None, tag: Some(TAG.into()) })
}

const CAUSE: Cause = Cause { round: 1, purpose: Purpose { reason: "test", serves: 1 } };

/// Requests all ranges; they are numbered in their order.
async fn get_numbered(client: Arc<Client>, ranges: Vec<Range<u64>>, to: std::sync::mpsc::Sender<Received>) {
    let wanted = ranges.into_iter().enumerate().map(|(index, range)| Wanted { index, range, cause: CAUSE });
    get_all(client, opened(), wanted.collect(), to).await;
}

/// Reads 200 ranges with these chances of faults, and returns the number of errors.
fn read_with_faults(seed: u64, temporary: u64, last: u64) -> usize {
    let mut numbers = Numbers(!seed);
    let ranges: Vec<_> = (0..200)
        .map(|_| {
            let start = numbers.below(LEN - 500);
            start..start + 1 + numbers.below(500)
        })
        .collect();
    let client = client(seed, temporary, last, 16);
    let (sender, received) = std::sync::mpsc::channel();
    let ((), took) = run(get_numbered(client.clone(), ranges.clone(), sender));
    // Requests wait for slots, of which there are at least four.
    let longest = (client.options.deadline + Duration::from_secs(1)) * (200 / 4);
    assert!(took <= longest, "seed {seed}: {took:?}");
    let mut seen = vec![false; ranges.len()];
    let mut errors = 0;
    for Received { index, result, .. } in received {
        assert!(!std::mem::replace(&mut seen[index], true), "seed {seed}: range {index} arrived twice");
        let range = ranges[index].clone();
        match result {
            Ok(bytes) => assert!(bytes == content(range.clone()), "seed {seed}: wrong bytes of {range:?}"),
            Err(error) => {
                errors += 1;
                let error = error.to_string();
                let names = format!("GET {NAME} bytes {}..{}: ", range.start, range.end);
                let changed = format!("{NAME} changed after it was opened");
                assert!(error.starts_with(&names) || error.starts_with(&changed), "seed {seed}: {error}");
            }
        }
    }
    assert!(seen.iter().all(|seen| *seen), "seed {seed}");
    errors
}

#[test]
fn schedules_of_temporary_faults_end_with_right_values() {
    let schedules = scale().of(500);
    for seed in 0..schedules as u64 {
        assert_eq!(read_with_faults(seed, 100, 0), 0, "seed {seed}");
    }
}

#[test]
fn schedules_of_all_faults_end_with_right_values_or_clear_errors() {
    let schedules = scale().of(500);
    let errors: usize = (0..schedules as u64).map(|seed| read_with_faults(seed, 300, 20)).sum();
    assert!(errors > 0);
}

#[test]
fn a_server_that_never_answers_is_given_up_at_the_deadline() {
    let client = client(1, 1000, 0, 4);
    let (result, took) = run(async { client.get(&(0..10), &opened(), CAUSE).await });
    assert!(result.is_err());
    assert!(took <= client.options.deadline + Duration::from_secs(1), "{took:?}");
}

#[test]
fn no_more_bytes_are_received_than_the_memory_allows() {
    let options = RemoteOptions { in_flight_max: 256, ..RemoteOptions::default() };
    let transport =
        Faulty { numbers: Mutex::new(Numbers(1)), temporary: 0, last: 0, latency: Duration::from_millis(40) };
    let client = Arc::new(Client::new(NAME.into(), Box::new(transport), options));
    let ranges = vec![0..LEN; 2000];
    let (sender, received) = std::sync::mpsc::channel();
    let undelivered = async {
        // Nobody takes what arrives, so this waits forever.
        let waiting = timeout(Duration::from_secs(1000), get_numbered(client, ranges, sender));
        assert!(waiting.await.is_err());
        received.try_iter().map(|received| received.result.unwrap().len()).sum::<usize>()
    };
    let (bytes, _) = run(undelivered);
    assert!(bytes <= UNDELIVERED_KIB_MAX << 10 && bytes > UNDELIVERED_KIB_MAX << 9, "{bytes}");
}

/// A server of which every request takes 40 ms, except one in ten, which takes a minute.
struct SometimesSlow(AtomicU64);

impl Transport for SometimesSlow {
    fn get(&self, range: Range<u64>, condition: Condition) -> BoxFuture<'_, Result<Answer, Failure>> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let faulty = Faulty {
            numbers: Mutex::new(Numbers(1)),
            temporary: 0,
            last: 0,
            latency: Duration::from_millis(if number % 10 == 9 { 60_000 } else { 40 }),
        };
        async move { faulty.answer(range, condition).await }.boxed()
    }
}

#[test]
fn a_slow_request_is_made_a_second_time_but_only_one_in_twenty() {
    let options =
        RemoteOptions { in_flight_max: 1, timeout: Duration::from_secs(90), ..RemoteOptions::default() };
    let options = RemoteOptions { deadline: Duration::from_secs(120), ..options };
    let client = Arc::new(Client::new(NAME.into(), Box::new(SometimesSlow(AtomicU64::new(0))), options));
    let (sender, received) = std::sync::mpsc::channel();
    let ((), took) = run(get_numbered(client.clone(), vec![0..100; 200], sender));
    assert!(received.iter().all(|received| received.result.unwrap() == content(0..100)));
    let (made, hedges) = (client.made.load(Ordering::Relaxed), client.hedges.load(Ordering::Relaxed));
    assert_eq!(made, 200 + hedges);
    // The first 20 responses are those to which others are compared, and two of them are slow.
    assert!(hedges >= 8 && hedges * REQUESTS_PER_HEDGE <= made, "{hedges} of {made}");
    let slow = made / 10;
    assert!(
        took < Duration::from_secs(60) * (slow - hedges / 2) as u32,
        "{took:?}: {hedges} of {slow} were cut short"
    );
}

#[test]
fn the_gap_follows_the_measured_latency() {
    let options = RemoteOptions { in_flight_max: 256, ..RemoteOptions::default() };
    let transport = Faulty {
        numbers: Mutex::new(Numbers(1)),
        temporary: 0,
        last: 0,
        latency: Duration::from_millis(160),
    };
    let client = Arc::new(Client::new(NAME.into(), Box::new(transport), options));
    let before = client.link().gap_bytes(client.in_flight());
    let (sender, _received) = std::sync::mpsc::channel();
    run(get_numbered(client.clone(), vec![0..100; 200], sender));
    // Four times the latency that was assumed, and the same bandwidth: the bodies are too short to measure it.
    assert_eq!(client.link().gap_bytes(client.in_flight()), 4 * before);
}

/// A host that does not exist.
struct Unreachable(AtomicU64);

impl Transport for Unreachable {
    fn get(&self, _: Range<u64>, _: Condition) -> BoxFuture<'_, Result<Answer, Failure>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        async { Err(Failure::unreachable(io::Error::from(io::ErrorKind::ConnectionRefused))) }.boxed()
    }
}

#[test]
fn a_file_of_an_unreachable_host_is_given_up_soon_and_an_open_file_is_not() {
    let client = Client::new(NAME.into(), Box::new(Unreachable(AtomicU64::new(0))), RemoteOptions::default());
    let (result, took) = run(client.first(None, CAUSE));
    assert_eq!(client.made.load(Ordering::Relaxed), u64::from(UNREACHABLE_ATTEMPTS));
    assert!(took < Duration::from_secs(1), "{took:?}");
    let error = result.unwrap_err().to_string();
    assert!(error.contains("connection refused (tried 3 times)"), "{error}");
    let (result, took) = run(async { client.get(&(0..10), &opened(), CAUSE).await });
    assert!(result.is_err() && took > Duration::from_secs(3), "a server may be started again: {took:?}");
}
