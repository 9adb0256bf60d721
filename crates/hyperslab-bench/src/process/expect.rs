//! The checksum that reading has to come to, from the values themselves: for files that only one engine reads.

use super::clock::Clock;
use super::task::{Outcome, Task};
use crate::buffer::reserve;
use crate::data::Values;
use crate::engine::{EngineError, PreparedEngine};
use crate::hex::hex;
use crate::study::{Element, Kind, Layout};
use sha2::{Digest, Sha256};

pub(super) fn expect(
    task: &Task,
    engine: &dyn PreparedEngine,
    shape: &[u64],
    reads_max: Option<u64>,
    values: &Values,
    element: Element,
) -> Result<Outcome, EngineError> {
    let source = values.open()?;
    let layout = layout(element, task.options.records.fields.as_deref())?;
    let bytes = match element.kind {
        Kind::Record(record) => record.packed().bytes,
        _ => element.bytes as usize,
    };
    let mut sum = Sha256::new();
    let mut buffer = Vec::new();
    for block in task.access.first_blocks(shape, reads_max) {
        let values = reserve(&mut buffer, block.bytes(bytes))?;
        source.fill(&block, values)?;
        match &layout {
            Some(layout) => sum.update(layout.gather(values)),
            None => sum.update(&*values),
        }
    }
    let checksum = Some(hex(&sum.finalize()));
    Ok(Outcome { checksum, ..Clock::start().outcome_of(engine) })
}

/// Where the fields that are wanted lie in records without gaps.
fn layout(element: Element, fields: Option<&[String]>) -> Result<Option<Layout>, EngineError> {
    let (Kind::Record(record), Some(fields)) = (element.kind, fields) else { return Ok(None) };
    let whole = record.packed();
    let place = |name: &String| {
        let known = record.fields.iter().position(|field| field.name == *name);
        known
            .map(|at| whole.places[at])
            .ok_or_else(|| EngineError::Unsupported(format!("the records have no field {name:?}")))
    };
    let places = fields.iter().map(place).collect::<Result<_, _>>()?;
    Ok(Some(Layout { places, ..whole }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_fields_are_taken_out_of_records() {
        let element = "{a:<i2,b:u1,c:<i2}".parse().unwrap();
        let chosen = layout(element, Some(&["c".to_owned(), "a".to_owned()])).unwrap().unwrap();
        assert_eq!(chosen.gather(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [4, 5, 1, 2, 9, 10, 6, 7]);
        assert!(layout(element, Some(&["d".to_owned()])).is_err());
        assert!(layout("<f4".parse().unwrap(), None).unwrap().is_none());
    }
}
