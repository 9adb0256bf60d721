//! Extents of bytes and who owns them. Where two claim the same bytes, the first in order of address keeps them.

use super::KindOfMetadata;
use std::collections::{BTreeMap, HashMap};

/// Who owns an extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owner {
    /// A structure of this name.
    Metadata(&'static str),
    /// A dataset, by its number.
    RawData(usize),
    /// Nobody, and the file knows.
    Free,
}

/// Extents by where they begin: the length of the longest, and its owner.
#[derive(Debug, Default)]
pub(super) struct Extents {
    by_start: HashMap<u64, (u64, Owner)>,
}

impl Extents {
    /// Adds an extent. Of several that begin at the same byte, the longest counts: parsers look at the beginning of a
    /// structure first.
    pub(super) fn add(&mut self, at: u64, bytes: u64, owner: Owner) {
        if bytes == 0 {
            return;
        }
        let known = self.by_start.entry(at).or_insert((bytes, owner));
        if bytes > known.0 {
            *known = (bytes, owner);
        }
    }

    /// Disjoint extents in ascending order, within the file.
    fn disjoint(&self, file_bytes: u64) -> Vec<(u64, u64, Owner)> {
        let mut all: Vec<(u64, u64, Owner)> = self
            .by_start
            .iter()
            .map(|(at, (bytes, owner))| (*at, at.saturating_add(*bytes).min(file_bytes), *owner))
            .collect();
        all.sort_unstable();
        let mut reached = 0;
        all.retain_mut(|(start, end, _)| {
            *start = (*start).max(reached);
            reached = reached.max(*end);
            start < end
        });
        all
    }

    /// What each owns.
    pub(super) fn sum(&self, file_bytes: u64) -> BTreeMap<Owner, KindOfMetadata> {
        let mut sums: BTreeMap<Owner, KindOfMetadata> = BTreeMap::new();
        for (start, end, owner) in self.disjoint(file_bytes) {
            let sum = sums.entry(owner).or_default();
            sum.structures += 1;
            sum.bytes += end - start;
        }
        sums
    }

    /// Start and end of what nobody owns.
    pub(super) fn gaps(&self, file_bytes: u64) -> Vec<(u64, u64)> {
        let mut gaps = Vec::new();
        let mut reached = 0;
        for (start, end, _) in self.disjoint(file_bytes) {
            if start > reached {
                gaps.push((reached, start));
            }
            reached = end;
        }
        if reached < file_bytes {
            gaps.push((reached, file_bytes));
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_look_at_a_structure_counts_once() {
        let mut extents = Extents::default();
        extents.add(0, 12, Owner::Metadata("header"));
        extents.add(0, 40, Owner::Metadata("header"));
        extents.add(50, 10, Owner::RawData(0));
        extents.add(55, 10, Owner::RawData(1));
        let sums = extents.sum(100);
        assert_eq!(sums[&Owner::Metadata("header")], KindOfMetadata { structures: 1, bytes: 40 });
        assert_eq!(sums[&Owner::RawData(1)].bytes, 5, "the rest belongs to the other dataset already");
        assert_eq!(extents.gaps(100), [(40, 50), (65, 100)]);
    }

    proptest! {
        #[test]
        fn owned_bytes_and_gaps_add_up(claims in prop::collection::vec((0u64..80, 0u64..90, 0usize..3), 0..12)) {
            let mut extents = Extents::default();
            claims.iter().for_each(|&(at, bytes, owner)| extents.add(at, bytes, Owner::RawData(owner)));
            let owned: u64 = extents.sum(64).values().map(|sum| sum.bytes).sum();
            let gaps: u64 = extents.gaps(64).iter().map(|(start, end)| end - start).sum();
            prop_assert_eq!(owned + gaps, 64);
        }
    }
}
