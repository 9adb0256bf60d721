//! Mappings made concrete: blocks of printf-style names counted, unlimited axes ended where their sources end.

use super::region::Region;
use super::{Part, VirtualData, open_source};
use crate::file::FileInner;
use crate::{Error, Result};
use hyperslab_format::selection::{EncodedSelection, RegularAxis};
use hyperslab_format::virtual_mapping::VirtualMapping;
use std::sync::Arc;

/// Blocks of a printf-style mapping that are looked for at most.
const BLOCKS_MAX: u64 = 1 << 20;

impl VirtualData {
    /// The extent by the sources that are there now: unlimited axes reach as far as the last of them, as libhdf5's
    /// default view (`H5D_VDS_LAST_AVAILABLE`) has it. Other axes keep their size.
    pub(crate) fn extent(&self, file: &Arc<FileInner>, stored: &[u64]) -> Result<Vec<u64>> {
        let mut dims = stored.to_vec();
        let mut reached: Vec<Option<u64>> = vec![None; stored.len()];
        for mapping in &self.mappings {
            let Some((axis, unlimited)) = unlimited_axis(&mapping.target) else { continue };
            let end = match unlimited_axis(&mapping.source) {
                Some((source_axis, source)) => {
                    let found = open_named(file, mapping, None)?;
                    let slices = found
                        .map_or(0, |found| indexes_below(&source, found.shape().get(source_axis).copied()));
                    end_of_slices(&unlimited, slices)
                }
                None => match count_blocks(file, mapping)? {
                    0 => 0,
                    count => unlimited.start + (count - 1) * unlimited.stride + unlimited.block.unwrap_or(1),
                },
            };
            if let Some(reached) = reached.get_mut(axis) {
                *reached = Some(reached.unwrap_or(0).max(end));
            }
        }
        for (axis, reached) in reached.into_iter().enumerate() {
            if let Some(reached) = reached {
                dims[axis] = reached.max(self.least(axis));
            }
        }
        Ok(dims)
    }

    /// The size along an axis that the limited mappings need.
    fn least(&self, axis: usize) -> u64 {
        let ends = self.mappings.iter().filter_map(|mapping| match &mapping.target {
            EncodedSelection::Regular(axes) => {
                let axis = axes.get(axis)?;
                (axis.start + axis.count?.checked_sub(1)? * axis.stride).checked_add(axis.block?)
            }
            limited => limited.bounds().and_then(|(_, last)| last.get(axis)?.checked_add(1)),
        });
        ends.max().unwrap_or(0)
    }

    /// The parts whose targets are wanted, in the order of the mappings. `dims` is the extent of the virtual dataset.
    pub(crate) fn parts(
        &self,
        file: &Arc<FileInner>,
        dims: &[u64],
        is_wanted: impl Fn(&Region) -> bool,
    ) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        for mapping in &self.mappings {
            match unlimited_axis(&mapping.target) {
                Some((axis, unlimited)) if unlimited_axis(&mapping.source).is_none() => {
                    for block in 0..blocks_within(&unlimited, dims.get(axis).copied().unwrap_or(0)) {
                        let target = Region::new(&with_block(&mapping.target, axis, block)?, dims)?;
                        if is_wanted(&target) {
                            parts.extend(part(file, mapping, target, Some(block))?);
                        }
                    }
                }
                _ => {
                    let target = Region::new(&mapping.target, dims)?;
                    if is_wanted(&target) {
                        parts.extend(part(file, mapping, target, None)?);
                    }
                }
            }
        }
        Ok(parts)
    }
}

fn part(
    file: &Arc<FileInner>,
    mapping: &VirtualMapping,
    mut target: Region,
    block: Option<u64>,
) -> Result<Option<Part>> {
    let Some(found) = open_named(file, mapping, block)? else { return Ok(None) };
    let mut source = Region::new(&mapping.source, found.shape())?;
    if source.len() != target.len() {
        // One of them is unlimited: what both have is mapped.
        (source, target) = common(mapping, source, target)?;
    }
    let (file, dataset) = names(mapping, block);
    Ok(Some(Part { file, dataset, source, target }))
}

