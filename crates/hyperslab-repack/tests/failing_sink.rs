//! A device that becomes full, at any moment: the error is that of the device, and what was written cannot be opened.

use hyperslab::File;
use hyperslab_io::{Memory, MemorySink, Sink};
use hyperslab_repack::{
    Change, ChangeSet, FilterRequest, Monitor, ObjectSelection, PathPattern, RepackError, RepackOptions,
    RepackPlan, Rule,
};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{require, scale};
use hyperslab_write::{WriteError, WriteOptions};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A sink on a device with space for some bytes. As on a real one, a part of a write may arrive.
#[derive(Default)]
struct FullDevice {
    memory: MemorySink,
    space: u64,
    taken: AtomicU64,
}

impl Sink for FullDevice {
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let before = self.taken.fetch_add(bytes.len() as u64, Ordering::SeqCst);
        let left = self.space.saturating_sub(before).min(bytes.len() as u64) as usize;
        self.memory.write_at(at, &bytes[..left])?;
        if left < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.memory.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.memory.sync()
    }

    fn name(&self) -> String {
        "a full device".into()
    }
}

fn options(threads: usize, filters: Option<Vec<FilterRequest>>) -> RepackOptions {
    let rule = |filters| Rule {
        option: "--filter".into(),
        datasets: PathPattern::All,
        change: Change::Filters(filters),
    };
    RepackOptions {
        write: WriteOptions::default(),
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes: ChangeSet { rules: filters.map(rule).into_iter().collect(), ..ChangeSet::default() },
        memory_bytes: 16 << 20,
        threads,
        gzip: hyperslab_storage::GzipEncoder::default(),
        verify: true,
        keep_going: false,
        moved: None,
        temporary_folder: std::env::temp_dir(),
    }
}

#[test]
fn a_full_device_ends_a_repack_and_leaves_no_file() {
    const OFFSETS: usize = 20;
    let source = File::open(require!(fixture("layouts/v110.h5"))).unwrap();
    let deflate = || Some(vec![FilterRequest { id: 1, parameters: vec![1] }]);
    for (threads, filters) in [(1, None), (2, deflate())] {
        let run = |space: u64| {
            let device = FullDevice { space, ..FullDevice::default() };
            let plan = RepackPlan::new(&source, options(threads, filters.clone())).unwrap();
            let ended = plan.run(&device, &Monitor::default()).map(|repacked| repacked.bytes);
            (ended, device.taken.load(Ordering::SeqCst), device.memory.into_bytes())
        };
        let (whole, taken, _) = run(u64::MAX);
        assert!(whole.is_ok());
        let count = scale().of(OFFSETS) as u64;
        for number in 0..count {
            let space = taken * number / count;
            let (ended, _, bytes) = run(space);
            let full = matches!(&ended, Err(RepackError::Write(WriteError::Io { error, .. }))
                if error.kind() == io::ErrorKind::StorageFull);
            assert!(full, "{space} of {taken} bytes: {ended:?}");
            assert!(File::from_source(Arc::new(Memory::new("incomplete", bytes))).is_err(), "{space}");
        }
        assert!(run(taken).0.is_ok());
    }
}
