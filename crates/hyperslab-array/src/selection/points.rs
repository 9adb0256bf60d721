//! Single elements, by their coordinates.

/// Coordinates of single elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Points {
    /// The number of axes of the dataset.
    pub rank: usize,
    /// `rank` numbers for each point.
    pub coordinates: Vec<u64>,
}

impl Points {
    /// The number of points.
    pub fn len(&self) -> usize {
        self.coordinates.len() / self.rank.max(1)
    }

    /// True if there are no points.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }
}
