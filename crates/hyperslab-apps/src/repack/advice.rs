//! What the doctor would repack, as rules: the changes that its findings ask for.

use crate::doctor::Advice;
use hyperslab_repack::{Change, PathPattern, Rule};
use std::collections::HashSet;

/// The doctor's advice for a file.
#[derive(Debug, Default)]
pub(super) struct Advised {
    pub rules: Vec<Rule>,
    /// The size of pages, if it advises one.
    pub page_bytes: Option<u64>,
    /// Datasets with findings whose fixes are not taken, and why.
    pub kept: Vec<(String, String)>,
}

/// Rules from the doctor's findings, which come most severe first. The first one about the layout of a dataset counts, and
/// the first about its filters.
pub(super) fn advised(advice: Vec<Advice>) -> Advised {
    let mut advised = Advised::default();
    let mut known = HashSet::new();
    for Advice { dataset, code, change, slows_others } in advice {
        let option = format!("--like doctor: {code}");
        let path = dataset.clone().unwrap_or_else(|| "/".into());
        if slows_others {
            let reason = format!("`{option}`: its fix makes another read much slower");
            advised.kept.push((path, reason));
            continue;
        }
        let Some(dataset) = dataset else {
            advised.page_bytes = advised.page_bytes.or(change.page_bytes());
            continue;
        };
        // A name may have characters that mean something in a pattern.
        let datasets = PathPattern::exact(&dataset);
        for change in change.changes() {
            let kind = std::mem::discriminant(&kind(&change));
            if known.insert((dataset.clone(), kind)) {
                advised.rules.push(Rule { option: option.clone(), datasets: datasets.clone(), change });
            }
        }
    }
    advised
}

/// What a rule is about.
enum Kind {
    Layout,
    Filters,
}

fn kind(change: &Change) -> Kind {
    match change {
        Change::Layout(_) => Kind::Layout,
        Change::Filters(_) | Change::Rounded { .. } | Change::KeepFilters => Kind::Filters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_storage::{FilterRequest, Pages, StorageChange};

    fn advice(code: &str, change: StorageChange) -> Advice {
        Advice { dataset: Some("/a,b".into()), code: code.into(), change, slows_others: false }
    }

    #[test]
    fn the_most_severe_finding_counts() {
        let chunks = |chunk: &[u64]| StorageChange::rechunked("/a,b", chunk);
        let filters = Some(vec![FilterRequest::shuffle(), FilterRequest::gzip(4)]);
        let advised = advised(vec![
            advice("first", chunks(&[2, 3])),
            advice("second", StorageChange { filters, ..chunks(&[9, 9]) }),
            Advice { dataset: None, ..advice("third", StorageChange::paged(Pages::Of(65536))) },
            Advice { slows_others: true, ..advice("fourth", chunks(&[1, 1])) },
        ]);
        let options: Vec<_> = advised.rules.iter().map(|rule| rule.option.as_str()).collect();
        assert_eq!(options, ["--like doctor: first", "--like doctor: second"]);
        assert!(advised.rules.iter().all(|rule| rule.datasets.matches("/a,b")));
        assert!(matches!(&advised.rules[1].change, Change::Filters(filters) if filters.len() == 2));
        assert_eq!((advised.page_bytes, advised.kept.len()), (Some(65536), 1));
    }
}
