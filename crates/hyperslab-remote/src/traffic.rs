//! The requests of the process: counts, limits, and a trace with one line for each request.
//!
//! A trace is written as JSON lines. `round` counts the batches in which requests were made: requests of the same round
//! did not wait for each other.

use crate::options::RemoteOptions;
use hyperslab_io::PerProcess;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The requests of the process to remote files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests, including those that failed.
    pub requests: u64,
    /// Bytes of the bodies that were received.
    pub bytes: u64,
    /// Batches of requests, each of which was waited for.
    pub rounds: u64,
    /// Attempts after the first of a request.
    pub retries: u64,
    /// The time for which calls waited for their batches. Calls of several threads are added up.
    pub waited: Duration,
}

static REQUESTS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static ROUNDS: AtomicU64 = AtomicU64::new(0);
static RETRIES: AtomicU64 = AtomicU64::new(0);
static WAITED_NANOSECONDS: AtomicU64 = AtomicU64::new(0);

/// The requests of this process so far.
pub fn traffic() -> Traffic {
    let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
    Traffic {
        requests: get(&REQUESTS),
        bytes: get(&BYTES),
        rounds: get(&ROUNDS),
        retries: get(&RETRIES),
        waited: Duration::from_nanos(get(&WAITED_NANOSECONDS)),
    }
}

/// Counts a batch of requests; returns its number, from 1 on.
pub(crate) fn begin_round() -> u64 {
    ROUNDS.fetch_add(1, Ordering::Relaxed) + 1
}

/// Adds the time that a call has waited for its batch.
pub(crate) fn waited(time: Duration) {
    WAITED_NANOSECONDS.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
}

/// Counts a request that is about to be made.
///
/// # Errors
/// If the process has made as many requests, or fetched as many bytes, as the options allow.
pub(crate) fn begin_request(options: &RemoteOptions, attempt: u32) -> io::Result<()> {
    let refuse = |what: String| Err(io::Error::new(io::ErrorKind::QuotaExceeded, what));
    if let Some(max) = options.bytes_max
        && BYTES.load(Ordering::Relaxed) >= max
    {
        return refuse(format!("{max} bytes were fetched, as many as allowed"));
    }
    let made = REQUESTS.fetch_add(1, Ordering::Relaxed);
    if let Some(max) = options.requests_max
        && made >= max
    {
        REQUESTS.fetch_sub(1, Ordering::Relaxed);
        return refuse(format!("{max} requests were made, as many as allowed"));
    }
    if attempt > 1 {
        RETRIES.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Counts received bytes.
pub(crate) fn received(bytes: u64) {
    BYTES.fetch_add(bytes, Ordering::Relaxed);
}

/// One request, for the trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceLine {
    /// Seconds from the beginning of the trace to the beginning of the request.
    pub seconds: f64,
    /// Seconds from the beginning of the request to its end.
    pub took: f64,
    /// The number of the batch.
    pub round: u64,
    /// The URL, without its query.
    pub url: String,
    /// The requested bytes.
    pub range: Range<u64>,
    /// Why they were requested: a structure of the file, or `data`.
    pub reason: &'static str,
    /// The number of the attempt, from 1 on.
    pub attempt: u32,
    /// `ok`, or why the attempt failed.
    pub outcome: String,
}

impl TraceLine {
    /// The line as a JSON object.
    pub fn json(&self) -> String {
        let mut text = format!(
            "{{\"seconds\":{:.6},\"took\":{:.6},\"round\":{},\"url\":",
            self.seconds, self.took, self.round
        );
        quote(&self.url, &mut text);
        let (start, bytes) = (self.range.start, self.range.end - self.range.start);
        let _ = write!(text, ",\"start\":{start},\"bytes\":{bytes},\"reason\":");
        quote(self.reason, &mut text);
        let _ = write!(text, ",\"attempt\":{},\"outcome\":", self.attempt);
        quote(&self.outcome, &mut text);
        text.push('}');
        text
    }
}

/// Appends a text as a JSON string.
fn quote(text: &str, to: &mut String) {
    to.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => to.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(to, "\\u{:04x}", c as u32);
            }
            c => to.push(c),
        }
    }
    to.push('"');
}

