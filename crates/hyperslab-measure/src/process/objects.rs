//! Tasks about files of many objects: making one, and visiting all that is in one.

use super::clock::{Clock, ExcludedWork};
use super::task::{Objects, Outcome, Task};
use crate::data::{Source, Synthetic, Values};
use crate::tree::Tree;
use crate::{PageCache, empty_page_cache};
use hyperslab_engines::{Block, Element, EngineError, Event, OpenDataset, PreparedEngine, Wanted, reserve};
use hyperslab_units::hex;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Random bits of each value, so that not all are alike.
const NOISE_BITS: f64 = 4.0;

pub(super) fn make(task: &Task, engine: &dyn PreparedEngine, tree: &Tree) -> Result<Outcome, EngineError> {
    tree.storage.check().map_err(EngineError::Unsupported)?;
    if matches!(tree.storage.element, Element::Record(_)) {
        return Err(EngineError::Unsupported(
            "many datasets are made of numbers or text, not of records".to_owned(),
        ));
    }
    let (groups, datasets) = (tree.group_paths(), tree.dataset_paths());
    let shape = &tree.storage.shape;
    let mut objects = Objects { groups: 1, ..Objects::default() };
    let mut clock = Clock::start();
    let mut making = clock.open(|| engine.make(&task.file, &tree.storage))?;
    let attributes_of = |objects: &mut Objects| {
        let attributes = tree.attributes_of(objects.groups + objects.datasets);
        objects.attributes += attributes.len() as u64;
        attributes
    };
    for path in &groups {
        let attributes = clock.exclude(ExcludedWork::Computes, || attributes_of(&mut objects));
        clock.time(|| making.group(path, &attributes))?;
        objects.groups += 1;
    }
    let mut values = Vec::new();
    let source = |number: u64| {
        Values::Synthetic(Synthetic {
            shape: shape.clone(),
            element: tree.storage.element,
            noise_bits: NOISE_BITS,
            seed: tree.seed.wrapping_add(number),
        })
    };
    for path in &datasets {
        let attributes = clock.exclude(ExcludedWork::Computes, || attributes_of(&mut objects));
        let now = if tree.is_laid_out_first {
            None
        } else {
            Some(clock.exclude(ExcludedWork::Computes, || {
                fill(&source(objects.datasets).open()?, tree, &mut values)
            })?)
        };
        let bytes = now.map_or(0, <[u8]>::len) as u64;
        clock.item(bytes, || write(making.dataset(path, &attributes)?, shape, now))?;
        objects.datasets += 1;
    }
    for (number, path) in datasets.iter().enumerate().filter(|_| tree.is_laid_out_first) {
        let values = clock
            .exclude(ExcludedWork::Computes, || fill(&source(number as u64).open()?, tree, &mut values))?;
        clock.time(|| write(making.reopen(path)?, shape, Some(values)))?;
        clock.bytes += values.len() as u64;
    }
    clock.close(|| making.close())?;
    let file_bytes = std::fs::metadata(&task.file).map_or(0, |metadata| metadata.len());
    Ok(Outcome { objects: Some(objects), file_bytes, ..clock.outcome_of(engine) })
}

/// Writes all values of a dataset, if they are given, and closes it.
fn write(mut dataset: Box<dyn OpenDataset>, shape: &[u64], values: Option<&[u8]>) -> Result<(), EngineError> {
    if let (Some(values), Some(block)) = (values, Block::whole(shape)) {
        dataset.write(&block, values)?;
    }
    dataset.close()
}

/// The values of the dataset that a source is of.
fn fill<'a>(source: &Source, tree: &Tree, values: &'a mut Vec<u8>) -> Result<&'a [u8], EngineError> {
    let values = reserve(values, tree.storage.logical_bytes())?;
    if let Some(block) = Block::whole(&tree.storage.shape) {
        source.fill(&block, values)?;
    }
    Ok(values)
}

pub(super) fn visit(
    task: &Task,
    engine: &dyn PreparedEngine,
    wanted: Wanted,
    cold: bool,
    check: bool,
) -> Result<Outcome, EngineError> {
    let io = |error: std::io::Error| EngineError::Unsupported(format!("{}: {error}", task.file.display()));
    let page_cache = if cold { empty_page_cache(&task.file).map_err(io)? } else { PageCache::Warm };
    let (mut objects, mut bytes) = (Objects::default(), 0);
    let mut sum = check.then(Sum::default);
    let mut clock = Clock::start();
    let mut visiting = clock.open(|| engine.visit(&task.file, &task.options))?;
    clock.time(|| {
        visiting.visit(wanted, &mut |seen| {
            match seen {
                Event::Group { .. } => objects.groups += 1,
                Event::Dataset { values, .. } => {
                    objects.datasets += 1;
                    bytes += values.len() as u64;
                }
                Event::Attribute { .. } => objects.attributes += 1,
            }
            if let Some(sum) = &mut sum {
                sum.add(seen);
            }
        })
    })?;
    let page_buffer = clock.exclude(ExcludedWork::Computes, || visiting.page_buffer());
    clock.close(|| visiting.close())?;
    (clock.blocks, clock.bytes) = (objects.datasets, bytes);
    Ok(Outcome {
        objects: Some(objects),
        page_buffer,
        page_cache,
        checksum: sum.map(Sum::hex),
        file_bytes: std::fs::metadata(&task.file).map_err(io)?.len(),
        ..clock.outcome_of(engine)
    })
}

