//! Links that lead to links, virtual datasets and external files: what they give, what they cost, and that nothing in
//! a file can make them cost more. The files are those of `corpus/recipes/links_and_mappings.py`.

use hyperslab::{Axis, Dataset, Endianness, ErrorKind, File, Points, Selection};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{Missing, require};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

fn path(name: &str) -> Result<PathBuf, Missing> {
    fixture(&format!("links_and_mappings/{name}"))
}

fn open(name: &str) -> Result<File, Missing> {
    path(name).map(|path| File::open(path).expect("a sound file"))
}

fn integers(dataset: &Dataset, selection: &Selection) -> Vec<i64> {
    let bytes = dataset.read_bytes(selection, Endianness::Native).expect("values");
    match dataset.datatype().size {
        1 => bytes.iter().map(|&byte| byte.into()).collect(),
        4 => bytes.as_chunks().0.iter().map(|&number| i32::from_ne_bytes(number).into()).collect(),
        _ => bytes.as_chunks().0.iter().map(|&number| i64::from_ne_bytes(number)).collect(),
    }
}

fn all(file: &File, path: &str) -> Vec<i64> {
    integers(&file.dataset(path).expect("a dataset"), &Selection::All)
}

#[test]
fn links_are_followed_only_so_often() {
    let file = require!(open("links.h5"));
    let began = Instant::now();
    for path in ["a0", "loop", "too long a way", "self/self/too long a way"] {
        let error = file.get(path).err().expect(path);
        assert!(error.message().contains("more than 64 soft and external links"), "{path}: {error}");
    }
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(file.dataset("long way").unwrap().path(), "/long way");
    let deep = "/self".repeat(30);
    assert!(file.get(&format!("{deep}/long way")).is_ok());
    assert!(file.get(&format!("{deep}/self/self/self/self/self/long way")).is_err());
    for path in ["d/".repeat(200_000), "./".repeat(200_000), "/group/../".repeat(5000)] {
        assert!(file.get(&path).is_err());
    }
}

#[test]
fn what_is_not_found_is_explained_once() {
    let file = require!(open("links.h5"));
    let error = |path: &str| file.get(path).err().expect("an error");
    let misspelt = error("misspelt");
    assert_eq!(misspelt.kind(), ErrorKind::NotFound);
    assert_eq!(misspelt.hint(), Some("did you mean /group/temperature?"));
    assert_eq!(error("grup").hint(), Some("did you mean /group?"));
    // Whoever opens what a listing has asked for no path, and the group is not searched for names near to it.
    let group = file.root().unwrap();
    let link = group.link("misspelt").unwrap().unwrap();
    let opened = group.open(&link).err().unwrap();
    assert_eq!(opened.hint(), Some("/misspelt is a soft link to /group/temperatur"));
    assert_eq!(error("gone").kind(), ErrorKind::NotFound);
    assert_eq!(all(&file, "away"), [0, 1, 2, 3]);
}

#[test]
fn long_names_are_not_compared() {
    let file = require!(open("long_names.h5"));
    let began = Instant::now();
    assert_eq!(file.get("s").err().unwrap().kind(), ErrorKind::NotFound);
    assert_eq!(file.get(&"B".repeat(60_000)).err().unwrap().kind(), ErrorKind::NotFound);
    assert!(began.elapsed() < Duration::from_secs(2));
}

/// Held by tests that decode chunks: the counters are those of the process.
static DECODING: Mutex<()> = Mutex::new(());

/// Rows of a virtual dataset one after the other, and how often a chunk was decoded for them.
fn decodes_for_rows(name: &str) -> Result<u64, Missing> {
    let file = open(name)?;
    let dataset = file.dataset("d").unwrap();
    let whole = File::open(path("rows.h5")?).unwrap().dataset("d").unwrap();
    let expected = whole.read_bytes(&Selection::All, Endianness::File).unwrap();
    drop(whole);
    let before = hyperslab::cache_stats();
    for row in (0..200).step_by(7) {
        let selection = Selection::block(&[row, 0], &[1, 300]);
        let found = dataset.read_bytes(&selection, Endianness::File).unwrap();
        assert_eq!(found, expected[row as usize * 1200..][..1200], "row {row}");
    }
    Ok(hyperslab::cache_stats().decodes - before.decodes)
}

