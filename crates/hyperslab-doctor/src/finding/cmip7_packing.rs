//! # cmip7-packing
//!
//! ## What it sees
//!
//! Only with `--cloud`, in files of the climate model intercomparison project (the attribute `variable_id` names their
//! variable): what `check_cmip7_packing` rejects, the checker of the packing that CMIP7 requires.
//!
//! * nodes of chunk B-trees behind the first chunk;
//! * a time coordinate, or its bounds, in more than one chunk;
//! * a variable in several chunks of less than 4 MiB, unless one more element along the leading dimension makes it as much.
//!
//! ## Why it costs
//!
//! Archives of CMIP7 refuse the file. Each chunk of the time coordinate is a request before the first value can be found, and
//! small chunks of the variable are a request each.
//!
//! ## What to do
//!
//! `hyperslab repack --profile cmip7`, whose files the checker accepts.
//!
//! ## When it is fine
//!
//! If the file is not for CMIP7.

use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::facts::{FileFacts, PackingFacts};
use crate::fix::{Fix, FixKind};
use crate::options::Options;
use hyperslab_storage::lines::shell_word;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use serde_json::json;

/// The least size of a chunk that CMIP7 requires.
const CHUNK_BYTES_MIN: u64 = 4 << 20;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let packing = facts.packing.as_ref().filter(|_| options.cloud)?;
    let problem = problem(facts, packing)?;
    let message = format!("check_cmip7_packing rejects the file: {problem}.");
    let evidence = json!({
        "passes_check_cmip7_packing": false,
        "index_nodes_behind_data": facts.index_nodes_behind_data,
        "time_chunks": packing.time_chunks,
        "bounds_chunks": packing.bounds_chunks,
        "variable_chunks": packing.variable_chunks,
        "variable_chunk_bytes": packing.variable_chunk_bytes,
    });
    let name = options.file.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("nc", |(_, ending)| ending);
    let line = format!("hyperslab repack --profile cmip7 {} out.{ending}", shell_word(&options.file));
    let effect = "the packing that CMIP7 requires".to_owned();
    let fixes = vec![Fix::new(FixKind::Repack, "hyperslab", line, effect)];
    let chunks = [packing.time_chunks, packing.bounds_chunks, packing.variable_chunks];
    let requests = facts.index_nodes_behind_data + chunks.into_iter().flatten().sum::<u64>();
    // An archive refuses the file, whatever it costs readers.
    let cost = Cost { requests: Some(requests.max(REQUESTS_REPORTED)), ..Cost::default() };
    let code = "cmip7-packing".to_owned();
    Some(Finding { code, severity: Severity::Medium, message, cost, evidence, fixes })
}

/// So many requests are always reported.
const REQUESTS_REPORTED: u64 = 100;

/// The first problem that the checker finds, in its order.
fn problem(facts: &FileFacts, packing: &PackingFacts) -> Option<String> {
    if facts.index_nodes_behind_data > 0 {
        let (count, nodes) =
            (facts.index_nodes_behind_data, counted_text(facts.index_nodes_behind_data, "node"));
        let lie = if count == 1 { "lies" } else { "lie" };
        return Some(format!("{nodes} of chunk indexes {lie} behind the first chunk"));
    }
    let several = |chunks: Option<u64>| chunks.filter(|chunks| *chunks > 1).map(count_text);
    if let Some(chunks) = several(packing.time_chunks) {
        return Some(format!("the time coordinate has {chunks} chunks, not 1"));
    }
    if let Some(chunks) = several(packing.bounds_chunks) {
        return Some(format!("the bounds of time have {chunks} chunks, not 1"));
    }
    // The checker looks at the variable only if what it has looked at last, time or its bounds, is chunked.
    packing.bounds_chunks.or(packing.time_chunks.filter(|_| !packing.has_contiguous_bounds))?;
    let chunks = several(packing.variable_chunks)?;
    let bytes = packing.variable_chunk_bytes;
    (bytes.saturating_add(packing.variable_row_bytes) < CHUNK_BYTES_MIN).then(|| {
        format!(
            "the variable has {chunks} chunks of {}, less than {}",
            bytes_text(bytes),
            bytes_text(CHUNK_BYTES_MIN)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(nodes: u64, packing: PackingFacts) -> Option<String> {
        let facts =
            FileFacts { index_nodes_behind_data: nodes, packing: Some(packing), ..FileFacts::default() };
        let options = Options { cloud: true, file: "tas.nc".to_owned(), ..Options::default() };
        let found = check(&facts, &options)?;
        assert_eq!(found.fixes[0].line, "hyperslab repack --profile cmip7 tas.nc out.nc");
        assert!(found.cost.matters(&options));
        Some(found.message)
    }

    /// Maps of 1 MiB in chunks of four.
    const GOOD: PackingFacts = PackingFacts {
        time_chunks: Some(1),
        bounds_chunks: Some(1),
        has_contiguous_bounds: false,
        variable_chunks: Some(60),
        variable_chunk_bytes: 4 << 20,
        variable_row_bytes: 1 << 20,
    };

    #[test]
    fn what_the_checker_rejects_is_found() {
        for (nodes, packing, says) in [
            (3, GOOD, "3 nodes of chunk indexes"),
            (0, PackingFacts { time_chunks: Some(240), ..GOOD }, "time coordinate has 240 chunks"),
            (0, PackingFacts { bounds_chunks: Some(240), ..GOOD }, "bounds of time have 240 chunks"),
            (
                0,
                PackingFacts { variable_chunk_bytes: 2 << 20, ..GOOD },
                "60 chunks of 2 MiB, less than 4 MiB",
            ),
        ] {
            let message = found(nodes, packing).unwrap();
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn what_it_accepts_is_fine() {
        assert_eq!(found(0, GOOD), None);
        assert_eq!(found(0, PackingFacts { variable_chunk_bytes: 3 << 20, ..GOOD }), None, "one map more");
        assert_eq!(
            found(0, PackingFacts { variable_chunks: Some(1), variable_chunk_bytes: 9, ..GOOD }),
            None
        );
        // Not looked at.
        let contiguous =
            PackingFacts { time_chunks: None, bounds_chunks: None, variable_chunk_bytes: 9, ..GOOD };
        assert_eq!(found(0, contiguous), None);
        let facts = FileFacts { index_nodes_behind_data: 3, packing: Some(GOOD), ..FileFacts::default() };
        assert_eq!(check(&facts, &Options::default()), None, "a local file");
        let other = FileFacts { packing: None, ..facts };
        assert_eq!(check(&other, &Options { cloud: true, ..Options::default() }), None, "of another project");
    }
}
