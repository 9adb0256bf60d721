//! Runs a command over many files: which files, which share of them, how many at once, and which are done already.
//!
//! ```text
//! files and folders ──► files in order ──► this shard's ──► those not done ──► workers ──► results, in order
//! ```
//!
//! Results are delivered in the order of the files, whichever ends first. A file that fails is a result as any other.

use crate::failure::Failure;
use crate::location::{self, is_folder, is_url, lasting_name};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Endings of the files that are looked for in folders.
const ENDINGS: [&str; 9] = ["h5", "hdf5", "hdf", "he5", "nc", "nc4", "cdf", "nxs", "mat"];
/// The first bytes of an HDF5 file without a user block.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// One of several equal shares of the files, written `2/8`: for jobs on several machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1 on.
    number: usize,
    of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parsed {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(format!("{text:?} is not a share such as 2/8, the second of eight")),
        }
    }
}

/// How the files are gone through: options of every command that takes many files.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunOptions {
    /// Files worked on at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub jobs: usize,
    /// Take only one of several equal shares of the files, such as 2/8
    #[arg(long, value_name = "SHARE")]
    pub shard: Option<Shard>,
    /// Note finished files in LOG, and pass over those that it lists
    #[arg(long, value_name = "LOG")]
    pub resume: Option<PathBuf>,
}

/// The files that are meant: a file as it is named, of a folder all HDF5 and netCDF-4 files below it, in order of name. Of a
/// folder of a store, those whose names have a usual ending.
pub(crate) fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for input in inputs {
        if !is_folder(input) {
            files.push(input.clone());
            continue;
        }
        if is_url(input) {
            files.extend(location::list(input)?.into_iter().filter(|path| has_usual_ending(path)));
            continue;
        }
        let before = files.len();
        let mut folders = vec![input.clone()];
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder);
            let entries =
                entries.map_err(|error| Failure::unreadable(format!("{}: {error}", folder.display())))?;
            for entry in entries.flatten() {
                let path = entry.path();
                // Links to folders are not followed, so that no folder is visited twice.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if path.is_file() && is_candidate(&path) {
                    files.push(path);
                }
            }
        }
        files[before..].sort();
    }
    let mut seen = BTreeSet::new();
    files.retain(|path| seen.insert(path.clone()));
    Ok(files)
}

/// True for a file whose name and first bytes say HDF5.
fn is_candidate(path: &Path) -> bool {
    let mut first = [0; 8];
    let mut read = || std::io::Read::read_exact(&mut fs::File::open(path).ok()?, &mut first).ok();
    has_usual_ending(path) && read().is_some() && first == SIGNATURE
}

fn has_usual_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    ENDINGS.contains(&ending.as_str())
}

/// Does `work` on the files of this shard that are not done, and hands each result to `each`, in order.
///
/// # Errors
/// Those of `each`, and of the log. After an error no further file is begun.
pub(crate) fn run<T: Send>(
    files: &[PathBuf],
    options: &RunOptions,
    work: impl Fn(&Path) -> T + Sync,
    mut each: impl FnMut(&Path, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let done = options.resume.as_deref().map_or_else(|| Ok(BTreeSet::new()), read_log)?;
    run_others(files, options, &done, work, |path, result| {
        each(path, result)?;
        note(options.resume.as_deref(), path)
    })
}

/// The same, without the files that are `done`, by their lasting names. `--resume` is left to the caller.
///
/// # Errors
/// Those of `each`.
pub(crate) fn run_others<T: Send>(
    files: &[PathBuf],
    options: &RunOptions,
    done: &BTreeSet<String>,
    work: impl Fn(&Path) -> T + Sync,
    mut each: impl FnMut(&Path, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let is_mine = |number: usize| options.shard.is_none_or(|shard| number % shard.of + 1 == shard.number);
    let mine: Vec<&PathBuf> = files
        .iter()
        .enumerate()
        .filter(|(number, path)| is_mine(*number) && !done.contains(&lasting_name(path)))
        .map(|(_, path)| path)
        .collect();
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, mine.len().max(1)) {
            let (sender, next, mine, work) = (sender.clone(), &next, &mine, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = mine.get(number) else { break };
                    if sender.send((number, work(path))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut delivered = 0;
        for (number, result) in results {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&delivered) {
                let path = mine[delivered];
                if let Err(failure) = each(path, result) {
                    // The workers end after the files that they have begun.
                    next.store(mine.len(), Ordering::Relaxed);
                    return Err(failure);
                }
                delivered += 1;
            }
        }
        Ok(())
    })
}

fn read_log(log: &Path) -> Result<BTreeSet<String>, Failure> {
    match fs::read_to_string(log) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(Failure::unreadable(format!("{}: {error}", log.display()))),
    }
}

fn note(log: Option<&Path>, path: &Path) -> Result<(), Failure> {
    let Some(log) = log else { return Ok(()) };
    let file = fs::OpenOptions::new().create(true).append(true).open(log);
    let noted = file.and_then(|mut file| writeln!(file, "{}", lasting_name(path)));
    noted.map_err(|error| Failure::unreadable(format!("{}: {error}", log.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<PathBuf> {
        (0..count).map(|number| PathBuf::from(format!("f{number}.h5"))).collect()
    }

    fn delivered(files: &[PathBuf], options: &RunOptions) -> Vec<String> {
        let mut found = Vec::new();
        let work = |path: &Path| path.display().to_string();
        let each = |_: &Path, name| {
            found.push(name);
            Ok(())
        };
        run(files, options, work, each).unwrap();
        found
    }

    #[test]
    fn results_come_in_order_and_shards_are_disjoint() {
        let files = names(20);
        let all: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(delivered(&files, &RunOptions { jobs: 4, ..RunOptions::default() }), all);
        let mut shards: Vec<String> = (1..=3)
            .flat_map(|number| {
                let shard = Some(Shard { number, of: 3 });
                delivered(&files, &RunOptions { jobs: 2, shard, resume: None })
            })
            .collect();
        shards.sort();
        let mut sorted = all;
        sorted.sort();
        assert_eq!(shards, sorted);
        for text in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_done_is_not_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { jobs: 1, shard: None, resume: Some(folder.path().join("done.log")) };
        let files = names(5);
        let mut count = 0;
        let stopped = run(
            &files,
            &options,
            |_| (),
            |_, ()| {
                count += 1;
                if count == 3 { Err(Failure::unreadable("stopped")) } else { Ok(()) }
            },
        );
        assert!(stopped.is_err());
        assert_eq!(delivered(&files, &options), ["f2.h5", "f3.h5", "f4.h5"]);
        assert!(delivered(&files, &options).is_empty());
    }

    #[test]
    fn folders_are_searched_for_hdf5_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("b")).unwrap();
        for name in ["b/two.nc", "one.h5"] {
            fs::write(at(name), SIGNATURE).unwrap();
        }
        fs::write(at("classic.nc"), b"CDF\x01....").unwrap();
        fs::write(at("notes.txt"), SIGNATURE).unwrap();
        let found = files(&[folder.path().to_owned(), at("one.h5")]).unwrap();
        assert_eq!(found, [at("b/two.nc"), at("one.h5")]);
    }
}
