//! `hyperslab.archive_summary`: a line for each file, and the summary.

use super::{Answer, Call};
use hyperslab_apps::archive::{self, FileSurvey, Request};
use hyperslab_apps::outputs::{Output, OutputKind, check_outputs, write_file};
use hyperslab_apps::runner::Silent;
use hyperslab_apps::shell_line::shell_line;
use hyperslab_apps::{Error, Result, schema};
use serde::Deserialize;
use std::path::PathBuf;

/// What is written beside the answer.
#[derive(Deserialize)]
struct Written {
    page: Option<PathBuf>,
    recipe: Option<PathBuf>,
}

pub(super) fn run(call: &Call) -> Result<Answer> {
    let request = Request { paths: call.paths.clone(), ..call.request()? };
    let written: Written = call.request()?;
    let named = [("page", written.page.as_deref()), ("recipe", written.recipe.as_deref())];
    let outputs: Vec<Output<'_>> = named
        .into_iter()
        .filter_map(|(option, path)| Some(Output { option, path: path?, kind: OutputKind::Report }))
        .collect();
    check_outputs(&outputs, &call.paths)?;
    let mut lines = String::new();
    let each = |survey: &FileSurvey, is_new: bool| {
        if is_new {
            lines.push_str(&schema::document(schema::ARCHIVE_FILE, survey)?);
        }
        Ok::<_, Error>(())
    };
    let summary = archive::run(&request, &call.settings()?, &Silent, each)?.summary;
    if let Some(path) = &written.page {
        let mut words = request.words();
        words.extend(["--html".to_owned(), path.display().to_string()]);
        write_file(path, &hyperslab_pages::archive::page(&summary, &shell_line(&words)).html())?;
    }
    if let Some(path) = &written.recipe {
        write_file(path, &archive::recipe(&summary))?;
    }
    lines.push_str(&schema::document(schema::ARCHIVE_SUMMARY, &summary)?);
    Ok((lines, Vec::new()))
}
