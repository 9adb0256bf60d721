//! The report as its users get it: JSON of a fixed form, text, and no panic whatever the facts.

use hyperslab_doctor::{
    ChunkMap, DatasetFacts, DoctorError, FillFacts, FilterFact, Layout, Options, Prediction, Profile, Report,
    codes, diagnose, render_text, why,
};
use hyperslab_storage::WordError;
use hyperslab_storage::cache::parse_cache;
use hyperslab_testkit::scale;
use proptest::prelude::*;
use std::sync::Arc;

/// The compressed dataset of the 2015 paper.
fn case_study() -> DatasetFacts {
    DatasetFacts::contiguous("/All_Data/CrIS-SDR_All/ES_ImaginaryLW", &[60, 30, 9, 717], ">f4", 4)
        .unlimited()
        .in_chunks(&[4, 30, 9, 717], vec![FilterFact::gzip(6)], 43_162_046)
}

fn report(facts: &DatasetFacts, options: &Options) -> Report {
    Report {
        file: options.file.clone(),
        prediction: Prediction::default(),
        findings: Vec::new(),
        datasets: vec![diagnose(facts, options).unwrap()],
        absent: Vec::new(),
        forecast: None,
    }
}

#[test]
fn json_has_the_documented_form() {
    let profiles = ["1MiB", "3MiB"].map(|cache| Profile::custom(parse_cache(cache).unwrap())).to_vec();
    let options = Options { reads: vec!["1x1x1x717".parse().unwrap()], profiles, ..Options::default() };
    let json = serde_json::to_value(report(&case_study(), &options)).unwrap();
    assert_eq!(json["file"], "in.h5");
    let dataset = &json["datasets"][0];
    assert_eq!(dataset["path"], "/All_Data/CrIS-SDR_All/ES_ImaginaryLW");
    assert_eq!(dataset["shape"], serde_json::json!([60, 30, 9, 717]));
    assert_eq!(dataset["dtype"], ">f4");
    assert_eq!(dataset["chunks"], serde_json::json!([4, 30, 9, 717]));
    assert_eq!(dataset["filters"][0]["name"], "gzip");
    assert_eq!(
        (&dataset["logical_bytes"], &dataset["stored_bytes"]),
        (&46_461_600.into(), &43_162_046.into())
    );
    let read = &dataset["reads"][0];
    assert_eq!(read["shape"], serde_json::json!([1, 1, 1, 717]));
    assert_eq!(read["order"], serde_json::json!([0, 1, 2, 3]));
    let [small, large] = [0, 1].map(|profile| &read["profiles"][profile]);
    assert_eq!(small["cache"], serde_json::json!({ "nbytes": 1_048_576, "nslots": 521, "w0": 0.75 }));
    assert_eq!((&small["decodes"], &large["decodes"]), (&16_200.into(), &15.into()));
    assert_eq!((&small["chunks_touched"], &small["driver_reads"]), (&15.into(), &16_200.into()));
    assert!(small["driver_bytes"].as_u64().unwrap() > 1_000 * large["driver_bytes"].as_u64().unwrap());
    assert!(small["predicted_seconds"].as_f64().unwrap() > 100.0);
    assert!(large["predicted_seconds"].as_f64().unwrap() < 1.0);
    let finding = &dataset["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["severity"]),
        (&"cache-smaller-than-chunk".into(), &"high".into())
    );
    let kinds: Vec<&str> =
        finding["fixes"].as_array().unwrap().iter().map(|fix| fix["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["cache", "cache", "cache", "cache", "read", "read", "repack"]);
    for key in ["for", "line", "effect"] {
        assert!(finding["fixes"][0][key].is_string(), "{key}");
    }
}

#[test]
fn a_report_survives_json() {
    let before = report(&case_study(), &Options::default());
    let after: Report = serde_json::from_str(&serde_json::to_string(&before).unwrap()).unwrap();
    assert_eq!(before, after);
}

#[test]
fn the_named_profiles_say_what_the_issue_of_2015_was() {
    let options = Options { reads: vec!["1x1x1x717".parse().unwrap()], ..Options::default() };
    let decodes: Vec<(String, u64)> = report(&case_study(), &options).datasets[0].reads[0]
        .profiles
        .iter()
        .map(|profile| (profile.name.clone(), profile.decodes))
        .collect();
    let expected = [
        ("libhdf5 1.8", 16_200),
        ("libhdf5 1.10", 16_200),
        ("libhdf5 1.14", 16_200),
        ("libhdf5 2.x", 15),
        ("netCDF-C 4.9", 15),
        ("netCDF-C 4.10", 15),
    ];
    assert_eq!(decodes, expected.map(|(name, decodes)| (name.to_owned(), decodes)));
}

#[test]
fn questions_that_do_not_fit_are_refused_with_what_to_do() {
    let ask = |reads: &[&str], order: Option<Vec<usize>>| {
        let reads = reads.iter().map(|read| read.parse().unwrap()).collect();
        diagnose(&case_study(), &Options { reads, order, ..Options::default() }).unwrap_err()
    };
    let error = ask(&["1x717"], None);
    assert_eq!(
        error.to_string(),
        "the read 1x717 has 2 dimensions, but the dataset /All_Data/CrIS-SDR_All/ES_ImaginaryLW has 4 (60x30x9x717)"
    );
    assert!(matches!(ask(&[], Some(vec![0, 1])), DoctorError::Rank { .. }));
    assert!(matches!(ask(&[], Some(vec![0, 1, 2, 2])), DoctorError::Word(WordError::Order { .. })));
}

#[test]
fn an_order_changes_the_counts() {
    let decodes = |order: Vec<usize>| {
        let options =
            Options { reads: vec!["1x1x1x717".parse().unwrap()], order: Some(order), ..Options::default() };
        report(&case_study(), &options).datasets[0].reads[0].profiles[3].decodes
    };
    assert_eq!(decodes(vec![0, 1, 2, 3]), 15);
    assert_eq!(decodes(vec![2, 1, 0, 3]), 15 * 270, "time fastest: fifteen chunks for each place, two fit");
}

#[test]
fn every_page_can_be_read() {
    for code in codes() {
        assert!(why(code).unwrap().lines().count() > 12, "{code}");
    }
}

fn any_layout(rank: usize) -> impl Strategy<Value = Layout> {
    let size = || prop_oneof![1 => Just(0u64), 8 => 1u64..5, 8 => 1u64..2000, 1 => any::<u64>()];
    let chunked = |rank| {
        prop::collection::vec(size(), rank)
            .prop_map(|chunk_dims| Layout::Chunked { chunk_dims, index_kind: String::new() })
    };
    prop_oneof![
        12 => chunked(rank..rank + 1),
        1 => chunked(0..5),
        3 => any::<bool>().prop_map(|allocated| Layout::Contiguous { allocated }),
        1 => prop_oneof![Just(Layout::Compact), Just(Layout::Virtual), Just(Layout::External)],
    ]
}

fn any_extent() -> impl Strategy<Value = (Vec<u64>, Layout)> {
    let dim = prop_oneof![1 => Just(0u64), 8 => 1u64..5, 8 => 1u64..3000, 1 => any::<u64>()];
    prop::collection::vec(dim, 0..5).prop_flat_map(|shape| {
        let rank = shape.len();
        (Just(shape), any_layout(rank))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(scale().of(25) as u32))]
    /// Facts come from files, and files may say anything.
    #[test]
    fn no_facts_make_it_panic_or_hang(
        (shape, layout) in any_extent(),
        element_bytes in prop_oneof![1 => Just(0u64), 20 => 1u64..17, 1 => any::<u64>()],
        stored_bytes: u64,
        logical_bytes: u64,
        edge_chunks_unfiltered: bool,
        is_filtered: bool,
        grid in prop::option::weighted(0.1, 0u64..50),
        path in ".{0,12}",
        width in 0usize..200,
    ) {
        let facts = DatasetFacts {
            path,
            max_shape: shape.iter().map(|_| None).collect(),
            shape,
            dtype: "?".to_owned(),
            element_bytes,
            layout,
            filters: if is_filtered { case_study().filters } else { vec![] },
            edge_chunks_unfiltered,
            logical_bytes,
            stored_bytes,
            chunks: grid.map(|chunks| Arc::new(ChunkMap::complete(chunks, stored_bytes))),
            fill: FillFacts::default(),
            samples: None,
            variable_length: None,
        };
        let options = Options { visits_max: 2_000, ..Options::default() };
        if let Ok(dataset) = diagnose(&facts, &options) {
            let report = Report { file: "x".to_owned(), prediction: Prediction::default(), findings: Vec::new(), datasets: vec![dataset], absent: Vec::new(), forecast: None };
            prop_assert!(!render_text(&report, width).is_empty());
            prop_assert!(serde_json::to_string(&report).is_ok());
        }
    }
}