#[test]
fn rows_of_a_virtual_dataset_decode_each_chunk_once() {
    let _alone = DECODING.lock();
    for name in ["rows.h5", "rows_of_rows.h5"] {
        let decodes = require!(decodes_for_rows(name));
        assert_eq!(decodes, 2, "{name}");
    }
}

/// The elements of a selection of a row-major array.
fn select(values: &[i64], dims: &[u64], axes: &[Axis]) -> Vec<i64> {
    let mut offsets = vec![0];
    for (axis, dim) in axes.iter().zip(dims) {
        let indexes: Vec<u64> = match axis {
            Axis::Blocks(blocks) => blocks.iter().collect(),
            Axis::List(list) => list.clone(),
        };
        offsets =
            offsets.iter().flat_map(|offset| indexes.iter().map(move |index| offset * dim + index)).collect();
    }
    offsets.iter().map(|&offset| values[offset as usize]).collect()
}

#[test]
fn any_part_of_a_virtual_dataset_is_that_part_of_the_whole() {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below.max(1)
    };
    for name in ["shapes.h5", "unlimited.h5"] {
        let file = require!(open(name));
        let links = file.root().unwrap().links().unwrap();
        let mut checked = 0;
        for link in links {
            let dataset = file.dataset(&link.unwrap().name.to_string()).unwrap();
            if dataset.layout_name() != "virtual" {
                continue;
            }
            let (dims, whole) = (dataset.shape().to_vec(), integers(&dataset, &Selection::All));
            for _ in 0..200 {
                let axes: Vec<Axis> = dims
                    .iter()
                    .map(|&dim| match random(3) {
                        0 => Axis::List((0..random(5)).map(|_| random(dim)).collect()),
                        1 => {
                            let (start, step) = (random(dim), 1 + random(4));
                            let count = random((dim - start).div_ceil(step) + 1);
                            Axis::range(start, count, step).unwrap()
                        }
                        _ => {
                            let (start, block) = (random(dim), 1 + random(3));
                            let (block, stride) = (block.min(dim - start), block + random(3));
                            let count = random((dim - start - block) / stride + 2);
                            Axis::hyperslab(start, stride, count, block).unwrap()
                        }
                    })
                    .collect();
                let found = integers(&dataset, &Selection::Slab(axes.clone()));
                assert_eq!(found, select(&whole, &dims, &axes), "{name} {} {axes:?}", dataset.path());
                let coordinates: Vec<u64> = (0..5).flat_map(|_| dims.clone()).map(&mut random).collect();
                let expected: Vec<i64> = coordinates
                    .chunks(dims.len())
                    .map(|point| point.iter().zip(&dims).fold(0, |offset, (index, dim)| offset * dim + index))
                    .map(|offset| whole[offset as usize])
                    .collect();
                let points = Selection::Points(Points { rank: dims.len(), coordinates });
                assert_eq!(integers(&dataset, &points), expected, "{name} {} {points:?}", dataset.path());
            }
            checked += 1;
        }
        assert!(checked >= 2, "{name} has virtual datasets");
    }
}

#[test]
fn shapes_byte_orders_and_blocks_are_those_of_the_sources() {
    let file = require!(open("shapes.h5"));
    let part = |number: i64| (0..35).map(move |i| 100 * number + i);
    assert_eq!(all(&file, "stacked"), (0..4).flat_map(part).collect::<Vec<_>>());
    assert_eq!(all(&file, "flat"), part(1).collect::<Vec<_>>());
    assert_eq!(all(&file, "swapped"), part(3).collect::<Vec<_>>());
    let swapped = file.dataset("swapped").unwrap().read_bytes(&Selection::All, Endianness::File).unwrap();
    assert_eq!(swapped[..8], [0, 0, 1, 44, 0, 0, 1, 45]);
    assert_eq!(all(&file, "pairs"), [0, 0, 2, 0, 4, 0, 21, 0, 23, 0, 25, 0]);
    let scattered = all(&file, "scattered");
    let expected = [(0, 208), (1, 209), (6, 210), (7, 215), (27, 216), (28, 217)];
    assert!(expected.iter().all(|&(at, value)| scattered[at] == value), "{scattered:?}");
    let file = require!(open("unlimited.h5"));
    let woven = all(&file, "woven");
    assert_eq!((woven.len(), &woven[..4], &woven[18..]), (22, &[0, 50, 1, 51][..], &[9, 59, 0, 60][..]));
    assert_eq!(file.dataset("counted").unwrap().shape(), [6, 3]);
}

