//! A conversion decodes each chunk, and each stream, once for the copy and once to verify it.

use hyperslab::{File, OpenOptions};
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{
    Change, ChangeSet, LayoutRequest, Monitor, ObjectSelection, PathPattern, RepackOptions, RepackPlan, Rule,
    Size,
};
use hyperslab_storage::GzipEncoder;
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::require;
use hyperslab_write::WriteOptions;
use std::sync::Arc;

/// One deflated stream, and 4 x 3 chunks.
const CODED: u64 = 1 + 12;

fn options(layout: Option<LayoutRequest>) -> RepackOptions {
    let rule = |layout| Rule {
        option: "--chunks".into(),
        datasets: PathPattern::All,
        change: Change::Layout(layout),
    };
    RepackOptions {
        write: WriteOptions::default(),
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes: ChangeSet { rules: layout.map(rule).into_iter().collect(), ..ChangeSet::default() },
        memory_bytes: 64 << 20,
        threads: 2,
        gzip: GzipEncoder::default(),
        verify: true,
        keep_going: false,
        moved: None,
        temporary_folder: std::env::temp_dir(),
    }
}

#[test]
fn each_is_decoded_once_for_the_copy() {
    let path = require!(fixture("older_formats/coded.hdf"));
    let rows = LayoutRequest::Chunks(vec![Size::Elements(7), Size::Elements(90)]);
    for layout in [None, Some(LayoutRequest::Contiguous), Some(rows)] {
        let old: File = OpenOptions::default().open(&path).unwrap();
        let new = hyperslab_convert::as_netcdf4(&old, false).unwrap();
        let (sink, monitor) = (MemorySink::default(), Monitor::default());
        let repacked =
            RepackPlan::new(&new.file, options(layout.clone())).unwrap().run(&sink, &monitor).unwrap();
        assert_eq!(old.decodes(), CODED, "{layout:?}");
        let target = File::from_source(Arc::new(Memory::new("new.nc", sink.into_bytes()))).unwrap();
        repacked.verify(&target, 2, &monitor).unwrap();
        assert!(old.decodes() <= 2 * CODED, "{layout:?}: {} decodes", old.decodes());
    }
}
