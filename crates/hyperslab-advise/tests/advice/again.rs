//! Advice that is followed: nobody loses by it, each reader's own advice is its best, and whoever asks again is sent nowhere
//! else.

use super::*;
use hyperslab_advise::StorageAnswer;
use hyperslab_doctor::SampleMeasurement;

/// The dataset as it is stored after this advice was followed.
fn followed(facts: &DatasetFacts, storage: &StorageAnswer) -> DatasetFacts {
    measured(storage.facts(facts))
}

/// With the speed of decoding that the trials have.
fn measured(facts: DatasetFacts) -> DatasetFacts {
    let samples = SampleMeasurement {
        chunks: 1,
        stored_bytes: 500,
        decoded_bytes: 1000,
        decode_seconds: 2e-6,
        ..SampleMeasurement::default()
    };
    DatasetFacts { samples: (!facts.filters.is_empty()).then_some(samples), ..facts }
}

fn gzipped(path: &str, shape: &[u64], dtype: &str, element_bytes: u64, chunk: &[u64]) -> DatasetFacts {
    let bytes = shape.iter().product::<u64>() * element_bytes;
    let facts = DatasetFacts::contiguous(path, shape, dtype, element_bytes);
    measured(facts.in_chunks(chunk, vec![FilterFact::gzip(4)], bytes / 2))
}

/// A stack of images in three storages, and maps over time.
fn datasets() -> Vec<DatasetFacts> {
    vec![
        gzipped("/det", &[200, 256, 256], "<u2", 2, &[1, 256, 256]),
        gzipped("/det", &[200, 256, 256], "<u2", 2, &[34, 43, 43]),
        gzipped("/det", &[200, 256, 256], "<u2", 2, &[100, 128, 128]),
        gzipped("/t2m", &[60, 181, 360], "<f4", 4, &[1, 181, 360]),
    ]
}

fn ask(facts: &DatasetFacts, place: &str, readers: &[&str]) -> Advice {
    let reads = usual_reads(&facts.shape, facts.element_bytes, &[]);
    let question = Question {
        place: Place::parse(place).unwrap(),
        // Enough that nothing is left out on a busy machine.
        time: Duration::from_secs(10_000),
        ..question(facts, reads, readers)
    };
    advice(&question)
}

#[test]
fn advice_that_was_followed_is_not_taken_back_and_slows_no_reader() {
    for (number, facts) in datasets().into_iter().enumerate() {
        // Places differ in what a request takes: once is enough to see that it makes no difference here.
        let places: &[&str] = if number == 0 { &["local", "s3"] } else { &["s3"] };
        for place in places {
            let told = ask(&facts, place, &[]);
            let all = &told.recommendations[0];
            let what = format!("{} {place} {:?} -> {:?}", facts.path, told.present.chunk, all.storage.chunk);
            for (reader, (then, now)) in all.storage.seconds.iter().zip(&told.present.seconds).enumerate() {
                assert!(*then <= now * 1.0501, "{what}: {} {now} s -> {then} s", told.readers[reader]);
            }
            if all.verdict == Verdict::AlreadyGood {
                continue;
            }
            let again = ask(&followed(&facts, &all.storage), place, &[]);
            let next = &again.recommendations[0];
            let is_same =
                next.storage.chunk == all.storage.chunk && next.storage.filters == all.storage.filters;
            assert!(
                next.verdict == Verdict::AlreadyGood || is_same,
                "{what}, then {:?} {}",
                next.storage.chunk,
                next.storage.filters
            );
        }
    }
}

#[test]
fn what_is_told_for_one_reader_is_what_that_reader_is_told_alone() {
    let facts = &datasets()[0];
    let all = ask(facts, "s3", &[]);
    let alone = ask(facts, "s3", &["libhdf5-1.14"]);
    let one = all.recommendations.iter().find(|one| one.reader == "libhdf5-1.14").unwrap();
    let (among, alone) = (one.storage.seconds[0], alone.recommendations[0].storage.seconds[0]);
    assert!(among <= 1.1 * alone, "{among} s among others, {alone} s alone: {:?}", one.storage.chunk);
}

#[test]
fn what_would_slow_one_reader_is_named_and_not_recommended() {
    // Chunks that 1 MiB holds enough of; larger ones are better for the larger caches, but not for it.
    let facts = &datasets()[1];
    let told = ask(facts, "s3", &[]);
    let slows = |why: &WhyNot| matches!(why, WhyNot::SlowsReader { reader, slower, .. } if reader == "libhdf5-1.14" && *slower > 1.05);
    let all = &told.recommendations[0];
    let best_of_others = told.pareto.iter().map(|one| one.seconds[1]).fold(f64::INFINITY, f64::min);
    assert!(best_of_others < 0.7 * told.present.seconds[1], "there is something to refuse");
    assert!(
        all.verdict == Verdict::AlreadyGood || all.alternatives.iter().any(|one| slows(&one.why_not)),
        "{all:?}"
    );
}
