//! Advice on made-up datasets whose measurements are made up, too: what is asked, and what comes out.

#[path = "advice/again.rs"]
mod again;
#[path = "advice/published.rs"]
mod published;
#[path = "advice/savings.rs"]
mod savings;

use hyperslab_advise::{
    Advice, Axis, Origin, Pipeline, Place, Question, Reader, SizeBound, Target, Trial, Trials, UsualRead,
    Verdict, WhyNot, advise, usual_reads,
};
use hyperslab_doctor::{DatasetFacts, FilterFact};
use hyperslab_storage::cost::LibraryDecoding;
use hyperslab_storage::cost::Terms;
use std::time::Duration;

/// Data that compresses alike in any chunk: deflate to a half, with a shuffle to two fifths; zstd the same, four times as
/// fast.
struct Alike;

impl Trials for Alike {
    fn measure(&mut self, _: &[u64], pipelines: &[Pipeline]) -> Vec<Option<Trial>> {
        let of = |pipeline: &Pipeline| {
            let is_zstd = pipeline.text().contains("zstd");
            let times = if is_zstd { 0.25 } else { 1.0 };
            Some(Trial {
                decoded_bytes: 1000,
                encoded_bytes: if pipeline.shuffle { 400 } else { 500 },
                encode_seconds: 2e-5 * times,
                fast_encode_seconds: None,
                decode_seconds: 2e-6 * times,
                largest_error: 0.0,
                inflate_factor: None,
                library: None,
            })
        };
        pipelines.iter().map(of).collect()
    }
}

fn question<'a>(facts: &'a DatasetFacts, reads: Vec<UsualRead>, readers: &[&str]) -> Question<'a> {
    let named: Vec<Reader> = readers.iter().map(|name| Reader::parse(name).unwrap()).collect();
    Question {
        facts,
        target: Target { file: "in.nc".to_owned(), origin: Origin::Hdf5, is_netcdf: true, page_bytes: None },
        reads,
        write: None,
        readers: if named.is_empty() { Reader::defaults() } else { named },
        size_bound: SizeBound::default(),
        max_error: None,
        place: Place::local(),
        terms: Terms::BUILT_IN,
        threads: 2,
        engine_cache_bytes: 1 << 30,
        inflate_factor: None,
        // Enough that nothing is left out on a busy machine.
        time: Duration::from_secs(600),
    }
}

fn advice(question: &Question<'_>) -> Advice {
    advise(question, &mut Alike).unwrap().unwrap()
}

/// 1460 maps of 181 x 360 floats, a map a chunk.
fn maps() -> DatasetFacts {
    DatasetFacts::contiguous("/t2m", &[1460, 181, 360], "<f4", 4).in_chunks(
        &[1, 181, 360],
        vec![FilterFact::gzip(4)],
        1460 * 181 * 360 * 2,
    )
}

fn maps_and_series() -> Vec<UsualRead> {
    vec![UsualRead::requested(&[1, 181, 360], 1.0), UsualRead::requested(&[1460, 1, 1], 1.0)]
}

#[test]
fn chunks_for_maps_and_series_serve_both() {
    let facts = maps();
    let question = question(&facts, maps_and_series(), &["libhdf5-2"]);
    let advice = advice(&question);
    let [all] = &advice.recommendations[..] else { panic!("one reader has one recommendation") };
    assert_eq!(all.verdict, Verdict::Rewrite);
    let [maps, series] = [&all.storage.reads[0][0], &all.storage.reads[0][1]].map(|cost| cost.seconds);
    assert!(maps.max(series) <= 3.0 * maps.min(series), "{maps} s and {series} s: {:?}", all.storage);
    let before = &advice.present.reads[0];
    assert!(before[1].seconds > 100.0 * series, "{before:?}");
    assert!(all.payback.unwrap().reads == 1, "{:?}", all.payback);
    assert!(all.storage.stored_bytes <= advice.size_max.unwrap());
    for line in [
        "hyperslab repack",
        "h5repack -l /t2m:CHUNK=",
        "nccopy ",
        "encoding = ",
        "out.create_dataset",
        "_ChunkSizes",
    ] {
        assert!(all.lines.iter().any(|one| one.line.contains(line)), "{line}: {:?}", all.lines);
    }
}

