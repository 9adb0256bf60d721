//! `hyperslab doctor --summary`: prints what repacking an archive would save, as text, JSON, a page, or a recipe.

pub(crate) mod arguments;
mod text;

use crate::args::DoctorArgs;
use crate::failure::{self, Failure, one_line};
use hyperslab_apps::archive::{self, Answer, FileSurvey, Rank, Request};
use hyperslab_apps::outputs::{check_file, write_file};
use hyperslab_apps::schema;
use hyperslab_apps::shell_line::shell_line;
use std::io::Write;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    for (option, path) in [("--html", &args.html), ("--recipe-out", &args.summary.recipe_out)] {
        path.as_deref().map(|path| check_file(option, path)).transpose()?;
    }
    let request = Request {
        paths: args.paths.clone(),
        place: args.place.clone(),
        readers: args.summary.readers.clone(),
        reads: args.read.clone(),
        rank: args.summary.rank.map_or_else(Rank::default, Rank::from),
    };
    let each = |survey: &FileSurvey, is_new: bool| {
        report_problem(survey, err);
        if args.json && is_new {
            out.write_all(schema::document(schema::ARCHIVE_FILE, survey)?.as_bytes())?;
        }
        Ok::<_, Failure>(())
    };
    let Answer { summary, is_incomplete } =
        archive::run(&request, &args.run.settings(), &*args.run.observer(), each)?;
    if let Some(path) = &args.html {
        write_file(path, &hyperslab_pages::archive::page(&summary, &command(&request, path)).html())?;
    }
    if let Some(path) = &args.summary.recipe_out {
        write_file(path, &archive::recipe(&summary))?;
    }
    let shown =
        if args.json { schema::document(schema::ARCHIVE_SUMMARY, &summary)? } else { text::render(&summary) };
    out.write_all(shown.as_bytes())?;
    out.flush()?;
    Ok(if is_incomplete { failure::UNREADABLE } else { failure::DONE })
}

/// Says why a file could not be read.
fn report_problem(survey: &FileSurvey, err: &mut dyn Write) {
    if let Some(problem) = &survey.problem {
        let is_named = problem.contains(&survey.file);
        let file = if is_named { String::new() } else { format!("{}: ", one_line(&survey.file)) };
        let _ = writeln!(err, "error: {file}{problem}");
    }
}

/// The line that makes a page again.
fn command(request: &Request, page: &Path) -> String {
    let mut words = request.words();
    words.extend(["--html".to_owned(), page.display().to_string()]);
    shell_line(&words)
}
