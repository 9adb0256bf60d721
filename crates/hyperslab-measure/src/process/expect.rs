//! The checksum that reading has to come to, from the values themselves: for files that only one engine reads.

use super::clock::Clock;
use super::task::{Outcome, Task};
use crate::access::Part;
use crate::data::Values;
use hyperslab_engines::{Element, EngineError, PreparedEngine, reserve};
use hyperslab_units::hex;
use sha2::{Digest, Sha256};

pub(super) fn expect(
    task: &Task,
    engine: &dyn PreparedEngine,
    shape: &[u64],
    part: Part,
    values: &Values,
    element: Element,
) -> Result<Outcome, EngineError> {
    let source = values.open()?;
    let fields = task.options.records.fields.as_deref();
    let (layout, bytes) = (element.picked(fields).map_err(EngineError::Unsupported)?, element.packed_bytes());
    let mut sum = Sha256::new();
    let mut buffer = Vec::new();
    for block in task.access.part(shape, part) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_fields_are_taken_out_of_records() {
        let element: Element = "{a:<i2,b:u1,c:<i2}".parse().unwrap();
        let chosen = element.picked(Some(&["c".to_owned(), "a".to_owned()])).unwrap().unwrap();
        assert_eq!(chosen.gather(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [4, 5, 1, 2, 9, 10, 6, 7]);
        assert!(element.picked(Some(&["d".to_owned()])).is_err());
        assert!("<f4".parse::<Element>().unwrap().picked(None).unwrap().is_none());
    }
}
