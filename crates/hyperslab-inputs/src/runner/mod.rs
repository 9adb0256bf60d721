//! Runs a command over many files: which files, which share of them, how many at once, and which are done already.
//!
//! ```text
//! files and folders ──► files in order ──► this shard's ──► those not done ──► workers ──► results, in order
//! ```
//!
//! Results are delivered in the order of the files, whichever ends first. A file that fails is a result as any other.

mod log;
mod observer;
mod passed_over;
mod search;

use crate::Error;
use crate::files::lasting_name;
use hyperslab_encode::ordered::Workers;
pub use log::Log;
pub use observer::{FilesObserver, Silent};
pub use passed_over::PassedOver;
pub use search::{Found, files};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// One of several equal shares of the files, written `2/8`: for jobs on several machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
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

/// How the files are processed.
#[derive(Debug, Clone)]
pub struct Settings<'a> {
    /// Files worked on at the same time.
    pub jobs: usize,
    /// Takes only one of several equal shares of the files.
    pub shard: Option<Shard>,
    /// Notes finished files in this log, and passes over those that it lists; files that failed are tried again.
    pub resume: Option<&'a Path>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self { jobs: 1, shard: None, resume: None }
    }
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOutcome {
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
pub fn run<T: Send, E: From<Error> + Send>(
    files: &[PathBuf],
    settings: &Settings<'_>,
    observer: &dyn FilesObserver,
    work: impl Fn(&Path) -> T + Sync,
    mut each: impl FnMut(&Path, T) -> Result<FileOutcome, E>,
) -> Result<(), E> {
    let (log, done) = settings.resume.map(Log::open).transpose()?.unzip();
    run_others(files, settings, observer, &done.unwrap_or_default(), work, |path, result| {
        match each(path, result)? {
            FileOutcome::Finished => Ok(log.as_ref().map_or(Ok(()), |log| log.note(path))?),
            FileOutcome::Unfinished => Ok(()),
        }
    })
}

/// The same, without the files that are `done`, by their lasting names. `--resume` is left to the caller.
///
/// # Errors
/// Those of `each`.
pub fn run_others<T: Send, E: From<Error> + Send>(
    files: &[PathBuf],
    settings: &Settings<'_>,
    observer: &dyn FilesObserver,
    done: &BTreeSet<String>,
    work: impl Fn(&Path) -> T + Sync,
    mut each: impl FnMut(&Path, T) -> Result<(), E>,
) -> Result<(), E> {
    let is_mine = |number: usize| settings.shard.is_none_or(|shard| number % shard.of + 1 == shard.number);
    let mine: Vec<&PathBuf> = files
        .iter()
        .enumerate()
        .filter(|(number, path)| is_mine(*number) && !done.contains(&lasting_name(path)))
        .map(|(_, path)| path)
        .collect();
    observer.files(mine.len());
    let work = |(): &mut (), number: usize| {
        let path = mine[number];
        observer.begin(path);
        let result = work(path);
        observer.done();
        Ok(result)
    };
    Workers::unbounded(settings.jobs).run(mine.len(), false, work, |number, result| {
        let mut result = Some(result);
        let mut handed = Ok(());
        observer.interrupted(&mut || {
            if let Some(result) = result.take() {
                handed = each(mine[number], result);
            }
        });
        handed
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn names(count: usize) -> Vec<PathBuf> {
        (0..count).map(|number| PathBuf::from(format!("f{number}.h5"))).collect()
    }

    fn delivered(files: &[PathBuf], settings: &Settings<'_>) -> Vec<String> {
        let mut found = Vec::new();
        let work = |path: &Path| path.display().to_string();
        let each = |_: &Path, name| {
            found.push(name);
            Ok(FileOutcome::Finished)
        };
        run::<_, Error>(files, settings, &Silent, work, each).unwrap();
        found
    }

    #[test]
    fn results_come_in_order_and_shards_are_disjoint() {
        let files = names(20);
        let all: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(delivered(&files, &Settings { jobs: 4, ..Settings::default() }), all);
        let mut shards: Vec<String> = (1..=3)
            .flat_map(|number| {
                let shard = Some(Shard { number, of: 3 });
                delivered(&files, &Settings { jobs: 2, shard, ..Settings::default() })
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
        let log = folder.path().join("done.log");
        let settings = Settings { resume: Some(&log), ..Settings::default() };
        let files = names(5);
        let mut count = 0;
        let stopped = run::<_, Error>(
            &files,
            &settings,
            &Silent,
            |_| (),
            |_, ()| {
                count += 1;
                match count {
                    2 => Ok(FileOutcome::Unfinished),
                    4 => Err(Error::unreadable("stopped")),
                    _ => Ok(FileOutcome::Finished),
                }
            },
        );
        assert!(stopped.is_err());
        assert_eq!(delivered(&files, &settings), ["f1.h5", "f3.h5", "f4.h5"]);
        assert!(delivered(&files, &settings).is_empty());
    }

    #[test]
    fn a_log_that_cannot_be_written_ends_the_run_before_the_first_file() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { resume: Some(folder.path()), ..Settings::default() };
        let begun = AtomicUsize::new(0);
        let work = |_: &Path| begun.fetch_add(1, Ordering::Relaxed);
        let failed = run::<_, Error>(&names(2), &settings, &Silent, work, |_, _| Ok(FileOutcome::Finished))
            .unwrap_err();
        assert!(failed.message.contains("--resume"), "{}", failed.message);
        assert_eq!(begun.into_inner(), 0);
    }
}
