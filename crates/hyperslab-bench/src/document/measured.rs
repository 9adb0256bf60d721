//! One row of what was measured.

use crate::matrix::Row;
use serde::{Deserialize, Serialize};

/// A row, and the command line that measures it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The row.
    #[serde(flatten)]
    pub row: Row,
    /// As a shell reads it.
    pub command: String,
}
