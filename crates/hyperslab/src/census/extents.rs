//! Extents of bytes and who owns them. Where two claim the same bytes, the first in order of address keeps them.

use super::{Extent, KindOfMetadata, Owner};
use std::collections::BTreeMap;

/// Extents as they were claimed, in any order.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    all: Vec<Extent>,
}

impl Claims {
    /// Adds an extent of a file of `file_bytes`; what lies beyond its end is left out.
    pub(crate) fn add(&mut self, at: u64, bytes: u64, owner: Owner, file_bytes: u64) {
        let end = at.saturating_add(bytes).min(file_bytes);
        if at < end {
            self.all.push(Extent { start: at, end, owner });
        }
    }

    /// Disjoint extents in ascending order. Of several that begin at the same byte, the longest counts: parsers look at
    /// the beginning of a structure first.
    pub(crate) fn disjoint(mut self) -> Vec<Extent> {
        // Chunks are mostly claimed in ascending order already, which a stable sort makes use of.
        self.all.sort_by_key(|extent| (extent.start, std::cmp::Reverse(extent.end)));
        let mut reached = 0;
        self.all.retain_mut(|extent| {
            extent.start = extent.start.max(reached);
            reached = reached.max(extent.end);
            extent.start < extent.end
        });
        self.all
    }
}

/// What each owns of disjoint extents.
pub(crate) fn sum(extents: &[Extent]) -> BTreeMap<Owner, KindOfMetadata> {
    let mut sums: BTreeMap<Owner, KindOfMetadata> = BTreeMap::new();
    for run in extents.chunk_by(|a, b| a.owner == b.owner) {
        let sum = sums.entry(run[0].owner).or_default();
        sum.structures += run.len() as u64;
        sum.bytes += run.iter().map(|extent| extent.end - extent.start).sum::<u64>();
    }
    sums
}

/// Start and end of what nobody owns, where `extents` are disjoint and in ascending order.
pub(crate) fn gaps(extents: &[Extent], file_bytes: u64) -> Vec<(u64, u64)> {
    let mut gaps = Vec::new();
    let mut reached = 0;
    for extent in extents {
        if extent.start > reached {
            gaps.push((reached, extent.start));
        }
        reached = extent.end;
    }
    if reached < file_bytes {
        gaps.push((reached, file_bytes));
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_look_at_a_structure_counts_once() {
        let mut claims = Claims::default();
        claims.add(0, 12, Owner::Metadata("header"), 100);
        claims.add(0, 40, Owner::Metadata("header"), 100);
        claims.add(50, 10, Owner::RawData(0), 100);
        claims.add(55, 10, Owner::RawData(1), 100);
        let extents = claims.disjoint();
        let sums = sum(&extents);
        assert_eq!(sums[&Owner::Metadata("header")], KindOfMetadata { structures: 1, bytes: 40 });
        assert_eq!(sums[&Owner::RawData(1)].bytes, 5, "the rest belongs to the other dataset already");
        assert_eq!(gaps(&extents, 100), [(40, 50), (65, 100)]);
    }

    proptest! {
        #[test]
        fn owned_bytes_and_gaps_add_up(claims in prop::collection::vec((0u64..80, 0u64..90, 0usize..3), 0..12)) {
            let mut all = Claims::default();
            claims.iter().for_each(|&(at, bytes, owner)| all.add(at, bytes, Owner::RawData(owner), 64));
            let extents = all.disjoint();
            let owned: u64 = sum(&extents).values().map(|sum| sum.bytes).sum();
            let gaps: u64 = gaps(&extents, 64).iter().map(|(start, end)| end - start).sum();
            prop_assert_eq!(owned + gaps, 64);
        }
    }
}
