//! Merging wanted ranges into requests. A pure function.

use crate::Advice;
use std::ops::Range;

/// One request, and the wanted ranges that it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The bytes to request.
    pub range: Range<u64>,
    /// Indexes into the wanted ranges, in ascending order of their start.
    pub serves: Vec<usize>,
}

/// Merges ranges that overlap or are at most `gap_bytes` apart, up to requests of `request_bytes_max` bytes. A single
/// range may be larger. Empty ranges need no request.
pub fn coalesce(wanted: &[Range<u64>], advice: Advice) -> Vec<Request> {
    let mut order: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i].start < wanted[i].end).collect();
    order.sort_by_key(|&i| (wanted[i].start, wanted[i].end));
    let mut requests: Vec<Request> = Vec::new();
    for i in order {
        let range = &wanted[i];
        if let Some(last) = requests.last_mut() {
            let contained = range.end <= last.range.end;
            let near = range.start <= last.range.end.saturating_add(advice.gap_bytes);
            let fits = range.end.max(last.range.end) - last.range.start <= advice.request_bytes_max;
            if contained || (near && fits) {
                last.range.end = last.range.end.max(range.end);
                last.serves.push(i);
                continue;
            }
        }
        requests.push(Request { range: range.clone(), serves: vec![i] });
    }
    requests
}

/// Divides a request that is much longer than [`Advice::request_bytes_max`], for sources with latency: each connection has
/// a limited bandwidth, so the pieces arrive sooner than the whole. They follow each other; a short request is one piece.
pub fn split(range: Range<u64>, advice: Advice) -> impl Iterator<Item = Range<u64>> {
    let piece = advice.request_bytes_max.max(1);
    let is_long = advice.has_latency() && (range.end - range.start) / 2 > piece;
    let step = if is_long { piece } else { (range.end - range.start).max(1) };
    // An empty range is one piece, too.
    let count = (range.end - range.start).div_ceil(step).max(1);
    (0..count).map(move |number| {
        let start = range.start + number * step;
        start..range.end.min(start.saturating_add(step))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn advice(gap_bytes: u64, request_bytes_max: u64) -> Advice {
        Advice { gap_bytes, request_bytes_max, ..Advice::LOCAL }
    }

    #[test]
    fn merges_near_ranges_and_keeps_distant_ones_apart() {
        let wanted = [100..110, 0..10, 10..20, 25..30];
        let ranges: Vec<_> = coalesce(&wanted, advice(5, 1000)).into_iter().map(|r| r.range).collect();
        assert_eq!(ranges, [0..30, 100..110]);
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one piece")]
    fn long_requests_to_distant_sources_are_divided() {
        let far = Advice { in_flight_max: 8, ..advice(0, 10) };
        let pieces = |range, advice| split(range, advice).collect::<Vec<_>>();
        assert_eq!(pieces(5..26, far), [5..26], "not much longer");
        assert_eq!(pieces(5..27, far), [5..15, 15..25, 25..27]);
        assert_eq!(pieces(5..27, advice(0, 10)), [5..27]);
        assert_eq!(pieces(5..5, far), [5..5]);
    }

    proptest! {
        #[test]
        fn every_wanted_byte_is_served_once_and_by_the_request_that_says_so(
            wanted in prop::collection::vec((0u64..500, 0u64..60), 0..40),
            gap in 0u64..20,
            max in 1u64..200,
        ) {
            let wanted: Vec<_> = wanted.into_iter().map(|(start, len)| start..start + len).collect();
            let requests = coalesce(&wanted, advice(gap, max));
            let mut served = vec![0; wanted.len()];
            for request in &requests {
                let merged = request.serves.len() > 1;
                let whole = request.serves.iter().any(|&i| wanted[i] == request.range);
                prop_assert!(!merged || whole || request.range.end - request.range.start <= max);
                for &i in &request.serves {
                    served[i] += 1;
                    prop_assert!(request.range.start <= wanted[i].start && wanted[i].end <= request.range.end);
                }
            }
            for (range, times) in wanted.iter().zip(served) {
                prop_assert_eq!(times, usize::from(!range.is_empty()));
            }
        }
    }
}
