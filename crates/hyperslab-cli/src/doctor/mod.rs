//! `hyperslab doctor`: collects the facts about a file and prints the diagnosis that the doctor's crate makes from
//! them.
//!
//! ```text
//! choose datasets ──► facts (layout, chunks, filters) + samples (speed of a few chunks) ──► diagnose ──► text or JSON
//! ```

mod choose;
mod facts;
mod options;
mod sample;

pub(crate) use facts::{layout_facts, of as facts_of};
pub(crate) use sample::SampleScope;

use crate::args::{DoctorArgs, FailOn};
use crate::failure::{self, Failure};
use crate::schema;
use choose::Chosen;
use hyperslab::{Dataset, File};
use hyperslab_doctor::{
    DatasetReport, DoctorError, Options, Report, Severity, codes, diagnose, render_text, why,
};
use rayon::prelude::*;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Columns of the text if the terminal's width is not known.
const WIDTH: usize = 100;

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    if let Some(code) = &args.why {
        let page = why(code).ok_or_else(|| {
            let known = codes().collect::<Vec<_>>().join(", ");
            Failure::wrong_request(format!("unknown finding {code:?}"))
                .hint(format!("the findings are {known}"))
        })?;
        out.write_all(page.as_bytes())?;
        return Ok(failure::DONE);
    }
    let Some(path) = &args.file else { return Err(Failure::wrong_request("no file was given")) };
    let file = failure::open(path)?;
    let options = options::options(args, &file.name())?;
    let chosen = match &args.dataset {
        Some(name) => Chosen::one(file.dataset(name)?),
        None => choose::datasets(&file, &options)?,
    };
    let examined: Vec<Result<DatasetReport, Failure>> =
        chosen.datasets.par_iter().map(|dataset| examine(path, &file, dataset, &options)).collect();
    let mut reports = Vec::new();
    // A part that cannot be read does not hide the others.
    let mut failures: Vec<Failure> = chosen.damaged.into_iter().map(Failure::from).collect();
    examined.into_iter().for_each(|one| match one {
        Ok(report) => reports.push(report),
        Err(failure) => failures.push(failure),
    });
    if reports.is_empty() && !failures.is_empty() {
        return Err(failures.swap_remove(0));
    }
    reports.sort_by_key(|report| std::cmp::Reverse((worst(report), report.logical_bytes)));
    let report = Report { file: file.name(), datasets: reports };
    let text =
        if args.json { schema::document(schema::DOCTOR, &report)? } else { render_text(&report, width()) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    for note in chosen.notes {
        let _ = writeln!(err, "note: {note}");
    }
    let unread = failures.iter().map(|failure| failure.report(err)).max();
    let found = || report.datasets.iter().any(|dataset| fails(dataset, args.fail_on));
    Ok(unread.unwrap_or_else(|| if found() { failure::FOUND } else { failure::DONE }))
}

/// True where the user asked that a finding of this dataset counts as a failure.
fn fails(dataset: &DatasetReport, fail_on: Option<FailOn>) -> bool {
    let Some(fail_on) = fail_on else { return false };
    let least = match fail_on {
        FailOn::Low => Severity::Low,
        FailOn::Medium => Severity::Medium,
        FailOn::High => Severity::High,
    };
    dataset.findings.iter().any(|finding| finding.severity >= least)
}

fn examine(path: &Path, file: &File, dataset: &Dataset, options: &Options) -> Result<DatasetReport, Failure> {
    // An external link may have led to another file.
    let own = dataset.file();
    let facts = match own.is_same(file) {
        true => facts::of(path, dataset, SampleScope::Recoding)?,
        false => facts::of(Path::new(&own.name()), dataset, SampleScope::Recoding)?,
    };
    diagnose(&facts, options).map_err(|error| match error {
        DoctorError::Geometry { .. } => Failure::unreadable(error.to_string()),
        _ => Failure::wrong_request(error.to_string()),
    })
}

fn worst(report: &DatasetReport) -> Option<Severity> {
    report.findings.iter().map(|finding| finding.severity).max()
}

fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || {
        let size = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
        size.map(|(width, _)| width.0.into())
    };
    columns.or_else(terminal).unwrap_or(WIDTH)
}
