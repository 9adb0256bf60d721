//! Datasets for tests: that of the case study, and simple ones.

use crate::diagnose::diagnose;
use crate::facts::{DatasetFacts, FillFacts, FilterFact, Layout};
use crate::finding::Finding;
use crate::options::Options;

/// The compressed dataset of the 2015 paper.
pub(crate) fn case_study() -> DatasetFacts {
    DatasetFacts {
        path: "/All_Data/CrIS-SDR_All/ES_ImaginaryLW".to_owned(),
        max_shape: vec![None; 4],
        dtype: ">f4".to_owned(),
        stored_bytes: 43_162_046,
        ..chunked(&[60, 30, 9, 717], &[4, 30, 9, 717], 4)
    }
}

/// A dataset that gzip at level 6 compresses to half its size.
pub(crate) fn chunked(shape: &[u64], chunk: &[u64], element_bytes: u64) -> DatasetFacts {
    let logical_bytes = shape.iter().fold(element_bytes, |n, d| n * d);
    DatasetFacts {
        path: "/d".to_owned(),
        shape: shape.to_vec(),
        max_shape: shape.iter().map(|d| Some(*d)).collect(),
        dtype: format!("<f{element_bytes}"),
        element_bytes,
        layout: Layout::Chunked { chunk_dims: chunk.to_vec(), index_kind: "version 1 B-tree".to_owned() },
        filters: vec![gzip(6)],
        edge_chunks_unfiltered: false,
        logical_bytes,
        stored_bytes: logical_bytes / 2,
        chunks: None,
        fill: FillFacts::default(),
        samples: None,
        variable_length: None,
    }
}

/// A contiguous dataset without filters.
pub(crate) fn contiguous(shape: &[u64], element_bytes: u64) -> DatasetFacts {
    let facts = chunked(shape, shape, element_bytes);
    DatasetFacts {
        layout: Layout::Contiguous { allocated: true },
        filters: vec![],
        stored_bytes: facts.logical_bytes,
        ..facts
    }
}

/// The same without filters.
pub(crate) fn unfiltered(facts: DatasetFacts) -> DatasetFacts {
    DatasetFacts { filters: vec![], stored_bytes: facts.logical_bytes, ..facts }
}

pub(crate) fn gzip(level: u32) -> FilterFact {
    FilterFact {
        name: "gzip".to_owned(),
        id: 1,
        parameters: vec![level],
        description: format!("gzip level {level}"),
    }
}

/// The finding with this code, if the doctor makes it for these reads (the default ones if empty).
pub(crate) fn finding(code: &str, facts: &DatasetFacts, reads: &[&str]) -> Option<Finding> {
    let options =
        Options { reads: reads.iter().map(|read| read.parse().unwrap()).collect(), ..Options::default() };
    diagnose(facts, &options).unwrap().findings.into_iter().find(|finding| finding.code == code)
}
