//! `hyperslab check`: prints whether files follow the specification.

mod text;

use crate::absent;
use crate::args::CheckArgs;
use crate::failure::{self, Failure, one_line};
use hyperslab_apps::check::{self, Checked, Options, Summary, Unreadable};
use hyperslab_apps::runner::{self, FileOutcome, Found};
use hyperslab_apps::{Error, files, schema};
use std::io::Write;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    if args.rules {
        out.write_all(hyperslab_check::page().as_bytes())?;
        return Ok(failure::DONE);
    }
    let options = Options { data: args.data };
    if let [file] = args.paths.as_slice()
        && !files::is_folder(file)
    {
        let checked = check::run(file, options)?;
        print(args, file, &checked, out)?;
        out.flush()?;
        absent::warn(&files::shown(file), &checked.absent, err);
        return Ok(exit_code(args, checked.report.errors > 0, checked.report.warnings > 0));
    }
    several(args, options, out, err)
}

fn several(
    args: &CheckArgs,
    options: Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    let Found { files, passed_over } = runner::files(&args.paths)?;
    if files.is_empty() {
        return Err(Failure::wrong_request(passed_over.nothing_found()));
    }
    let mut summary = Summary::new(passed_over);
    let each = |path: &Path, result: Result<Checked, Error>| {
        summary.add(result.as_ref().ok());
        match result {
            Ok(checked) => {
                print(args, path, &checked, out)?;
                absent::warn(&files::shown(path), &checked.absent, err);
                Ok::<_, Failure>(FileOutcome::Finished)
            }
            Err(error) => {
                // The other files are checked all the same.
                let _ = writeln!(err, "error: {}", one_line(&error.message));
                if args.json {
                    let unreadable = Unreadable { file: files::shown(path), error: error.message };
                    out.write_all(schema::document(schema::CHECK_UNREADABLE, &unreadable)?.as_bytes())?;
                }
                Ok(FileOutcome::Unfinished)
            }
        }
    };
    runner::run(&files, &args.run.settings(), &*args.run.observer(), |path| check::run(path, options), each)?;
    let text =
        if args.json { schema::document(schema::CHECK_SUMMARY, &summary)? } else { text::summary(&summary) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(exit_code(args, summary.is_damaged(), summary.with_warnings > 0))
}

fn exit_code(args: &CheckArgs, has_errors: bool, has_warnings: bool) -> i32 {
    match (has_errors, has_warnings && args.strict) {
        (true, _) => failure::UNREADABLE,
        (false, true) => failure::FOUND,
        (false, false) => failure::DONE,
    }
}

fn print(args: &CheckArgs, path: &Path, checked: &Checked, out: &mut dyn Write) -> Result<(), Failure> {
    let text = if args.json {
        schema::document(schema::CHECK, &checked.document(path))?
    } else {
        text::report(path, &checked.report)
    };
    Ok(out.write_all(text.as_bytes())?)
}
