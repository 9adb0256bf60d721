//! `hyperslab repack`: rewrites files, and prints what was done as text or JSON.

pub(crate) mod arguments;
mod progress;
mod text;

use crate::failure::{self, Failure, one_line};
use crate::run_options::RunOptions;
use arguments::RepackArgs;
use hyperslab_apps::repack::{Document, Repack, RepackOutcome};
use hyperslab_apps::schema;
use progress::{Bar, Signals};
use std::io::Write;

/// Runs the command.
pub(crate) fn run(args: &RepackArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let repack = Repack::new(&args.request(), args.run.jobs)?;
    for note in &repack.notes {
        let _ = writeln!(err, "note: {note}");
    }
    if let Some(note) = text::passed_over(&repack.passed_over, args.paths.last()) {
        let _ = writeln!(err, "note: {note}");
    }
    let is_single = repack.is_single;
    let mut code = failure::DONE;
    let each = |mut document: Document, ending: RepackOutcome| {
        match ending {
            RepackOutcome::Done => {}
            RepackOutcome::NotBegun => document.error = Some("interrupted before it was begun".into()),
            RepackOutcome::Failed(error) => {
                let failure = Failure::from(error);
                code = code.max(failure.code);
                if is_single && !args.json {
                    return Err(failure);
                }
                document.error = Some(failure.message.clone());
                failure.report(err);
            }
        }
        code = code.max(report(&document, args, is_single, out, err)?);
        Ok(())
    };
    let shows_own_progress = repack.jobs() == 1 && !args.json;
    let run = RunOptions { shows_own_progress, ..args.run.clone() };
    let (settings, files) = (run.settings(), run.observer());
    if shows_own_progress {
        repack.run(&settings, &*files, &Bar, each)?;
    } else {
        repack.run(&settings, &*files, &Signals, each)?;
    }
    Ok(code)
}

/// Prints what was done with a file.
fn report(
    document: &Document,
    args: &RepackArgs,
    is_single: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    // Of several files, messages name theirs.
    let file = if is_single { String::new() } else { format!("{}: ", one_line(&document.input)) };
    let mut code = failure::DONE;
    if let Some(outcome) = &document.result {
        for line in text::damage(&document.input, outcome) {
            code = failure::UNREADABLE;
            let _ = writeln!(err, "error: {file}{line}");
        }
    }
    if args.json {
        out.write_all(schema::document(schema::REPACK, document)?.as_bytes())?;
        out.flush()?;
        return Ok(code);
    }
    match (&document.plan, &document.result) {
        (Some(plan), None) if args.dry_run => {
            writeln!(out, "{}", text::files(document, args.in_place))?;
            out.write_all(text::plan(plan).as_bytes())?;
        }
        (Some(plan), Some(outcome)) => {
            let raised = if args.libver.is_some() { text::raised(plan) } else { Vec::new() };
            let notes = text::kept(plan).into_iter().chain(text::selected(plan)).chain(raised);
            for note in notes.chain(plan.notes.iter().map(|note| one_line(note))) {
                let _ = writeln!(err, "note: {file}{note}");
            }
            out.write_all(text::outcome(document, outcome, args.in_place).as_bytes())?;
        }
        _ => {}
    }
    out.flush()?;
    Ok(code)
}
