//! When calls were made: parts of equal length, which become twice as long when there are too many.

use crate::record::Timeline;

const PARTS_MAX: usize = 128;
const PART_SECONDS_MIN: f64 = 0.125;

/// Calls by time.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    part_seconds: f64,
    first: u64,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Part {
    seconds: f64,
    calls: u64,
    decodes: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self { part_seconds: PART_SECONDS_MIN, first: 0, parts: Vec::new() }
    }
}

impl Times {
    /// Notes a call that ended at a time.
    pub(crate) fn note(&mut self, at: f64, seconds: f64, decodes: u64) {
        loop {
            let part = (at / self.part_seconds) as u64;
            if self.parts.is_empty() {
                self.first = part;
            }
            // Of several threads, one may be late.
            let index = part.saturating_sub(self.first) as usize;
            if index < PARTS_MAX {
                if index >= self.parts.len() {
                    self.parts.resize(index + 1, Part::default());
                }
                self.parts[index].add(Part { seconds, calls: 1, decodes });
                return;
            }
            self.halve();
        }
    }

    fn halve(&mut self) {
        let first = self.first / 2;
        let mut halved = Vec::with_capacity(PARTS_MAX);
        for (number, part) in self.parts.iter().enumerate() {
            let index = ((self.first + number as u64) / 2 - first) as usize;
            if index >= halved.len() {
                halved.resize(index + 1, Part::default());
            }
            halved[index].add(*part);
        }
        *self = Self { part_seconds: self.part_seconds * 2.0, first, parts: halved };
    }

    pub(crate) fn written(&self) -> Timeline {
        Timeline {
            part_seconds: self.part_seconds,
            first_part: self.first,
            seconds: self.parts.iter().map(|part| rounded(part.seconds)).collect(),
            calls: self.parts.iter().map(|part| part.calls).collect(),
            decodes: self.parts.iter().map(|part| part.decodes).collect(),
        }
    }
}

impl Part {
    fn add(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.calls += other.calls;
        self.decodes += other.decodes;
    }
}

/// Seconds to the microsecond.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_has_longer_parts_and_loses_nothing() {
        let mut times = Times::default();
        for second in 100..1100 {
            times.note(f64::from(second), 0.5, 2);
        }
        let written = times.written();
        assert!(written.calls.len() <= PARTS_MAX && written.part_seconds == 8.0, "{written:?}");
        assert_eq!(written.first_part, 12);
        assert_eq!((written.calls.iter().sum::<u64>(), written.decodes.iter().sum::<u64>()), (1000, 2000));
        assert!((written.seconds.iter().sum::<f64>() - 500.0).abs() < 1e-6);
    }
}
