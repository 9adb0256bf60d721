//! Which findings are reported: `--select`, `--ignore`, the ignore file and the baseline, as linters have them.
//!
//! A line of an ignore file is a code, or a code and the path of a dataset or of a group with all that is below it:
//!
//! ```text
//! # Times are written one at a time.
//! one-element-chunks /time
//! chunks-too-large /archive/
//! deflate-level-too-high
//! ```
//!
//! A baseline is a report that was accepted: JSON as `--json` prints it, one line a file. Findings that it has are not
//! reported again.

use crate::Error;
use hyperslab_doctor::{Finding, Report, codes};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The name of an ignore file. That in the folder of the data, or in the nearest folder above it, is used.
pub(super) const IGNORE_FILE: &str = ".hyperslabignore";

/// Code and path of a finding, and the name of its file without its folders.
type Key = (String, String, String);

/// Decides which findings are reported.
#[derive(Debug, Default)]
pub(super) struct Filter {
    select: BTreeSet<String>,
    ignore: BTreeSet<String>,
    baseline: BTreeSet<Key>,
}

/// A line of an ignore file.
#[derive(Debug, PartialEq, Eq)]
struct IgnoreRule {
    code: String,
    path: Option<String>,
}

impl Filter {
    /// From the command line; a list of codes may be separated by commas.
    pub(super) fn new(select: &[String], ignore: &[String], baseline: Option<&Path>) -> Result<Self, Error> {
        Ok(Self {
            select: known(select, "--select")?,
            ignore: known(ignore, "--ignore")?,
            baseline: baseline.map_or_else(|| Ok(BTreeSet::new()), read_baseline)?,
        })
    }

    /// Removes from a report what is not to be reported.
    pub(super) fn apply(&self, path: &Path, report: &mut Report) -> Result<(), Error> {
        let rules = match ignore_file(path) {
            Some(file) => read_ignore_file(&file)?,
            None => Vec::new(),
        };
        let name = file_name(&report.file);
        let keeps = |finding: &Finding, dataset: &str| {
            let is_ignored = self.ignore.contains(&finding.code)
                || rules.iter().any(|rule| rule.covers(&finding.code, dataset))
                || self.baseline.contains(&(finding.code.clone(), dataset.to_owned(), name.clone()));
            (self.select.is_empty() || self.select.contains(&finding.code)) && !is_ignored
        };
        report.findings.retain(|finding| keeps(finding, "/"));
        for dataset in &mut report.datasets {
            let path = dataset.path.clone();
            dataset.findings.retain(|finding| keeps(finding, &path));
        }
        Ok(())
    }
}

impl IgnoreRule {
    fn parse(line: &str) -> Option<Self> {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (code, path) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let path = Some(path.trim().to_owned()).filter(|path| !path.is_empty());
        Some(Self { code: code.to_owned(), path })
    }

    fn covers(&self, code: &str, dataset: &str) -> bool {
        let at = |path: &String| match path.strip_suffix('/') {
            Some(_) => dataset.starts_with(path.as_str()),
            None => dataset == path,
        };
        self.code == code && self.path.as_ref().is_none_or(at)
    }
}

fn known(given: &[String], option: &str) -> Result<BTreeSet<String>, Error> {
    let given = given.iter().flat_map(|list| list.split(',')).map(|code| code.trim().to_owned());
    let given: BTreeSet<String> = given.collect();
    match given.iter().find(|code| !codes().any(|known| known == code.as_str())) {
        None => Ok(given),
        Some(unknown) => {
            let list = codes().collect::<Vec<_>>().join(", ");
            Err(Error::wrong_request(format!("{option} {unknown}: unknown finding"))
                .hint(format!("the findings are {list}")))
        }
    }
}

fn ignore_file(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().skip(1).map(|folder| folder.join(IGNORE_FILE)).find(|file| file.is_file())
}

fn read_ignore_file(file: &Path) -> Result<Vec<IgnoreRule>, Error> {
    let wrong = |what: String| Error::wrong_request(format!("{}: {what}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let mut rules = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(rule) = IgnoreRule::parse(line) else { continue };
        if !codes().any(|code| code == rule.code) {
            let list = codes().collect::<Vec<_>>().join(", ");
            let what = format!("line {}: unknown finding {:?}", number + 1, rule.code);
            return Err(wrong(what).hint(format!("the findings are {list}")));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn read_baseline(file: &Path) -> Result<BTreeSet<Key>, Error> {
    let wrong = |what: String| {
        let failure = Error::wrong_request(format!("--baseline {}: {what}", file.display()));
        failure.hint("make it with `hyperslab doctor --json FILES > baseline.jsonl`")
    };
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let mut keys = BTreeSet::new();
    for (number, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let document: serde_json::Value =
            serde_json::from_str(line).map_err(|error| wrong(format!("line {}: {error}", number + 1)))?;
        // The last line of several is the summary.
        let Some(name) = document["file"].as_str().map(file_name) else { continue };
        let findings = |of: &serde_json::Value| -> Vec<String> {
            let list = of["findings"].as_array().into_iter().flatten();
            list.filter_map(|finding| finding["code"].as_str().map(str::to_owned)).collect()
        };
        keys.extend(findings(&document).into_iter().map(|code| (code, "/".to_owned(), name.clone())));
        for dataset in document["datasets"].as_array().into_iter().flatten() {
            let path = dataset["path"].as_str().unwrap_or_default();
            keys.extend(findings(dataset).into_iter().map(|code| (code, path.to_owned(), name.clone())));
        }
    }
    Ok(keys)
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_an_ignore_file_name_a_code_and_perhaps_a_path() {
        let rule = |line: &str| IgnoreRule::parse(line);
        assert_eq!(rule("# a comment"), None);
        assert_eq!(rule("  "), None);
        let everywhere = rule("cyclic-thrash # why").unwrap();
        assert!(everywhere.covers("cyclic-thrash", "/x") && !everywhere.covers("slot-collisions", "/x"));
        let one = rule("cyclic-thrash /a b").unwrap();
        assert!(one.covers("cyclic-thrash", "/a b") && !one.covers("cyclic-thrash", "/a b/c"));
        let below = rule("cyclic-thrash /g/").unwrap();
        assert!(below.covers("cyclic-thrash", "/g/x") && !below.covers("cyclic-thrash", "/gx"));
    }

    #[test]
    fn unknown_codes_are_refused() {
        assert!(known(&["cyclic-thrash,slot-collisions".to_owned()], "--select").is_ok());
        let failure = known(&["cyclic".to_owned()], "--ignore").unwrap_err();
        assert_eq!(failure.message, "--ignore cyclic: unknown finding");
    }
}
