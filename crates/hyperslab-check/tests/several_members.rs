//! Files of several members, joined to one source with large gaps in its address space.

use hyperslab::File;

use hyperslab_check::{Options, check};
use hyperslab_testkit::files::corpus;
use hyperslab_testkit::require;

/// Files of libhdf5's multi, split and family drivers.
const FILES: [&str; 5] = [
    "tools/test/h5dump/testfiles/tmulti-s.h5",
    "tools/test/h5dump/testfiles/tsplit_file-m.h5",
    "tools/test/h5dump/testfiles/tfamily00000.h5",
    "tools/test/misc/testfiles/family_file00000.h5",
    "test/testfiles/family_v16-000000.h5",
];

#[test]
fn the_gaps_between_members_are_not_searched() {
    let folder = require!(corpus()).join("debian-hdf5-1.14.6");
    for name in FILES {
        let file = File::open(folder.join(name)).expect("all members");
        let report = check(&*file.source(), Options { data: true }).expect("a superblock");
        let listed: Vec<_> = report.findings.iter().map(|f| (f.rule.code, f.at, &f.message)).collect();
        assert_eq!(report.errors, 0, "{name}: {listed:?}");
        assert!(report.orphan_bytes < report.file_bytes, "{name}: {listed:?}");
    }
}
