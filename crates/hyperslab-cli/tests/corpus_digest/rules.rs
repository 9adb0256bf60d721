//! The differences that are known, each with its reason: `corpus_differences.toml`.

use crate::compare::Finding;
use toml::{Table, Value};

/// All rules, and how often each was used.
pub struct Rules {
    rules: Vec<(Rule, usize)>,
}

/// A difference that is known.
struct Rule {
    reason: String,
    /// The name of the file contains this.
    file: String,
    /// The path of the object, with `@` and the name of an attribute.
    place: Option<String>,
    what: What,
}

enum What {
    /// Our error contains this.
    Error(String),
    /// These keys, or some of them, differ.
    Keys(Vec<String>),
    /// The object is listed by one side only.
    Missing,
}

impl Rules {
    pub fn read() -> Self {
        let text = include_str!("../corpus_differences.toml");
        let table: Table = text.parse().expect("corpus_differences.toml is TOML");
        let rules = table["difference"].as_array().expect("[[difference]]");
        Self { rules: rules.iter().map(|rule| (Rule::of(rule), 0)).collect() }
    }

    /// Why this finding is all right, if it is.
    pub fn reason(&mut self, file: &str, finding: &Finding) -> Option<String> {
        let (rule, used) = self.rules.iter_mut().find(|(rule, _)| rule.covers(file, finding))?;
        *used += 1;
        Some(rule.reason.clone())
    }

    /// Rules that nothing needs any more.
    pub fn unused(&self) -> Vec<String> {
        let unused = self.rules.iter().filter(|(_, used)| *used == 0);
        unused
            .map(|(rule, _)| format!("corpus_differences.toml: not needed any more: {}", rule.reason))
            .collect()
    }
}

impl Rule {
    fn of(rule: &Value) -> Self {
        let text = |key: &str| rule.get(key).map(|value| value.as_str().expect("text").to_owned());
        let what = match (text("error"), rule.get("keys"), rule.get("missing")) {
            (Some(error), None, None) => What::Error(error),
            (None, Some(keys), None) => {
                let keys = keys.as_array().expect("keys are a list").iter();
                What::Keys(keys.map(|key| key.as_str().expect("keys are text").into()).collect())
            }
            (None, None, Some(_)) => What::Missing,
            _ => panic!("a rule has one of error, keys and missing: {rule}"),
        };
        let reason = text("reason").expect("every rule has a reason");
        Self { reason, file: text("file").unwrap_or_default(), place: text("place"), what }
    }

    fn covers(&self, file: &str, finding: &Finding) -> bool {
        if !file.contains(&self.file) || self.place.as_ref().is_some_and(|place| place != finding.place()) {
            return false;
        }
        match (&self.what, finding) {
            (What::Error(part), Finding::Failed { error, .. }) => error.contains(part),
            (What::Keys(known), Finding::Differs { keys, .. }) => keys.iter().all(|key| known.contains(key)),
            (What::Missing, Finding::Missing { .. } | Finding::Extra { .. }) => true,
            _ => false,
        }
    }
}
