//! The internal packing that CMIP7 requires of its files, as rules of a change set.
//!
//! The public tool `cmip7repack` and its checker `check_cmip7_packing` (<https://github.com/NCAS-CMS/cmip7_repack>) define
//! it: the coordinate variable `time` and its bounds in one chunk each, the data variable in one chunk or in chunks of
//! about 4 MiB, and all metadata before all data. The checker reads files with pyfive, to which layouts of version 3 and
//! version 1 B-trees of chunks are known best: [`CMIP7_BOUND`] gives these.

use hyperslab::datatypes::Class;
use hyperslab::{Attributes, Dataset, ErrorKind, File};
use hyperslab_encode::RepackError;
use hyperslab_storage::change::{Change, LayoutRequest, Rule, Size};
use hyperslab_storage::filter::number::{DEFLATE, FLETCHER32, SHUFFLE};
use hyperslab_storage::{FilterRequest, PathPattern};
use hyperslab_write::LowBound;

/// The oldest library that is to read a CMIP7 file.
pub const CMIP7_BOUND: LowBound = LowBound::Earliest;

/// Chunks of the data variable have at most this many bytes if they have to be changed, and as many whole steps along the
/// first axis as fit.
const CHUNK_BYTES: u64 = 4 << 20;
/// What messages name in place of an option.
const OPTION: &str = "--profile cmip7";

/// The rules that pack a file as CMIP7 requires. Variables that fulfil the requirements already have none. Changed
/// variables get the filters that `cmip7repack` gives them: shuffle, deflate at level 4, Fletcher's checksum.
///
/// # Errors
///
/// A variable or attribute that cannot be read.
pub fn cmip7_rules(file: &File) -> Result<Vec<Rule>, RepackError> {
    let mut rules = Vec::new();
    let time = variable(file, "time")?;
    if let Some(time) = &time {
        one_chunk("/time", time, &mut rules)?;
        if let Some(name) = text_attribute(file, &time.attributes(), "bounds")?
            && let Some(bounds) = variable(file, &name)?
        {
            one_chunk(&format!("/{name}"), &bounds, &mut rules)?;
        }
    }
    if let Some((name, data)) = cmip7_variable(file)? {
        large_chunks(&format!("/{name}"), &data, &mut rules)?;
    }
    Ok(rules)
}

/// The data variable of a CMIP7 file, and its name: the one that the global attribute `variable_id` names.
///
/// # Errors
///
/// A variable or attribute that cannot be read.
pub fn cmip7_variable(file: &File) -> Result<Option<(String, Dataset)>, RepackError> {
    let root = file.root()?;
    let Some(name) = text_attribute(file, &root.attributes(), "variable_id")? else { return Ok(None) };
    Ok(variable(file, &name)?.map(|data| (name, data)))
}

/// A dataset of the root group.
fn variable(file: &File, name: &str) -> Result<Option<Dataset>, RepackError> {
    match file.dataset(name) {
        Ok(dataset) => Ok(Some(dataset)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// An attribute that is one text, as the names of variables are.
///
/// # Errors
///
/// An attribute that cannot be read.
pub fn text_attribute(
    file: &File,
    attributes: &Attributes<'_>,
    name: &str,
) -> Result<Option<String>, RepackError> {
    let Some(attribute) = attributes.find(name)? else { return Ok(None) };
    let bytes = match &attribute.datatype.class {
        Class::VlenString { .. } => match attribute.data.get(..attribute.datatype.size as usize) {
            Some(element) => file.heap().sequence(element, 1)?.1.to_vec(),
            None => return Ok(None),
        },
        Class::FixedString { .. } => attribute.data.to_vec(),
        _ => return Ok(None),
    };
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]).trim().to_owned();
    Ok((!text.is_empty() && !text.contains('/')).then_some(text))
}

fn has_several_chunks(dataset: &Dataset) -> Result<bool, RepackError> {
    Ok(dataset.chunk_shape().is_some() && !dataset.shape().contains(&0) && dataset.chunk_map()?.len() > 1)
}

/// All of it in one chunk.
fn one_chunk(path: &str, dataset: &Dataset, rules: &mut Vec<Rule>) -> Result<(), RepackError> {
    if has_several_chunks(dataset)? {
        change(path, vec![Size::Whole; dataset.shape().len()], rules);
    }
    Ok(())
}

/// Chunks of as many steps along the first axis as fit into 4 MiB.
fn large_chunks(path: &str, dataset: &Dataset, rules: &mut Vec<Rule>) -> Result<(), RepackError> {
    let (Some(chunk), true) = (dataset.chunk_shape(), has_several_chunks(dataset)?) else { return Ok(()) };
    let element = u64::from(dataset.datatype().size);
    if let Some(chunk) = large_enough(dataset.shape(), chunk, element) {
        change(path, chunk.into_iter().map(Size::Elements).collect(), rules);
    }
    Ok(())
}

/// The new shape of chunks that are too small; `None` for those that the checker accepts.
fn large_enough(shape: &[u64], chunk: &[u64], element: u64) -> Option<Vec<u64>> {
    let bytes = |chunk: &[u64]| chunk.iter().fold(element, |bytes: u64, dim| bytes.saturating_mul(*dim));
    let step = bytes(&chunk[1..]).max(1);
    // The checker adds a step, except to chunks of one axis.
    let tolerance = if chunk.len() > 1 { step } else { 0 };
    if bytes(chunk).saturating_add(tolerance) >= CHUNK_BYTES {
        return None;
    }
    let mut new = chunk.to_vec();
    new[0] = if chunk.len() > 1 { CHUNK_BYTES / step } else { CHUNK_BYTES.div_ceil(step) };
    if new[0] >= shape[0] {
        new[0] = shape[0].max(1);
        // All steps together are too few: the other axes grow, the fastest first.
        for axis in (1..new.len()).rev() {
            let times = CHUNK_BYTES.div_ceil(bytes(&new).max(1));
            new[axis] = new[axis].saturating_mul(times).min(shape[axis].max(1));
        }
    }
    (new != chunk).then_some(new)
}

fn change(path: &str, chunk: Vec<Size>, rules: &mut Vec<Rule>) {
    let filter = |id, parameters: &[u32]| FilterRequest { id, parameters: parameters.into() };
    let filters = vec![filter(SHUFFLE, &[]), filter(DEFLATE, &[4]), filter(FLETCHER32, &[])];
    for change in [Change::Layout(LayoutRequest::Chunks(chunk)), Change::Filters(filters)] {
        rules.push(Rule { option: OPTION.into(), datasets: PathPattern::exact(path), change });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_grow_along_the_first_axis() {
        let large = |shape: &[u64], chunk: &[u64]| large_enough(shape, chunk, 4);
        assert_eq!(large(&[1800, 144, 192], &[1, 144, 192]), Some(vec![37, 144, 192]));
        assert_eq!(large(&[1800, 144, 192], &[37, 144, 192]), None, "one more step would be 4 MiB");
        assert_eq!(large(&[9_000_000], &[512]), Some(vec![1 << 20]));
        assert_eq!(large(&[10, 1000, 1000], &[1, 100, 100]), Some(vec![10, 200, 1000]));
        assert_eq!(large(&[2, 10, 10], &[1, 5, 5]), Some(vec![2, 10, 10]), "all of it");
    }
}
