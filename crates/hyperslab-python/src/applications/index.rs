//! `hyperslab.index`: the text of an index that has no place; and what was left out.

use super::{Answer, Call};
use hyperslab_apps::index::{Format, Indexing, Request, Written};
use hyperslab_apps::runner::{FileOutcome, Silent};
use hyperslab_apps::{Error, Result, files};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct IndexRequest {
    format: String,
    url: Option<String>,
    relative: bool,
    template: bool,
    concat: Option<String>,
}

pub(super) fn run(call: &Call) -> Result<Answer> {
    let IndexRequest { format, url, relative, template, concat } = call.request()?;
    let format = Format::named(&format)
        .ok_or_else(|| Error::wrong_request(format!("there is no format {format:?} of an index")))?;
    let (files, output) = (call.paths.clone(), call.output.clone());
    let request = Request { files, format, output, url, relative, template, concat };
    let indexing = Indexing::new(&request)?;
    let is_one_of_many = indexing.makes_several();
    let (mut text, mut left_out, mut failed) = (Vec::new(), Vec::new(), None);
    let each = |path: Option<&Path>, done: Result<Written>| {
        let Written { omitted, .. } = match done {
            Ok(written) => written,
            // The other files get their indexes all the same.
            Err(error) => {
                failed.get_or_insert(error);
                return Ok(FileOutcome::Unfinished);
            }
        };
        let file = path.filter(|_| is_one_of_many).map(|path| format!("{}: ", files::shown(path)));
        let file = file.unwrap_or_default();
        left_out.extend(omitted.iter().map(|one| format!("{file}{}: {}", one.path, one.reason)));
        Ok::<_, Error>(FileOutcome::Finished)
    };
    indexing.run(&call.settings()?, &Silent, &mut text, each)?;
    match failed {
        Some(error) => Err(error),
        None => Ok((String::from_utf8_lossy(&text).into_owned(), left_out)),
    }
}