#[test]
fn odd_mappings_give_values_or_an_error_but_never_what_is_not_there() {
    let file = require!(open("odd.h5"));
    let beyond = file.dataset("beyond").unwrap();
    assert_eq!(integers(&beyond, &Selection::block(&[15], &[5])), [15, 16, 17, 18, 19]);
    let error = beyond.read_bytes(&Selection::All, Endianness::File).unwrap_err();
    assert!(error.message().contains("its source does not have"), "{error}");
    assert_eq!(all(&file, "own"), [3, 4, 5, 6, 3, 4, 5, 6]);
    assert_eq!(all(&file, "capped"), (0..15).collect::<Vec<_>>());
}

#[test]
fn a_billion_mapped_elements_are_not_listed() {
    let file = require!(open("billion.h5"));
    let size = 1u64 << 30;
    let began = Instant::now();
    let whole = file.dataset("whole").unwrap();
    assert_eq!(integers(&whole, &Selection::block(&[size - 6], &[6])), [7, 1, 2, 3, 4, 5]);
    let halves = file.dataset("halves").unwrap();
    assert_eq!(halves.shape(), [2 * size]);
    let last = Selection::block(&[2 * size - 7], &[7]);
    assert_eq!(integers(&halves, &last), [2, 3, 3, 4, 4, 5, 5]);
    let far_apart = Axis::range(5, 3, size - 3).unwrap();
    assert_eq!(integers(&halves, &Selection::Slab(vec![far_apart])), [7, 7, 5]);
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn towers_of_virtual_datasets_end() {
    let file = require!(open("tower.h5"));
    let began = Instant::now();
    assert_eq!(all(&file, "v5"), (0..10).collect::<Vec<_>>());
    let top = file.dataset("v0").unwrap();
    assert_eq!(top.shape(), [10]);
    let error = top.read_bytes(&Selection::All, Endianness::File).unwrap_err();
    assert!(error.message().contains("leads to more than"), "{error}");
    let file = require!(open("twin_towers.h5"));
    // Only to be opened, without opening each source twice for each that needs it.
    assert_eq!(file.dataset("0a").unwrap().shape(), [10]);
    assert_eq!(all(&file, "9b"), (0..10).collect::<Vec<_>>());
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn no_circle_of_owners_keeps_files_open() {
    let folder = require!(fixture("links_and_mappings"));
    let _alone = DECODING.lock();
    for name in ["odd.h5", "twin_towers.h5", "rows_of_rows.h5"] {
        let place = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().starts_with("rows") || entry.file_name() == name {
                std::fs::copy(entry.path(), place.path().join(entry.file_name())).unwrap();
            }
        }
        let file = File::open(place.path().join(name)).unwrap();
        for link in file.root().unwrap().links().unwrap() {
            let dataset = file.dataset(&link.unwrap().name.to_string()).unwrap();
            let _ = dataset.read_bytes(&Selection::All, Endianness::File);
            let _ = dataset.read_bytes(&Selection::All, Endianness::File);
        }
        assert!(cfg!(not(target_os = "linux")) || open_files(place.path()) > 0);
        drop(file);
        assert_eq!(open_files(place.path()), 0, "{name}");
    }
}

/// How many descriptors of this process lead into a folder.
fn open_files(folder: &std::path::Path) -> usize {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return 0 };
    let links = entries.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links.filter(|link| link.starts_with(folder)).count()
}

#[test]
fn external_files_may_come_later() {
    let file = require!(open("external.h5"));
    let expected: Vec<i64> = (0..3).flat_map(|i| (0..10).map(move |n| 100 * i + n)).collect();
    assert_eq!(all(&file, "d"), expected);
    let dataset = file.dataset("d").unwrap();
    assert_eq!(integers(&dataset, &Selection::block(&[9], &[12])), expected[9..21]);

    let place = tempfile::tempdir().unwrap();
    std::fs::copy(path("external.h5").unwrap(), place.path().join("external.h5")).unwrap();
    let gone = File::open(place.path().join("external.h5")).unwrap().dataset("gone").unwrap();
    let error = gone.read_bytes(&Selection::All, Endianness::File).unwrap_err();
    assert_eq!((error.kind(), error.hint().is_some()), (ErrorKind::NotFound, true), "{error}");
    std::fs::write(place.path().join("gone.bin"), [1; 40]).unwrap();
    assert_eq!(gone.read_bytes(&Selection::All, Endianness::File).unwrap(), [1; 40]);
}
