//! The requests for the metadata of a source with latency, whose answers are extents of any position and length.
//!
//! The metadata of many files is scattered: structures of some hundred bytes, far from each other. In blocks, ten times
//! as much would be fetched. So what is needed is fetched exactly, with these exceptions, which save requests:
//!
//! * A request for few bytes is extended, because what follows a structure is often needed next. All extensions of a
//!   round together have a budget.
//! * Needs with a small gap between them share a request. How small is measured by the source.
//! * Of a file with paged allocation, whole pages are fetched: a page contains either metadata or raw data.

use hyperslab_format::Need;
use hyperslab_io::{Advice, coalesce};
use std::ops::Range;

/// The length to which the requests of a round are extended is this, divided by their number,
const EXTENSIONS_BYTES: u64 = 512 << 10;
/// but within these limits.
const EXTENDED_BYTES: (u64, u64) = (512, 64 << 10);
/// Larger pages are not fetched whole.
pub(super) const PAGE_BYTES_MAX: u64 = 16 << 20;

/// The requests for these needs, of a file of `file_len` bytes, with pages of `page_bytes` if it is paged. Needs with a
/// gap of at most `gap_bytes` between them share a request. `missing` returns the parts of a range that were not fetched
/// yet.
pub(super) fn requests(
    needs: &[Need],
    missing: impl Fn(&Range<u64>) -> Vec<Range<u64>>,
    file_len: u64,
    page_bytes: Option<u64>,
    advice: Advice,
    gap_bytes: u64,
) -> Vec<Range<u64>> {
    let inside = |range: &Range<u64>| range.start.min(file_len)..range.end.min(file_len);
    if let Some(page) = page_bytes {
        let pages = |range: Range<u64>| {
            range.start / page * page..range.end.div_ceil(page).saturating_mul(page).min(file_len)
        };
        let lacking = needs.iter().filter(|need| !missing(&inside(&need.range)).is_empty());
        let wanted: Vec<_> = lacking.flat_map(|need| missing(&pages(inside(&need.range)))).collect();
        let advice = Advice { gap_bytes: 0, request_bytes_max: page, ..advice };
        return coalesce(&wanted, advice).into_iter().map(|request| request.range).collect();
    }
    let mut wanted: Vec<_> = needs.iter().flat_map(|need| missing(&inside(&need.range))).collect();
    wanted.sort_unstable_by_key(|range| (range.start, range.end));
    wanted.dedup();
    let shortest =
        (EXTENSIONS_BYTES / (wanted.len() as u64).max(1)).clamp(EXTENDED_BYTES.0, EXTENDED_BYTES.1);
    for range in &mut wanted {
        let longer = range.end.max(range.start.saturating_add(shortest)).min(file_len);
        // Not beyond what is already there.
        let free = missing(&(range.end..longer)).first().filter(|free| free.start == range.end).cloned();
        range.end = free.map_or(range.end, |free| free.end);
    }
    let advice = Advice { gap_bytes, ..advice };
    let mut requests = Vec::new();
    for request in coalesce(&wanted, advice) {
        let Range { start, end } = request.range;
        let piece = advice.request_bytes_max.max(EXTENDED_BYTES.1);
        requests.extend((start..end).step_by(piece as usize).map(|at| at..at.saturating_add(piece).min(end)));
    }
    requests
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one need, or one request")]
mod tests {
    use super::*;
    use bytes::Bytes;
    use hyperslab_io::ExtentMap;

    fn need(range: Range<u64>) -> Need {
        Need { range, reason: "test" }
    }

    fn planned(needs: &[Range<u64>], map: &ExtentMap, page: Option<u64>) -> Vec<Range<u64>> {
        let needs: Vec<_> = needs.iter().cloned().map(need).collect();
        requests(
            &needs,
            |range| map.missing(range),
            10 << 20,
            page,
            Advice::LOCAL,
            Advice::METADATA_GAP_BYTES,
        )
    }

    #[test]
    fn few_requests_are_extended_and_many_are_not() {
        let map = ExtentMap::default();
        assert_eq!(planned(&[100..200], &map, None), [100..100 + (64 << 10)]);
        let many: Vec<_> = (0..2000).map(|i| i * 5000..i * 5000 + 10).collect();
        let alone: Vec<_> = (0..100).map(|i| i * 100_000..i * 100_000 + 10).collect();
        assert!(planned(&many, &map, None).len() < 20, "gaps of 4,500 bytes are fetched");
        let ranges = planned(&alone, &map, None);
        assert_eq!(ranges.len(), 100);
        assert_eq!(ranges[1], 100_000..100_000 + (512 << 10) / 100);
    }

    #[test]
    fn fetched_bytes_are_not_fetched_again_and_long_ranges_are_divided() {
        let mut map = ExtentMap::default();
        map.insert(1000, &Bytes::from(vec![1; 500]), 0);
        assert_eq!(planned(&[900..1200, 1100..1300], &map, None), [900..1000]);
        assert_eq!(planned(&[1100..1300], &map, None), []);
        assert_eq!(
            planned(&[2 << 20..(4 << 20) + 5], &map, None),
            [2 << 20..3 << 20, 3 << 20..4 << 20, 4 << 20..(4 << 20) + 5]
        );
    }

    #[test]
    fn of_a_paged_file_whole_pages_are_fetched() {
        let mut map = ExtentMap::default();
        map.insert(0, &Bytes::from(vec![1; 1000]), 0);
        assert_eq!(planned(&[500..1100, 8192..8200], &map, Some(4096)), [1000..4096, 8192..12288]);
        assert_eq!(planned(&[500..600], &map, Some(4096)), []);
    }
}
