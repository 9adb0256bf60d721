//! Which page size serves the file as a whole, where it will lie in an object store.

use super::Request;
use super::case::Case;
use super::storage::chunk_text;
use crate::failure::{Failure, one_line};
use crate::forecast::Sessions;
use crate::output::{self, Line, table};
use hyperslab::File;
use hyperslab_advise::{Advice, PageAdvice, PageCandidate, Verdict};
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Column, Section, Table};
use hyperslab_storage::lines::shell_word;
use hyperslab_storage::pattern::bytes_text;
use hyperslab_units::bytes_option;
use serde::Serialize;

/// The pages of the file.
#[derive(Debug, Serialize)]
pub(super) struct Pages {
    /// The dataset whose reads were counted.
    path: String,
    /// What was tried, and what is best.
    #[serde(flatten)]
    pub(super) advice: PageAdvice,
    /// The line that makes these pages, with the recommended storage of all datasets.
    line: String,
}

/// The pages that serve the readers of the first dataset best. `None` if none of them depends on pages.
pub(super) fn pages(
    sessions: &Sessions<'_>,
    request: &Request,
    file: &File,
    cases: &[Case<'_>],
    datasets: &[Advice],
) -> Result<Option<Pages>, Failure> {
    let (Some(first), Some(case)) = (datasets.first(), cases.first()) else { return Ok(None) };
    let Some(all) = first.recommendations.first().filter(|_| request.place.is_store()) else {
        return Ok(None);
    };
    let rewritten = (all.verdict == Verdict::Rewrite).then(|| all.storage.facts(&case.facts));
    let weights: Vec<f64> = first.reads.iter().map(|read| read.weight).collect();
    let advice = sessions.page_advice(&weights, rewritten.as_ref(), &request.readers)?;
    Ok(advice.map(|advice| {
        let line = line(file, advice.page_bytes, datasets);
        Pages { path: first.path.clone(), advice, line }
    }))
}

/// The line that repacks the whole file.
fn line(file: &File, page_bytes: Option<u64>, datasets: &[Advice]) -> String {
    let mut words = vec!["hyperslab".to_owned(), "repack".to_owned()];
    words.extend(page_bytes.into_iter().flat_map(|bytes| ["--page-size".to_owned(), bytes_option(bytes)]));
    for advice in datasets {
        let all = advice.recommendations.first().filter(|all| all.verdict == Verdict::Rewrite);
        let Some(storage) = all.map(|all| &all.storage) else { continue };
        let of = |what: &str| shell_word(&format!("{}:{what}", advice.path));
        words.extend(match &storage.chunk {
            Some(chunk) => vec![
                "--chunks".to_owned(),
                of(&chunk_text(Some(chunk))),
                "--filter".to_owned(),
                of(&storage.filters),
            ],
            None => vec!["--contiguous".to_owned(), shell_word(&advice.path)],
        });
    }
    let output = if super::is_netcdf(file) { "out.nc" } else { "out.h5" };
    words.extend([shell_word(&file.name()), output.to_owned()]);
    words.join(" ")
}

impl Pages {
    /// The answer, a table of what was tried, and the line.
    pub(super) fn text(&self) -> String {
        let (head, rows) = self.table();
        let head: Vec<(&str, output::Align)> = head
            .iter()
            .enumerate()
            .map(|(column, title)| {
                (title.as_str(), if column == 0 { output::Align::Left } else { output::Align::Right })
            })
            .collect();
        let rows: Vec<Line> = rows.into_iter().map(Line::Cells).collect();
        let table = table(&head, &rows);
        format!("\n{}\n{table}  {}\n", self.answer(), one_line(&self.line))
    }

    /// The same as a section of a page.
    pub(super) fn section(&self) -> Section {
        let (head, rows) = self.table();
        let align = |column| if column == 0 { Align::Left } else { Align::Right };
        let columns = head.into_iter().enumerate().map(|(column, title)| Column::new(title, align(column)));
        let tried = rows
            .into_iter()
            .fold(Table::new("Seconds of waiting for the store", columns), |table, row| table.row(row));
        let line = Table::new("To make it", vec![Column::new("line", Align::Command)]).row([&*self.line]);
        Section::new("Pages").text(format!("{}.", self.answer())).figure(tried).figure(line)
    }

    fn answer(&self) -> String {
        format!(
            "pages of the file: {}; seconds of waiting to open it, to list it, and to read {}",
            pages_text(self.advice.page_bytes),
            one_line(&self.path)
        )
    }

    /// The titles of the columns, and the rows.
    fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let titles = self.advice.candidates.first().into_iter().flat_map(|one| &one.readers);
        let head = ["pages", "file"].into_iter().map(str::to_owned);
        let head = head.chain(titles.map(|reader| reader.reader.clone())).collect();
        let row = |one: &PageCandidate| {
            let too_large = if one.is_too_large { " (too large)" } else { "" };
            let file = format!("{}{too_large}", bytes_text(one.file_bytes));
            let seconds = one.readers.iter().map(|reader| seconds_text(reader.seconds));
            [pages_text(one.page_bytes), file].into_iter().chain(seconds).collect()
        };
        (head, self.advice.candidates.iter().map(row).collect())
    }
}

fn pages_text(page_bytes: Option<u64>) -> String {
    page_bytes.map_or_else(|| "none, metadata first".to_owned(), bytes_text)
}
