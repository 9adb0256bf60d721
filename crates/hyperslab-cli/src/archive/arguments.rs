//! The options of `hyperslab doctor --summary`.

use clap::{Args, ValueEnum};
use hyperslab_apps::archive::Rank;
use std::path::PathBuf;

/// Options of the summary, in addition to those of the doctor.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Summary of an archive")]
pub(crate) struct SummaryArgs {
    /// Rank files and variables by what repacking would save. Files may be the JSON lines (FILE.jsonl) of earlier runs
    #[arg(long, conflicts_with_all = ["order", "cache", "profile", "all", "cloud", "select", "ignore", "baseline", "fail_on", "why"])]
    pub summary: bool,
    /// What is to be saved; seconds if omitted
    #[arg(long, value_name = "WHAT", requires = "summary")]
    pub rank: Option<RankBy>,
    /// Programs that read the files, separated by commas, as for `hyperslab advise`
    #[arg(long, value_name = "READERS", value_delimiter = ',', requires = "summary")]
    pub readers: Vec<String>,
    /// Also write what is recommended for each variable as a recipe for `hyperslab repack --recipe`
    #[arg(long, value_name = "TOML", requires = "summary")]
    pub recipe_out: Option<PathBuf>,
}

/// By what files and variables are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankBy {
    /// Seconds of reading everything once: the fastest storage at the present size
    #[default]
    Seconds,
    /// Bytes: the smallest storage
    Bytes,
    /// Dollars at the place, for keeping the files for a month and reading everything once: the cheaper of both
    Dollars,
}

impl From<RankBy> for Rank {
    fn from(by: RankBy) -> Self {
        match by {
            RankBy::Seconds => Rank::Seconds,
            RankBy::Bytes => Rank::Bytes,
            RankBy::Dollars => Rank::Dollars,
        }
    }
}