/// The trace that is being written.
struct Trace {
    since: Instant,
    to: Option<Box<dyn Write + Send>>,
    /// The lines, if they are not written but kept.
    kept: Vec<TraceLine>,
}

/// The most lines that are kept.
const KEPT_MAX: usize = 1 << 20;

/// The trace of this process. A forked child has its own, because a thread of its parent may have held the lock.
fn trace() -> &'static Mutex<Option<Trace>> {
    static TRACE: PerProcess<Mutex<Option<Trace>>> = PerProcess::new();
    TRACE.get(|| {
        let to = std::env::var_os(TRACE_VARIABLE).filter(|path| !path.is_empty());
        // Processes that a program starts add to the same file. One that cannot be written must not keep a program from
        // reading.
        let file = to.and_then(|path| std::fs::File::options().create(true).append(true).open(path).ok());
        Mutex::new(file.map(|file| Trace::new(Some(Box::new(file)))))
    })
}

/// The environment variable with the path of a file for the trace.
pub const TRACE_VARIABLE: &str = "HYPERSLAB_TRACE";

impl Trace {
    fn new(to: Option<Box<dyn Write + Send>>) -> Self {
        Self { since: Instant::now(), to, kept: Vec::new() }
    }
}

/// Writes a line for each request from now on; with `None`, the lines are kept until [`take_trace`].
pub fn set_trace(to: Option<Box<dyn Write + Send>>) {
    *trace().lock().unwrap_or_else(PoisonError::into_inner) = Some(Trace::new(to));
}

/// Ends the trace, and returns the lines that were kept.
pub fn take_trace() -> Vec<TraceLine> {
    let ended = trace().lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(mut ended) = ended else { return Vec::new() };
    if let Some(to) = &mut ended.to {
        let _ = to.flush();
    }
    ended.kept
}

/// Adds a request that has ended, if there is a trace.
pub(crate) fn record(began: Instant, line: impl FnOnce(f64, f64) -> TraceLine) {
    let mut trace = trace().lock().unwrap_or_else(PoisonError::into_inner);
    let Some(trace) = trace.as_mut() else { return };
    let line =
        line(began.saturating_duration_since(trace.since).as_secs_f64(), began.elapsed().as_secs_f64());
    match &mut trace.to {
        // The trace must not make a read fail.
        Some(to) => drop(writeln!(to, "{}", line.json())),
        None if trace.kept.len() < KEPT_MAX => trace.kept.push(line),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_json() {
        let line = TraceLine {
            seconds: 0.5,
            took: 0.25,
            round: 3,
            url: "https://h/a\"b".into(),
            range: 10..30,
            reason: "object header",
            attempt: 2,
            outcome: "status\n503".into(),
        };
        let expected = "{\"seconds\":0.500000,\"took\":0.250000,\"round\":3,\"url\":\"https://h/a\\\"b\",\"start\":10,\
                        \"bytes\":20,\"reason\":\"object header\",\"attempt\":2,\"outcome\":\"status\\u000a503\"}";
        assert_eq!(line.json(), expected);
    }

    #[test]
    fn limits_are_refused_before_the_request() {
        let options = RemoteOptions { requests_max: Some(0), ..RemoteOptions::default() };
        let error = begin_request(&options, 1).unwrap_err();
        assert_eq!(error.to_string(), "0 requests were made, as many as allowed");
        let options = RemoteOptions { bytes_max: Some(0), ..RemoteOptions::default() };
        assert!(begin_request(&options, 1).unwrap_err().to_string().contains("0 bytes were fetched"));
    }
}
