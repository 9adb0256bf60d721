//! `hyperslab trace`: runs a program, and says what it read.

pub(crate) mod arguments;
mod text;

use crate::failure::{self, Failure};
use crate::preloaded;
use arguments::TraceArgs;
use hyperslab_apps::outputs::{check_file, write_file};
use hyperslab_apps::shell_line::shell_line;
use hyperslab_apps::{schema, trace};
use hyperslab_trace::Plan;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs the command.
pub(crate) fn run(args: &TraceArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    if let Some(page) = &args.html {
        check_file("--html", page)?;
    }
    if let Some(shown) = &args.show {
        let answer = trace::run(shown)?;
        draw(args, &answer, shown)?;
        let text = if args.json { schema::document(schema::TRACE, &answer)? } else { text::text(&answer) };
        out.write_all(text.as_bytes())?;
        return Ok(failure::DONE);
    }
    let program = preloaded::find(&args.program)?;
    let folder = folder(args, &program.path)?;
    let ended = preloaded::run(&program, &Plan { trace: Some(folder.clone()), ..Plan::default() })?;
    // What the program printed is complete before the summary.
    let _ = writeln!(err);
    let is_empty = std::fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_none());
    if is_empty {
        let _ = std::fs::remove_dir(&folder);
        let _ = writeln!(
            err,
            "hyperslab: no H5Dread was seen: libhdf5 is linked statically, called through dlsym (Julia, ctypes), or not used"
        );
    } else {
        let answer = trace::run(&folder)?;
        let _ = err.write_all(text::text(&answer).as_bytes());
        draw(args, &answer, &folder)?;
    }
    ended.pass_on();
    Ok(ended.code())
}

/// Writes the page of a trace, if there is to be one.
fn draw(args: &TraceArgs, answer: &trace::Answer, folder: &Path) -> Result<(), Failure> {
    let Some(page) = &args.html else { return Ok(()) };
    let shown = |path: &Path| path.display().to_string();
    let words = [
        "hyperslab".to_owned(),
        "trace".to_owned(),
        "--show".to_owned(),
        shown(folder),
        "--html".to_owned(),
        shown(page),
    ];
    Ok(write_file(page, &hyperslab_pages::trace::page(answer, &shell_line(&words)).html())?)
}

/// Makes the folder of the trace.
fn folder(args: &TraceArgs, program: &Path) -> Result<PathBuf, Failure> {
    let folder = match &args.output {
        Some(folder) => folder.clone(),
        None => {
            let mut name = program.file_name().unwrap_or_default().to_owned();
            name.push(".trace");
            PathBuf::from(name)
        }
    };
    let shown = folder.display();
    std::fs::create_dir(&folder).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::wrong_request(format!("{shown} exists"))
            .hint("remove it, or name another folder with -o; `hyperslab trace --show` shows what is in it"),
        _ => Failure::wrong_request(format!("{shown}: {error}")),
    })?;
    // Programs may go to other folders.
    folder.canonicalize().map_err(|error| Failure::unreadable(format!("{shown}: {error}")))
}
