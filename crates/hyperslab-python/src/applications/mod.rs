//! The applications for `hyperslab.doctor`, `advise`, `archive_summary`, `repack`, `check` and `index`: a request as JSON goes
//! in, the lines of JSON that the command prints with `--json` come out.
//!
//! ```text
//! Python ──► thread of the application ──► answer, or an exception by its kind
//!    ▲             └─ progress
//!    └─ signals: Ctrl-C cancels it
//! ```

mod advise;
mod archive;
mod check;
mod doctor;
mod index;
mod repack;

use crate::errors;
use hyperslab::{Cancel, ErrorKind};
use hyperslab_apps::runner::{Settings, Shard};
use hyperslab_apps::worker::{WORKER, set_command};
use hyperslab_apps::{Error, Result};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often signals are looked for.
const INTERVAL: Duration = Duration::from_millis(50);
/// How long an interrupted application has to remove what it has written.
const END: Duration = Duration::from_secs(30);
/// Applications that run in this process.
static RUNNING: Mutex<Vec<(u64, Cancel)>> = Mutex::new(Vec::new());

/// What an application is given.
struct Call {
    paths: Vec<PathBuf>,
    output: Option<PathBuf>,
    /// The rest of the request, as JSON.
    request: String,
    /// Files at a time, and which share of them: `2/8`.
    jobs: usize,
    shard: Option<String>,
    cancel: Cancel,
    /// Hears how far it is.
    sender: Sender<Event>,
}

/// What an application says.
enum Event {
    /// Of this file, the bytes that are done, and its bytes.
    Progress(String, u64, u64),
    Done(Result<Answer>),
}

/// What came of it: lines of JSON, or the text of an index; and what is worth a warning.
type Answer = (String, Vec<String>);

impl Call {
    fn request<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.request)
            .map_err(|error| Error::wrong_request(format!("an argument has no meaning: {error}")))
    }

    fn path(&self) -> Result<&Path> {
        self.paths.first().map(PathBuf::as_path).ok_or_else(|| Error::wrong_request("no file is named"))
    }

    fn settings(&self) -> Result<Settings<'static>> {
        let shard: Option<Shard> =
            self.shard.as_deref().map(str::parse).transpose().map_err(Error::wrong_request)?;
        Ok(Settings { jobs: self.jobs, shard, resume: None })
    }
}

/// Run an application by its name. `progress` is called with the name of a file, and how many of its bytes are done.
#[pyfunction]
#[pyo3(signature = (name, paths, output, request, jobs=1, shard=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn run_application(
    py: Python<'_>,
    name: &str,
    paths: Vec<PathBuf>,
    output: Option<PathBuf>,
    request: String,
    jobs: usize,
    shard: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer> {
    let (run, writes): (fn(&Call) -> Result<Answer>, bool) = match name {
        "doctor" => (doctor::run, false),
        "advise" => (advise::run, false),
        "archive" => (archive::run, false),
        "check" => (check::run, false),
        "repack" => (repack::run, true),
        "index" => (index::run, true),
        _ => return Err(errors::invalid(format!("there is no application {name:?}"))),
    };
    register_worker(py)?;
    let (sender, mut events) = mpsc::channel();
    let cancel = Cancel::new();
    let call = Call { paths, output, request, jobs, shard, cancel: cancel.clone(), sender: sender.clone() };
    let registered = Registered::new(cancel.clone());
    std::thread::Builder::new().name(format!("hyperslab-{name}")).spawn(move || {
        let done =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call.cancel.during(|| run(&call))));
        let mistake = |_| Err(Error::new(ErrorKind::Internal, "a mistake in hyperslab ended the work"));
        let _ = sender.send(Event::Done(done.unwrap_or_else(mistake)));
    })?;
    let mut interrupted: Option<(PyErr, Instant)> = None;
    let answer = loop {
        let received = &mut events;
        match py.detach(move || received.recv_timeout(INTERVAL)) {
            Ok(Event::Done(answer)) => break answer,
            Ok(Event::Progress(file, done, all)) if interrupted.is_none() => {
                let called =
                    progress.as_ref().map_or(Ok(()), |call| call.call1(py, (file, done, all)).map(drop));
                if let Err(raised) = called {
                    cancel.cancel();
                    interrupted = Some((raised, Instant::now()));
                }
            }
            Ok(Event::Progress(..)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                break Err(Error::new(ErrorKind::Internal, "the work ended without an answer"));
            }
        }
        match (&interrupted, py.check_signals()) {
            (None, Err(raised)) => {
                cancel.cancel();
                interrupted = Some((raised, Instant::now()));
            }
            // What only reads ends by itself.
            (Some((_, since)), _) if !writes || since.elapsed() > END => break Ok(Answer::default()),
            _ => {}
        }
    };
    drop(registered);
    match interrupted {
        Some((raised, _)) => Err(raised),
        None => answer.map_err(errors::raise_application),
    }
}

/// Libraries are loaded and measured by this interpreter, in processes of their own.
fn register_worker(py: Python<'_>) -> PyResult<()> {
    let interpreter: Option<OsString> = py.import("sys")?.getattr("executable")?.extract()?;
    if let Some(interpreter) = interpreter.filter(|interpreter| !interpreter.is_empty()) {
        set_command(interpreter, ["-m", "hyperslab", WORKER].map(OsString::from).to_vec());
    }
    Ok(())
}

/// Cancel all applications of this process: those that threads of an executor run.
#[pyfunction]
pub fn cancel_applications() {
    for (_, running) in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        running.cancel();
    }
}

/// An application that can be cancelled, until this is dropped.
struct Registered(u64);

impl Registered {
    fn new(cancel: Cancel) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push((number, cancel));
        Self(number)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|(number, _)| *number != self.0);
    }
}