/// 39 x 36,841 floats in tiles; the block neither divides the extent nor has a round size.
#[test]
fn the_block_of_a_read_is_a_chunk_shape_too() {
    let facts =
        DatasetFacts::contiguous("/d", &[39, 36_841], "<f4", 4).in_chunks(&[2, 320], vec![], 6_050_560);
    let question = question(&facts, vec![UsualRead::requested(&[39, 969], 1.0)], &["hyperslab"]);
    let advice = advice(&question);
    let storage = &advice.recommendations[0].storage;
    assert_eq!((storage.chunk.as_deref(), &*storage.filters), (Some(&[39, 969][..]), "none"));
}

/// The same values, which libhdf5 inflates slowly unless they were deflated at level 6.
struct SlowBesideOneLevel;

impl Trials for SlowBesideOneLevel {
    fn measure(&mut self, chunk: &[u64], pipelines: &[Pipeline]) -> Vec<Option<Trial>> {
        let trials = Alike.measure(chunk, pipelines).into_iter().zip(pipelines);
        let factor = |pipeline: &Pipeline| if pipeline.text().contains("gzip=6") { 1.5 } else { 6.0 };
        trials
            .map(|(trial, pipeline)| Some(Trial { inflate_factor: Some(factor(pipeline)), ..trial? }))
            .collect()
    }
}

#[test]
fn the_level_that_libhdf5_inflates_fastest_is_advised() {
    let facts = maps();
    let question = question(&facts, maps_and_series(), &["libhdf5-2", "hyperslab"]);
    let told = advise(&question, &mut SlowBesideOneLevel).unwrap().unwrap();
    let one = |reader: &str| told.recommendations.iter().find(|one| one.reader == reader).unwrap();
    let libhdf5 = &one("libhdf5-2").storage;
    assert!(libhdf5.filters.contains("gzip=6"), "{}", libhdf5.filters);
    // Sizes and hyperslab's speed are the same at every level.
    let same = advise(&question, &mut Alike).unwrap().unwrap();
    let before = &same.recommendations.iter().find(|one| one.reader == "libhdf5-2").unwrap().storage;
    assert!(!before.filters.contains("gzip=6"), "{}", before.filters);
}

/// The same values, of which libhdf5 decodes chunks of one shape slowly.
struct SlowInOneShape {
    slow: Vec<u64>,
    /// The chunks of which samples were decoded.
    decoded: Vec<Vec<u64>>,
}

impl Trials for SlowInOneShape {
    fn measure(&mut self, chunk: &[u64], pipelines: &[Pipeline]) -> Vec<Option<Trial>> {
        let trials = Alike.measure(chunk, pipelines).into_iter();
        trials.map(|trial| Some(Trial { inflate_factor: Some(1.5), ..trial? })).collect()
    }

    fn decode_by_library(&mut self, chunk: &[u64], _: &Pipeline) -> Option<LibraryDecoding> {
        self.decoded.push(chunk.to_vec());
        let bytes = (4 * chunk.iter().product::<u64>()) as f64;
        let times = if chunk == self.slow { 10.0 } else { 1.0 };
        Some(LibraryDecoding { seconds: bytes * 2e-9 * 1.5 * times, fresh_pages: 0.0 })
    }
}

#[test]
fn a_shape_that_libhdf5_decodes_slowly_is_left_for_the_next() {
    let facts = maps();
    let question = question(&facts, maps_and_series(), &["libhdf5-2"]);
    let mut alike = SlowInOneShape { slow: vec![], decoded: vec![] };
    let first = advise(&question, &mut alike).unwrap().unwrap().recommendations[0].storage.clone();
    let first = first.chunk.unwrap();
    assert!(alike.decoded.contains(&first), "the advised shape is decoded: {:?}", alike.decoded);
    let mut slow = SlowInOneShape { slow: first.clone(), decoded: vec![] };
    let second = advise(&question, &mut slow).unwrap().unwrap().recommendations[0].storage.clone();
    assert!(second.chunk.as_ref() != Some(&first), "{second:?}");
    assert!(slow.decoded.contains(&first), "{:?}", slow.decoded);
}

