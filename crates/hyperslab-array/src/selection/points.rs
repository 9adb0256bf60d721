//! Single elements, by their coordinates.

/// Coordinates of single elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Points {
    /// Axes of the dataset.
    pub rank: usize,
    /// `rank` numbers a point.
    pub coordinates: Vec<u64>,
}

impl Points {
    /// How many points.
    pub fn len(&self) -> usize {
        self.coordinates.len() / self.rank.max(1)
    }

    /// True without a point.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }
}
