//! # variable-length-strings
//!
//! ## What it sees
//!
//! A dataset of variable-length strings whose lengths hardly differ: strings of a fixed size would do.
//!
//! ## Why it costs
//!
//! A variable-length string is a reference of 16 bytes into the global heap, which holds its bytes with 16 bytes of
//! header, in collections of 4 KiB. The heap is not compressed, filters see only the references, and libhdf5 looks up and
//! allocates each string by itself: reading a million of them takes seconds, and tens of thousands of requests from
//! an object store. Strings of a fixed size are read as numbers are, and compress to little more than their text.
//!
//! ## What to do
//!
//! Write them with a fixed size: `dtype="S12"` in h5py, a character array or `str` with a fixed-size encoding elsewhere.
//!
//! ## When it is fine
//!
//! If lengths differ widely, or there are few strings.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::Case;
use crate::facts::VariableLength;
use crate::fix::{Fix, FixKind};
use hyperslab_units::counted_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Fewer strings are fast in any form.
const STRINGS_MIN: u64 = 1_000;
/// The longest may have this many bytes,
const LONGEST_BYTES_MAX: u64 = 256;
/// and the fixed size may be this many times the mean.
const PADDING_RATIO_MAX: f64 = 4.0;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let VariableLength { elements, looked_at, heap_bytes, text_bytes, longest, is_text } =
        case.facts.variable_length?;
    let mean = text_bytes as f64 / elements.max(1) as f64;
    let fixed = longest.max(1);
    if !is_text
        || elements < STRINGS_MIN
        || longest > LONGEST_BYTES_MAX
        || fixed as f64 > PADDING_RATIO_MAX * mean.max(1.0)
    {
        return None;
    }
    let now = case.facts.stored_bytes.saturating_add(heap_bytes);
    let after = fixed.saturating_mul(elements);
    let seconds = case.reference.variable_length_seconds();
    let width = counted_text(fixed, "byte");
    let message = format!(
        "{} of variable length and at most {width} {} {} for the references and {} in the global heap. As \
         strings of {width} they take {} before compression, and no look-up each.",
        counted_text(elements, "string"),
        if elements == 1 { "takes" } else { "take" },
        bytes_text(case.facts.stored_bytes),
        bytes_text(heap_bytes),
        bytes_text(after),
    );
    let evidence = json!({
        "elements": elements,
        "looked_at": looked_at,
        "longest_bytes": longest,
        "text_bytes": text_bytes,
        "heap_bytes": heap_bytes,
        "reference_bytes": case.facts.stored_bytes,
        "fixed_bytes": after,
    });
    let name = case.facts.path.rsplit('/').next().unwrap_or_default();
    let line = format!(
        "new.create_dataset({name:?}, data=old[{name:?}].asstr()[...].astype(\"S{fixed}\"), chunks=True, compression=\"gzip\", shuffle=False)"
    );
    let effect = format!(
        "strings of {width}: {} before compression instead of {}",
        bytes_text(after),
        bytes_text(now)
    );
    let fixes = vec![Fix::new(FixKind::Rewrite, "h5py", line, effect)];
    let cost = Cost { seconds: Some(seconds), bytes: Some(now.saturating_sub(after)), requests: None };
    let (code, severity) = ("variable-length-strings".to_owned(), Severity::Low);
    Some(Finding { code, severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::facts::{DatasetFacts, VariableLength};
    use crate::testing::{contiguous, finding};

    const CODE: &str = "variable-length-strings";

    fn strings(elements: u64, longest: u64, mean: u64) -> DatasetFacts {
        let (text_bytes, heap_bytes) = (elements * mean, elements * (mean + 24));
        let variable =
            VariableLength { elements, looked_at: elements, heap_bytes, text_bytes, longest, is_text: true };
        DatasetFacts { variable_length: Some(variable), ..contiguous(&[elements], 16) }
    }

    #[test]
    fn names_of_similar_length_are_found() {
        let found = finding(CODE, &strings(1_000_000, 12, 10), &[]).unwrap();
        assert!(
            found.message.starts_with("1,000,000 strings of variable length and at most 12 bytes"),
            "{}",
            found.message
        );
        assert!(found.fixes[0].line.contains("astype(\"S12\")"), "{:?}", found.fixes);
        assert!(found.cost.seconds.unwrap() > 0.1);
    }

    #[test]
    fn few_strings_long_ones_and_uneven_ones_are_fine() {
        assert_eq!(finding(CODE, &strings(500, 12, 10), &[]), None);
        assert_eq!(finding(CODE, &strings(1_000_000, 5_000, 4_000), &[]), None);
        assert_eq!(finding(CODE, &strings(1_000_000, 200, 10), &[]), None);
        assert_eq!(finding(CODE, &contiguous(&[1_000_000], 16), &[]), None);
    }
}
