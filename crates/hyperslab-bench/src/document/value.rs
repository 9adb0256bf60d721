//! A value of a table: for people with its unit, for programs as a number in seconds or bytes.

use hyperslab_doctor::predict::seconds_text;
use hyperslab_measure::runner::Summary;
use hyperslab_units::{counted_text, size};

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not known, or not applicable.
    Nothing,
    /// Words.
    Text(String),
    /// A count.
    Count(u64),
    /// A number.
    Number(f64),
    /// True where the number is computed from other counts, not measured.
    Seconds(f64, bool),
    /// Negative for a saving.
    Bytes(i128),
    /// Bytes a second.
    Rate(f64),
}

impl Value {
    /// Words.
    pub fn text(text: impl ToString) -> Self {
        Self::Text(text.to_string())
    }

    /// Seconds.
    pub fn seconds(seconds: f64) -> Self {
        Self::Seconds(seconds, false)
    }

    /// Bytes.
    pub fn bytes(bytes: impl Into<i128>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// A number of decimals that a reader takes in: `2.13`, `21`.
    pub fn shown(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => format!("{number:.2}"),
            Self::Seconds(seconds, true) => extrapolated(*seconds),
            Self::Seconds(seconds, false) => seconds_text(*seconds),
            Self::Bytes(bytes) => {
                let sign = if *bytes < 0 { "-" } else { "" };
                format!("{sign}{}", size::bytes(u64::try_from(bytes.unsigned_abs()).unwrap_or(u64::MAX)))
            }
            Self::Rate(rate) => format!("{}/s", size::bytes(*rate as u64)),
        }
    }

    /// In seconds, bytes, or decimal megabytes a second.
    pub fn raw(&self) -> String {
        match self {
            Self::Number(number) | Self::Seconds(number, _) => number.to_string(),
            Self::Bytes(bytes) => bytes.to_string(),
            Self::Rate(rate) => (rate / 1e6).to_string(),
            Self::Nothing | Self::Text(_) | Self::Count(_) => self.shown(),
        }
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A time that was computed from a part of the reads: `≈3.19 s`.
pub fn extrapolated(seconds: f64) -> String {
    format!("≈{}", seconds_text(seconds))
}

/// `±3 % of 5`.
pub fn spread(summary: &Summary) -> String {
    if summary.runs < 2 || summary.median == 0.0 {
        return counted_text(summary.runs as u64, "run");
    }
    let half = (summary.max - summary.min) / 2.0 / summary.median;
    format!("±{:.0} % of {}", half * 100.0, summary.runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_units_and_programs_numbers() {
        let both = |value: Value| (value.shown(), value.raw());
        assert_eq!(both(Value::seconds(0.25)), ("0.25 s".into(), "0.25".into()));
        assert_eq!(both(Value::Seconds(0.25, true)), ("≈0.25 s".into(), "0.25".into()));
        assert_eq!(both(Value::bytes(-2048)), ("-2.0 KiB".into(), "-2048".into()));
        assert_eq!(both(Value::Rate(2e6)), ("1.9 MiB/s".into(), "2".into()));
        assert_eq!(both(None::<u64>.into()), (String::new(), String::new()));
    }
}
