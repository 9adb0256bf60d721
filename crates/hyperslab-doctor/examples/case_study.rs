//! The diagnosis of the 2015 case study, from its facts alone: `cargo run -p hyperslab-doctor --example case_study`.
//!
//! Arguments are read shapes, `1x1x1x717` for instance; without any the reads that people do are tried.

use hyperslab_doctor::{DatasetFacts, DoctorError, FilterFact, Options, Report, diagnose, render_text};

fn main() -> Result<(), DoctorError> {
    let facts =
        DatasetFacts::contiguous("/All_Data/CrIS-SDR_All/ES_ImaginaryLW", &[60, 30, 9, 717], ">f4", 4)
            .unlimited()
            .in_chunks(&[4, 30, 9, 717], vec![FilterFact::gzip(6)], 43_162_046);
    let reads = std::env::args().skip(1).map(|shape| shape.parse()).collect::<Result<_, _>>()?;
    let options = Options { file: "File_with_compression.h5".to_owned(), reads, ..Options::default() };
    let report = Report {
        prediction: hyperslab_doctor::Prediction::default(),
        file: options.file.clone(),
        findings: Vec::new(),
        datasets: vec![diagnose(&facts, &options)?],
        absent: Vec::new(),
        forecast: None,
    };
    print!(
        "{}",
        render_text(&report, std::env::var("COLUMNS").ok().and_then(|w| w.parse().ok()).unwrap_or(110))
    );
    Ok(())
}