/// Cuts the unlimited axes of both to the same number of indexes.
fn common(mapping: &VirtualMapping, source: Region, target: Region) -> Result<(Region, Region)> {
    let unequal =
        || Error::damaged("a virtual mapping has different numbers of elements in source and target");
    let (Some((from, _)), Some((to, _))) = (unlimited_axis(&mapping.source), unlimited_axis(&mapping.target))
    else {
        return Err(unequal());
    };
    let (Region::Product(mut source), Region::Product(mut target)) = (source, target) else {
        return Err(unequal());
    };
    let count = source[from].len().min(target[to].len());
    source[from].truncate(count);
    target[to].truncate(count);
    let (source, target) = (Region::Product(source), Region::Product(target));
    if source.len() == target.len() { Ok((source, target)) } else { Err(unequal()) }
}

/// Opens the source of a mapping, block `block` of it if its names are counted.
fn open_named(
    file: &Arc<FileInner>,
    mapping: &VirtualMapping,
    block: Option<u64>,
) -> Result<Option<crate::Dataset>> {
    let (source_file, source_dataset) = names(mapping, block);
    open_source(file, &source_file, &source_dataset)
}

fn names(mapping: &VirtualMapping, block: Option<u64>) -> (String, String) {
    (
        substitute(&mapping.source_file.to_string(), block),
        substitute(&mapping.source_dataset.to_string(), block),
    )
}

/// Replaces `%b` by the number of the block, and `%%` by `%`.
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

/// The axis of a hyperslab that has no end.
fn unlimited_axis(selection: &EncodedSelection) -> Option<(usize, RegularAxis)> {
    let EncodedSelection::Regular(axes) = selection else { return None };
    let axis = axes.iter().position(|axis| axis.count.is_none() || axis.block.is_none())?;
    Some((axis, axes[axis]))
}

/// How many indexes of an unlimited axis lie below `dim`.
fn indexes_below(axis: &RegularAxis, dim: Option<u64>) -> u64 {
    let Some(length) = dim.unwrap_or(0).checked_sub(axis.start) else { return 0 };
    match axis.block {
        Some(block) if axis.stride > block => {
            length / axis.stride * block + (length % axis.stride).min(block)
        }
        _ => length,
    }
}

/// One past the last of the first `slices` indexes of an unlimited axis.
fn end_of_slices(axis: &RegularAxis, slices: u64) -> u64 {
    match (slices, axis.block) {
        (0, _) => 0,
        (_, Some(block)) if axis.stride > block && block > 0 => {
            let (whole, rest) = ((slices - 1) / block, (slices - 1) % block);
            axis.start.saturating_add(whole.saturating_mul(axis.stride)).saturating_add(rest + 1)
        }
        _ => axis.start.saturating_add(slices),
    }
}

/// How many blocks in a row are there, from the first on.
fn count_blocks(file: &Arc<FileInner>, mapping: &VirtualMapping) -> Result<u64> {
    let counted =
        [&mapping.source_file, &mapping.source_dataset].iter().any(|name| name.to_string().contains("%b"));
    if !counted {
        return Ok(u64::from(open_named(file, mapping, None)?.is_some()));
    }
    let mut block = 0;
    while block < BLOCKS_MAX && open_named(file, mapping, Some(block))?.is_some() {
        block += 1;
    }
    Ok(block)
}

fn blocks_within(axis: &RegularAxis, dim: u64) -> u64 {
    let length = dim.saturating_sub(axis.start);
    if axis.stride == 0 { length.min(1) } else { length.div_ceil(axis.stride).min(BLOCKS_MAX) }
}

/// The target of one block.
fn with_block(target: &EncodedSelection, axis: usize, block: u64) -> Result<EncodedSelection> {
    let EncodedSelection::Regular(axes) = target else {
        return Err(Error::damaged("an unlimited mapping that is no regular hyperslab"));
    };
    let mut axes = axes.clone();
    axes[axis].start += block * axes[axis].stride;
    axes[axis].count = Some(1);
    Ok(EncodedSelection::Regular(axes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted() {
        assert_eq!(substitute("f-%b.h5", Some(12)), "f-12.h5");
        assert_eq!(substitute("100%%-%x", Some(1)), "100%-%x");
        assert_eq!(substitute("plain%b", None), "plain%b");
    }

    #[test]
    fn slices_and_ends_agree() {
        let axis = RegularAxis { start: 2, stride: 5, count: None, block: Some(3) };
        for dim in 0..40 {
            let slices = indexes_below(&axis, Some(dim));
            let end = end_of_slices(&axis, slices);
            assert!(end <= dim && indexes_below(&axis, Some(end)) == slices, "{dim}");
        }
    }
}
