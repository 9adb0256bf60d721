//! What the doctor would repack, as rules: the lines for `hyperslab repack` that its findings give.

use super::arguments::RepackArgs;
use super::rules;
use crate::args::{Cli, Command};
use crate::doctor::Advice;
use crate::failure::Failure;
use clap::Parser;
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
pub(super) fn advised(advice: Vec<Advice>) -> Result<Advised, Failure> {
    let mut advised = Advised::default();
    let mut known = HashSet::new();
    for Advice { dataset, code, line, slows_others } in advice {
        let option = format!("--like doctor: {code}");
        let path = dataset.clone().unwrap_or_else(|| "/".into());
        if slows_others {
            let reason = format!("`{option}`: its fix makes another read much slower");
            advised.kept.push((path, reason));
            continue;
        }
        let line = parsed(&line)?;
        let Some(dataset) = dataset else {
            advised.page_bytes = advised.page_bytes.or(line.page_bytes());
            continue;
        };
        // The options of a line are about one dataset, whose name may have characters that mean something in a pattern.
        let datasets = PathPattern::exact(&dataset);
        for rule in rules::requests(&line)?.0.rules {
            let kind = std::mem::discriminant(&kind(&rule.change));
            if known.insert((dataset.clone(), kind)) {
                advised.rules.push(Rule { option: option.clone(), datasets: datasets.clone(), ..rule });
            }
        }
    }
    Ok(advised)
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

/// A line as the doctor prints it: `hyperslab repack OPTIONS FILE out.h5`.
fn parsed(line: &str) -> Result<RepackArgs, Failure> {
    let not_understood = || Failure::unreadable(format!("the doctor's line {line:?} is not understood"));
    let words = shlex::split(line).ok_or_else(not_understood)?;
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Repack(args)) => Ok(*args),
        _ => Err(not_understood()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(code: &str, options: &str) -> Advice {
        let line = format!("hyperslab repack {options} in.h5 out.h5");
        Advice { dataset: Some("/a,b".into()), code: code.into(), line, slows_others: false }
    }

    #[test]
    fn the_most_severe_finding_counts() {
        let advised = advised(vec![
            advice("first", "-l '/a,b:CHUNK=2x3'"),
            advice("second", "-f '/a,b:SHUF' -f '/a,b:GZIP=4' -l '/a,b:CHUNK=9x9'"),
            Advice { dataset: None, ..advice("third", "--page-size 65536") },
            Advice { slows_others: true, ..advice("fourth", "-l '/a,b:CHUNK=1x1'") },
        ])
        .unwrap();
        let options: Vec<_> = advised.rules.iter().map(|rule| rule.option.as_str()).collect();
        assert_eq!(options, ["--like doctor: first", "--like doctor: second"]);
        assert!(advised.rules.iter().all(|rule| rule.datasets.matches("/a,b")));
        assert!(matches!(&advised.rules[1].change, Change::Filters(filters) if filters.len() == 2));
        assert_eq!((advised.page_bytes, advised.kept.len()), (Some(65536), 1));
        assert!(parsed("h5repack in.h5").is_err());
    }
}
