//! Tests that lack something: on a developer's machine they are skipped and counted; in continuous integration they
//! fail.
//!
//! A line `skipped: TEST: REASON` is written to standard error past the capture of the test harness, so that
//! `scripts/run_tests.py` does not count the test as passed. A test that skips a part of its work counts as skipped.

use std::fmt;
use std::io::Write;

/// The reason to skip a test: something that it needs is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a test that lacks something is skipped: `require!`"]
pub struct Missing {
    what: String,
    is_on_request: bool,
}

impl Missing {
    /// Something that CI must have.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_on_request: false }
    }

    /// Something that the user asked to test without. CI skips the test, too.
    pub fn on_request(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_on_request: true }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.what)
    }
}

/// True in continuous integration: the variable `CI` is set, and neither empty nor `false`.
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Notes that the running test is skipped.
///
/// # Panics
///
/// In continuous integration, unless the user asked to test without it.
#[track_caller]
pub fn skipped(missing: &Missing) {
    if let Err(failure) = note(missing, is_ci(), &mut std::io::stderr()) {
        panic!("{failure}");
    }
}

fn note(missing: &Missing, is_ci: bool, to: &mut dyn Write) -> Result<(), String> {
    if is_ci && !missing.is_on_request {
        return Err(format!("{missing}; in CI this is a failure, not a skip"));
    }
    let thread = std::thread::current();
    let line = format!("skipped: {}: {}\n", thread.name().unwrap_or("?"), missing.what.replace('\n', " "));
    // Written at once, because other tests write at the same time.
    to.write_all(line.as_bytes()).map_err(|error| error.to_string())
}

/// Skips the rest of the running test, which returns `()`: `skip!("no libhdf5 (pip install h5py)")`.
///
/// In continuous integration, the test fails.
#[macro_export]
macro_rules! skip {
    ($($reason:tt)+) => {{
        $crate::skipped(&$crate::Missing::new(format!($($reason)+)));
        return;
    }};
}

/// The value of a `Result<T, Missing>`. If it is missing, the test is skipped: `let file = require!(fixture("x.h5"))`.
///
/// In continuous integration, the test fails.
#[macro_export]
macro_rules! require {
    ($needed:expr) => {
        match $needed {
            Ok(found) => found,
            Err(missing) => {
                $crate::skipped(&missing);
                return;
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(missing: &Missing, is_ci: bool) -> Result<String, String> {
        let mut line = Vec::new();
        note(missing, is_ci, &mut line).map(|()| String::from_utf8(line).unwrap())
    }

    #[test]
    fn outside_ci_a_line_names_the_test_and_the_reason() {
        let line = noted(&Missing::new("no corpus\nat /nowhere"), false).unwrap();
        let test = "skip::tests::outside_ci_a_line_names_the_test_and_the_reason";
        assert_eq!(line, format!("skipped: {test}: no corpus at /nowhere\n"));
    }

    #[test]
    fn in_ci_it_is_a_failure_unless_it_was_requested() {
        assert!(noted(&Missing::new("no corpus"), true).unwrap_err().starts_with("no corpus; in CI"));
        noted(&Missing::on_request("HYPERSLAB_CORPUS=none"), true).unwrap();
    }

    #[test]
    fn require_returns_the_value() {
        let found: Result<u8, Missing> = Ok(7);
        assert_eq!(require!(found), 7);
    }
}
