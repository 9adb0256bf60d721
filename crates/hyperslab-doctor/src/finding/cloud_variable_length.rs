//! # cloud-variable-length
//!
//! ## What it sees
//!
//! Only with `--cloud`: a dataset of variable-length data, whose values lie in the global heap.
//!
//! ## Why it costs
//!
//! An element is a reference into a collection of the heap, mostly of 4 KiB, which is read when the first of its values is
//! wanted: a request for each collection, one after the other. Filters do not reach the heap. Readers that have only the
//! addresses of chunks cannot follow the references at all: kerchunk copies such values into its index, VirtualiZarr leaves
//! them out. Jelenak's recommendations for cloud-optimized files say to avoid these types for that reason.
//!
//! ## What to do
//!
//! Write strings with a fixed size, and sequences as one array of all values with another of where each begins.
//!
//! ## When it is fine
//!
//! If there are few values, or only libhdf5 reads them and the heap is small.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::REQUEST_SECONDS;
use crate::case::Case;
use crate::fix::{Fix, FixKind};
use crate::predict::seconds_text;
use hyperslab_units::counted_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// The size of a collection of the heap, unless a value is larger.
const COLLECTION_BYTES: u64 = 4 << 10;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let variable = case.facts.variable_length.filter(|_| case.options.cloud)?;
    let values_max = variable.elements.max(1);
    let collections = variable.heap_bytes.div_ceil(COLLECTION_BYTES).min(values_max);
    if variable.heap_bytes == 0 {
        return None;
    }
    let message = format!(
        "{} of variable length {} to {} in the global heap: about {}, {} at 40 ms each, and readers of \
         chunk references (kerchunk, VirtualiZarr) cannot follow them.",
        counted_text(variable.elements, "element"),
        if variable.elements == 1 { "refers" } else { "refer" },
        bytes_text(variable.heap_bytes),
        counted_text(collections, "request"),
        seconds_text(collections as f64 * REQUEST_SECONDS),
    );
    let evidence = json!({
        "elements": variable.elements,
        "heap_bytes": variable.heap_bytes,
        "collections": collections,
        "is_text": variable.is_text,
    });
    let name = case.facts.path.rsplit('/').next().unwrap_or_default();
    let line = if variable.is_text {
        let size = variable.longest.max(1);
        format!(
            "new.create_dataset({name:?}, data=old[{name:?}].asstr()[...].astype(\"S{size}\"), chunks=True)"
        )
    } else {
        format!(
            "new.create_dataset({name:?}, data=np.concatenate(old[{name:?}][...].ravel())); new.create_dataset({:?}, \
             data=np.cumsum([0, *map(len, old[{name:?}][...].ravel())]))",
            format!("{name}_starts")
        )
    };
    let effect = "values in chunks, which every reader finds and filters compress".to_owned();
    let fixes = vec![Fix::new(FixKind::Rewrite, "h5py", line, effect)];
    let cost = Cost { requests: Some(collections), ..Cost::default() };
    let (code, severity) = ("cloud-variable-length".to_owned(), Severity::Low);
    Some(Finding { code, severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::diagnose::diagnose;
    use crate::facts::{DatasetFacts, VariableLength};
    use crate::options::Options;
    use crate::testing::contiguous;

    fn found(elements: u64, mean: u64, is_text: bool, cloud: bool) -> Option<crate::Finding> {
        let variable = VariableLength {
            elements,
            looked_at: elements,
            heap_bytes: elements * mean,
            text_bytes: elements * mean,
            longest: 100 * mean,
            is_text,
        };
        let facts = DatasetFacts { variable_length: Some(variable), ..contiguous(&[elements], 16) };
        let options = Options { cloud, ..Options::default() };
        let findings = diagnose(&facts, &options).unwrap().findings;
        findings.into_iter().find(|finding| finding.code == "cloud-variable-length")
    }

    #[test]
    fn values_in_the_heap_are_found_for_the_cloud() {
        let text = found(100_000, 40, true, true).unwrap();
        assert_eq!(text.cost.requests, Some(977));
        assert!(text.fixes[0].line.contains("astype(\"S4000\")"), "{:?}", text.fixes);
        let sequences = found(10_000, 400, false, true).unwrap();
        assert!(sequences.fixes[0].line.contains("np.concatenate"), "{:?}", sequences.fixes);
    }

    #[test]
    fn few_values_and_local_files_are_fine() {
        assert_eq!(found(99, 1_000, true, true), None);
        assert_eq!(found(100_000, 40, true, false), None);
        let numbers = diagnose(&contiguous(&[100_000], 8), &Options { cloud: true, ..Options::default() });
        assert!(numbers.unwrap().findings.iter().all(|finding| finding.code != "cloud-variable-length"));
    }
}
