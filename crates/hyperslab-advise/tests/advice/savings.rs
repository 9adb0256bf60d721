//! Surveys of many datasets, and datasets that are read together.

use super::{Alike, advice, maps, maps_and_series, question};
use hyperslab_advise::{Member, Pipeline, SizeBound, Surveyor, Trial, Trials, UsualRead, advise, together};
use hyperslab_doctor::{DatasetFacts, FilterFact};

/// Counts how often something was measured.
#[derive(Default)]
struct Counted(Vec<Vec<u64>>);

impl Trials for Counted {
    fn measure(&mut self, chunk: &[u64], pipelines: &[Pipeline]) -> Vec<Option<Trial>> {
        self.0.push(chunk.to_vec());
        Alike.measure(chunk, pipelines)
    }
}

#[test]
fn a_survey_says_what_an_advice_says_of_bytes_and_reads() {
    let facts = maps();
    let asked = question(&facts, maps_and_series(), &["libhdf5-2"]);
    let mut trials = Counted::default();
    let survey = Surveyor::default().survey(&asked, &mut trials).unwrap().unwrap();
    assert_eq!(trials.0, [[1, 181, 360]], "samples are the dataset's own chunks");
    assert_eq!(&survey.path[..], "/t2m");
    let advice = advice(&asked);
    assert_eq!(survey.present.stored_bytes, advice.present.stored_bytes);
    let seconds = survey.present.seconds / advice.present.seconds[0];
    assert!((0.8..1.25).contains(&seconds), "{survey:?} {:?}", advice.present);
    let full = &advice.recommendations[0].storage;
    let fastest = survey.fastest.unwrap();
    assert!(fastest.seconds < 2.0 * full.seconds[0], "{fastest:?} {full:?}");
    assert!(fastest.seconds < survey.present.seconds / 20.0, "{fastest:?}");
    let smallest = survey.smallest.unwrap();
    assert!(smallest.stored_bytes < survey.present.stored_bytes, "a shuffle makes it smaller");
    assert!(smallest.seconds < survey.present.seconds / 20.0, "in the best of such chunks: {smallest:?}");
}

#[test]
fn what_the_samples_miss_is_known_of_the_whole() {
    // Samples of half their size say little of values that compress ten times.
    let facts = DatasetFacts { stored_bytes: maps().logical_bytes / 10, ..maps() };
    let asked = question(&facts, maps_and_series(), &["libhdf5-2"]);
    let survey = Surveyor::default().survey(&asked, &mut Alike).unwrap().unwrap();
    let data = facts.stored_bytes as f64 * 0.4 / 0.5;
    let bytes = survey.smallest.unwrap().stored_bytes as f64;
    assert!((data..data * 1.01).contains(&bytes), "{bytes} bytes, {data} without the index");
}

#[test]
fn datasets_that_are_stored_alike_are_simulated_once_and_are_told_apart() {
    let surveyor = Surveyor::default();
    let ask = |facts: &DatasetFacts| {
        let asked = question(facts, maps_and_series(), &["libhdf5-1.14"]);
        surveyor.survey(&asked, &mut Alike).unwrap().unwrap()
    };
    let first = ask(&maps());
    assert_eq!(ask(&maps()), first);
    let larger = ask(&DatasetFacts { stored_bytes: 2 * maps().stored_bytes, path: "/u".into(), ..maps() });
    let (one, other) = (first.smallest.as_ref().unwrap(), larger.smallest.unwrap());
    assert_eq!((larger.path.as_str(), &other.chunk), ("/u", &one.chunk));
    assert!(other.stored_bytes > one.stored_bytes);
    let others = DatasetFacts::contiguous("/v", &[1460, 181, 360], "<f4", 4).in_chunks(
        &[1460, 1, 1],
        vec![FilterFact::gzip(4)],
        maps().stored_bytes,
    );
    assert_ne!(ask(&others).present.seconds, first.present.seconds, "in other chunks");
}

#[test]
fn datasets_that_are_read_together_get_one_shape() {
    // Floats and bytes over the same grid, each in maps.
    let floats = maps();
    let bytes = DatasetFacts::contiguous("/mask", &[1460, 181, 360], "|u1", 1).in_chunks(
        &[1, 181, 360],
        vec![FilterFact::gzip(4)],
        1460 * 181 * 360 / 2,
    );
    let questions =
        [&floats, &bytes].map(|facts| question(facts, maps_and_series(), &["libhdf5-1.14", "netcdf-4.9"]));
    let told = [&questions[0], &questions[1]].map(advice);
    let mut samples = [Alike, Alike];
    let mut members: Vec<Member<'_, '_>> = questions
        .iter()
        .zip(&told)
        .zip(&mut samples)
        .map(|((question, advice), trials)| Member { question, advice, trials })
        .collect();
    let agreed = together(&mut members).unwrap().expect("a shape for both");
    assert_eq!(agreed.datasets.len(), 2);
    for (one, alone) in agreed.datasets.iter().zip(&told) {
        assert_eq!(one.storage.chunk, agreed.chunk);
        assert!(one.slower >= 0.9 && !one.is_present, "{one:?}");
        let size_max = alone.size_max.expect("a bound");
        assert!(one.storage.stored_bytes <= size_max, "{one:?}");
    }
    let own: Vec<_> = told.iter().map(|one| one.recommendations[0].storage.chunk.clone()).collect();
    assert!(own.contains(&agreed.chunk), "it is the shape of one of them: {own:?}");
    assert!(agreed.datasets.iter().any(|one| one.slower == 1.0), "{agreed:?}");
    assert_eq!(together(&mut members[..1]).unwrap(), None);
}

#[test]
fn one_read_of_a_raw_dataset_keeps_its_bound() {
    let facts = DatasetFacts::contiguous("/raw", &[1460, 181, 360], "<f4", 4);
    let mut asked = question(&facts, vec![UsualRead::requested(&[1460, 1, 1], 1.0)], &["libhdf5-1.14"]);
    let survey = Surveyor::default().survey(&asked, &mut Alike).unwrap().unwrap();
    let fastest = survey.fastest.unwrap();
    assert!(fastest.stored_bytes as f64 <= 1.05 * facts.logical_bytes as f64);
    assert!(fastest.seconds < survey.present.seconds, "{fastest:?}");
    assert!(survey.smallest.unwrap().stored_bytes < facts.logical_bytes * 9 / 20);
    asked.size_bound = SizeBound::Bytes(1);
    let kept = Surveyor::default().survey(&asked, &mut Alike).unwrap().unwrap();
    assert!(kept.fastest.is_none() && kept.smallest.is_some(), "the bound is for what is fastest");
    assert!(advise(&asked, &mut Alike).unwrap().is_some());
}
