//! Programs that are run to their end, with input and output through pipes, and are ended where they take too long.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A program that came to its end.
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output, where that is text.
    pub out: String,
    /// What it wrote to standard error.
    pub err: String,
}

/// Why a program did not come to its end.
pub enum Unfinished {
    /// It cannot be started, or waited for.
    Failed(std::io::Error),
    /// It took longer than it may.
    TimedOut,
    /// It was to be stopped.
    Stopped,
}

/// Runs a program that may read this input, unless `stop` is set meanwhile.
pub fn run(
    command: &mut Command,
    input: &str,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<Finished, Unfinished> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running(command.spawn().map_err(Unfinished::Failed)?);
    let (to, out, err) = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
    std::thread::scope(|scope| {
        // Each pipe has a thread, so that neither side waits for the other to make room. A program need not read its input.
        scope.spawn(move || to.map(|mut to| to.write_all(input.as_bytes())));
        let out = scope.spawn(move || slurp(out));
        let err = scope.spawn(move || slurp(err));
        let ended = child.wait(timeout, stop);
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        Ok(Finished { status: ended?, out, err })
    })
}

fn slurp(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What came before an error is as good as it gets.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A child that does not outlive its parent's interest.
struct Running(Child);

impl Running {
    /// Waits for the end.
    fn wait(&mut self, timeout: Duration, stop: &AtomicBool) -> Result<ExitStatus, Unfinished> {
        let began = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.0.try_wait().map_err(Unfinished::Failed)? {
                return Ok(status);
            }
            let is_stopped = stop.load(Ordering::Relaxed);
            if is_stopped || began.elapsed() > timeout {
                self.end();
                return Err(if is_stopped { Unfinished::Stopped } else { Unfinished::TimedOut });
            }
            std::thread::sleep(pause);
            // Rare looks at a long run disturb it less.
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
