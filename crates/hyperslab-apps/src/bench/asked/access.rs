//! The order of access to the data: blocks that are read, and how much they count; blocks that are written.

use super::order::orders;
use super::shape::{block, buffer};
use super::subject::Stored;
use super::values::{cache, list, wrong};
use crate::bench::Request;
use crate::{Result, files};
use hyperslab_bench::matrix::{Subject, WriteStrategy};
use hyperslab_inputs::observed::Observed;
use hyperslab_measure::access::{Access, BlockWalk};
use hyperslab_storage::pattern::{Placement, RandomPlaces, RequestedRead};
use std::path::Path;

pub(super) fn accesses(request: &Request, shape: &[u64], stored: &Stored) -> Result<Vec<(Access, f64)>> {
    let rank = shape.len();
    let orders = orders("--order", &request.order, &stored.dimensions)?;
    let steps = list(&request.stride, vec![1; rank], |text| block("--stride", text, &vec![u64::MAX; rank]))?;
    let walks: Vec<BlockWalk> = if let Some(count) = request.random {
        vec![BlockWalk::Random { count, seed: request.seed }]
    } else if let Some(along) = &request.moved {
        moved(along, rank)?
    } else {
        orders.into_iter().map(|order| BlockWalk::Sweep { order }).collect()
    };
    let row_major: Vec<usize> = (0..rank).collect();
    let mut found = Vec::new();
    for read in list(&request.read, None, |text| weighted(text).map(Some))? {
        let (text, weight) = read.map_or((None, 1.0), |(text, weight)| (Some(text), weight));
        for step in &steps {
            for walk in &walks {
                let order = if let BlockWalk::Sweep { order } = walk { order } else { &row_major };
                let block = match &text {
                    Some(text) => buffer("--read", text, shape, order, stored.element_bytes)?,
                    None => Access::whole(shape).block,
                };
                let access = Access { block, step: step.clone(), walk: walk.clone() };
                access.check(shape).map_err(wrong)?;
                found.push((access, weight));
            }
        }
    }
    Ok(found)
}

/// The reads that a program made of the dataset, and how much of its reading each was.
pub(super) fn observed(trace: &Path, subject: &Subject) -> Result<Vec<(Access, f64)>> {
    let Subject::Dataset { file, path, shape, .. } = subject else {
        return Err(wrong("--reads-from goes with a file"));
    };
    let dataset = files::open(file)?.dataset(path)?;
    let reads = Observed::read(trace, file)?.reads(&dataset)?;
    let access = |read: RequestedRead| {
        let Placement { order, step, random } = read.placement;
        let row_major = || (0..shape.len()).collect();
        let walk = match random {
            Some(RandomPlaces { count, seed }) => BlockWalk::Random { count, seed },
            None => BlockWalk::Sweep { order: order.unwrap_or_else(row_major) },
        };
        let block = read.shape.resolve(shape).unwrap_or_else(|| shape.clone());
        (Access { block, step: step.unwrap_or_else(|| vec![1; shape.len()]), walk }, read.weight)
    };
    Ok(reads.into_iter().map(access).collect())
}

/// Along one axis, along the diagonal, or along all of them.
fn moved(along: &str, rank: usize) -> Result<Vec<BlockWalk>> {
    match along {
        "all" => Ok((0..rank).map(|axis| BlockWalk::Along { axis }).chain([BlockWalk::Diagonal]).collect()),
        "diagonal" => Ok(vec![BlockWalk::Diagonal]),
        axis => axis.parse().map(|axis| vec![BlockWalk::Along { axis }]).map_err(|_| {
            wrong(format!("--moved={axis}: not an axis")).hint("there are: 0, 1, ..., diagonal, all")
        }),
    }
}

/// `1x720@3`: the shape, and how much its reads count.
fn weighted(text: &str) -> Result<(String, f64)> {
    let Some((shape, weight)) = text.split_once('@') else { return Ok((text.to_owned(), 1.0)) };
    let number = weight.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
    let number = number
        .ok_or_else(|| wrong(format!("--read {text}: the weight {weight:?} is not a number above 0")))?;
    Ok((shape.to_owned(), number))
}

/// Every block in every order behind every cache.
pub(super) fn strategies(request: &Request, shape: &[u64], stored: &Stored) -> Result<Vec<WriteStrategy>> {
    let caches = list(&request.write_cache, None, |text| cache("--write-cache", text))?;
    let mut found = Vec::new();
    for text in list(&request.write, None, |text| Ok(Some(text.to_owned())))? {
        for order in orders("--write-order", &request.write_order, &stored.dimensions)? {
            let buffer = |text: &String| buffer("--write", text, shape, &order, stored.element_bytes);
            let block = text.as_ref().map(buffer).transpose()?;
            let order = (!request.write_order.is_empty()).then_some(order);
            found.extend(caches.iter().map(|&cache| WriteStrategy {
                block: block.clone(),
                order: order.clone(),
                cache,
            }));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_may_have_a_weight() {
        assert_eq!(weighted("1x720@2.5").unwrap(), ("1x720".to_owned(), 2.5));
        assert_eq!(weighted("1x720").unwrap().1, 1.0);
        for text in ["1@0", "1@-1", "1@", "1@inf"] {
            assert!(weighted(text).unwrap_err().message.contains("is not a number above 0"), "{text}");
        }
    }
}