/// Attributes by which netCDF-C keeps its dimensions in HDF5, which it does not show itself.
const HIDDEN: [&str; 8] = [
    "CLASS",
    "NAME",
    "DIMENSION_LIST",
    "REFERENCE_LIST",
    "_NCProperties",
    "_Netcdf4Coordinates",
    "_Netcdf4Dimid",
    "_nc3_strict",
];
/// How the name of a dataset begins (its attribute NAME) that is only a dimension of netCDF.
const ONLY_DIMENSION: &[u8] = b"This is a netCDF dimension but not a netCDF variable";

/// A checksum of all that was visited, the same in any order and by any engine: what netCDF-C keeps for itself
/// in HDF5 is not part of it.
#[derive(Default)]
struct Sum {
    objects: BTreeMap<String, Sha256>,
    last: String,
    /// The last dataset that is only a dimension.
    hidden: Option<String>,
}

impl Sum {
    fn add(&mut self, seen: Event<'_>) {
        let mut part = |path: &str, kind: &[u8]| {
            self.last = path.to_owned();
            let hash = self.objects.entry(path.to_owned()).or_default();
            hash.update(kind);
        };
        match seen {
            Event::Group { path } => part(path, b"group"),
            Event::Dataset { path, shape, values } => {
                part(path, b"dataset");
                let hash = self.objects.entry(path.to_owned()).or_default();
                for dim in shape.unwrap_or(&[]) {
                    hash.update(dim.to_le_bytes());
                }
                hash.update([u8::from(shape.is_some())]);
                hash.update(values);
            }
            Event::Attribute { name: "NAME", value } if value.starts_with(ONLY_DIMENSION) => {
                let (last, below) = (self.last.clone(), format!("{}\0", self.last));
                self.objects.retain(|path, _| *path != last && !path.starts_with(&below));
                self.hidden = Some(last);
            }
            Event::Attribute { name, .. }
                if HIDDEN.contains(&name) || self.hidden.as_ref() == Some(&self.last) => {}
            Event::Attribute { name, value } => {
                let mut hash = Sha256::new();
                hash.update(value);
                self.objects.insert(format!("{}\0{name}", self.last), hash);
            }
        }
    }

    fn hex(self) -> String {
        let mut all = Sha256::new();
        for (path, hash) in self.objects {
            all.update(path.as_bytes());
            all.update([0]);
            all.update(hash.finalize());
        }
        hex(&all.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(seen: &[Event<'_>]) -> String {
        let mut sum = Sum::default();
        seen.iter().for_each(|seen| sum.add(*seen));
        sum.hex()
    }

    #[test]
    fn the_order_of_a_walk_is_nothing_to_the_checksum_and_every_value_is() {
        let group = Event::Group { path: "" };
        let one = Event::Dataset { path: "a", shape: Some(&[2]), values: &[1, 2] };
        let (units, count) = (
            Event::Attribute { name: "units", value: b"K" },
            Event::Attribute { name: "count", value: b"1" },
        );
        let whole = sum(&[group, one, units, count]);
        assert_eq!(whole, sum(&[one, count, units, group]));
        let other = Event::Dataset { path: "a", shape: Some(&[2]), values: &[1, 3] };
        assert_ne!(whole, sum(&[group, other, units, count]));
        assert_ne!(whole, sum(&[group, one, count]));
        assert_ne!(whole, sum(&[group, units, count, one]), "attributes belong to what was told of before");
        let dimid = Event::Attribute { name: "_Netcdf4Dimid", value: &[0] };
        let dimension = Event::Dataset { path: "d0", shape: Some(&[2]), values: &[] };
        let says = Event::Attribute { name: "NAME", value: ONLY_DIMENSION };
        assert_eq!(whole, sum(&[group, one, dimid, units, count, dimension, dimid, says, units]));
        let nothing = Event::Dataset { path: "a", shape: None, values: &[] };
        let scalar = Event::Dataset { path: "a", shape: Some(&[]), values: &[] };
        assert_ne!(sum(&[nothing]), sum(&[scalar]));
    }
}
