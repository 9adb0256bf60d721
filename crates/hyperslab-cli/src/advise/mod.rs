//! `hyperslab advise`: prints which chunks and filters serve the reads of datasets, as text, JSON, a page, or a recipe.

pub(crate) mod arguments;
mod page_sizes;
mod text;

use crate::failure::{self, Failure, one_line};
use arguments::AdviseArgs;
use hyperslab_apps::advise::{self, Answer, MadeUp, Request};
use hyperslab_apps::outputs::{check_file, write_file};
use hyperslab_apps::shell_line::shell_line;
use hyperslab_apps::{files, schema};
use std::io::Write;
use std::path::Path;

/// What a process ends with that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// Runs the command.
pub(crate) fn run(args: &AdviseArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    for (option, path) in [("--html", &args.html), ("--recipe-out", &args.recipe_out)] {
        path.as_deref().map(|path| check_file(option, path)).transpose()?;
    }
    // A command that set a handler before goes on as it wanted.
    let _ = ctrlc::set_handler(|| {
        advise::remove_sample_folders();
        std::process::exit(INTERRUPTED);
    });
    let request = request(args);
    let Answer { document, notes, failures } = advise::run(&request)?;
    if let Some(path) = &args.html {
        write_file(path, &hyperslab_pages::advise::page(&document, &command(&request, path)).html())?;
    }
    if let Some(path) = &args.recipe_out {
        write_file(path, &advise::recipe(&document))?;
    }
    let shown =
        if args.json { schema::document(schema::ADVISE, &document)? } else { text::render(&document) };
    out.write_all(shown.as_bytes())?;
    out.flush()?;
    for note in notes {
        let _ = writeln!(err, "note: {}", one_line(&note));
    }
    let failed = failures.into_iter().map(|error| Failure::from(error).report(err)).max();
    Ok(failed.unwrap_or(failure::DONE))
}

fn request(args: &AdviseArgs) -> Request {
    let made_up = |shape: &String| MadeUp {
        shape: shape.clone(),
        element: args.element.to_string(),
        ratio: args.ratio,
    };
    Request {
        file: args.file.clone(),
        made_up: args.synthetic.as_ref().map(made_up),
        datasets: args.datasets.clone(),
        reads: args.read.clone(),
        places: args.pattern.places(),
        reads_from: args.reads_from.clone(),
        write: args.write.clone(),
        readers: args.readers.clone(),
        size_bound: args.size_bound.clone(),
        max_error: args.max_error.map(|bound| bound.to_string()),
        place: args.place.clone(),
        cloud: args.cloud,
        seconds: args.seconds,
        libhdf5: args.libhdf5.clone(),
    }
}

/// The line that makes a page again.
fn command(request: &Request, page: &Path) -> String {
    let mut words = request.words();
    words.extend(["--html".to_owned(), files::shown(page)]);
    shell_line(&words)
}
