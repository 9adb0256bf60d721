//! How far a repack is, on standard error, where that is a terminal; and ending it by a signal.

use hyperslab::Cancel;
use hyperslab_apps::repack::Observer;
use hyperslab_repack::Monitor;
use hyperslab_units::size;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The exit code of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// A signal that follows the first one so soon is the same: a terminal sends it to the process, and the process that started
/// it passes it on.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

/// A bar, and signals that end the work.
pub(super) struct Bar;

/// Signals that end the work, without a bar.
pub(super) struct Signals;

impl Observer for Bar {
    fn cancel(&self) -> Cancel {
        cancelled_by_signals()
    }

    fn watch(&self, name: &str, monitor: &Monitor, work: &mut dyn FnMut()) {
        shown(name, monitor, work);
    }
}

impl Observer for Signals {
    fn cancel(&self) -> Cancel {
        cancelled_by_signals()
    }
}

/// The flag that SIGINT, SIGTERM and SIGHUP set. What has been written then goes; a second signal ends the process at
/// once, and leaves it to the next run.
fn cancelled_by_signals() -> Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    let cancel = CANCEL.get_or_init(|| {
        let cancel = Cancel::new();
        let set = cancel.clone();
        // Without a handler, a signal ends the process, and the next run removes what is left.
        let mut first: Option<Instant> = None;
        let _ = ctrlc::set_handler(move || {
            if first.get_or_insert_with(Instant::now).elapsed() > SAME_SIGNAL {
                std::process::exit(INTERRUPTED);
            }
            set.cancel();
        });
        cancel
    });
    cancel.clone()
}

/// Runs `work` while a bar shows what the monitor says.
fn shown(name: &str, monitor: &Monitor, work: &mut dyn FnMut()) {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:20} {percent} %, {eta} left  {wide_msg}");
    bar.set_style(style.expect("the template is valid"));
    let show = |monitor: &Monitor| {
        bar.set_length(monitor.total_bytes());
        bar.set_position(monitor.done_bytes());
        let written = monitor.written_bytes();
        let ratio = size::ratio(monitor.done_bytes(), written).unwrap_or(1.0);
        bar.set_message(format!("{name}: {} written, ratio {ratio:.2}", size::bytes(written)));
    };
    monitor.tell_while(show, work);
    bar.finish_and_clear();
}
