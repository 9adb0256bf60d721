//! How the blocks of `--read` lie: options of doctor and advise, in the words of the bench.

use clap::Args;
use hyperslab_apps::reads::Places;

/// The group of the options whose blocks these options place.
pub(crate) const BLOCKS: &str = "blocks";

/// Where blocks lie, and which of their elements are wanted.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PatternArgs {
    /// Only every n-th element of each block of --read, by dimension: 1x2x2
    #[arg(long, value_name = "STEPS", requires = BLOCKS)]
    pub stride: Option<String>,
    /// Blocks of --read at this number of random places instead of a sweep, as a shuffled training loop reads them
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..), requires = BLOCKS)]
    pub random: Option<u64>,
    /// Seed of the random places
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "random")]
    pub seed: u64,
}

impl PatternArgs {
    /// For a request.
    pub(crate) fn places(&self) -> Places {
        Places { stride: self.stride.clone(), random: self.random, seed: self.seed }
    }
}
