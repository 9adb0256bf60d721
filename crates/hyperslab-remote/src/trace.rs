//! A trace of the requests of the process: one line of JSON for each request.
//!
//! `round` counts the batches in which requests were made: requests of the same round did not wait for each other.

use hyperslab_io::PerProcess;
use serde::Serialize;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TraceLine {
    /// Seconds from the beginning of the trace to the beginning of the request.
    pub seconds: f64,
    /// Seconds from the beginning of the request to its end.
    pub took: f64,
    /// The number of the batch.
    pub round: u64,
    /// The URL, without its query.
    pub url: String,
    /// The first requested byte.
    pub start: u64,
    /// The number of requested bytes.
    pub bytes: u64,
    /// Why they were requested: a structure of the file, or `data`.
    pub reason: &'static str,
    /// How many structures, or chunks of data, lie in them.
    pub serves: usize,
    /// The number of the attempt, from 1 on.
    pub attempt: u32,
    /// `ok`, `abandoned` (another request for the same range was faster, or the read was cancelled), or why the attempt
    /// failed.
    pub outcome: String,
}

impl TraceLine {
    /// The line as a JSON object.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers and text are valid JSON")
    }
}

/// The trace that is being written.
struct Trace {
    since: Instant,
    to: Option<Box<dyn Write + Send>>,
    /// The lines, if they are not written but kept.
    kept: Vec<TraceLine>,
}

impl Trace {
    fn new(to: Option<Box<dyn Write + Send>>) -> Self {
        Self { since: Instant::now(), to, kept: Vec::new() }
    }
}

/// The most lines that are kept.
const KEPT_MAX: usize = 1 << 20;

/// The environment variable with the path of a file for the trace.
pub const TRACE_VARIABLE: &str = "HYPERSLAB_TRACE";

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

/// Adds a request that has ended, if there is a trace. `line` is given the seconds of its beginning and its duration.
pub(crate) fn record(began: Instant, line: impl FnOnce(f64, f64) -> TraceLine) {
    let mut trace = trace().lock().unwrap_or_else(PoisonError::into_inner);
    let Some(trace) = trace.as_mut() else { return };
    let microseconds = |seconds: f64| (seconds * 1e6).round() / 1e6;
    let since = began.saturating_duration_since(trace.since).as_secs_f64();
    let line = line(microseconds(since), microseconds(began.elapsed().as_secs_f64()));
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
            start: 10,
            bytes: 20,
            reason: "object header",
            serves: 4,
            attempt: 2,
            outcome: "status\n503".into(),
        };
        let expected = "{\"seconds\":0.5,\"took\":0.25,\"round\":3,\"url\":\"https://h/a\\\"b\",\"start\":10,\
                        \"bytes\":20,\"reason\":\"object header\",\"serves\":4,\"attempt\":2,\
                        \"outcome\":\"status\\n503\"}";
        assert_eq!(line.json(), expected);
    }
}
