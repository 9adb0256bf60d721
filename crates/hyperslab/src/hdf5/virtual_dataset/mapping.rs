//! Resolving mappings for the sources that exist now: how many blocks of a printf-style mapping exist, and where
//! unlimited axes end.

use super::resolved_mapping::ResolvedMapping;
use super::sources::Sources;
use super::wanted::Wanted;
use crate::dataset::Dataset;
use crate::hdf5::encoded_selection as encoded;
use crate::open_file::FileInner;
use crate::{Blocks, Error, Result};
use hyperslab_array::array::Operation;
use hyperslab_array::selection::Region;
use hyperslab_format::selection::{EncodedAxis, EncodedSelection};
use hyperslab_format::virtual_mapping::VirtualMapping;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The most blocks of a printf-style mapping that are searched for.
const BLOCKS_MAX: u64 = 1 << 20;
/// The most elements that one mapping may list one by one.
const SCATTERED_MAX: u64 = 1 << 20;
/// The name of a mapping in errors.
const MAPPING: &str = "a virtual mapping";

/// The mappings of one virtual dataset.
pub(super) struct Mappings {
    /// The file of the virtual dataset.
    pub(super) file: Arc<FileInner>,
    pub(super) mappings: Vec<VirtualMapping>,
    pub(super) sources: Sources,
}

impl Mappings {
    /// The extent for the sources that exist now. An unlimited axis ends where its last source ends, as in libhdf5's
    /// default view (`H5D_VDS_LAST_AVAILABLE`), but not beyond its maximum size. Other axes keep their size.
    pub(super) fn extent(
        &self,
        operation: &Operation,
        stored: &[u64],
        largest: &[Option<u64>],
    ) -> Result<Vec<u64>> {
        let mut reached: Vec<Option<u64>> = vec![None; stored.len()];
        operation.deeper(|| {
            for mapping in &self.mappings {
                let Some((axis, unlimited)) = unlimited_axis(&mapping.target) else { continue };
                let Some(reached) = reached.get_mut(axis) else { continue };
                let end = self.end(operation, mapping, &unlimited)?;
                *reached = Some(reached.unwrap_or(0).max(end));
            }
            Ok(())
        })?;
        let mut dims = stored.to_vec();
        for (axis, reached) in reached.into_iter().enumerate() {
            if let Some(reached) = reached {
                let largest = largest.get(axis).copied().flatten().unwrap_or(u64::MAX);
                dims[axis] = reached.max(self.least(axis)?).min(largest);
            }
        }
        Ok(dims)
    }

    /// The end of an unlimited mapping along its unlimited axis.
    fn end(&self, operation: &Operation, mapping: &VirtualMapping, unlimited: &EncodedAxis) -> Result<u64> {
        let slices = match unlimited_axis(&mapping.source) {
            Some((axis, source)) => {
                let found = self.open_source(operation, mapping, None)?;
                let dim = found.and_then(|found| found.shape().get(axis).copied());
                blocks(&source, dim.unwrap_or(0))?.len()
            }
            None => self.count_blocks(operation, mapping)?.saturating_mul(unlimited.block.unwrap_or(1)),
        };
        let indexes = blocks(unlimited, u64::MAX)?;
        Ok(truncated(&indexes, slices).bounds().map_or(0, |(_, last)| last.saturating_add(1)))
    }

    /// The smallest size along an axis that contains all limited mappings.
    fn least(&self, axis: usize) -> Result<u64> {
        let mut least = 0;
        for mapping in &self.mappings {
            let last = match &mapping.target {
                EncodedSelection::Regular(axes) => match axes.get(axis) {
                    Some(axis) if !axis.is_unlimited() => {
                        blocks(axis, u64::MAX)?.bounds().map(|(_, last)| last)
                    }
                    _ => None,
                },
                limited => encoded::bounds(limited).and_then(|(_, last)| last.get(axis).copied()),
            };
            least = least.max(last.map_or(0, |last| last.saturating_add(1)));
        }
        Ok(least)
    }

