//! Plug-ins of libhdf5 that are linked without it find its symbols in a process that runs one task.
//!
//! The symbols are shared with all that the process loads later, so this is one test in a program of its own.

use hyperslab_engines::CreationProperties;
use hyperslab_engines::library::of_python;
use hyperslab_engines::{Engine, OpenOptions};
use hyperslab_measure::access::{Access, Part};
use hyperslab_measure::data::{Synthetic, Values};
use hyperslab_measure::process::{Check, Operation, Task, run};
use hyperslab_storage::FilterRequest;
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require};

#[test]
fn filters_of_plug_ins_are_applied_and_undone() {
    let python = require!(python());
    let found = require!(of_python(&python).ok_or_else(|| Missing::new("the Python does not run")));
    let library = found.hdf5.into_iter().find(|library| library.plugins.is_some());
    let library = require!(library.ok_or_else(|| Missing::new("no h5py with hdf5plugin (pip install both)")));
    let folder = tempfile::tempdir().unwrap();
    let shape = vec![40, 30, 20];
    let element = "<f4".parse().unwrap();
    let values = Values::Synthetic(Synthetic { shape: shape.clone(), element, noise_bits: 4.0, seed: 1 });
    for filter in ["blosc", "blosc2", "bitshuffle=0,2"] {
        let filters = FilterRequest::parse_pipeline(filter).unwrap();
        let ids: Vec<u16> = filters.iter().map(|filter| filter.id).collect();
        let storage = CreationProperties {
            chunks: Some(vec![10, 30, 20]),
            filters,
            ..CreationProperties::plain(shape.clone(), element)
        };
        let task = |engine: Engine, operation: Operation| Task {
            engine,
            file: folder.path().join(filter),
            dataset: "/d".to_owned(),
            access: Access::by_chunk(&storage),
            options: OpenOptions::default(),
            operation,
        };
        let libhdf5 = || Engine::Libhdf5(library.clone());
        let write = Operation::Write { storage: Box::new(storage.clone()), values: values.clone() };
        let written = run(&task(libhdf5(), write)).unwrap();
        let stored = written.file_bytes;
        assert!((1..storage.logical_bytes()).contains(&stored), "{filter}: {stored} bytes");
        let check = Some(Check { filters: ids });
        let read = Operation::Read { shape: shape.clone(), part: Part::All, cold: false, check };
        let read = run(&task(libhdf5(), read)).unwrap();
        let (shape, values) = (shape.clone(), values.clone());
        let expect = Operation::Expect { shape, part: Part::All, values, element };
        let expected = run(&task(Engine::Null, expect)).unwrap();
        assert!(read.checksum.is_some());
        assert_eq!(read.checksum, expected.checksum, "{filter}");
    }
}
