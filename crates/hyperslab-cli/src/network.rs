//! The network as the command line sets it: limits, the log of requests, and what they cost.

use crate::failure::{Failure, one_line};
use crate::network_args::NetworkArgs;
use crate::prices::PriceList;
use hyperslab_remote::{RemoteOptions, Traffic, set_trace, take_trace, traffic};
use hyperslab_units::size;
use std::io::{BufWriter, Write};

/// Uses the settings of the command line from now on.
///
/// # Errors
/// If the log cannot be created, which must not exist yet, or if there is no such price list.
pub(crate) fn begin(args: &NetworkArgs) -> Result<(), Failure> {
    if let Some(prices) = &args.prices {
        PriceList::find(prices)?;
    }
    let mut options = RemoteOptions::from_environment();
    (options.requests_max, options.bytes_max) = (args.max_requests, args.max_transfer);
    hyperslab_apps::files::set_remote_options(options);
    let Some(path) = args.log() else { return Ok(()) };
    let file = std::fs::File::create_new(path).map_err(|error| {
        let shown = path.display();
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return Failure::wrong_request(format!("--request-log {shown}: the file exists"))
                .hint("remove it, or name another");
        }
        Failure::unreadable(format!("--request-log {shown}: cannot be written: {error}"))
    })?;
    set_trace(Some(Box::new(BufWriter::new(file))));
    Ok(())
}

/// Ends the log, and writes a summary of the requests.
pub(crate) fn end(args: &NetworkArgs, err: &mut dyn Write) {
    let now = traffic();
    if let Some(path) = args.log() {
        take_trace();
        let _ = writeln!(err, "{}: {}", one_line(&path.display().to_string()), summary(&now));
    }
    // It was found before the command began.
    if let Some(list) = args.prices.as_deref().and_then(|name| PriceList::find(name).ok()) {
        let _ = writeln!(
            err,
            "{} requests, {} received: {}",
            now.requests,
            size::bytes(now.bytes),
            list.sentence(&now)
        );
    }
}

fn summary(traffic: &Traffic) -> String {
    let mut text = format!(
        "{} requests ({} retries) in {} rounds, {} received, {:.3} s waiting",
        traffic.requests,
        traffic.retries,
        traffic.rounds,
        size::bytes(traffic.bytes),
        traffic.waited.as_secs_f64()
    );
    if traffic.hedges > 0 {
        text.push_str(&format!(", {} requests made twice because they were slow", traffic.hedges));
    }
    if traffic.cached_bytes > 0 {
        text.push_str(&format!(", {} from the disk cache", size::bytes(traffic.cached_bytes)));
    }
    text
}
