//! Whatever a file says: no filter panics, hangs, or gives more than was asked for.

use hyperslab_filters::{FilterSpec, Pipeline, Scratch, table};
use hyperslab_testkit::scale;
use proptest::prelude::*;

/// Numbers that parameters really have, and others.
fn parameter() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..9, Just(16), Just(32), Just(64), Just(173), Just(256), any::<u32>()]
}

fn readable() -> Vec<u16> {
    table().iter().filter(|entry| entry.read).map(|entry| entry.id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(scale().of(3000) as u32))]

    #[test]
    fn one_filter(
        which in any::<prop::sample::Index>(),
        mut parameters in prop::collection::vec(parameter(), 0..22),
        counted: bool,
        stored in prop::collection::vec(prop_oneof![Just(0u8), Just(1), Just(255), any::<u8>()], 0..200),
        chunk in 0usize..5000,
    ) {
        let id = *which.get(&readable());
        if counted && !parameters.is_empty() {
            parameters[0] = parameters.len() as u32;
        }
        if let Ok(pipeline) = Pipeline::new(&[FilterSpec { id, optional: true, parameters: &parameters }], 4, chunk) {
            let mut scratch = Scratch::new();
            let _ = pipeline.decode_into(&stored, 0, &mut scratch, &mut vec![0; chunk]);
            let _ = pipeline.decode_staged(&stored, 0, &mut scratch);
            if let Ok(bytes) = pipeline.decode(&stored, 0, &mut scratch, chunk) {
                prop_assert!(bytes.len() <= chunk);
            }
        }
    }

    #[test]
    fn several_filters(
        which in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(parameter(), 0..21)), 0..5),
        stored in prop::collection::vec(any::<u8>(), 0..200),
        mask in 0u32..32,
        chunk in 0usize..3000,
    ) {
        let ids: Vec<u16> = which.iter().map(|(index, _)| *index.get(&readable())).collect();
        let filters: Vec<_> = ids
            .iter()
            .zip(&which)
            .map(|(&id, (_, parameters))| FilterSpec { id, optional: false, parameters })
            .collect();
        let pipeline = Pipeline::lenient(&filters, 4, chunk).unwrap();
        let mut scratch = Scratch::new();
        let _ = pipeline.decode_into(&stored, mask, &mut scratch, &mut vec![0; chunk]);
        let _ = pipeline.decode_staged(&stored, mask, &mut scratch);
        prop_assert!(pipeline.decode(&stored, mask, &mut scratch, chunk).map_or(0, |bytes| bytes.len()) <= chunk);
        prop_assert_eq!(pipeline.describe().count(), filters.len());
    }
}
