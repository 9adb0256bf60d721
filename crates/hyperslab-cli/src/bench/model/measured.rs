//! One row of what was measured.

use hyperslab_bench::matrix::Row;
use serde::{Deserialize, Serialize};

/// A row, and the command line that measures it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::bench) struct Measured {
    #[serde(flatten)]
    pub(in crate::bench) row: Row,
    /// As a shell reads it.
    pub(in crate::bench) command: String,
}
