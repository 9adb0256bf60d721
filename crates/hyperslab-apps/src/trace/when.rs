//! When the processes of a trace read a dataset, in parts of equal length.

use hyperslab_trace::{Timeline, Trace};
use std::collections::BTreeMap;

/// The most parts; more become twice as long.
const PARTS_MAX: u64 = 128;

/// The calls of all processes that read a dataset, by the time since the first of them began. `None` where none of them noted it.
pub(super) fn timeline(trace: &Trace, file: &str, dataset: &str) -> Option<Timeline> {
    let began = trace.processes.iter().map(|(process, _)| process.started).fold(f64::INFINITY, f64::min);
    let all = trace.processes.iter().flat_map(|(process, datasets)| {
        let of_dataset = datasets.iter().filter(|known| known.file == file && known.traced == dataset);
        of_dataset.filter_map(move |known| Some((process.started - began, known.timeline.as_ref()?)))
    });
    let all: Vec<(f64, &Timeline)> = all.filter(|(_, timeline)| timeline.part_seconds > 0.0).collect();
    let mut part_seconds = all.iter().map(|(_, timeline)| timeline.part_seconds).reduce(f64::max)?;
    loop {
        let parts = parts(&all, part_seconds);
        let (first, last) = (*parts.keys().next()?, *parts.keys().next_back()?);
        if last - first < PARTS_MAX {
            let of = |number: u64| parts.get(&number).copied().unwrap_or_default();
            return Some(Timeline {
                part_seconds,
                first_part: first,
                seconds: (first..=last).map(|number| of(number).0).collect(),
                calls: (first..=last).map(|number| of(number).1).collect(),
                decodes: (first..=last).map(|number| of(number).2).collect(),
            });
        }
        part_seconds *= 2.0;
    }
}

/// Seconds, calls and decodes of each part of this length that has any.
fn parts(all: &[(f64, &Timeline)], part_seconds: f64) -> BTreeMap<u64, (f64, u64, u64)> {
    let mut parts: BTreeMap<u64, (f64, u64, u64)> = BTreeMap::new();
    for (offset, timeline) in all {
        for (number, calls) in timeline.calls.iter().enumerate().filter(|(_, calls)| **calls > 0) {
            let begin = offset + (timeline.first_part + number as u64) as f64 * timeline.part_seconds;
            let part = parts.entry((begin / part_seconds) as u64).or_default();
            part.0 += timeline.seconds.get(number).copied().unwrap_or(0.0);
            part.1 += calls;
            part.2 += timeline.decodes.get(number).copied().unwrap_or(0);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_trace::{Process, TracedDataset};

    fn process(
        started: f64,
        part_seconds: f64,
        first_part: u64,
        calls: &[u64],
    ) -> (Process, Vec<TracedDataset>) {
        let process = Process {
            hyperslab_trace: 1,
            pid: 1,
            program: Vec::new(),
            started,
            seconds: 1.0,
            ended: true,
            libhdf5: Vec::new(),
            others: None,
        };
        let timeline = Timeline {
            part_seconds,
            first_part,
            seconds: calls.iter().map(|calls| *calls as f64).collect(),
            calls: calls.to_vec(),
            decodes: calls.iter().map(|calls| calls * 2).collect(),
        };
        let dataset = TracedDataset {
            traced: "/t".into(),
            file: "a.h5".into(),
            timeline: Some(timeline),
            ..TracedDataset::default()
        };
        (process, vec![dataset])
    }

    #[test]
    fn processes_that_began_later_are_later() {
        let processes = vec![process(100.0, 0.125, 8, &[1, 0, 2]), process(101.0, 0.5, 1, &[5])];
        let trace = Trace { processes, patterns: Vec::new() };
        let all = timeline(&trace, "a.h5", "/t").unwrap();
        assert_eq!((all.part_seconds, all.first_part), (0.5, 2));
        assert_eq!((all.calls, all.decodes), (vec![3, 5], vec![6, 10]));
        assert_eq!(timeline(&trace, "a.h5", "/other"), None);
    }

    #[test]
    fn parts_grow_until_they_are_few() {
        let processes = vec![process(0.0, 0.125, 0, &[1]), process(1000.0, 0.125, 0, &[1])];
        let all = timeline(&Trace { processes, patterns: Vec::new() }, "a.h5", "/t").unwrap();
        assert_eq!((all.part_seconds, all.calls.len(), all.calls.iter().sum::<u64>()), (8.0, 126, 2));
    }
}
