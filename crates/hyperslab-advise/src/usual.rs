//! The usual reads of a dataset, for users who name none: those that the axes suggest.
//!
//! | axes | reads |
//! |---|---|
//! | latitude and longitude | maps |
//! | time | time series, time steps |
//! | vertical | profiles |
//! | all | the whole |
//! | none that is known | rows, planes and series along each axis, as the doctor takes them; the whole |

use crate::axes::{Axis, AxisRole};
use hyperslab_storage::pattern::{BlockShape, Placement, RequestedRead, Sweep, default_reads, shape_text};

/// A block in which the whole dataset is read, and how much it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct UsualRead {
    /// `time series`, `maps` …, or the shape where the user gave one.
    pub name: String,
    /// Extent of the block.
    pub block: Vec<u64>,
    /// How often the dataset is read in these blocks for each time that it is read in those of weight 1.
    pub weight: f64,
    /// Where the blocks lie, and which of their elements are wanted.
    pub placement: Placement,
}

/// In one dimension, pieces of this size are a usual read.
const PIECE_BYTES: u64 = 64 << 10;

impl UsualRead {
    /// The same, as the doctor is asked for it.
    pub fn to_request(&self) -> RequestedRead {
        RequestedRead {
            placement: self.placement.clone(),
            ..RequestedRead::new(BlockShape::of_elements(&self.block), self.weight)
        }
    }

    /// A read that the user asked for.
    pub fn requested(block: &[u64], weight: f64) -> Self {
        Self { name: shape_text(block), block: block.to_vec(), weight, placement: Placement::default() }
    }

    /// The same blocks, placed otherwise.
    #[must_use]
    pub fn placed(self, shape: &[u64], placement: Placement) -> Self {
        let read = Self { placement, ..self };
        Self { name: read.sweep(shape).to_string(), ..read }
    }

    /// The pattern over an extent of this shape, for which its order and steps were checked.
    pub fn sweep(&self, shape: &[u64]) -> Sweep {
        let row_major: Vec<usize> = (0..shape.len()).collect();
        self.placement.sweep(shape, &self.block, &row_major)
    }
}

/// The usual reads of data with these axes, each once. Axes without a role give what is usual for arrays.
pub fn usual_reads(shape: &[u64], element_bytes: u64, axes: &[Axis]) -> Vec<UsualRead> {
    let roles: Vec<AxisRole> =
        (0..shape.len()).map(|at| axes.get(at).map_or(AxisRole::Other, Axis::role)).collect();
    let mut reads: Vec<UsualRead> = Vec::new();
    let mut add = |name: &str, block: Vec<u64>| {
        if !reads.iter().any(|read| read.block == block) {
            reads.push(UsualRead { name: name.to_owned(), ..UsualRead::requested(&block, 1.0) });
        }
    };
    let whole: Vec<u64> = shape.iter().map(|dim| (*dim).max(1)).collect();
    let along = |wanted: &[AxisRole]| -> Vec<u64> {
        whole.iter().zip(&roles).map(|(dim, role)| if wanted.contains(role) { *dim } else { 1 }).collect()
    };
    let has = |role: AxisRole| roles.contains(&role);
    let is_known = roles.iter().any(|role| *role != AxisRole::Other);
    if shape.len() == 1 {
        let piece = (PIECE_BYTES / element_bytes.max(1)).clamp(1, whole[0]);
        add("pieces of 64 KiB", vec![piece]);
    } else if is_known {
        let (time, vertical) = (AxisRole::Time, AxisRole::Vertical);
        if has(AxisRole::Latitude) && has(AxisRole::Longitude) {
            add("maps", along(&[AxisRole::Latitude, AxisRole::Longitude]));
        }
        if has(time) {
            add("time series", along(&[time]));
            let step = whole.iter().zip(&roles).map(|(dim, role)| if *role == time { 1 } else { *dim });
            add("time steps", step.collect());
        }
        if has(vertical) {
            add("profiles", along(&[vertical]));
        }
    } else {
        for read in default_reads(shape, None) {
            add(&read.name, read.block);
        }
    }
    add("the whole", whole);
    reads
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(shape: &[u64], axes: &[&str]) -> Vec<String> {
        let axes: Vec<Axis> = axes.iter().map(|name| Axis::named(name)).collect();
        usual_reads(shape, 4, &axes).into_iter().map(|read| read.name).collect()
    }

    #[test]
    fn axes_suggest_reads() {
        assert_eq!(names(&[1460, 361, 720], &["time", "lat", "lon"]), ["maps", "time series", "the whole"]);
        assert_eq!(
            names(&[12, 37, 361, 720], &["time", "lev", "lat", "lon"]),
            ["maps", "time series", "time steps", "profiles", "the whole"]
        );
        let reads = usual_reads(&[1460, 361, 720], 4, &["time", "lat", "lon"].map(Axis::named));
        assert_eq!(reads[0].block, [1, 361, 720]);
        assert_eq!(reads[1].block, [1460, 1, 1]);
    }

    #[test]
    fn unknown_axes_are_read_as_arrays_usually_are() {
        assert_eq!(
            names(&[60, 30, 9], &[]),
            [
                "row by row",
                "plane along axis 0",
                "plane along axis 1",
                "plane along axis 2",
                "series along axis 0",
                "series along axis 1",
                "everything"
            ]
        );
        assert_eq!(names(&[100_000], &["x"]), ["pieces of 64 KiB", "the whole"]);
        assert_eq!(names(&[10], &[]), ["pieces of 64 KiB"], "the whole is one piece");
    }
}
