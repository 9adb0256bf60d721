//! How the blocks of `--read` lie: options of doctor and advise, in the words of the bench.

use crate::failure::Failure;
use clap::Args;
use hyperslab_doctor::DoctorError;
use hyperslab_storage::pattern::{Placement, RandomPlaces, RequestedRead};

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
    /// The blocks of `--read` or `--write`, placed.
    pub(crate) fn blocks(&self, blocks: &[String]) -> Result<Vec<RequestedRead>, Failure> {
        let placement = self.placement()?;
        let read = |text: &String| -> Result<RequestedRead, DoctorError> {
            Ok(RequestedRead { placement: placement.clone(), ..text.parse()? })
        };
        let reads = blocks.iter().map(read).collect::<Result<_, _>>();
        reads.map_err(|error| Failure::wrong_request(error.to_string()))
    }

    /// Where the blocks lie.
    fn placement(&self) -> Result<Placement, Failure> {
        Ok(Placement {
            order: None,
            step: self.stride.as_deref().map(steps).transpose()?,
            random: self.random.map(|count| RandomPlaces { count, seed: self.seed }),
        })
    }
}

/// `1x2x2`
fn steps(text: &str) -> Result<Vec<u64>, Failure> {
    let steps: Option<Vec<u64>> = text.split(['x', ',']).map(|step| step.trim().parse().ok()).collect();
    steps.filter(|steps| !steps.contains(&0)).ok_or_else(|| {
        Failure::wrong_request(format!("--stride {text}: not a step of at least 1 for each dimension"))
            .hint("such as 1x2x2")
    })
}
