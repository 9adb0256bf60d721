//! Requests for unfiltered bytes: few and large ones, with little more than the selected bytes.

use super::block::{self, BlockStep, CacheView};
use crate::array::DataSource;
use crate::read::place::{AxisCopies, Copies};
use hyperslab_io::Advice;
use smallvec::SmallVec;
use std::ops::Range;

/// The largest request for contiguous bytes; larger ones are divided, so that several threads share them.
const PIECE_BYTES: usize = 4 << 20;
/// The largest request for bytes that are placed apart, without latency: the buffer of a thread that they pass through stays in
/// the processor's cache, and several threads share a chunk.
const SCATTERED_BYTES_MAX: u64 = 256 << 10;
/// A plan has about this many requests for unfiltered bytes; larger reads are planned in parts. A request for each of
/// many scattered elements takes more memory than the elements.
pub(crate) const STEPS_MAX: usize = 1 << 14;
/// A read of no more requests than this is small, if each of them is.
const SMALL_STEPS_MAX: usize = 16;

/// Requests of one plan. A small read makes one or two.
pub(crate) type Batch = SmallVec<[RawRequest; 2]>;

/// The steps of a contiguous array, or of an unfiltered chunk. A small read has one.
pub(crate) type RawSteps = SmallVec<[RawStep; 1]>;

/// Wanted unfiltered bytes, and their origin.
pub(crate) struct RawStep {
    pub(crate) wanted: RawRequest,
    pub(crate) from: RawFrom,
}

/// The origin of unfiltered bytes.
pub(crate) enum RawFrom {
    /// A request for exactly these bytes.
    Request,
    /// The same, for a small read, which is recorded because others may follow it.
    SmallRequest,
    /// Blocks. Those that are not in the cache are requested.
    Blocks(SmallVec<[BlockStep; 2]>),
}

impl RawStep {
    /// The blocks that the bytes are taken from, if they are.
    pub(crate) fn blocks(&self) -> Option<&[BlockStep]> {
        match &self.from {
            RawFrom::Blocks(blocks) => Some(blocks),
            RawFrom::Request | RawFrom::SmallRequest => None,
        }
    }

    /// True where a request is made.
    pub(crate) fn fetches(&self) -> bool {
        self.blocks().is_none_or(|blocks| blocks.iter().any(|block| block.cached.is_none()))
    }

    /// Calls `each` for the bytes of the file that are requested, for an array that begins at `base`.
    pub(crate) fn for_each_request(&self, base: u64, mut each: impl FnMut(Range<u64>)) {
        match self.blocks() {
            None => each(self.wanted.range(base)),
            Some(blocks) => {
                let missing = blocks.iter().filter(|block| block.cached.is_none());
                missing.for_each(|block| each(block.range.clone()));
            }
        }
    }
}

/// The only step of a plan that goes to contiguous bytes of the result, and where these begin.
pub(crate) fn only_stretch(steps: &[RawStep]) -> Option<(&RawStep, usize)> {
    match steps {
        [step] => match step.wanted.destination {
            RawDestination::Contiguous { target } => Some((step, target)),
            RawDestination::Scattered { .. } => None,
        },
        _ => None,
    }
}

/// Wanted unfiltered bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawRequest {
    /// First byte, counted from the beginning of the array.
    pub(crate) start: usize,
    /// How many bytes.
    pub(crate) len: usize,
    /// Their destination.
    pub(crate) destination: RawDestination,
}

/// The destination of unfiltered bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawDestination {
    /// Contiguous bytes of the result.
    Contiguous { target: usize },
    /// They contain `count` elements of axis `axis` (counted from the innermost), from the `first` on, with all of
    /// the axes inside of it, with gaps between them.
    Scattered { axis: usize, first: u64, count: u64, source: usize, target: usize },
}

impl RawRequest {
    /// The bytes of the file, for an array that begins at `base`.
    pub(crate) fn range(&self, base: u64) -> Range<u64> {
        let start = base.saturating_add(self.start as u64);
        start..start.saturating_add(self.len as u64)
    }
}

