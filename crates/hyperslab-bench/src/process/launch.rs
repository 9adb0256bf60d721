//! The parent's side: runs a task in a process of its own, so that a crash, a hang or a want of memory ends one run,
//! not the bench.

use super::task::{Answer, Outcome, Task};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a process is started that serves one task: a program and its first arguments.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// A run that takes longer is ended.
    pub timeout: Duration,
}

/// Why a run gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The engine said so.
    #[error("{0}")]
    Failed(String),
    /// The process ended without an answer.
    #[error("the process ended without an answer ({0})")]
    Crashed(String),
    /// It took too long.
    #[error("not done after {0} s")]
    TimedOut(u64),
    /// The user wants to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Launcher {
    /// Runs a task that has an outcome to its end, unless `stop` is set meanwhile.
    pub fn run(&self, task: &Task, stop: &AtomicBool) -> Result<Outcome, RunError> {
        match self.ask(task, stop)? {
            Answer::Done(outcome) => Ok(*outcome),
            _ => Err(RunError::Crashed("the process answered something else".to_owned())),
        }
    }

    /// Runs a task to its end, unless `stop` is set meanwhile.
    pub fn ask(&self, task: &Task, stop: &AtomicBool) -> Result<Answer, RunError> {
        let failed = |error: &dyn std::fmt::Display| RunError::Crashed(error.to_string());
        let text = serde_json::to_string(task).map_err(|error| failed(&error))?;
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        let mut child = Ended(child);
        let input = child.0.stdin.take();
        let (out, err) = (child.0.stdout.take(), child.0.stderr.take());
        std::thread::scope(|scope| {
            // Each pipe has a thread, so that neither side waits for the other to make room.
            scope.spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
            let out = scope.spawn(move || slurp(out));
            let err = scope.spawn(move || slurp(err));
            let ended = child.wait(self.timeout, stop);
            let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
            let status = ended?;
            match serde_json::from_str(&out) {
                Ok(Answer::Failed(why)) => Err(RunError::Failed(why)),
                Ok(answer) => Ok(answer),
                Err(_) => {
                    let last = err.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
                    let words = if last.is_empty() { status } else { format!("{status}: {last}") };
                    Err(RunError::Crashed(words))
                }
            }
        })
    }
}

fn slurp(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What came before an error is as good as it gets.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Signals by which a user or a system asks processes to end.
const INTERRUPTS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// A child that does not outlive its parent's interest.
struct Ended(Child);

impl Ended {
    /// Waits for the end; answers with how it came, in words.
    fn wait(&mut self, timeout: Duration, stop: &AtomicBool) -> Result<String, RunError> {
        let began = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match self.0.try_wait() {
                // Ctrl-C in a terminal goes to all processes, as its closing does and the end of a batch job: it may
                // reach this one before the parent knows.
                Ok(Some(status)) if status.signal().is_some_and(|signal| INTERRUPTS.contains(&signal)) => {
                    return Err(RunError::Interrupted);
                }
                Ok(Some(status)) => return Ok(status.to_string()),
                Ok(None) => {}
                Err(error) => return Err(RunError::Crashed(error.to_string())),
            }
            let ended = if stop.load(Ordering::Relaxed) {
                Some(RunError::Interrupted)
            } else {
                (began.elapsed() > timeout).then_some(RunError::TimedOut(timeout.as_secs()))
            };
            if let Some(error) = ended {
                self.end();
                return Err(error);
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

impl Drop for Ended {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, OpenOptions};
    use crate::process::Operation;
    use crate::study::Access;

    fn launched(script: &str, seconds: u64, stop: bool) -> Result<Outcome, RunError> {
        let launcher = Launcher {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            timeout: Duration::from_secs(seconds),
        };
        let operation = Operation::Read { shape: vec![1], reads_max: None, cold: false, check: None };
        let task = Task {
            engine: Engine::Null,
            file: "none".into(),
            dataset: "/d".to_owned(),
            access: Access::whole(&[1]),
            options: OpenOptions::default(),
            operation,
        };
        launcher.run(&task, &AtomicBool::new(stop))
    }

    #[test]
    fn a_process_that_dies_is_told_of() {
        let crashed = launched("cat > /dev/null; echo out of luck >&2; kill -9 $$", 30, false).unwrap_err();
        assert!(crashed.to_string().contains("signal: 9"), "{crashed}");
        assert!(crashed.to_string().contains("out of luck"), "{crashed}");
        assert!(matches!(launched("exit 3", 30, false), Err(RunError::Crashed(_))));
    }

    #[test]
    fn a_process_that_hangs_is_ended() {
        assert_eq!(launched("exec sleep 600", 0, false), Err(RunError::TimedOut(0)));
        assert_eq!(launched("exec sleep 600", 600, true), Err(RunError::Interrupted));
        assert_eq!(launched("kill -TERM $$; exec sleep 600", 600, false), Err(RunError::Interrupted));
        // Where this test runs in the background, the signal is ignored, and the shell goes on.
        let signalled = launched("kill -INT $$; exit 3", 600, false);
        assert!(matches!(signalled, Err(RunError::Interrupted | RunError::Crashed(_))), "{signalled:?}");
    }

    #[test]
    fn what_an_engine_cannot_do_comes_back_in_its_words() {
        let said = launched(r#"cat > /dev/null; echo '{"failed":"no such dataset"}'"#, 30, false);
        assert_eq!(said, Err(RunError::Failed("no such dataset".to_owned())));
    }
}
