//! The program as a child: its environment, its signals, its end.

use super::library::library;
use super::program::Program;
use crate::failure::Failure;
use hyperslab_trace::{PLAN_VARIABLE, Plan};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};

/// How a program ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended(ExitStatus);

/// Signals that are passed on to the program. A terminal sends its own to both.
const PASSED_ON: [i32; 5] = [libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2, libc::SIGCONT];
/// Signals that the program alone decides about.
const LEFT: [i32; 2] = [libc::SIGINT, libc::SIGQUIT];

static CHILD: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: i32) {
    let child = CHILD.load(Ordering::Relaxed);
    if child > 0 {
        // SAFETY: a call that a handler may make.
        unsafe { libc::kill(child, signal) };
    }
}

extern "C" fn leave(_: i32) {}

/// Runs a program with the library preloaded, and waits for its end.
///
/// # Errors
/// It cannot be started, or the library is missing.
pub(crate) fn run(program: &Program, plan: &Plan) -> Result<Ended, Failure> {
    let library = library()?;
    let mut preloaded = library.into_os_string();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preloaded.push(":");
        preloaded.push(others);
    }
    let mut command = Command::new(&program.path);
    if let Some(name) = program.words.first() {
        command.arg0(name);
    }
    command.args(program.words.iter().skip(1));
    command.env("LD_PRELOAD", preloaded).env(PLAN_VARIABLE, plan.text());
    let mut child = command
        .spawn()
        .map_err(|error| Failure::unreadable(format!("{}: {error}", program.path.display())))?;
    CHILD.store(child.id() as i32, Ordering::Relaxed);
    for signal in PASSED_ON {
        // SAFETY: a handler that makes one call.
        unsafe { libc::signal(signal, pass_on as extern "C" fn(i32) as libc::sighandler_t) };
    }
    for signal in LEFT {
        // SAFETY: a handler that does nothing; unlike an ignored signal, children do not inherit it.
        unsafe { libc::signal(signal, leave as extern "C" fn(i32) as libc::sighandler_t) };
    }
    let status =
        child.wait().map_err(|error| Failure::unreadable(format!("{}: {error}", program.path.display())))?;
    CHILD.store(0, Ordering::Relaxed);
    Ok(Ended(status))
}

impl Ended {
    /// The exit code; of a program that a signal ended, 128 and the signal, as shells have it.
    pub(crate) fn code(self) -> i32 {
        self.0.code().or_else(|| self.0.signal().map(|signal| 128 + signal)).unwrap_or(1)
    }

    /// Where a signal ended the program: ends this one by the same.
    pub(crate) fn pass_on(self) {
        if let Some(signal) = self.0.signal() {
            // SAFETY: the default action, and a signal to this process.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
        }
    }
}
