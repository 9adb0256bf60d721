//! `hyperslab.repack`: a line for each file.

use super::{Answer, Call, Event};
use hyperslab::Cancel;
use hyperslab_apps::repack::{Document, Observer, Repack, RepackOutcome, Request};
use hyperslab_apps::runner::Silent;
use hyperslab_apps::{Error, Result, schema};
use hyperslab_repack::Monitor;

pub(super) fn run(call: &Call) -> Result<Answer> {
    let request = Request { inputs: call.paths.clone(), output: call.output.clone(), ..call.request()? };
    let repack = Repack::new(&request, call.jobs)?;
    let mut lines = String::new();
    let each = |mut document: Document, ending: RepackOutcome| {
        match ending {
            RepackOutcome::Done => {}
            RepackOutcome::Failed(error) if repack.is_single => return Err(error),
            RepackOutcome::Failed(error) => document.error = Some(error.message),
            RepackOutcome::NotBegun => document.error = Some("interrupted before it was begun".to_owned()),
        }
        lines.push_str(&schema::document(schema::REPACK, &document)?);
        Ok::<_, Error>(())
    };
    repack.run(&call.settings()?, &Silent, &Watch(call), each)?;
    Ok((lines, repack.notes.clone()))
}

/// Hands on how far it is, and ends where the program was interrupted.
struct Watch<'c>(&'c Call);

impl Observer for Watch<'_> {
    fn cancel(&self) -> Cancel {
        self.0.cancel.clone()
    }

    fn watch(&self, name: &str, monitor: &Monitor, work: &mut dyn FnMut()) {
        let sender = self.0.sender.clone();
        let tell = |monitor: &Monitor| {
            let (done, all) = (monitor.done_bytes(), monitor.total_bytes());
            // After an interrupt there is no listener any more.
            let _ = sender.send(Event::Progress(name.to_owned(), done, all));
        };
        monitor.tell_while(tell, work);
    }
}
