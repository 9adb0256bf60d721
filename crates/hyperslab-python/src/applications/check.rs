//! `hyperslab.check`: a line for each file.

use super::{Answer, Call};
use hyperslab_apps::check::{self, Options, Unreadable};
use hyperslab_apps::runner::{self, FileOutcome, Found, Silent};
use hyperslab_apps::{Error, Result, files, schema};
use serde::Deserialize;

#[derive(Deserialize)]
struct Request {
    data: bool,
}

pub(super) fn run(call: &Call) -> Result<Answer> {
    let Request { data } = call.request()?;
    let (path, options) = (call.path()?, Options { data });
    if !files::is_folder(path) {
        let checked = check::run(path, options)?;
        return Ok((schema::document(schema::CHECK, &checked.document(path))?, Vec::new()));
    }
    let Found { files, passed_over } = runner::files(&call.paths)?;
    if files.is_empty() {
        return Err(Error::wrong_request(passed_over.nothing_found()));
    }
    let mut lines = String::new();
    runner::run(
        &files,
        &call.settings()?,
        &Silent,
        |path| check::run(path, options),
        |path, checked| {
            lines.push_str(&match checked {
                Ok(checked) => schema::document(schema::CHECK, &checked.document(path))?,
                Err(error) => {
                    let unreadable = Unreadable { file: files::shown(path), error: error.message };
                    schema::document(schema::CHECK_UNREADABLE, &unreadable)?
                }
            });
            Ok::<_, Error>(FileOutcome::Finished)
        },
    )?;
    Ok((lines, Vec::new()))
}
