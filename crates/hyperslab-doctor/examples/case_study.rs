//! The diagnosis of the 2015 case study, from its facts alone: `cargo run -p hyperslab-doctor --example case_study`.
//!
//! Arguments are read shapes, `1x1x1x717` for instance; without any the reads that people do are tried.

use hyperslab_doctor::{
    DatasetFacts, DoctorError, FillFacts, FilterFact, Layout, Options, Report, diagnose, render_text,
};

fn main() -> Result<(), DoctorError> {
    let facts = DatasetFacts {
        path: "/All_Data/CrIS-SDR_All/ES_ImaginaryLW".to_owned(),
        shape: vec![60, 30, 9, 717],
        max_shape: vec![None; 4],
        dtype: ">f4".to_owned(),
        element_bytes: 4,
        layout: Layout::Chunked {
            chunk_dims: vec![4, 30, 9, 717],
            index_kind: "version 1 B-tree".to_owned(),
        },
        filters: vec![FilterFact {
            name: "gzip".to_owned(),
            id: 1,
            parameters: vec![6],
            description: "gzip level 6".to_owned(),
        }],
        edge_chunks_unfiltered: false,
        logical_bytes: 46_461_600,
        stored_bytes: 43_162_046,
        chunks: None,
        fill: FillFacts::default(),
        samples: None,
        variable_length: None,
    };
    let reads = std::env::args().skip(1).map(|shape| shape.parse()).collect::<Result<_, _>>()?;
    let options = Options { file: "File_with_compression.h5".to_owned(), reads, ..Options::default() };
    let report = Report {
        prediction: hyperslab_doctor::Prediction::default(),
        file: options.file.clone(),
        findings: Vec::new(),
        datasets: vec![diagnose(&facts, &options)?],
    };
    print!(
        "{}",
        render_text(&report, std::env::var("COLUMNS").ok().and_then(|w| w.parse().ok()).unwrap_or(110))
    );
    Ok(())
}
