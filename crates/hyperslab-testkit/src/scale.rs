//! How much a long test does: less in the edit loop, more in the full run.

/// How often a test with random input repeats, relative to what CI runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale(f64);

/// The scale of this run: `HYPERSLAB_TEST_SCALE`, 1 without it. `scripts/test --quick` sets it below 1 and
/// `scripts/test --full` above.
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

    /// `count` at scale 1, and at least one.
    pub fn of(self, count: usize) -> usize {
        ((count as f64 * self.0).round() as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn counts_grow_and_shrink_but_never_to_nothing() {
        let scaled = |text| Scale::parse(text).map(|scale| scale.of(100));
        assert_eq!(["1", "0.1", "20", "0.0001"].map(scaled), [Some(100), Some(10), Some(2000), Some(1)]);
        assert_eq!(["0", "-1", "inf", "much", "NaN"].map(scaled), [None; 5]);
    }
}
