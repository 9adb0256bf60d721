//! Calls that read blocks of the same shape.

use crate::Read;
use crate::order::Places;
use crate::record::{Calls, TracedDataset, TracedPattern};
use crate::timeline::rounded;
use crate::watched::Call;
use hyperslab_storage::pattern::{BlockShape, RequestedRead};

/// The most patterns of a dataset that are kept; those that come later are added up as one.
const PATTERNS_MAX: usize = 64;

/// The patterns of a dataset.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    patterns: Vec<Pattern>,
    /// The one that was seen last: most often, the next call is of it, too.
    last: usize,
}

#[derive(Debug, Clone, Default)]
struct Pattern {
    shape: Vec<u64>,
    /// Distances along each dimension, where not every element is wanted.
    step: Option<Vec<u64>>,
    is_irregular: bool,
    is_write: bool,
    memory_type: String,
    calls: Calls,
    places: Places,
}

impl Patterns {
    /// Notes a call and the chunks that it decoded, where they are counted.
    pub fn note(&mut self, call: &Call<'_>, bytes: u64, decodes: Option<u64>) {
        if !self.patterns.get(self.last).is_some_and(|last| last.is_of(call)) {
            self.last = match self.patterns.iter().position(|pattern| pattern.is_of(call)) {
                Some(found) => found,
                None if self.patterns.len() < PATTERNS_MAX => {
                    self.patterns.push(Pattern::of(call));
                    self.patterns.len() - 1
                }
                None => self.patterns.len() - 1,
            };
        }
        let Some(pattern) = self.patterns.get_mut(self.last) else { return };
        pattern.calls.add(Calls { calls: 1, bytes, seconds: call.seconds, decodes });
        if let Read::Blocks { start, .. } = call.read {
            pattern.places.note(start);
        }
    }

    pub(crate) fn written<'p>(
        &'p self,
        dataset: &'p TracedDataset,
    ) -> impl Iterator<Item = TracedPattern> + 'p {
        self.patterns.iter().map(|pattern| pattern.written(dataset))
    }

    /// The reads that were made most, as the doctor takes them. Random places are a round number, so that one call more asks for
    /// nothing new.
    pub fn reads(&self, most: usize) -> Vec<RequestedRead> {
        let dataset = TracedDataset::default();
        let mut patterns: Vec<_> = self.patterns.iter().filter(|pattern| !pattern.is_write).collect();
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.calls.calls));
        let mut reads: Vec<RequestedRead> = Vec::new();
        for pattern in patterns.into_iter().take(most).map(|pattern| pattern.written(&dataset)) {
            let count = pattern.count.next_power_of_two();
            let Ok(placement) = (TracedPattern { count, ..pattern.clone() }).placement() else { continue };
            let read = RequestedRead {
                placement,
                ..RequestedRead::new(BlockShape::of_elements(&pattern.shape), 1.0)
            };
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
        reads
    }
}
/// The covered extent along a dimension, and the distance of its elements where not each is wanted.
fn covered(step: u64, count: u64, block: u64) -> (u64, u64) {
    if count == 1 || step == block { (count * block, 1) } else { ((count - 1) * step + block, step) }
}

impl Pattern {
    fn written(&self, dataset: &TracedDataset) -> TracedPattern {
        TracedPattern {
            dataset: dataset.traced.clone(),
            file: Some(dataset.file.clone()),
            inode: dataset.inode,
            shape: self.shape.clone(),
            step: self.step.clone(),
            order: self.places.order(),
            count: self.calls.calls,
            write: self.is_write,
            irregular: self.is_irregular,
            bytes: self.calls.bytes,
            seconds: rounded(self.calls.seconds),
            decodes: self.calls.decodes,
            memory_type: self.memory_type.clone(),
        }
    }

    fn of(call: &Call<'_>) -> Self {
        let (mut shape, mut step, mut is_irregular) = (vec![1; call.rank], None, true);
        if let Read::Blocks { step: steps, count, block, .. } = call.read {
            let along = |axis: usize| covered(steps[axis], count[axis], block[axis]);
            shape = (0..count.len()).map(|axis| along(axis).0).collect();
            let steps: Vec<u64> = (0..count.len()).map(|axis| along(axis).1).collect();
            // Several elements, then a gap: no step says that.
            is_irregular = (0..count.len()).any(|axis| along(axis).1 > 1 && block[axis] > 1);
            step = (steps.iter().any(|step| *step > 1) && !is_irregular).then_some(steps);
        }
        let memory_type = call.memory_type.to_owned();
        Self { shape, step, is_irregular, is_write: call.is_write, memory_type, ..Self::default() }
    }

    fn is_of(&self, call: &Call<'_>) -> bool {
        if self.is_write != call.is_write || self.memory_type != call.memory_type {
            return false;
        }
        let Read::Blocks { step, count, block, .. } = call.read else {
            return self.is_irregular && self.step.is_none();
        };
        self.shape.len() == count.len()
            && (0..count.len()).all(|axis| {
                let (extent, distance) = covered(step[axis], count[axis], block[axis]);
                let own = self.step.as_ref().map_or(1, |steps| steps[axis]);
                self.shape[axis] == extent && (own == distance || self.is_irregular)
            })
    }
}
