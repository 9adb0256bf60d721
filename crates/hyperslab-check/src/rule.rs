//! Rules: what the specification demands of a file, or what is odd although it is allowed.
//!
//! A rule is defined in the module of the structure that it is about, next to the code that checks it. Its doc comment is
//! its text in `docs/check.md`.

use std::fmt;

/// How bad it is if a file does not follow a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong: files of the library have it, too. It may be of interest, such as space that a repack saves.
    Note,
    /// The specification allows it, but no file of the library has it: something that a later writer may stumble over.
    Warning,
    /// The file violates the specification.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// The name of the rule, such as `checksum`. It never changes after a release.
    pub code: &'static str,
    /// How bad a violation is.
    pub severity: Severity,
    /// Sections of the *HDF5 File Format Specification* 4.0, or the source of the library; empty if the section follows
    /// from the structure.
    pub source: &'static str,
    /// What the rule demands, one paragraph of Markdown.
    pub text: &'static str,
}

/// Defines the rules of a module, and their list.
macro_rules! rules {
    ($list:ident: $($(#[doc = $text:literal])+ $name:ident = $severity:ident $code:literal, $source:literal;)+) => {
        $(
            $(#[doc = $text])+
            pub(crate) static $name: $crate::rule::Rule = $crate::rule::Rule {
                code: $code,
                severity: $crate::rule::Severity::$severity,
                source: $source,
                text: concat!($($text, "\n"),+),
            };
        )+
        /// The rules of this module.
        pub(crate) static $list: &[&$crate::rule::Rule] = &[$(&$name),+];
    };
}
pub(crate) use rules;
