//! `hyperslab repack`: rewrites files.
//!
//! ```text
//! options ──► rules (change set) ─┐
//! IN... OUT ──► targets ──► runner ──► one_file: plan, write beside OUT, verify, rename ──► model ──► text or JSON
//! ```

mod advice;
pub(crate) mod arguments;
mod h5repack;
mod memory;
mod model;
mod one_file;
mod progress;
mod read_effects;
mod recipe;
mod rules;
mod targets;
mod text;

use crate::doctor::Advisor;
use crate::failure::{self, Failure, one_line};
use crate::runner::{self, Log, RunOptions};
use crate::schema;
use arguments::{Adviser, RepackArgs};
use hyperslab_repack::RepackOptions;
use hyperslab_write::WriteOptions;
use model::Document;
use one_file::Job;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use targets::Targets;

/// Runs the command.
pub(crate) fn run(args: &RepackArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let (mut changes, objects) = rules::requests(args)?;
    if let Some(folder) = args.folder.as_deref().filter(|folder| !folder.is_dir()) {
        return Err(Failure::wrong_request(format!(
            "--folder {}: there is no such folder",
            folder.display()
        )));
    }
    let Targets { inputs, outputs, is_single, passed_over, notes } = targets::targets(args)?;
    for note in notes {
        let _ = writeln!(err, "note: {note}");
    }
    changes.is_for_several = !is_single;
    if let Some(note) = text::passed_over(&passed_over, args.paths.last()) {
        let _ = writeln!(err, "note: {note}");
    }
    let jobs = args.run.jobs.clamp(1, inputs.len().max(1));
    let memory_bytes = memory::bytes_of_each(args.memory, jobs)?;
    let options = RepackOptions {
        write: WriteOptions { page_bytes: args.page_bytes(), low: args.low(), ..WriteOptions::default() },
        user_block_bytes: args.user_block,
        objects,
        changes,
        memory_bytes,
        threads: hyperslab::threads().div_ceil(jobs),
        verify: !args.no_verify,
        keep_going: args.keep_going,
        moved: None,
        temporary_folder: std::env::temp_dir(),
    };
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let job = Job {
        options,
        outputs: outputs.values().map(absolute).collect(),
        overwrite: args.overwrite,
        in_place: args.in_place,
        is_dry_run: args.dry_run,
        advisor: args.like.map(|Adviser::Doctor| Advisor::new()).transpose()?,
        profile: args.profile,
        keeps_pages: args.keeps_pages(),
        folder: args.folder.clone(),
        shows_progress: jobs == 1 && !args.json,
    };
    // A dry run passes over what is finished, and notes nothing.
    let (log, finished) = match args.run.resume.as_deref() {
        Some(path) if args.dry_run => (None, Log::read(path)?),
        Some(path) => Log::open(path).map(|(log, finished)| (Some(log), finished))?,
        None => (None, BTreeSet::new()),
    };
    let cancel = progress::cancelled_by_signals();
    let work = |input: &Path| {
        let output = outputs.get(input).map_or(input, |output| output);
        let mut document = Document::new(input, output);
        if cancel.is_cancelled() {
            return (document, None);
        }
        let folder = output.parent().filter(|_| !is_single && !args.dry_run && !args.in_place);
        let made = folder.map_or(Ok(()), std::fs::create_dir_all);
        let done = made
            .map_err(|error| Failure::unreadable(format!("{}: {error}", output.display())))
            .and_then(|()| job.run(input, output, &mut document))
            // At once, because the new file has its name from now on; results wait for those of files before them.
            .and_then(|()| log.as_ref().map_or(Ok(()), |log| log.note(input)));
        (document, Some(done))
    };
    let (mut code, mut not_begun) = (failure::DONE, 0);
    let each = |_: &Path, (mut document, done): (Document, Option<Result<(), Failure>>)| {
        let Some(done) = done else {
            not_begun += 1;
            document.error = Some("interrupted before it was begun".into());
            report(&document, args, is_single, out, err)?;
            return Ok(());
        };
        if let Err(failure) = done {
            code = code.max(failure.code);
            if is_single && !args.json {
                return Err(failure);
            }
            document.error = Some(failure.message.clone());
            failure.report(err);
        }
        code = code.max(report(&document, args, is_single, out, err)?);
        Ok(())
    };
    let run_options = RunOptions { jobs, shows_own_progress: job.shows_progress, ..args.run.clone() };
    runner::run_others(&inputs, &run_options, &finished, work, each)?;
    if not_begun > 0 {
        let left = if not_begun == 1 { "1 file was".to_owned() } else { format!("{not_begun} files were") };
        return Err(Failure::unreadable(format!("interrupted; {left} not begun")));
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
