//! The scale of long tests: smaller in the edit loop, larger in the full run.

/// The number of repetitions of a test with random input, relative to that in CI.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale(f64);

/// The scale of this run: the value of `HYPERSLAB_TEST_SCALE`, by default 1. `scripts/test --quick` sets a smaller
/// scale, `scripts/test --full` a larger one.
///
/// # Panics
///
/// If the variable is not a positive number.
pub fn scale() -> Scale {
    let text = std::env::var("HYPERSLAB_TEST_SCALE").unwrap_or_else(|_| "1".to_owned());
    Scale::parse(&text).unwrap_or_else(|| panic!("HYPERSLAB_TEST_SCALE={text}: not a positive number"))
}

impl Scale {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|scale: &f64| *scale > 0.0 && scale.is_finite()).map(Self)
    }

    /// The number of repetitions that is `count` at scale 1. At least 1.
    pub fn of(self, count: usize) -> usize {
        ((count as f64 * self.0).round() as usize).max(1)
    }

    /// The number of repetitions that is `count` at scale 1, and `full` in the full run, if that is not ten times as many.
    pub fn sample(self, count: usize, full: usize) -> usize {
        if self.is_full() { full } else { self.of(count) }
    }

    /// True in the full run, which has what takes minutes to install.
    pub fn is_full(self) -> bool {
        self.0 >= 10.0
    }

    /// The distance between the places of a test that goes along something, which is `step` at scale 1. At least 1.
    pub fn step(self, step: usize) -> usize {
        ((step as f64 / self.0).round() as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn counts_follow_the_scale_but_are_at_least_one() {
        let scaled = |text| Scale::parse(text).map(|scale| scale.of(100));
        assert_eq!(["1", "0.1", "20", "0.0001"].map(scaled), [Some(100), Some(10), Some(2000), Some(1)]);
        assert_eq!(["0", "-1", "inf", "much", "NaN"].map(scaled), [None; 5]);
        assert_eq!(["1", "10"].map(|text| Scale::parse(text).unwrap().is_full()), [false, true]);
        let steps = |text| Scale::parse(text).map(|scale| scale.step(60));
        assert_eq!(["1", "0.1", "20", "1000"].map(steps), [Some(60), Some(600), Some(3), Some(1)]);
    }
}
