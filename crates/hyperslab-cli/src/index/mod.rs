//! `hyperslab index`: writes where every chunk of a file lies, in the format of another reader.

pub(crate) mod arguments;

use crate::absent;
use crate::failure::{self, Failure, one_line};
use arguments::IndexArgs;
use hyperslab_apps::files;
use hyperslab_apps::index::{Indexing, Written};
use hyperslab_apps::runner::FileOutcome;
use std::io::Write;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &IndexArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let request = args.request();
    let indexing = Indexing::new(&request)?;
    if let Some(text) = indexing.passed_over.text() {
        let _ = writeln!(err, "note: {text}");
    }
    let is_one_of_many = indexing.makes_several();
    let mut code = failure::DONE;
    let each = |path: Option<&Path>, done: Result<Written, hyperslab_apps::Error>| {
        let (ended, ending) = match done {
            Ok(written) => {
                if let Some(path) = path {
                    absent::warn(&files::shown(path), &absent::sentences(&written.absent), err);
                }
                let named = path.filter(|_| is_one_of_many);
                (report(args, named, &written, err), FileOutcome::Finished)
            }
            Err(error) => (Failure::from(error).report(err), FileOutcome::Unfinished),
        };
        code = code.max(ended);
        Ok::<_, Failure>(ending)
    };
    indexing.run(&args.run.settings(), &*args.run.observer(), out, each)?;
    Ok(code)
}

/// Names what was left out. Returns the exit code.
fn report(args: &IndexArgs, file: Option<&Path>, written: &Written, err: &mut dyn Write) -> i32 {
    let Written { absent, omitted } = written;
    let file = file.map_or_else(String::new, |file| format!("{}: ", hyperslab_apps::files::shown(file)));
    for omitted in omitted.iter().filter(|omitted| !absent::names(absent, &omitted.path)) {
        let (path, reason) = (one_line(&omitted.path), one_line(&omitted.reason));
        // If standard error cannot be written, there is nowhere left to report it.
        let _ = writeln!(err, "{}left out: {path}: {reason}", one_line(&file));
    }
    if args.strict && !omitted.is_empty() { failure::FOUND } else { failure::DONE }
}
