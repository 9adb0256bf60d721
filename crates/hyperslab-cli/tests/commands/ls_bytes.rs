//! `hyperslab ls --bytes`: the parts add up to the file, and agree with what `h5stat` counts.

use super::run;
use hyperslab_testkit::files::{fixture, python};
use hyperslab_testkit::{Missing, require};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn census(path: &Path) -> Value {
    let told = run(&["ls", "--bytes", "--json", "{}"], path);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{}", path.display());
    serde_json::from_str(&told.out).unwrap()
}

fn sum(of: &Value) -> u64 {
    of.as_array().unwrap().iter().map(|part| part["bytes"].as_u64().unwrap()).sum()
}

/// The number of bytes in a line of `h5stat -S`.
fn counted(text: &str, line: &str) -> u64 {
    let found = text
        .lines()
        .find(|one| one.trim_start().starts_with(line))
        .unwrap_or_else(|| panic!("{line}: {text}"));
    found.split_once(':').unwrap().1.trim().split(' ').next().unwrap().parse().unwrap()
}

fn check_against_h5stat(path: &Path) -> Result<(), Missing> {
    let census = census(path);
    let (metadata, raw) = (sum(&census["metadata"]), sum(&census["raw_data"]));
    let rest = census["free_bytes"].as_u64().unwrap() + census["unaccounted_bytes"].as_u64().unwrap();
    let bytes = std::fs::metadata(path).unwrap().len();
    assert_eq!(metadata + raw + rest, bytes, "{census}");
    let out = Command::new("h5stat").arg("-S").arg(path).output();
    let out = out.map_err(|_| Missing::new("h5stat is not installed"))?;
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(raw, counted(&text, "Raw data"), "{text}{census}");
    // h5stat does not find collections of the global heap that only elements refer to, nor we indexes that only writers
    // need.
    let (theirs, limit) = (counted(&text, "File metadata"), 4096 + bytes / 50);
    assert!(metadata.abs_diff(theirs) <= limit, "{metadata} against {theirs}: {text}{census}");
    Ok(())
}

#[test]
fn every_byte_belongs_to_something_in_old_and_new_files() {
    let folder = tempfile::tempdir().unwrap();
    let program = "\
import h5py, numpy as np, sys
for libver in ('earliest', 'v110'):
    with h5py.File(f'{sys.argv[1]}/{libver}.h5', 'w', libver=(libver, 'v110')) as f:
        for i in range(40):
            g = f.create_group(f'group{i:02d}')
            g.attrs['number'] = i
            g.create_dataset('d', data=np.arange(1000.), chunks=(100,), maxshape=(None,), compression='gzip')
        f['raw'] = np.arange(5000)
        f.create_dataset('fixed', data=np.arange(10000.).reshape(100, 100), chunks=(10, 10))
        many = f.create_group('many')
        for i in range(50):
            many.attrs[f'attribute{i}'] = np.arange(20)
";
    let made = Command::new(require!(python())).args(["-c", program]).arg(folder.path()).status().unwrap();
    assert!(made.success());
    for name in ["earliest.h5", "v110.h5"] {
        require!(check_against_h5stat(&folder.path().join(name)));
    }
    let text = run(&["ls", "--bytes", "{}"], &folder.path().join("earliest.h5")).out;
    for part in [
        "raw data of /raw",
        "40000",
        "chunk B-tree node",
        "group B-tree node",
        "symbol table node",
        "unaccounted for",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn fixtures_agree_with_h5stat() {
    for name in ["command_line/tour.h5", "case_study/cris.h5"] {
        require!(check_against_h5stat(&require!(fixture(name))));
    }
}

#[test]
fn lost_space_and_scattered_metadata_are_findings_about_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let program = "\
import h5py, numpy as np, sys
with h5py.File(sys.argv[1] + '/lost.h5', 'w') as f:
    f['gone'] = np.random.default_rng(0).random(500000)
    f['kept'] = np.random.default_rng(1).random(100000)
    del f['gone']
with h5py.File(sys.argv[1] + '/groups.h5', 'w') as f:
    for i in range(1500):
        f.create_group(f'g{i}').create_dataset('d', data=np.arange(60.), chunks=(60,))
";
    let made = Command::new(require!(python())).args(["-c", program]).arg(folder.path()).status().unwrap();
    assert!(made.success());
    let findings = |name: &str| -> Vec<Value> {
        let told = run(&["doctor", "--json", "{}"], &folder.path().join(name));
        let report: Value = serde_json::from_str(&told.out).unwrap();
        report["findings"].as_array().unwrap().clone()
    };
    let lost = findings("lost.h5");
    assert_eq!(lost[0]["code"], "unused-space");
    assert!(lost[0]["evidence"]["unaccounted_bytes"].as_u64().unwrap() >= 4_000_000, "{lost:?}");
    let groups = findings("groups.h5");
    assert_eq!(groups[0]["code"], "scattered-metadata");
    assert!(groups[0]["cost"]["requests"].as_u64().unwrap() >= 6_000, "{groups:?}");
    // The line works, and what it promises comes true by count.
    let line = groups[0]["fixes"][0]["line"].as_str().unwrap();
    let line = &line.replace("FILE", folder.path().join("groups.h5").to_str().unwrap());
    let tool = Command::new("h5repack").arg("-h").output();
    require!(tool.map_err(|_| Missing::new("h5repack is not installed")));
    assert!(
        Command::new("sh").args(["-c", line]).current_dir(folder.path()).status().unwrap().success(),
        "{line}"
    );
    assert!(findings("out.h5").iter().all(|finding| finding["code"] != "scattered-metadata"));
}