#[test]
fn what_is_stored_well_is_left_alone() {
    let facts = maps();
    let reads = vec![UsualRead::requested(&[1, 181, 360], 1.0)];
    let mut question = question(&facts, reads, &["libhdf5-1.14"]);
    // Nothing that is smaller is faster.
    question.size_bound = SizeBound::TimesPresent(1.0);
    let shuffled = DatasetFacts { stored_bytes: 1460 * 181 * 360 * 4 * 2 / 5, ..facts.clone() };
    question.facts = &shuffled;
    let advice = advice(&question);
    let all = &advice.recommendations[0];
    assert_eq!((all.verdict, all.lines.len()), (Verdict::AlreadyGood, 0), "{:?}", all.storage);
    assert_eq!(all.storage.chunk, Some(vec![1, 181, 360]));
}

#[test]
fn filters_are_those_that_every_reader_has() {
    let facts = maps();
    let mixed = question(&facts, maps_and_series(), &["netcdf-4.9", "hyperslab"]);
    let told = advice(&mixed);
    let filters = |reader: &str| {
        told.recommendations
            .iter()
            .find(|one| one.reader == reader)
            .map(|one| one.storage.filters.clone())
            .unwrap()
    };
    assert!(filters("all").contains("gzip") && filters("netcdf-4.9").contains("gzip"));
    assert!(filters("hyperslab").contains("zstd"), "it has zstd, which is faster: {}", filters("hyperslab"));
    let lacking = &told.recommendations[0].alternatives;
    let is_told = |why: &WhyNot| matches!(why, WhyNot::Unreadable { reader, .. } if reader == "netcdf-4.9");
    assert!(lacking.iter().any(|one| is_told(&one.why_not)), "{lacking:?}");
    let with_plugin = question(&facts, maps_and_series(), &["netcdf-4.9+zstd", "hyperslab"]);
    assert!(advice(&with_plugin).recommendations[0].storage.filters.contains("zstd"));
}

#[test]
fn a_bound_of_the_size_is_kept_and_without_one_raw_data_is_faster() {
    let facts = maps();
    let mut question = question(&facts, maps_and_series(), &["libhdf5-2"]);
    let bounded = advice(&question).recommendations[0].storage.clone();
    assert!(bounded.filters.contains("gzip"));
    question.size_bound = SizeBound::None;
    let free = advice(&question).recommendations[0].storage.clone();
    assert_eq!(free.filters, "none");
    assert!(free.seconds[0] < bounded.seconds[0]);
    question.size_bound = SizeBound::Bytes(1);
    let told = advice(&question);
    assert_eq!(told.recommendations[0].verdict, Verdict::AlreadyGood, "nothing is so small");
    let smallest = told.smallest_beyond_size_max.unwrap();
    assert!(smallest > 1 && told.pareto.iter().all(|storage| storage.stored_bytes >= smallest));
}

#[test]
fn data_that_takes_more_than_the_bound_becomes_smaller_however_slow() {
    let shape = [1460, 181, 360];
    let raw = DatasetFacts::contiguous("/t2m", &shape, "<f4", 4);
    let maps_alone = vec![UsualRead::requested(&[1, 181, 360], 1.0)];
    let mut question = question(&raw, maps_alone, &["libhdf5-2", "hyperslab"]);
    question.size_bound = SizeBound::TimesPresent(0.7);
    let told = advice(&question);
    for one in &told.recommendations {
        assert_eq!(one.verdict, Verdict::Rewrite);
        assert!(one.storage.stored_bytes <= told.size_max.unwrap(), "{:?}", one.storage);
        assert!(one.storage.filters != "none" && !one.lines.is_empty());
    }
    let all = &told.recommendations[0];
    assert!(all.storage.seconds[0] > told.present.seconds[0], "maps of raw data cost no decoding");
    assert_eq!((told.smallest_beyond_size_max, all.payback), (None, None));
}

