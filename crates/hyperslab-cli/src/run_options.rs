//! The options of every command that takes many files.

use crate::file_progress::FileProgress;
use clap::Args;
use hyperslab_apps::runner::{FilesObserver, Settings, Shard, Silent};
use std::path::PathBuf;

/// How the files are processed.
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

impl RunOptions {
    /// For the runner.
    pub(crate) fn settings(&self) -> Settings<'_> {
        Settings { jobs: self.jobs, shard: self.shard, resume: self.resume.as_deref() }
    }

    /// A bar over the files, where they are several and standard error is a terminal.
    pub(crate) fn observer(&self) -> Box<dyn FilesObserver> {
        if self.shows_own_progress { Box::new(Silent) } else { Box::new(FileProgress::default()) }
    }
}
