//! The file of a process in the folder of a trace. It is written anew each time, beside the old one, and renamed.

use crate::api;
use hyperslab_trace::{Line, Others, Process, TracedDataset, TracedPattern, VERSION};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Writing takes at most this share of the time.
const SHARE_MAX: f64 = 0.01;

/// The file of a process.
pub struct Writer {
    folder: PathBuf,
    /// The file, from the first lines on.
    path: Option<PathBuf>,
    last: Option<(Instant, Duration)>,
}

impl Writer {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), path: None, last: None }
    }

    /// That of a child.
    pub fn of_child(&self) -> Self {
        Self::new(&self.folder)
    }

    /// True where writing again now is not too often.
    pub fn is_due(&self) -> bool {
        self.last.is_none_or(|(at, took)| took.as_secs_f64() <= SHARE_MAX * at.elapsed().as_secs_f64())
    }

    /// Writes the lines. A process that has none has no file. What cannot be written is told once, at the end.
    pub fn write(
        &mut self,
        started: SystemTime,
        ran: Duration,
        has_ended: bool,
        lines: Vec<(TracedDataset, Vec<TracedPattern>)>,
        others: Option<Others>,
    ) {
        if lines.is_empty() && others.is_none() {
            return;
        }
        let began = Instant::now();
        let process = Process {
            hyperslab_trace: VERSION,
            pid: std::process::id(),
            program: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            started: started.duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64()),
            seconds: ran.as_secs_f64(),
            ended: has_ended,
            libhdf5: api::versions(),
            others,
        };
        if let Err(error) = self.write_lines(process, lines)
            && has_ended
        {
            eprintln!("hyperslab: the trace in {} was not written: {error}", self.folder.display());
        }
        self.last = Some((Instant::now(), began.elapsed()));
    }

    fn write_lines(
        &mut self,
        process: Process,
        lines: Vec<(TracedDataset, Vec<TracedPattern>)>,
    ) -> io::Result<()> {
        let path = match &self.path {
            Some(path) => path.clone(),
            None => {
                let path = create(&self.folder, &process)?;
                self.path = Some(path.clone());
                path
            }
        };
        let new = path.with_extension("new");
        let mut out = BufWriter::new(File::create(&new)?);
        let mut line = |line: &Line| -> io::Result<()> {
            serde_json::to_writer(&mut out, line)?;
            out.write_all(b"\n")
        };
        line(&Line::Process(process))?;
        for (dataset, patterns) in lines {
            line(&Line::Dataset(Box::new(dataset)))?;
            patterns.into_iter().try_for_each(|pattern| line(&Line::Pattern(pattern)))?;
        }
        out.flush()?;
        drop(out);
        std::fs::rename(&new, &path)
    }
}

/// A file of its own for the process: another of this number may have written before it, on this machine or on another.
fn create(folder: &Path, process: &Process) -> io::Result<PathBuf> {
    let program = process.program.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
    let name = format!("{}.{}", program.to_string_lossy(), process.pid);
    for number in 1..1000 {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{name}{suffix}.jsonl"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many files of this name"))
}
