//! What several measurements of the same say together.

use serde::{Deserialize, Serialize};

/// Median and spread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Half of the runs took less.
    pub median: f64,
    /// The fastest run.
    pub min: f64,
    /// The slowest run.
    pub max: f64,
    /// How many there are.
    pub runs: usize,
    /// Outliers: runs that another process may have disturbed.
    pub outliers: usize,
    /// Each run, in the order in which they were made; empty in documents of older releases.
    #[serde(default)]
    pub samples: Vec<f64>,
}

/// A run this many (scaled) median deviations away from the median is an outlier (Iglewicz and Hoaglin 1993).
const OUTLIER_SCORE: f64 = 3.5;
/// Scales the median deviation to the standard deviation of a normal distribution.
const SCALE: f64 = 0.6745;
/// A run nearer to the median than this share of it is none, however well the others agree: runs of 50 µs differ by
/// microseconds, for which nothing else has to be at work.
const NEAR: f64 = 0.1;

impl Summary {
    /// Sums up; all zeros for no runs.
    pub fn of(values: &[f64]) -> Self {
        let Some(middle) = median(values) else { return Self::default() };
        let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        let deviation = median(&deviations).unwrap_or(0.0);
        // Where most runs agree to the last digit, any other would be an outlier.
        let is_outlier = |value: &&f64| {
            let away = (*value - middle).abs();
            deviation > 0.0 && SCALE * away / deviation > OUTLIER_SCORE && away > NEAR * middle
        };
        Self {
            median: middle,
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            runs: values.len(),
            outliers: if values.len() < 4 { 0 } else { values.iter().filter(is_outlier).count() },
            samples: values.to_vec(),
        }
    }
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        len if len % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(Summary::of(&[3.0, 1.0, 2.0]).median, 2.0);
        let even = Summary::of(&[4.0, 1.0, 2.0, 3.0]);
        assert_eq!((even.median, even.min, even.max, even.runs), (2.5, 1.0, 4.0, 4));
        assert_eq!(Summary::of(&[]), Summary::default());
    }

    #[test]
    fn a_run_far_away_is_noticed() {
        assert_eq!(Summary::of(&[1.0, 1.01, 0.99, 1.02, 9.0]).outliers, 1);
        assert_eq!(Summary::of(&[1.0, 1.1, 0.9, 1.2, 0.8]).outliers, 0);
        assert_eq!(Summary::of(&[1.0, 1.0, 1.0, 1.0, 1.1]).outliers, 0, "no spread to measure by");
        assert_eq!(Summary::of(&[1.0, 50.0]).outliers, 0, "too few to say");
    }

    #[test]
    fn microseconds_are_no_distance() {
        let runs = [50.0e-6, 50.1e-6, 49.9e-6, 50.2e-6];
        let outliers = |last: f64| Summary::of(&[&runs[..], &[last]].concat()).outliers;
        assert_eq!([54.0e-6, 46.0e-6].map(outliers), [0, 0]);
        assert_eq!([60.0e-6, 40.0e-6].map(outliers), [1, 1]);
    }
}
