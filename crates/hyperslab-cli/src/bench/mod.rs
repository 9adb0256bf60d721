//! `hyperslab bench`: prints what a program's reads cost with other chunks, filters and caches, as text, JSON, CSV or a page.

pub(crate) mod arguments;
mod libraries;
mod plan_table;
mod progress;
mod recipe;
mod render;
mod tables;

use crate::failure::{self, Failure};
use arguments::BenchArgs;
use hyperslab_apps::bench::{self, Bench, Document};
use hyperslab_apps::outputs::check_file;
use hyperslab_apps::schema;
use hyperslab_pages::bench as pages;
use progress::Terminal;
use render::csv;
use std::io::Write;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    if !args.render.is_empty() {
        return recipe::render(&args.render, out);
    }
    if args.recipe.is_some() {
        return recipe::run(args, out, err);
    }
    if args.scale.is_some() || args.about {
        return Err(Failure::wrong_request("--scale and --about go with --recipe")
            .hint("--recipe list names the recipes"));
    }
    // Before anything is measured: hours of work are not lost for a folder that is not there.
    for (option, path) in [("--csv", &args.csv), ("--html", &args.html), ("--keep", &args.keep)] {
        path.as_deref().map(|path| check_file(option, path)).transpose()?;
    }
    let older = args.compare.as_deref().map(bench::read).transpose()?;
    let mut document = match &args.from {
        Some(path) => bench::read(path)?,
        None if args.list => return libraries::list(args, out),
        None => match measure(args, out, err)? {
            Some(document) => document,
            None => return Ok(failure::DONE),
        },
    };
    if let (Some(older), Some(path)) = (&older, &args.compare) {
        document.compare(&path.display().to_string(), older);
    }
    if let Some(path) = &args.csv {
        let fail = |error: ::csv::Error| written_too_late(path, &error);
        csv::write_file(&document, path).map_err(fail)?;
    }
    if let Some(path) = &args.html {
        let fail = |error: std::io::Error| written_too_late(path, &error);
        std::fs::write(path, pages::page(&document).html()).map_err(fail)?;
    }
    let text = if args.json { schema::document(schema::BENCH, &document)? } else { render::text(&document) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(if document.skipped.is_empty() { failure::DONE } else { failure::UNREADABLE })
}

/// What could be written before the bench, and cannot be after it.
fn written_too_late(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::unreadable(format!("{}: {error}", path.display()))
        .hint("keep what --json prints: --from makes every other form of it")
}

/// Measures what the command line asks for. Nothing for a dry run, which prints its plan.
fn measure(args: &BenchArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<Option<Document>, Failure> {
    progress::end_by_interrupt();
    let request = args.request();
    let mut terminal = Terminal { err };
    let bench = Bench::new(&request, !args.dry_run, &mut terminal)?;
    if !args.dry_run {
        return Ok(Some(bench.run(&mut terminal)?));
    }
    let plan = &bench.plan;
    let text = match args.json {
        true => schema::document(schema::BENCH_PLAN, plan)?,
        false => format!("{}\n{}\n", tables::text(&plan_table::plan(plan)), plan.sentence()),
    };
    out.write_all(text.as_bytes())?;
    Ok(None)
}