/// Requests for exactly the bytes of these copies, in ascending order of axes, handed over in batches of at most
/// [`STEPS_MAX`].
pub(crate) fn batches<E>(
    copies: &Copies<'_>,
    advice: Advice,
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<Batch, E> {
    let mut batch = Batch::new();
    let mut outcome = Ok(());
    requests(copies, advice, &mut |request| {
        if batch.len() == STEPS_MAX && outcome.is_ok() {
            outcome = each(std::mem::take(&mut batch));
        }
        if outcome.is_ok() {
            batch.push(request);
        }
    });
    outcome.map(|()| batch)
}

/// The steps for these requests, out of an array or a chunk that begins at `base`. With `is_all` the plan has no
/// others.
pub(crate) fn steps(
    data: &DataSource,
    base: u64,
    requests: &[RawRequest],
    is_all: bool,
    view: CacheView,
) -> RawSteps {
    let advice = data.source.advice();
    let small_bytes = block::small_bytes(advice) as usize;
    let is_small = is_all
        && requests.len() <= SMALL_STEPS_MAX
        && requests.iter().all(|request| request.len <= small_bytes);
    let step = |&wanted: &RawRequest| {
        let from = match is_small {
            false => RawFrom::Request,
            true => block::blocks(data, advice, &wanted.range(base), view)
                .map_or(RawFrom::SmallRequest, RawFrom::Blocks),
        };
        RawStep { wanted, from }
    };
    requests.iter().map(step).collect()
}

/// Makes the requests for these copies, in ascending order of axes.
pub(crate) fn requests(copies: &Copies<'_>, advice: Advice, emit: &mut impl FnMut(RawRequest)) {
    descend(copies, copies.axes.len(), copies.source_start, copies.target_start, advice, emit);
}

fn descend(
    copies: &Copies<'_>,
    depth: usize,
    source: usize,
    target: usize,
    advice: Advice,
    emit: &mut impl FnMut(RawRequest),
) {
    let Some(axis) = depth.checked_sub(1) else {
        for done in (0..copies.unit).step_by(PIECE_BYTES) {
            let destination = RawDestination::Contiguous { target: target + done };
            emit(RawRequest {
                start: source + done,
                len: (copies.unit - done).min(PIECE_BYTES),
                destination,
            });
        }
        return;
    };
    let outer = copies.axes[axis];
    let inner = extent(&copies.axes[..axis], copies.unit);
    let inner_copies: usize = copies.axes[..axis].iter().map(|axis| axis.len() as usize).product();
    let bytes_max = if advice.has_latency() { u64::MAX } else { SCATTERED_BYTES_MAX };
    let (gap, max) = (advice.gap_bytes as usize, advice.request_bytes_max.min(bytes_max) as usize);
    let worthwhile = |span: usize, elements: u64| {
        let pieces = inner_copies * elements as usize;
        span <= max && span.saturating_sub(pieces * copies.unit) <= gap * pieces
    };
    let count = outer.len();
    let mut first = 0;
    while first < count {
        let (at, to) = outer.place(first);
        let mut span = at + inner.start..at + inner.end;
        if !worthwhile(span.len(), 1) {
            descend(copies, axis, source + at, target + to, advice, emit);
            first += 1;
            continue;
        }
        let mut end = first + 1;
        // Where each further element alike is worthwhile, as many as fit into a request are taken at once.
        let near = inner_copies.saturating_mul(copies.unit.saturating_add(gap));
        let alike = outer.even_stride().filter(|&stride| stride > 0 && stride <= near);
        if let Some(stride) = alike {
            let fit = max.saturating_sub(span.len()) / stride + 1;
            end = (first + fit as u64).min(count);
            span.end += (end - first - 1) as usize * stride;
        }
        while alike.is_none() && end < count {
            let (at, _) = outer.place(end);
            let longer = span.start.min(at + inner.start)..span.end.max(at + inner.end);
            if !worthwhile(longer.len(), end + 1 - first) {
                break;
            }
            (span, end) = (longer, end + 1);
        }
        if axis == 0 && end == first + 1 {
            descend(copies, axis, source + at, target + to, advice, emit);
        } else {
            let destination = RawDestination::Scattered { axis, first, count: end - first, source, target };
            emit(RawRequest { start: source + span.start, len: span.len(), destination });
        }
        first = end;
    }
}

/// From the first to the last byte that copies along these axes touch, from their common start.
fn extent(axes: &[AxisCopies<'_>], unit: usize) -> Range<usize> {
    let mut extent = 0..unit;
    for axis in axes {
        let least = if axis.is_ascending() {
            axis.place(0).0
        } else {
            (0..axis.len()).map(|i| axis.place(i).0).min().unwrap_or(0)
        };
        extent = extent.start + least..extent.end + axis.last().0;
    }
    extent
}
