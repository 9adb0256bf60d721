//! Which page size serves the file as a whole, where it will lie in an object store.

use super::Parsed;
use super::case::Case;
use super::storage::chunk_text;
use crate::Error;
use crate::forecast::Sessions;
use hyperslab::File;
use hyperslab_advise::{Advice, PageAdvice, Verdict};
use hyperslab_storage::lines::shell_word;
use hyperslab_units::bytes_option;
use serde::Serialize;

/// The pages of the file.
#[derive(Debug, Serialize)]
pub struct Pages {
    /// The dataset whose reads were counted.
    pub path: String,
    /// What was tried, and what is best.
    #[serde(flatten)]
    pub advice: PageAdvice,
    /// The line that makes these pages, with the recommended storage of all datasets.
    pub line: String,
}

/// The pages that serve the readers of the first dataset best. `None` if none of them depends on pages.
pub(super) fn pages(
    sessions: &Sessions<'_>,
    request: &Parsed,
    file: &File,
    cases: &[Case<'_>],
    datasets: &[Advice],
) -> Result<Option<Pages>, Error> {
    let (Some(first), Some(case)) = (datasets.first(), cases.first()) else { return Ok(None) };
    // Pages are HDF5's.
    if file.named_dimensions().is_some() {
        return Ok(None);
    }
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
