//! From the seconds of the kernels to the parts of a read.

use super::kernels::{
    CHUNKS_OF_A_READ, COLUMN, ELEMENT_BYTES, KernelSeconds, LARGE_BYTES, SEVERAL, SMALL_BYTES, SMALL_CHUNKS,
};
use hyperslab_storage::cost::Terms;

/// Bytes of a page of memory.
const PAGE_BYTES: u64 = 4096;
/// What libhdf5's file driver adds to a request of the operating system, where a call takes as long as the built-in one.
const DRIVER_SECONDS: f64 = 0.1e-6;
/// A term is believed within these factors of the built-in one: beyond, something else was measured.
const FACTOR_MIN: f64 = 0.1;
const FACTOR_MAX: f64 = 10.0;

/// The terms that explain the kernels. Those that no kernel isolates are the built-in ones, scaled as those that are like
/// them.
pub(super) fn terms(kernels: &KernelSeconds) -> Terms {
    let usual = Terms::BUILT_IN;
    let within = |measured: f64, usual: f64| measured.clamp(usual * FACTOR_MIN, usual * FACTOR_MAX);
    let call = within(kernels.one_element, usual.call);
    let pace = call / usual.call;
    let (eviction, several_chunks) = (usual.eviction * pace, usual.several_chunks * pace);

    // One run more costs what one row more of a column costs.
    let run = within((kernels.column - kernels.several_elements) / (COLUMN - 1) as f64, usual.run);
    let far_byte_of = |load: f64, rest: f64| (load - rest) / LARGE_BYTES as f64;
    let small = kernels.load - call - eviction;
    let load = within(small - SMALL_BYTES as f64 * usual.near_byte, usual.load);
    let near_byte = within(far_byte_of(kernels.near_load, call + load + eviction), usual.near_byte);
    let far_byte =
        within(far_byte_of(kernels.far_load, call + load + eviction), usual.far_byte).max(near_byte);
    let copied_byte = usual.copied_byte * near_byte / usual.near_byte;
    let several_elements =
        kernels.several_elements - call - run - (SEVERAL * ELEMENT_BYTES) as f64 * copied_byte;
    let several_elements = within(several_elements, usual.several_elements);
    let lookup = within(kernels.first_load - call - load - SMALL_BYTES as f64 * far_byte, usual.lookup);
    let pages = (LARGE_BYTES / PAGE_BYTES) as f64;
    let kept = kernels.kept_load - call - load - lookup - LARGE_BYTES as f64 * far_byte;
    let page = within(kept / pages, usual.page);

    // A read of chunks that the cache holds, without what it copies.
    let visits = |seconds: f64, chunks: u64| {
        let copied = (chunks * SMALL_BYTES) as f64 * copied_byte + chunks as f64 * run;
        (seconds - call - several_elements - several_chunks - copied) / (chunks - 1) as f64
    };
    let visit = within(visits(kernels.several_chunks, CHUNKS_OF_A_READ), usual.visit);
    let visit_far = within(visits(kernels.many_chunks, SMALL_CHUNKS) - visit, usual.visit_far);
    let direct_read = within(kernels.request + DRIVER_SECONDS * pace, usual.direct_read);
    let direct_chunk = within(kernels.direct - call - direct_read, usual.direct_chunk);
    Terms {
        call,
        several_elements,
        several_chunks,
        visit,
        visit_far,
        run,
        copied_byte,
        far_line: usual.far_line * far_byte / usual.far_byte,
        lookup,
        load,
        near_byte,
        far_byte,
        direct_read,
        direct_chunk,
        page,
        step: usual.step * pace,
        eviction,
        inflate: usual.inflate * pace,
        zlib: usual.zlib,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What kernels would take on a machine with these terms.
    fn kernels_of(terms: &Terms) -> KernelSeconds {
        let t = terms;
        let visits = |chunks: u64, visit: f64| {
            t.call
                + t.several_elements
                + t.several_chunks
                + (chunks - 1) as f64 * visit
                + chunks as f64 * (t.run + SMALL_BYTES as f64 * t.copied_byte)
        };
        let large = LARGE_BYTES as f64;
        KernelSeconds {
            one_element: t.call,
            several_elements: t.call
                + t.several_elements
                + t.run
                + (SEVERAL * ELEMENT_BYTES) as f64 * t.copied_byte,
            several_chunks: visits(CHUNKS_OF_A_READ, t.visit),
            many_chunks: visits(SMALL_CHUNKS, t.visit + t.visit_far),
            column: t.call
                + t.several_elements
                + COLUMN as f64 * t.run
                + (SEVERAL * ELEMENT_BYTES) as f64 * t.copied_byte,
            first_load: t.call + t.load + t.lookup + SMALL_BYTES as f64 * t.far_byte,
            load: t.call + t.load + t.eviction + SMALL_BYTES as f64 * t.near_byte,
            near_load: t.call + t.load + t.eviction + large * t.near_byte,
            far_load: t.call + t.load + t.eviction + large * t.far_byte,
            kept_load: t.call
                + t.load
                + t.lookup
                + large * t.far_byte
                + (LARGE_BYTES / PAGE_BYTES) as f64 * t.page,
            direct: t.call + t.direct_read + t.direct_chunk,
            request: t.direct_read - DRIVER_SECONDS * t.call / Terms::BUILT_IN.call,
        }
    }

    #[test]
    fn the_terms_of_a_machine_are_found_again() {
        let terms = Terms { visit: 0.8e-6, page: 1.1e-6, run: 5.0e-9, load: 1.6e-6, ..Terms::BUILT_IN };
        let found = terms_close(&super::terms(&kernels_of(&terms)), &terms);
        assert!(found.is_ok(), "{found:?}");
    }

    fn terms_close(found: &Terms, expected: &Terms) -> Result<(), String> {
        let numbers = |terms: &Terms| {
            let value = serde_json::to_value(terms).unwrap();
            value
                .as_object()
                .unwrap()
                .iter()
                .map(|(k, v)| (k.clone(), v.as_f64().unwrap()))
                .collect::<Vec<_>>()
        };
        for ((name, a), (_, b)) in numbers(found).into_iter().zip(numbers(expected)) {
            if (a / b - 1.0).abs() > 0.02 {
                return Err(format!("{name}: {a:e} where {b:e} was expected"));
            }
        }
        Ok(())
    }

    #[test]
    fn absurd_measurements_stay_near_the_built_in_terms() {
        let mut kernels = kernels_of(&Terms::BUILT_IN);
        (kernels.column, kernels.kept_load, kernels.request) = (0.0, 1.0, 1.0);
        let terms = terms(&kernels);
        assert_eq!(terms.run, Terms::BUILT_IN.run * FACTOR_MIN);
        assert_eq!(terms.page, Terms::BUILT_IN.page * FACTOR_MAX);
        assert_eq!(terms.direct_read, Terms::BUILT_IN.direct_read * FACTOR_MAX);
        assert_eq!(terms.direct_chunk, Terms::BUILT_IN.direct_chunk * FACTOR_MIN, "nothing is left for it");
    }
}
