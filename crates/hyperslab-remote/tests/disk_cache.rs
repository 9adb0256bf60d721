//! The disk cache: files that have not changed take one conditional request, and changed files are read anew.

use hyperslab_io::{Cancel, Source, fetch_all};
use hyperslab_remote::{DiskCache, RemoteFile, RemoteOptions};
use hyperslab_testkit::{Link, RangeServer};
use std::ops::Range;
use std::path::Path;

fn bytes(len: usize, seed: u32) -> Vec<u8> {
    (0..len as u32).map(|i| ((i ^ seed).wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn open(server: &RangeServer, folder: &Path) -> RemoteFile {
    let mut options = RemoteOptions::default();
    options.first_bytes = 1 << 10;
    options.disk_cache = Some(DiskCache { folder: folder.into(), bytes_max: 64 << 20 });
    RemoteFile::open(&server.url("f.h5"), options).unwrap()
}

fn ranges() -> Vec<Range<u64>> {
    (0..50).map(|i| 2000 + i * 1500..2000 + i * 1500 + i + 1).collect()
}

fn check(file: &RemoteFile, content: &[u8]) {
    for (range, found) in ranges().iter().zip(fetch_all(file, &ranges(), &Cancel::never()).unwrap()) {
        assert_eq!(found, content[range.start as usize..range.end as usize]);
    }
    let mut first = [0; 1024];
    file.read_into(0, &mut first).unwrap();
    assert_eq!(first, content[..1024]);
}

#[test]
fn a_file_that_was_read_before_takes_one_conditional_request() {
    let folder = tempfile::tempdir().unwrap();
    let content = bytes(100_000, 0);
    let server = RangeServer::start(content.clone(), Link::default());
    check(&open(&server, folder.path()), &content);
    assert_eq!(server.take_counts().requests, 51, "the beginning, and the ranges");
    for _ in 0..3 {
        // Another open file has nothing in memory, as another process.
        check(&open(&server, folder.path()), &content);
        let counts = server.take_counts();
        assert_eq!((counts.requests, counts.bytes), (1, 0));
    }
}

#[test]
fn a_file_that_has_changed_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let content = bytes(100_000, 0);
    let server = RangeServer::start(content.clone(), Link::default());
    let opened_before = open(&server, folder.path());
    check(&opened_before, &content);
    for (len, seed) in [(100_000, 1), (90_000, 2), (100_000, 3)] {
        let changed = bytes(len, seed);
        server.replace(changed.clone());
        server.take_counts();
        check(&open(&server, folder.path()), &changed);
        assert_eq!(server.take_counts().requests, 51);
        check(&open(&server, folder.path()), &changed);
        assert_eq!(server.take_counts().requests, 1);
    }
    let changed = fetch_all(&opened_before, &[90_000..90_100, 1500..1600], &Cancel::never()).unwrap_err();
    assert!(changed.to_string().contains("changed after it was opened"), "{changed}");
}

#[test]
fn what_is_lost_or_damaged_is_requested_again() {
    let folder = tempfile::tempdir().unwrap();
    let content = bytes(100_000, 0);
    let server = RangeServer::start(content.clone(), Link::default());
    check(&open(&server, folder.path()), &content);
    for damage in [true, false] {
        let packs = std::fs::read_dir(folder.path()).unwrap().flat_map(|file| {
            std::fs::read_dir(file.unwrap().path()).unwrap().map(|entry| entry.unwrap().path())
        });
        for pack in packs.filter(|path| path.extension().is_some_and(|extension| extension == "pack")) {
            match damage {
                true => {
                    let mut bytes = std::fs::read(&pack).unwrap();
                    bytes[20] ^= 1;
                    std::fs::write(pack, bytes).unwrap();
                }
                false => std::fs::remove_file(pack).unwrap(),
            }
        }
        server.take_counts();
        check(&open(&server, folder.path()), &content);
        assert!(server.take_counts().requests >= 2);
        // Of a pack with damage, what was read before the damage was found is requested by the next process.
        check(&open(&server, folder.path()), &content);
        server.take_counts();
        check(&open(&server, folder.path()), &content);
        assert_eq!(server.take_counts().requests, 1);
    }
}

#[test]
fn several_threads_and_open_files_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let content = bytes(100_000, 0);
    let server = RangeServer::start(content.clone(), Link::default());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..4).for_each(|_| check(&open(&server, folder.path()), &content)));
        }
    });
    server.take_counts();
    check(&open(&server, folder.path()), &content);
    assert_eq!(server.take_counts().requests, 1);
}
