//! The cache by itself: what it returns is what was kept, or nothing.

use super::*;
use proptest::prelude::*;
use std::fs;
use std::time::{Duration, SystemTime};

const LEN: u64 = 1000;

fn version(tag: &str) -> Version {
    Version { len: LEN, modified: None, tag: Some(tag.into()) }
}

fn content(range: Range<u64>) -> Bytes {
    range.map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn file(folder: &Path, bytes_max: u64) -> CachedFile {
    DiskCache { folder: folder.into(), bytes_max }.file(&Location::from("https://h/f.h5"), "")
}

fn opened(folder: &Path, tag: &str) -> CachedState {
    file(folder, 1 << 20).of_state(&version(tag)).unwrap()
}

fn keep(state: &CachedState, ranges: &[Range<u64>]) {
    let mut kept = state.keep(LEN).unwrap();
    assert!(ranges.iter().all(|range| kept.add(range.start, &content(range.clone()))));
    kept.finish();
}

fn packs(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().flat_map(|folder| pack::paths(&folder.unwrap().path())).collect()
}

#[test]
fn what_is_kept_is_found_by_other_processes_and_only_for_the_same_state() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_eq!(file(folder, 1 << 20).state(), None);
    let first = opened(folder, "\"a\"");
    keep(&first, &[0..100, 300..400]);
    keep(&first, std::slice::from_ref(&(100..250)));
    let second = opened(folder, "\"a\"");
    assert_eq!(file(folder, 1 << 20).state(), Some(version("\"a\"")));
    for state in [&first, &second] {
        for range in [0..100, 50..60, 90..250, 300..400] {
            assert_eq!(state.get(&range), Some(content(range.clone())), "{range:?}");
        }
        for range in [240..310, 399..401, 999..1000] {
            assert_eq!(state.get(&range), None, "{range:?}");
        }
    }
    let changed = opened(folder, "\"b\"");
    assert_eq!(
        (changed.get(&(0..100)), packs(folder).len()),
        (None, 0),
        "packs of another state are removed"
    );
    let weak = version("W/\"b\"");
    assert!(file(folder, 1 << 20).of_state(&weak).is_none(), "not recognized by a weak tag");
    let other = DiskCache { folder: folder.into(), bytes_max: 1 };
    let elsewhere = other.file(&Location::from("https://h/f.h5"), "another server");
    assert_eq!(elsewhere.state(), None);
}

#[test]
fn damaged_files_are_as_if_they_were_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut found, mut missing) = (0, 0);
    let whole = {
        keep(&opened(folder, "\"a\""), &[0..100, 300..400]);
        fs::read(&packs(folder)[0]).unwrap()
    };
    for at in 0..whole.len() {
        packs(folder).into_iter().for_each(|path| fs::remove_file(path).unwrap());
        let state = opened(folder, "\"a\"");
        keep(&state, &[0..100, 300..400]);
        let path = packs(folder).remove(0);
        let mut bytes = whole.clone();
        match at % 2 {
            0 => bytes.truncate(at),
            _ => bytes[at] ^= 0x10,
        }
        fs::write(path, bytes).unwrap();
        let state = opened(folder, "\"a\"");
        for range in [0..100, 350..400] {
            match state.get(&range) {
                Some(bytes) => assert_eq!(bytes, content(range), "damage at {at}"),
                None => missing += 1,
            }
            found += 1;
        }
    }
    assert!(missing > found / 2, "{missing} of {found}");
    let state = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path().join("state");
    let text = fs::read_to_string(&state).unwrap().replace("1000", "1001");
    fs::write(state, text).unwrap();
    assert_eq!(file(folder, 1 << 20).state(), None, "its checksum is wrong");
}

#[test]
fn the_size_is_bounded_and_what_was_used_last_remains() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let state = opened(folder, "\"a\"");
    for number in 0..20 {
        keep(&state, std::slice::from_ref(&(number * 10..number * 10 + 10)));
        let path = packs(folder).into_iter().max_by_key(|path| path.metadata().unwrap().modified().unwrap());
        let past = SystemTime::now() - Duration::from_secs(3600 - number * 60);
        fs::File::open(path.unwrap()).unwrap().set_modified(past).unwrap();
    }
    assert_eq!(packs(folder).len(), 20);
    // A process that uses the first one makes it the last to go.
    assert_eq!(opened(folder, "\"a\"").get(&(0..10)), Some(content(0..10)));
    evict::remove(&DiskCache { folder: folder.into(), bytes_max: 20 * 4096 });
    assert_eq!(packs(folder).len(), 20, "as much as allowed");
    evict::remove(&DiskCache { folder: folder.into(), bytes_max: 8 * 4096 });
    assert_eq!(packs(folder).len(), 7);
    let state = opened(folder, "\"a\"");
    let is_there = |number: u64| state.get(&(number * 10..number * 10 + 10)).is_some();
    assert_eq!([0, 1, 13, 14, 19].map(is_there), [true, false, false, true, true]);
    assert!(file(folder, 3).of_state(&version("\"a\"")).unwrap().keep(1).is_none(), "larger than its part");
}

#[test]
fn a_folder_that_cannot_be_written_is_not_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let cache = DiskCache { folder: file.path().join("inside"), bytes_max: 1 << 20 };
    let cached = cache.file(&Location::from("https://h/f.h5"), "");
    assert_eq!(cached.state(), None);
    assert!(cached.of_state(&version("\"a\"")).is_none());
}

proptest! {
    #[test]
    fn any_kept_ranges_return_what_was_kept(
        calls in prop::collection::vec(prop::collection::vec((0u64..LEN, 1u64..80), 1..5), 1..8),
        wanted in prop::collection::vec((0u64..LEN, 1u64..120), 1..20),
    ) {
        let range = |(start, len): (u64, u64)| start..(start + len).min(LEN);
        let folder = tempfile::tempdir().unwrap();
        let state = opened(folder.path(), "\"a\"");
        let mut known = [false; LEN as usize];
        for call in calls {
            let ranges: Vec<_> = call.into_iter().map(range).collect();
            ranges.iter().for_each(|range| known[range.start as usize..range.end as usize].fill(true));
            keep(&state, &ranges);
        }
        let again = opened(folder.path(), "\"a\"");
        for wanted in wanted.into_iter().map(range) {
            let is_known = known[wanted.start as usize..wanted.end as usize].iter().all(|known| *known);
            for state in [&state, &again] {
                let found = state.get(&wanted);
                prop_assert!(found.is_none() || is_known);
                prop_assert!(found.is_none_or(|found| found == content(wanted.clone())));
            }
        }
    }
}
