//! Runs a command over many files: which files, which share of them, how many at once, and which are done already.
//!
//! ```text
//! files and folders ──► files in order ──► this shard's ──► those not done ──► workers ──► results, in order
//! ```
//!
//! Results are delivered in the order of the files, whichever ends first. A file that fails is a result as any other.

mod log;
mod passed_over;
mod progress;
mod search;

use crate::failure::Failure;
use crate::location::lasting_name;
use clap::Args;
pub(crate) use log::Log;
pub(crate) use passed_over::PassedOver;
pub(crate) use progress::FileProgress;
pub(crate) use search::{Found, files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

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

/// How the files are processed: options of every command that takes many files.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunOptions {
    /// Files worked on at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub jobs: usize,
    /// Take only one of several equal shares of the files, such as 2/8
    #[arg(long, value_name = "SHARE")]
    pub shard: Option<Shard>,
    /// Note finished files in LOG, and pass over those that it lists; files that failed are tried again
    #[arg(long, value_name = "LOG")]
    pub resume: Option<PathBuf>,
    /// True if what is done with each file shows how far it is: there is then no bar over the files.
    #[arg(skip)]
    pub shows_own_progress: bool,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileOutcome {
    /// A later run with the same log passes over it.
    Finished,
    /// It failed, and is left to a later run.
    Unfinished,
}

/// Does `work` on the files of this shard that are not done, and hands each result to `each`, in order. A file that `each`
/// finds finished is noted in the log.
///
/// # Errors
/// Those of `each`, and of the log. After an error no further file is begun.
pub(crate) fn run<T: Send>(
    files: &[PathBuf],
    options: &RunOptions,
    work: impl Fn(&Path) -> T + Sync,
    mut each: impl FnMut(&Path, T) -> Result<FileOutcome, Failure>,
) -> Result<(), Failure> {
    let (log, done) = options.resume.as_deref().map(Log::open).transpose()?.unzip();
    run_others(files, options, &done.unwrap_or_default(), work, |path, result| match each(path, result)? {
        FileOutcome::Finished => log.as_ref().map_or(Ok(()), |log| log.note(path)),
        FileOutcome::Unfinished => Ok(()),
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
    let progress =
        if options.shows_own_progress { FileProgress::none() } else { FileProgress::new(mine.len()) };
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, mine.len().max(1)) {
            let (sender, next, mine, work, progress) = (sender.clone(), &next, &mine, &work, &progress);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = mine.get(number) else { break };
                    progress.begin(path);
                    let result = work(path);
                    progress.done();
                    if sender.send((number, result)).is_err() {
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
                if let Err(failure) = progress.interrupted(|| each(path, result)) {
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
            Ok(FileOutcome::Finished)
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
                delivered(&files, &RunOptions { jobs: 2, shard, ..RunOptions::default() })
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
        let options =
            RunOptions { jobs: 1, resume: Some(folder.path().join("done.log")), ..RunOptions::default() };
        let files = names(5);
        let mut count = 0;
        let stopped = run(
            &files,
            &options,
            |_| (),
            |_, ()| {
                count += 1;
                match count {
                    2 => Ok(FileOutcome::Unfinished),
                    4 => Err(Failure::unreadable("stopped")),
                    _ => Ok(FileOutcome::Finished),
                }
            },
        );
        assert!(stopped.is_err());
        assert_eq!(delivered(&files, &options), ["f1.h5", "f3.h5", "f4.h5"]);
        assert!(delivered(&files, &options).is_empty());
    }

    #[test]
    fn a_log_that_cannot_be_written_ends_the_run_before_the_first_file() {
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { jobs: 1, resume: Some(folder.path().to_owned()), ..RunOptions::default() };
        let begun = AtomicUsize::new(0);
        let work = |_: &Path| begun.fetch_add(1, Ordering::Relaxed);
        let failed = run(&names(2), &options, work, |_, _| Ok(FileOutcome::Finished)).unwrap_err();
        assert!(failed.message.contains("--resume"), "{}", failed.message);
        assert_eq!(begun.into_inner(), 0);
    }
}
