//! `hyperslab doctor --summary`, followed: what it says would be saved is saved by the recipe that it writes; shares, logs and
//! lines of several runs come to the same summary.

use super::faults::written;
use super::run::{Ended, run};
use hyperslab_testkit::require;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Three days of a product line, which are alike but for their values, a file that is stored well, and one that is none.
const FILES: &str = "
    for day in range(3):
        with h5py.File(f'{sys.argv[1]}.day{day}.h5', 'w') as g:
            t, y, x = np.ogrid[:200, :40, :60]
            v = (280 + day + 9 * np.sin(t / 40 + y / 9) + 5 * np.cos(x / 11)).astype('f4') + r.normal(size=(200, 40, 60)).astype('f4') / 64
            g.create_dataset('t2m', data=v, chunks=(1, 40, 60), compression='gzip', compression_opts=1)
            g.create_dataset('mask', data=np.zeros((200, 40, 60), 'i4'))
            g['n'] = day
    with h5py.File(f'{sys.argv[1]}.good.h5', 'w') as g:
        g.create_dataset('noise', data=r.integers(0, 2**63, (128, 128)))
    open(f'{sys.argv[1]}.broken.h5', 'wb').write(bytes([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]) + b'nothing')
    f['few'] = [1.0]";

fn summary(ended: &Ended) -> Value {
    serde_json::from_str(ended.out.lines().last().unwrap()).unwrap()
}

/// The numbers that do not depend on the speed of the machine: bytes, counts, names and storages.
fn counts(summary: &Value) -> Vec<String> {
    let of = |savings: &Value| {
        format!(
            "{} {} {} {}",
            savings["datasets"], savings["rewritten"], savings["bytes"], savings["bytes_then"]
        )
    };
    let variables = summary["variables"].as_array().unwrap().iter();
    let variables = variables.map(|one| format!("{} {} {}", one["path"], one["files"], of(&one["savings"])));
    let mut all: Vec<String> = variables.collect();
    all.sort();
    all.push(format!("{} {} {}", summary["files"], summary["unreadable"], of(&summary["total"])));
    all
}

#[test]
fn savings_are_ranked_and_come_true() {
    let folder = tempfile::tempdir().unwrap();
    require!(written(folder.path(), "a.h5", FILES.trim_start()));
    let [page, recipe] = ["page.html", "recipe.toml"].map(|name| folder.path().join(name));
    let told = run(
        &[
            "doctor",
            "--summary",
            "--json",
            "--rank",
            "bytes",
            "{}",
            "--html",
            page.to_str().unwrap(),
            "--recipe-out",
            recipe.to_str().unwrap(),
        ],
        folder.path(),
    );
    assert_eq!(told.code, 1, "one file is broken: {}", told.err);
    assert!(told.err.contains("broken.h5"), "{}", told.err);
    let found = summary(&told);
    assert_eq!((&found["files"], &found["unreadable"]), (&6.into(), &1.into()), "{found}");
    let variables = found["variables"].as_array().unwrap();
    let names: Vec<&str> = variables.iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(names[..2], ["/mask", "/t2m"], "5.5 MiB of zeros, then 3 MiB that shuffle");
    for one in &variables[..2] {
        assert_eq!((&one["files"], &one["savings"]["rewritten"]), (&3.into(), &3.into()), "{one}");
        let number = |name: &str| one["savings"][name].as_f64().unwrap();
        assert!(number("bytes_then") < number("bytes"), "{one}");
        let seconds = number("seconds_then") / number("seconds");
        assert!(
            seconds < 20.0,
            "{seconds} times as long: the smallest is in chunks that are read well: {one}"
        );
    }
    assert_eq!(variables[2]["savings"]["rewritten"], 0, "noise: {found}");
    assert!(found["best_files"][0]["file"].as_str().unwrap().ends_with(".h5"));
    let html = fs::read_to_string(page).unwrap();
    for part in [
        "What repacking would save",
        "/t2m",
        "<svg",
        "What repacking the first files brings",
        "of all that is saved",
    ] {
        assert!(html.contains(part), "{part}");
    }

    // The recipe, followed.
    let day = folder.path().join("a.h5.day1.h5");
    let out = folder.path().join("out.h5");
    let ended = run(&["repack", "{}", out.to_str().unwrap(), "--recipe", recipe.to_str().unwrap()], &day);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let after = summary(&run(&["doctor", "--summary", "--json", "--rank", "bytes", "{}"], &out));
    assert_eq!(after["total"]["rewritten"], 0, "{after}");
    let promised = variables.iter().map(|one| one["savings"]["bytes_then"].as_f64().unwrap()).sum::<f64>();
    let noise = variables[2]["savings"]["bytes_then"].as_f64().unwrap();
    let bytes = after["total"]["bytes"].as_f64().unwrap();
    let share = bytes / ((promised - noise) / 3.0);
    assert!((0.8..1.2).contains(&share), "{bytes} bytes, {share} times what was promised");
}