    /// Resolves the mappings with wanted targets and calls `work` with each, in the order of the mappings. `dims` is
    /// the extent of the virtual dataset.
    pub(super) fn for_each_resolved(
        &self,
        operation: &Operation,
        dims: &[u64],
        wanted: &Wanted<'_>,
        mut work: impl FnMut(&ResolvedMapping) -> Result<()>,
    ) -> Result<()> {
        let mut add = |mapping: &VirtualMapping, target: &EncodedSelection, block| {
            if !wanted.overlaps_bounds(target) {
                return Ok(());
            }
            let target = region(operation, target, dims)?;
            if !wanted.touches(&target) {
                return Ok(());
            }
            self.resolve(operation, mapping, target, block)?.as_ref().map_or(Ok(()), &mut work)
        };
        for mapping in &self.mappings {
            match unlimited_axis(&mapping.target) {
                Some((axis, unlimited)) if unlimited_axis(&mapping.source).is_none() => {
                    for block in blocks_wanted(operation, mapping, &unlimited, wanted.span(axis))? {
                        add(mapping, &with_block(&mapping.target, axis, block)?, Some(block))?;
                    }
                }
                _ => add(mapping, &mapping.target, None)?,
            }
        }
        Ok(())
    }

    /// Opens the source of a mapping, or of block `block` of it; `None` if it does not exist.
    fn resolve(
        &self,
        operation: &Operation,
        mapping: &VirtualMapping,
        mut target: Region,
        block: Option<u64>,
    ) -> Result<Option<ResolvedMapping>> {
        let Some(dataset) = self.open_source(operation, mapping, block)? else {
            if block.is_some() {
                operation.count_absent()?;
            }
            return Ok(None);
        };
        let mut source = region(operation, &mapping.source, dataset.shape())?;
        if source.len() != target.len() {
            // One of them is unlimited: both are truncated to the smaller number of elements.
            (source, target) = common(mapping, source, target)?;
        }
        Ok(Some(ResolvedMapping { dataset, source, target }))
    }

    /// Opens the source of a mapping, or of block `block` of it if its names contain the number of the block.
    fn open_source(
        &self,
        operation: &Operation,
        mapping: &VirtualMapping,
        block: Option<u64>,
    ) -> Result<Option<Dataset>> {
        self.sources.open(&self.file, operation, names(mapping, block))
    }

    /// The number of consecutive blocks that exist, from the first block on.
    fn count_blocks(&self, operation: &Operation, mapping: &VirtualMapping) -> Result<u64> {
        let blocks_max = if is_counted(mapping) { BLOCKS_MAX } else { 1 };
        let mut block = 0;
        while block < blocks_max && self.open_source(operation, mapping, Some(block))?.is_some() {
            block += 1;
        }
        Ok(block)
    }
}

/// The elements of a dataset of the sizes `dims` that a selection of a mapping selects.
fn region(operation: &Operation, selection: &EncodedSelection, dims: &[u64]) -> Result<Region> {
    encoded::region(selection, dims, MAPPING, |listed| match listed {
        Some(listed) if listed <= SCATTERED_MAX => operation.count_scattered(listed),
        _ => Err(Error::limit(format!("{MAPPING} has more than {SCATTERED_MAX} scattered elements"))),
    })
}

fn blocks(axis: &EncodedAxis, dim: u64) -> Result<Blocks> {
    encoded::blocks(axis, dim, MAPPING)
}

/// At most the first `len` indexes.
fn truncated(blocks: &Blocks, len: u64) -> Blocks {
    blocks.slice(0..len.min(blocks.len()))
}

/// Truncates the unlimited axes of both to the same number of indexes.
fn common(mapping: &VirtualMapping, source: Region, target: Region) -> Result<(Region, Region)> {
    let unequal =
        || Error::damaged("a virtual mapping has different numbers of elements in its source and its target");
    let (Some((from, _)), Some((to, _))) = (unlimited_axis(&mapping.source), unlimited_axis(&mapping.target))
    else {
        return Err(unequal());
    };
    let (Region::Product(mut source), Region::Product(mut target)) = (source, target) else {
        return Err(unequal());
    };
    let count = source[from].len().min(target[to].len());
    source[from] = truncated(&source[from], count);
    target[to] = truncated(&target[to], count);
    let (source, target) = (Region::Product(source), Region::Product(target));
    if source.len() == target.len() { Ok((source, target)) } else { Err(unequal()) }
}

fn names(mapping: &VirtualMapping, block: Option<u64>) -> (String, String) {
    (
        substitute(&mapping.source_file.to_string(), block),
        substitute(&mapping.source_dataset.to_string(), block),
    )
}

