//! `doctor --cloud`: its verdicts beside those of the public checkers, on files as models write them and as they are repacked.

use super::faults::written;
use super::run::run;
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, scale, skipped};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The findings about a file as a whole.
fn of_file(path: &Path) -> Vec<Value> {
    let told = run(&["doctor", "--cloud", "--all", "--json", "{}"], path);
    assert_eq!(told.code, 0, "{}", told.err);
    let report: Value = serde_json::from_str(&told.out).unwrap();
    report["findings"].as_array().unwrap().clone()
}

fn found<'f>(findings: &'f [Value], code: &str) -> Option<&'f Value> {
    findings.iter().find(|finding| finding["code"] == code)
}

/// What `check_cmip7_packing` says: true if the file passes, and its words.
fn checked(path: &Path) -> Result<(bool, String), Missing> {
    let python = python()?;
    let checker = python.with_file_name("check_cmip7_packing");
    if !checker.exists() {
        return Err(Missing::new("cmip7_repack is not installed".to_owned()));
    }
    let output = Command::new(python).arg(checker).arg(path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => Ok((true, said)),
        Some(1) => Ok((false, said)),
        _ => Err(Missing::new(format!(
            "check_cmip7_packing: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        ))),
    }
}

/// A file as CMIP's are, with these options of its datasets.
fn cmip(folder: &Path, [time, bounds, tas]: [&str; 3]) -> Result<PathBuf, Missing> {
    let line = format!(
        "f.attrs['variable_id'] = 'tas'; t = f.create_dataset('time', data=np.arange(300.0){time}); \
         t.attrs['bounds'] = 'time_bnds'; f.create_dataset('time_bnds', data=np.zeros((300, 2)){bounds}); \
         f.create_dataset('tas', data=r.integers(0, 99, (300, 30, 90)).astype('f4'){tas})"
    );
    written(folder, "tas.nc", &line)
}

#[test]
fn verdicts_are_those_of_the_checker_of_cmip7() {
    let (mut passed, mut all) = (0, 0);
    let options = [
        [", chunks=(1,)", ", chunks=(1, 2)", ", chunks=(1, 30, 90)"],
        [", chunks=(300,)", ", chunks=(1, 2)", ", chunks=(1, 30, 90)"],
        [", chunks=(300,)", ", chunks=(300, 2)", ", chunks=(1, 30, 90)"],
        [", chunks=(300,)", ", chunks=(300, 2)", ", chunks=(300, 30, 90)"],
        [", chunks=(300,)", "", ", chunks=(1, 30, 90)"],
        ["", "", ""],
    ];
    for options in options.into_iter().take(scale().of(3)) {
        let folder = tempfile::tempdir().unwrap();
        let original = require!(cmip(folder.path(), options));
        let mut files = vec![original.clone()];
        for (name, more) in
            [("plain.nc", &["--libver", "earliest"][..]), ("cmip7.nc", &["--profile", "cmip7"])]
        {
            let out = folder.path().join(name);
            let told = run(&[&["repack", "{}", out.to_str().unwrap()], more].concat(), &original);
            assert_eq!(told.code, 0, "{}", told.err);
            files.push(out);
        }
        for path in files {
            let (passes, said) = match checked(&path) {
                Ok(checked) => checked,
                Err(missing) => return skipped(&missing),
            };
            let findings = of_file(&path);
            let verdict = found(&findings, "cmip7-packing");
            assert_eq!(verdict.is_none(), passes, "{options:?}: {said}, {verdict:?}");
            passed += usize::from(passes);
            all += 1;
        }
    }
    assert!((all / 3..all).contains(&passed), "{passed} of {all}");
}

/// What `h5stat -S` prints of a file: the bytes of its metadata, and the size of its pages if it has any.
fn h5stat(path: &Path) -> Result<(u64, Option<u64>), Missing> {
    let output = Command::new("h5stat").arg("-S").arg(path).output();
    let output = output.map_err(|_| Missing::new("h5stat is not installed".to_owned()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = |name: &str| {
        let line = text.lines().find(|line| line.contains(name))?;
        let digits: String = line.rsplit(':').next()?.chars().filter(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let pages = text.contains("H5F_FSPACE_STRATEGY_PAGE").then(|| number("page size")).flatten();
    let metadata = number("File metadata").unwrap_or_else(|| panic!("{text}"));
    Ok((metadata, pages))
}

#[test]
fn metadata_is_together_where_h5stat_says_that_a_page_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let line = "[(f.create_dataset(f'g{n}/d', data=np.arange(500.0), chunks=(50,), compression='gzip'), f.flush()) for n in range(60)]";
    let scattered = require!(written(folder.path(), "scattered.h5", line));
    let mut verdicts = Vec::new();
    for page in [None, Some("4096"), Some("1048576")] {
        let path = match page {
            None => scattered.clone(),
            Some(page) => {
                let out = folder.path().join(format!("{page}.h5"));
                let repacked = Command::new("h5repack")
                    .args(["-S", "PAGE", "-G", page])
                    .arg(&scattered)
                    .arg(&out)
                    .status();
                match repacked {
                    Err(_) => return skipped(&Missing::new("h5repack is not installed".to_owned())),
                    Ok(status) => assert!(status.success(), "{page}"),
                }
                out
            }
        };
        let (metadata, pages) = require!(h5stat(&path));
        let passes = pages.is_some_and(|page| page >= metadata);
        let findings = of_file(&path);
        let verdict = found(&findings, "cloud-metadata");
        assert_eq!(verdict.is_none(), passes, "{page:?}: {metadata} bytes of metadata, {verdict:?}");
        assert!(verdict.is_none_or(|found| found["evidence"]["passes_h5stat"] == false));
        verdicts.push(passes);
    }
    assert_eq!(verdicts, [false, false, true]);
}

#[test]
fn what_listing_many_files_takes_is_added_up_and_a_page_shows_the_forecast() {
    let folder = tempfile::tempdir().unwrap();
    let line = "f.create_dataset('d', data=np.arange(90_000.0).reshape(300, 300), chunks=(30, 30))";
    for name in ["a.h5", "b.h5"] {
        require!(written(folder.path(), name, line));
    }
    let told = run(&["doctor", "--cloud", "--json", "{}"], folder.path());
    assert_eq!(told.code, 0, "{}", told.err);
    let documents: Vec<Value> = told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [one, other, summary] = &documents[..] else { panic!("{}", told.out) };
    let of = |document: &Value, reader: &str, member: &str| -> u64 {
        let steps = document["forecast"]["steps"].as_array().unwrap();
        let listing = steps.iter().find(|step| step["name"] == "listing").unwrap();
        let mut readers = listing["readers"].as_array().unwrap().iter();
        readers.find(|found| found["reader"] == reader).unwrap()[member].as_u64().unwrap()
    };
    let totals = summary["listing"]["readers"].as_array().unwrap();
    assert_eq!((totals.len(), &summary["listing"]["place"]), (11, &Value::from("s3")));
    for total in totals {
        let reader = total["reader"].as_str().unwrap();
        for member in ["requests", "bytes"] {
            let sum = of(one, reader, member) + of(other, reader, member);
            assert_eq!(total[member], sum, "{reader}, {member}");
        }
        assert_eq!(total["files"], 2);
    }
    let text = run(&["doctor", "--cloud", "--place", "gs", "{}"], folder.path()).out;
    assert!(text.contains("listing all of them at gs, one after the other:"), "{text}");
    let page = folder.path().join("page.html");
    let told =
        run(&["doctor", "--cloud", "--html", page.to_str().unwrap(), "{}"], &folder.path().join("a.h5"));
    assert_eq!(told.code, 0, "{}", told.err);
    let html = std::fs::read_to_string(page).unwrap();
    for part in ["In an object store (s3)", "fsspec, read ahead 5 MiB", "pages of 8 MiB", "--cloud"] {
        assert!(html.contains(part), "{part}");
    }
}