#[test]
fn shares_logs_and_lines_come_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    require!(written(folder.path(), "a.h5", FILES.trim_start()));
    let other = tempfile::tempdir().unwrap();
    let at = |name: &str| other.path().join(name);
    let ask = |options: &[&str]| run(&[&["doctor", "--summary", "--json"], options].concat(), folder.path());
    let all = ask(&["{}", "--jobs", "2"]);
    assert_eq!(all.out.lines().count(), 7, "six files and the summary: {}", all.out);
    for number in 1..=2 {
        let share = ask(&["{}", "--shard", &format!("{number}/2")]);
        assert_eq!(summary(&share)["files"], 3);
        fs::write(at(&format!("{number}.jsonl")), share.out.replace("FILE", folder.path().to_str().unwrap()))
            .unwrap();
    }
    let joined = ask(&[at("1.jsonl").to_str().unwrap(), at("2.jsonl").to_str().unwrap()]);
    assert_eq!(joined.code, 1, "nothing is examined, but one file was broken: {}", joined.err);
    assert!(joined.err.lines().count() == 1 && joined.err.contains("broken.h5"), "{}", joined.err);
    assert_eq!(joined.out.lines().count(), 1, "{}", joined.out);
    assert_eq!(counts(&summary(&joined)), counts(&summary(&all)));

    // A log of which the second half is lost.
    let log = at("log.jsonl");
    ask(&["{}", "--resume", log.to_str().unwrap()]);
    let text = fs::read_to_string(&log).unwrap();
    let whole: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(whole.len(), 6);
    fs::write(&log, whole[..3].concat() + &whole[3][..40]).unwrap();
    let resumed = ask(&["{}", "--resume", log.to_str().unwrap()]);
    assert_eq!(
        resumed.out.lines().count(),
        5,
        "three files, the broken one, and the summary: {}",
        resumed.out
    );
    assert_eq!(counts(&summary(&resumed)), counts(&summary(&all)));
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 7);
    let again = ask(&["{}", "--resume", log.to_str().unwrap()]);
    assert_eq!(
        (again.code, again.out.lines().count()),
        (1, 2),
        "the broken one is tried again: {}",
        again.err
    );
    assert_eq!(again.err.lines().count(), 1, "{}", again.err);

    for (options, says) in [
        (
            &[log.to_str().unwrap(), "--place", "s3"][..],
            "was examined for other reads, other readers or another place",
        ),
        (&["{}", "--readers", "hdf4"], "unknown reader"),
        (&["{}", "--place", "moon"], "cannot understand the place"),
        (&["{}", "--cloud"], "cannot be used with"),
        (&[at("none.jsonl").to_str().unwrap()], "none.jsonl: No such file"),
    ] {
        let ended = ask(options);
        assert!(ended.code == 2 || ended.code == 1, "{options:?}: {ended:?}");
        assert!(ended.err.contains(says), "{options:?}: {}", ended.err);
    }
}

#[test]
fn an_archive_in_a_store_costs_money() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "a.h5", FILES.trim_start()));
    let day = Path::new(&format!("{}.day0.h5", path.display())).to_owned();
    let text =
        run(&["doctor", "--summary", "{}", "--place", "s3,egress=0.05", "--rank", "dollars"], &day).out;
    assert!(text.contains("at s3,egress=0.05: $") && text.contains("a month"), "{text}");
    let found = summary(&run(&["doctor", "--summary", "--json", "{}", "--place", "s3"], &day));
    let number = |name: &str| found["total"][name].as_f64().unwrap();
    assert!((number("dollars_a_month") / number("bytes") - 0.023e-9).abs() < 1e-15, "{found}");
    assert!(number("dollars_then") < number("dollars"), "{found}");
}

#[test]
fn a_file_without_a_dataset_has_nothing_to_rank() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "empty.h5", "f.create_group('g')"));
    let told = run(&["doctor", "--summary", "--json", "{}"], &path);
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    let summary = summary(&told);
    assert_eq!((&summary["files"], &summary["unreadable"]), (&Value::from(1), &Value::from(0)));
    assert_eq!(summary["total"]["datasets"], 0);
}
