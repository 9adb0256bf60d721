//! The parent's side: runs a task in a process of its own, so that a crash, a hang or a want of memory ends one run,
//! not the bench.

use super::task::{Answer, Outcome, Task};
use hyperslab_engines::child;
use hyperslab_engines::child::{Finished, Unfinished};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

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

impl RunError {
    pub(crate) fn unexpected() -> Self {
        Self::Crashed("the process answered something else".to_owned())
    }
}

impl Launcher {
    /// Runs a task that has an outcome to its end, unless `stop` is set meanwhile.
    pub fn run(&self, task: &Task, stop: &AtomicBool) -> Result<Outcome, RunError> {
        match self.ask(task, stop)? {
            Answer::Done(outcome) => Ok(*outcome),
            _ => Err(RunError::unexpected()),
        }
    }

    /// Runs a task to its end, unless `stop` is set meanwhile.
    pub fn ask(&self, task: &Task, stop: &AtomicBool) -> Result<Answer, RunError> {
        let text = serde_json::to_string(task).map_err(|error| RunError::Crashed(error.to_string()))?;
        let mut command = Command::new(&self.program);
        let finished = child::run(command.args(&self.arguments), &text, self.timeout, stop);
        let Finished { status, out, err } = finished.map_err(|why| match why {
            Unfinished::Failed(error) => RunError::Crashed(error.to_string()),
            Unfinished::TimedOut => RunError::TimedOut(self.timeout.as_secs()),
            Unfinished::Stopped => RunError::Interrupted,
        })?;
        // Ctrl-C in a terminal goes to all processes, as its closing does and the end of a batch job: it may reach this
        // one before the parent knows.
        if status.signal().is_some_and(|signal| INTERRUPTS.contains(&signal)) {
            return Err(RunError::Interrupted);
        }
        match serde_json::from_str(&out) {
            Ok(Answer::Failed(why)) => Err(RunError::Failed(why)),
            Ok(answer) => Ok(answer),
            Err(_) => match err.lines().rfind(|line| !line.trim().is_empty()) {
                Some(last) => Err(RunError::Crashed(format!("{status}: {last}"))),
                None => Err(RunError::Crashed(status.to_string())),
            },
        }
    }
}

/// Signals by which a user or a system asks processes to end.
const INTERRUPTS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Access, Part};
    use crate::process::Operation;
    use hyperslab_engines::{Engine, OpenOptions};

    fn launched(script: &str, seconds: u64, stop: bool) -> Result<Outcome, RunError> {
        let launcher = Launcher {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            timeout: Duration::from_secs(seconds),
        };
        let operation = Operation::Read { shape: vec![1], part: Part::All, cold: false, check: None };
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
