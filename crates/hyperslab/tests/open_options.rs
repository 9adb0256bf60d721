//! Settings of one file: a cache of its own, and how many threads read it.

use hyperslab::{ErrorKind, File, OpenOptions, Selection};
use hyperslab_testkit::{files::fixture, require};

/// 128 x 128 numbers from 0 up, in 16 chunks.
const FIELD: &str = "many_small_parts/parts.h5";

/// Reads the field row by row, and says how often a chunk was decoded.
fn decodes(options: &OpenOptions, path: &std::path::Path) -> u64 {
    let file = options.open(path).unwrap();
    let field = file.dataset("/field").unwrap();
    for row in 0..128 {
        let values: Vec<i32> = field.read(&Selection::block(&[row, 0], &[1, 128])).unwrap();
        assert!(values.into_iter().eq((row as i32 * 128)..(row as i32 + 1) * 128));
    }
    file.decodes()
}

#[test]
fn a_cache_of_its_own_is_as_large_as_asked_and_not_the_process_s() {
    let path = require!(fixture(FIELD));
    let before = hyperslab::cache_stats();
    assert_eq!(decodes(&File::options().cache_bytes(1 << 20), &path), 16);
    // Nothing is kept: each row decodes its four chunks again.
    assert_eq!(decodes(&File::options().cache_bytes(0).threads(1), &path), 128 * 4);
    assert_eq!(hyperslab::cache_stats(), before);

    let file = File::options().cache_bytes(1 << 20).open(&path).unwrap();
    let field = file.dataset("/field").unwrap();
    let _: Vec<i32> = field.read(&Selection::block(&[0, 0], &[1, 128])).unwrap();
    assert_eq!((file.cache_stats().decodes, file.cache_stats().resident_chunks), (4, 4));
}

#[test]
fn one_thread_is_the_caller_s() {
    let path = require!(fixture(FIELD));
    assert_eq!(decodes(&File::options().cache_bytes(1 << 20).threads(1), &path), 16);
    let refused = File::options().threads(0).open(&path).err().unwrap();
    assert_eq!((refused.kind(), refused.hint().is_some()), (ErrorKind::Invalid, true));
}

#[test]
fn threads_of_the_process_can_be_set_at_any_time() {
    let path = require!(fixture(FIELD));
    let before = hyperslab::threads();
    for count in [1, 5, 2] {
        hyperslab::set_threads(count).unwrap();
        assert_eq!(hyperslab::threads(), count);
        assert_eq!(decodes(&File::options().cache_bytes(1 << 20), &path), 16);
    }
    assert_eq!(hyperslab::set_threads(0).unwrap_err().kind(), ErrorKind::Invalid);
    hyperslab::set_threads(before).unwrap();
}