#[test]
fn the_same_measurements_give_the_same_advice() {
    let facts = maps();
    let axes = ["time", "lat", "lon"].map(Axis::named);
    let reads = usual_reads(&facts.shape, 4, &axes);
    let question = question(&facts, reads, &[]);
    let first = advice(&question);
    assert_eq!(first.recommendations.len(), 1 + Reader::defaults().len());
    for _ in 0..3 {
        assert_eq!(advice(&question), first);
    }
}

#[test]
fn no_storage_of_the_pareto_set_beats_another() {
    let facts = maps();
    let question = question(&facts, maps_and_series(), &["libhdf5-1.14"]);
    let front = advice(&question).pareto;
    assert!(front.len() > 2, "{front:?}");
    for (at, one) in front.iter().enumerate() {
        for other in &front[at + 1..] {
            let values = |storage: &hyperslab_advise::StorageAnswer| {
                [
                    storage.seconds[0],
                    storage.stored_bytes as f64,
                    storage.write_seconds.unwrap_or(0.0),
                    storage.requests,
                ]
            };
            let (a, b) = (values(one), values(other));
            assert!(
                a.iter().zip(&b).any(|(a, b)| a < b) && b.iter().zip(&a).any(|(b, a)| b < a),
                "{a:?} {b:?}"
            );
        }
    }
}

#[test]
fn a_recommendation_says_how_far_the_weights_may_be_wrong() {
    let facts = maps();
    let question = question(&facts, maps_and_series(), &["libhdf5-1.14"]);
    let told = advice(&question);
    let [maps, series] = &told.recommendations[0].sensitivity[..] else { panic!("two reads") };
    for range in [maps, series] {
        assert!(range.from <= 0.5 && range.to >= 0.5 && range.share == 0.5, "{range:?}");
    }
    assert!(series.from > 0.0, "for maps alone, maps are the better chunks: {series:?}");
}

#[test]
fn the_case_study_of_2015_decodes_each_chunk_once() {
    let facts =
        DatasetFacts::contiguous("/All_Data/CrIS-SDR_All/ES_ImaginaryLW", &[60, 30, 9, 717], ">f4", 4)
            .unlimited()
            .in_chunks(&[4, 30, 9, 717], vec![FilterFact::gzip(6)], 43_162_046);
    let rows = vec![UsualRead::requested(&[1, 1, 1, 717], 1.0)];
    let question = question(&facts, rows, &["libhdf5-1.8", "libhdf5-1.14"]);
    let told = advice(&question);
    let all = &told.recommendations[0];
    assert_eq!(told.present.reads[0][0].decodes, 16_200, "each row decodes a chunk");
    let chunks: u64 =
        told.shape.iter().zip(all.storage.chunk.as_ref().unwrap()).map(|(d, c)| d.div_ceil(*c)).product();
    for costs in &all.storage.reads {
        assert!(costs[0].decodes == chunks || costs[0].decodes == 0, "{:?}", all.storage);
    }
}

#[test]
fn what_has_no_chunks_to_choose_has_no_advice() {
    for shape in [vec![], vec![0, 4]] {
        let facts = DatasetFacts::contiguous("/d", &shape, "<f4", 4);
        let reads = vec![UsualRead::requested(&shape, 1.0)];
        assert_eq!(advise(&question(&facts, reads, &[]), &mut Alike).unwrap(), None);
    }
    let facts = maps();
    let wrong = question(&facts, vec![UsualRead::requested(&[1, 2], 1.0)], &[]);
    assert!(advise(&wrong, &mut Alike).unwrap_err().to_string().contains("2 dimensions"));
}
