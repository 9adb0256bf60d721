//! `hyperslab digest`: every object of a file, with a checksum of every value, as JSON lines. The first line names the schema
//! of all others.

use crate::absent;
use crate::args::DigestArgs;
use crate::failure::{self, Failure, one_line};
use crate::file_progress::FileProgress;
use hyperslab_apps::digest::{self, Options};
use hyperslab_apps::runner::FilesObserver;
use hyperslab_apps::{files, schema};
use hyperslab_listing::json::{Object, write_object};
use hyperslab_units::counted_text;
use std::io::{self, IsTerminal, Write};

/// Runs the command.
pub(crate) fn run(args: &DigestArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let mut out = Headed { head: Some(head()), out };
    let mut code = failure::DONE;
    // Records are written in pieces, so there is no bar if they go to the terminal too: it would be drawn between the pieces.
    let is_shown = !std::io::stdout().is_terminal();
    let progress = FileProgress::default();
    if is_shown {
        progress.files(args.files.len());
    }
    for (number, path) in args.files.iter().enumerate() {
        if number > 0 {
            progress.done();
        }
        progress.begin(path);
        let name = files::shown(path);
        let options = Options { name: (!args.bare).then(|| name.clone()), bytes_max: args.max_bytes };
        let summary = digest::file(path, &options, &mut out)?;
        if let Some(error) = summary.unopened {
            code = code.max(failure::exit_code(error.kind()));
            let failure = Failure::from(error);
            progress.interrupted(&mut || {
                failure.report(err);
            });
            continue;
        }
        progress.interrupted(&mut || absent::warn(&name, &summary.absent, err));
        let name = one_line(&name);
        if summary.errors > 0 {
            code = code.max(failure::UNREADABLE);
            progress.interrupted(&mut || {
                let _ = writeln!(
                    err,
                    "error: {name}: {} could not be read; see \"error\" in the records",
                    counted_text(summary.errors, "part")
                );
            });
        }
        if summary.skipped > 0 {
            progress.interrupted(&mut || {
                let _ = writeln!(
                    err,
                    "note: {name}: skipped {} too large; --max-bytes raises the limit",
                    match summary.skipped {
                        1 => "1 value that is".to_owned(),
                        skipped => format!("{skipped} values that are"),
                    }
                );
            });
        }
    }
    Ok(code)
}

/// The line before all records.
fn head() -> String {
    let mut line = String::new();
    write_object(&Object::from([("t", "schema".into()), ("schema", schema::DIGEST.json())]), &mut line);
    line.push('\n');
    line
}

/// Output with a line before its first byte; without any byte there is no line either.
struct Headed<'o> {
    head: Option<String>,
    out: &'o mut dyn Write,
}

impl Write for Headed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(head) = self.head.take() {
            self.out.write_all(head.as_bytes())?;
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
