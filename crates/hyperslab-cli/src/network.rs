//! The network as the command line sets it: limits, and the trace of requests.

use crate::args::NetworkArgs;
use crate::failure::{Failure, one_line};
use crate::size;
use hyperslab_remote::{RemoteOptions, set_trace, take_trace, traffic};
use std::io::{BufWriter, Write};
use std::sync::{PoisonError, RwLock};

static OPTIONS: RwLock<Option<RemoteOptions>> = RwLock::new(None);

/// The settings of remote files of this command.
pub(crate) fn options() -> RemoteOptions {
    OPTIONS.read().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}

/// Uses the settings of the command line from now on.
///
/// # Errors
/// If the file of the trace cannot be created.
pub(crate) fn begin(args: &NetworkArgs) -> Result<(), Failure> {
    let mut options = RemoteOptions::default();
    (options.requests_max, options.bytes_max) = (args.max_requests, args.max_transfer);
    *OPTIONS.write().unwrap_or_else(PoisonError::into_inner) = Some(options);
    let Some(path) = &args.trace else { return Ok(()) };
    let file = std::fs::File::create(path).map_err(|error| {
        Failure::unreadable(format!("--trace {}: cannot be written: {error}", path.display()))
    })?;
    set_trace(Some(Box::new(BufWriter::new(file))));
    Ok(())
}

/// Ends the trace, and writes a summary of the requests.
pub(crate) fn end(args: &NetworkArgs, err: &mut dyn Write) {
    let Some(path) = &args.trace else { return };
    take_trace();
    let now = traffic();
    let _ = writeln!(
        err,
        "{}: {} requests ({} retries) in {} rounds, {} received, {:.3} s waiting",
        one_line(&path.display().to_string()),
        now.requests,
        now.retries,
        now.rounds,
        size::bytes(now.bytes),
        now.waited.as_secs_f64()
    );
}