/// True if each block has its own file or dataset name.
fn is_counted(mapping: &VirtualMapping) -> bool {
    names(mapping, Some(0)) != names(mapping, Some(1))
}

/// Replaces `%b` with the number of the block, and `%%` with `%`.
fn substitute(pattern: &str, block: Option<u64>) -> String {
    let mut name = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        if character != '%' {
            name.push(character);
            continue;
        }
        match (rest.next(), block) {
            (Some('b'), Some(block)) => name.push_str(&block.to_string()),
            (Some('%'), _) => name.push('%'),
            (Some(other), _) => name.extend(['%', other]),
            (None, _) => name.push('%'),
        }
    }
    name
}

/// The unlimited axis of a hyperslab, if it has one.
fn unlimited_axis(selection: &EncodedSelection) -> Option<(usize, EncodedAxis)> {
    let EncodedSelection::Regular(axes) = selection else { return None };
    let axis = axes.iter().position(EncodedAxis::is_unlimited)?;
    Some((axis, axes[axis]))
}

/// The blocks that may contain wanted indexes. `span` is the first and the last wanted index along the axis.
fn blocks_wanted(
    operation: &Operation,
    mapping: &VirtualMapping,
    axis: &EncodedAxis,
    span: Option<(u64, u64)>,
) -> Result<RangeInclusive<u64>> {
    const NONE: RangeInclusive<u64> = RangeInclusive::new(1, 0);
    // Refuses blocks that overlap.
    blocks(axis, u64::MAX)?;
    let Some((first, last)) = span else { return Ok(NONE) };
    let Some(last) = last.checked_sub(axis.start) else { return Ok(NONE) };
    if !is_counted(mapping) || axis.stride == 0 {
        return Ok(0..=0);
    }
    let blocks = first.saturating_sub(axis.start) / axis.stride..=last / axis.stride;
    operation.count_blocks(blocks.end() - blocks.start())?;
    Ok(blocks)
}

/// The target of one block.
fn with_block(target: &EncodedSelection, axis: usize, block: u64) -> Result<EncodedSelection> {
    let EncodedSelection::Regular(axes) = target else {
        return Err(Error::damaged("an unlimited virtual mapping is not a regular hyperslab"));
    };
    let mut axes = axes.clone();
    let start = block.checked_mul(axes[axis].stride).and_then(|offset| offset.checked_add(axes[axis].start));
    axes[axis].start =
        start.ok_or_else(|| Error::damaged("the indexes of a virtual mapping overflow 64 bits"))?;
    axes[axis].count = Some(1);
    Ok(EncodedSelection::Regular(axes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_scattered_elements_are_refused() {
        let corners = vec![0, 1 << 19, (1 << 20), 1 << 22];
        assert!(
            region(&Operation::default(), &EncodedSelection::Blocks { rank: 1, corners }, &[1 << 30])
                .is_err()
        );
    }

    #[test]
    fn names_are_counted() {
        assert_eq!(substitute("f-%b.h5", Some(12)), "f-12.h5");
        assert_eq!(substitute("100%%-%x", Some(1)), "100%-%x");
        assert_eq!(substitute("plain%b", None), "plain%b");
    }

    #[test]
    fn blocks_are_computed_from_what_is_wanted() {
        let axis = EncodedAxis { start: 10, stride: 5, count: None, block: Some(3) };
        let mapping = |name: &str| VirtualMapping {
            source_file: ".".into(),
            source_dataset: name.into(),
            source: EncodedSelection::All,
            target: EncodedSelection::Regular(vec![axis]),
        };
        let wanted = |name, span| blocks_wanted(&Operation::default(), &mapping(name), &axis, span).unwrap();
        assert_eq!(wanted("d%b", Some((0, 9))).count(), 0);
        assert_eq!(wanted("d%b", Some((0, 10))), 0..=0);
        assert_eq!(wanted("d%b", Some((17, 31))), 1..=4);
        assert_eq!((wanted("d%%b", Some((17, 31))), wanted("d%b", None).count()), (0..=0, 0));
        assert!(blocks_wanted(&Operation::default(), &mapping("%b"), &axis, Some((0, u64::MAX))).is_err());
        assert!(
            blocks_wanted(
                &Operation::default(),
                &mapping("%b"),
                &EncodedAxis { stride: 2, ..axis },
                Some((0, 1))
            )
            .is_err()
        );
    }
}
