//! The requests and the processor time that a run shows are those of its engine, without the harness's own.
//!
//! The system counts for the whole process, so this is one test in a program of its own.
#![cfg(target_os = "linux")]

use hyperslab::io::LocalFile;
use hyperslab_engines::{Block, CreationProperties};
use hyperslab_engines::{Engine, OpenOptions};
use hyperslab_io::wrap::Recorder;
use hyperslab_measure::Usage;
use hyperslab_measure::access::{Access, Part};
use hyperslab_measure::data::{Synthetic, Values};
use hyperslab_measure::process::{Operation, Task, run};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::require;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

#[test]
fn requests_are_counted_exactly() {
    spans_of_known_reads();
    what_is_written_is_made_up_aside();
    let file = require!(fixture("case_study/cris_raw.h5"));
    a_run_of_known_requests(&file);
    what_is_written_is_read_aside(&file);
}

/// Writes 60 x 30 x 9 x 717 floats nowhere: all that is used is the harness's.
fn written_nowhere(values: Values) -> Usage {
    let shape = vec![60, 30, 9, 717];
    let storage = Box::new(CreationProperties::plain(shape.clone(), "<f4".parse().unwrap()));
    let task = Task {
        engine: Engine::Null,
        file: "/nowhere/none.h5".into(),
        dataset: "/d".to_owned(),
        access: Access::sweep(vec![1, 30, 9, 717]),
        options: OpenOptions::default(),
        operation: Operation::Write { storage, values },
    };
    let before = Usage::at_start();
    let shown = run(&task).unwrap().usage;
    let all = Usage::at_end().since(before);
    assert!(all.cpu_seconds > 0.0);
    assert!(shown.cpu_seconds < all.cpu_seconds / 10.0, "{} of {}", shown.cpu_seconds, all.cpu_seconds);
    shown
}

fn what_is_written_is_made_up_aside() {
    let element = "<f4".parse().unwrap();
    let made_up = Synthetic { shape: vec![60, 30, 9, 717], element, noise_bits: 4.0, seed: 1 };
    let shown = written_nowhere(Values::Synthetic(made_up));
    assert_eq!((shown.read_calls, shown.write_calls), (0, 0));
}

fn what_is_written_is_read_aside(file: &Path) {
    let shown = written_nowhere(Values::Dataset { file: file.to_owned(), path: PATH.to_owned() });
    assert_eq!((shown.read_calls, shown.read_bytes), (0, 0));
}

const PATH: &str = "/All_Data/CrIS-SDR_All/ES_ImaginaryLW";

fn spans_of_known_reads() {
    let kept = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(kept.path(), [7; 5000]).unwrap();
    let mut file = std::fs::File::open(kept.path()).unwrap();
    let mut part = [0; 1000];
    for calls in [0, 1, 4] {
        let before = Usage::at_start();
        for _ in 0..calls {
            file.read_exact(&mut part).unwrap();
        }
        let used = Usage::at_end().since(before);
        assert_eq!((used.read_calls, used.read_bytes), (calls, calls * 1000));
    }
}

fn a_run_of_known_requests(file: &Path) {
    // Several would fetch the next block of the walk at a time of their own.
    hyperslab::set_threads(1).unwrap();
    let shape = vec![60, 30, 9, 717];
    for rows in [3u64, 40] {
        let access = Access::sweep(vec![1, 1, 1, 717]);
        let task = Task {
            engine: Engine::Hyperslab,
            file: file.to_owned(),
            dataset: PATH.to_owned(),
            access: access.clone(),
            options: OpenOptions::default(),
            operation: Operation::Read {
                shape: shape.clone(),
                part: Part::First(rows),
                cold: false,
                check: None,
            },
        };
        let shown = run(&task).unwrap().usage;

        let (recorder, recording) = Recorder::new(LocalFile::open(file).unwrap());
        let dataset = hyperslab::File::from_source(Arc::new(recorder)).unwrap().dataset(PATH).unwrap();
        let mut out = vec![0; 717 * 4];
        let blocks: Vec<Block> = access.blocks(&shape).take(rows as usize).collect();
        for block in &blocks {
            let selection = hyperslab_engines::selection(block).unwrap();
            dataset.read_into(&selection, hyperslab::Endianness::Native, &mut out).unwrap();
        }
        let made = recording.take();
        let bytes: u64 = made.iter().map(|range| range.end - range.start).sum();
        assert_eq!((shown.read_calls, shown.read_bytes), (made.len() as u64, bytes), "{rows} rows");
        // Few rows are requested one by one; many that lie side by side are served from blocks.
        assert_eq!(made.len() as u64 >= rows, rows == 3, "{} requests for {rows} rows", made.len());
    }
}
