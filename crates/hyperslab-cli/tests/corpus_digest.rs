//! The digest of every HDF5 file of the corpus against what libhdf5 (by way of h5py) reads from it.
//!
//! A value that differs is a failure, unless `corpus_differences.toml` lists it with the reason. What this version
//! does not read has to fail with an error that is listed there, too; a rule that no longer applies is a failure. On
//! files that are broken on purpose anything that ends is right: a value or an error, within bounded time and memory.

#[path = "corpus_digest/classic.rs"]
mod classic;
#[path = "corpus_digest/compare.rs"]
mod compare;
#[path = "corpus_digest/rules.rs"]
mod rules;

use compare::{Finding, compare};
use hyperslab_apps::digest::{self, Options};
use hyperslab_filters::plugins;
use hyperslab_testkit::files::{corpus, python};
use hyperslab_testkit::{Missing, require};
use rules::Rules;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// No file may take longer, however it is broken.
const HANG: Duration = Duration::from_secs(60);
/// A digest takes this long for a gigabyte that was never written, on a busy machine.
const LONG: Duration = Duration::from_secs(30);
/// But no longer than this where something is broken on purpose.
const LONG_IF_MALFORMED: Duration = Duration::from_secs(5);
/// All files together, several at once.
const MEMORY_MAX: u64 = 3 << 30;

/// What libhdf5 read: the record of each file, and those of its objects.
type Oracle = BTreeMap<String, (Value, Vec<Value>)>;

/// JSON with lone surrogates, which stand for bytes that are no UTF-8, as ordinary text.
fn parse(line: &str) -> Value {
    serde_json::from_str(&line.replace("\\ud", "\\\\ud")).unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn oracle(corpus: &Path) -> Oracle {
    parse_all(corpus, |format| format == "hdf5")
}

/// The records of the files of a format.
fn parse_all(corpus: &Path, is_wanted: impl Fn(&Value) -> bool) -> Oracle {
    let file = std::fs::File::open(corpus.join("ORACLE.jsonl.gz")).unwrap();
    let mut files = BTreeMap::new();
    let mut objects: HashMap<String, Vec<Value>> = HashMap::new();
    for line in std::io::BufReader::new(flate2::read::GzDecoder::new(file)).lines() {
        let record = parse(&line.unwrap());
        let name = record["file"].as_str().unwrap().to_owned();
        if record["t"] == "file" {
            files.insert(name, record);
        } else {
            objects.entry(name).or_default().push(record);
        }
    }
    files.retain(|_, record| is_wanted(&record["format"]));
    files
        .into_iter()
        .map(|(name, record)| (name.clone(), (record, objects.remove(&name).unwrap_or_default())))
        .collect()
}

/// Files that are broken on purpose, or were found by a fuzzer.
fn malformed(corpus: &Path) -> HashSet<String> {
    let manifest = std::fs::read(corpus.join("MANIFEST.tsv")).unwrap();
    let manifest = String::from_utf8_lossy(&manifest);
    let malformed = manifest.lines().filter(|line| line.rsplit('\t').next().unwrap().contains("MALFORMED"));
    malformed.map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

/// The filter plug-ins of the Python package `hdf5plugin`.
fn plugins_of_hdf5plugin() -> Result<PathBuf, Missing> {
    let python = python()?;
    let folder = plugins::of_python(&python).into_iter().next();
    folder.ok_or_else(|| Missing::new(format!("{} has no hdf5plugin", python.display())))
}

/// Our records of a file, and how long they took.
fn ours(path: &Path, name: &str) -> (Vec<Value>, Duration) {
    let options = Options { name: Some(name.into()), bytes_max: 1 << 30 };
    let mut lines = Vec::new();
    let start = Instant::now();
    digest::file(path, &options, &mut lines).expect("memory does not fail");
    let taken = start.elapsed();
    (String::from_utf8(lines).expect("JSON is ASCII").lines().map(parse).collect(), taken)
}

/// Digests files on all cores. Ends the process if one of them does not end.
fn digest_all(corpus: &Path, names: &[&String]) -> BTreeMap<String, (Vec<Value>, Duration)> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let under_way: Mutex<HashMap<usize, Instant>> = Mutex::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..std::thread::available_parallelism().map_or(2, usize::from))
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(name) = names.get(number) else { return };
                        under_way.lock().unwrap().insert(number, Instant::now());
                        let result = ours(&corpus.join(name), name);
                        under_way.lock().unwrap().remove(&number);
                        done.lock().unwrap().insert((*name).clone(), result);
                    }
                })
            })
            .collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            let hung =
                under_way.lock().unwrap().iter().find(|(_, start)| start.elapsed() > HANG).map(|(n, _)| *n);
            if let Some(number) = hung {
                eprintln!("{} does not end", names[number]);
                std::process::abort();
            }
        }
    });
    done.into_inner().unwrap()
}

fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

#[test]
fn every_file_digests_as_libhdf5_reads_it() {
    let corpus = require!(corpus());
    // The reference read SZ, SZ3, SPERR and FCIDECOMP with these.
    plugins::add_folder(require!(plugins_of_hdf5plugin()));
    let mut oracle = oracle(&corpus);
    if let Ok(wanted) = std::env::var("HYPERSLAB_CORPUS_ONLY") {
        oracle.retain(|name, _| name.contains(&wanted));
    }
    let names: Vec<&String> = oracle.keys().collect();
    let malformed = malformed(&corpus);
    let digests = digest_all(&corpus, &names);
    let mut rules = Rules::read();
    let (mut equal, mut listed, mut failures) = (0, 0, Vec::new());
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for (name, (file, objects)) in &oracle {
        let (records, taken) = &digests[name];
        let mut is_equal = true;
        for finding in compare(file, objects, records) {
            match &finding {
                Finding::Beyond => *causes.entry("read beyond the reference".into()).or_default() += 1,
                _ => match rules.reason(name, &finding) {
                    Some(reason) => {
                        is_equal = false;
                        *causes.entry(reason).or_default() += 1;
                    }
                    None => failures.push(format!("{name}: {finding}")),
                },
            }
        }
        if *taken > if malformed.contains(name) { LONG_IF_MALFORMED } else { LONG } {
            failures.push(format!("{name}: took {taken:?}"));
        }
        equal += usize::from(is_equal);
        listed += usize::from(!is_equal);
    }
    for (cause, count) in &causes {
        println!("{count:6}  {cause}");
    }
    let slowest = digests.iter().max_by_key(|(_, (_, taken))| *taken).map(|(name, (_, taken))| (name, taken));
    let memory = peak_memory();
    println!("slowest {slowest:?}, peak memory {:?} MiB", memory.map(|bytes| bytes >> 20));
    println!(
        "corpus: {} files, {equal} equal, {listed} with listed differences, {} failures",
        oracle.len(),
        failures.len()
    );
    if std::env::var_os("HYPERSLAB_CORPUS_ONLY").is_none() {
        failures.extend(rules.unused());
        if memory.is_some_and(|bytes| bytes > MEMORY_MAX) {
            failures.push("too much memory".into());
        }
    }
    failures.truncate(60);
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn the_comparison_sees_a_wrong_value() {
    let oracle = parse(r#"{"t":"obj","path":"/x","kind":"dataset","enc":"bin","sha256":"00","attrs":[]}"#);
    let file = parse(r#"{"t":"file","status":"ok"}"#);
    let mut wrong = oracle.clone();
    wrong["sha256"] = "01".into();
    let found = |ours: &Value| compare(&file, std::slice::from_ref(&oracle), &[ours.clone(), file.clone()]);
    assert!(found(&oracle).is_empty());
    assert!(matches!(&found(&wrong)[..], [Finding::Differs { .. }]));
    let mut failed = oracle.clone();
    let members = failed.as_object_mut().unwrap();
    members.remove("sha256");
    members.insert("error".into(), "no".into());
    assert!(matches!(&found(&failed)[..], [Finding::Failed { .. }]));
}
