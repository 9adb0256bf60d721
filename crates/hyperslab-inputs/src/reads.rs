//! Blocks that a request names, and how they lie: the words of `--read`, `--stride` and `--random`.

use crate::{Error, Result};
use hyperslab_storage::WordError;
use hyperslab_storage::pattern::{Placement, RandomPlaces, RequestedRead};
use serde::{Deserialize, Serialize};

/// Where the blocks of a request lie, and which of their elements are wanted: a sweep over the dataset of whole blocks, unless it
/// says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Places {
    /// Only every n-th element of each block, by dimension: `1x2x2`.
    pub stride: Option<String>,
    /// Blocks at this number of random places instead of a sweep.
    pub random: Option<u64>,
    /// Seed of the random places.
    pub seed: u64,
}

impl Places {
    /// The blocks, such as `1x361x720@10`, placed.
    ///
    /// # Errors
    /// Words that are no block or no step.
    pub fn blocks(&self, blocks: &[String]) -> Result<Vec<RequestedRead>> {
        let placement = self.placement()?;
        let read = |text: &String| -> Result<RequestedRead, WordError> {
            Ok(RequestedRead { placement: placement.clone(), ..text.parse()? })
        };
        let reads = blocks.iter().map(read).collect::<Result<_, _>>();
        reads.map_err(|error| Error::wrong_request(error.to_string()))
    }

    fn placement(&self) -> Result<Placement> {
        Ok(Placement {
            order: None,
            step: self.stride.as_deref().map(steps).transpose()?,
            random: self.random.map(|count| RandomPlaces { count, seed: self.seed }),
        })
    }

    /// The words of a command line that say the same.
    pub fn words(&self) -> Vec<String> {
        let seed = self.random.map(|_| self.seed.to_string());
        let random = self.random.map(|count| count.to_string());
        [("--stride", self.stride.clone()), ("--random", random), ("--seed", seed)]
            .into_iter()
            .filter_map(|(option, value)| Some([option.to_owned(), value?]))
            .flatten()
            .collect()
    }
}

/// `1x2x2`
fn steps(text: &str) -> Result<Vec<u64>> {
    let steps: Option<Vec<u64>> = text.split(['x', ',']).map(|step| step.trim().parse().ok()).collect();
    steps.filter(|steps| !steps.contains(&0)).ok_or_else(|| {
        Error::wrong_request(format!("--stride {text}: not a step of at least 1 for each dimension"))
            .hint("such as 1x2x2")
    })
}
