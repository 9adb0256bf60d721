//! Figures: numbers of cells, as they were published and as they are measured.

use hyperslab_doctor::predict::seconds_text;
use hyperslab_engines::EngineKind;
use hyperslab_units::count_text;
use serde::{Deserialize, Serialize};

/// Whether a cell is a file for others, or a measurement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Writes a file for others to read.
    File,
    /// Writes, and is timed.
    Write,
    /// Reads.
    #[default]
    Read,
}

/// Something of a run that has a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Seconds of all reads or writes.
    Seconds,
    /// Seconds of the first.
    First,
    /// Seconds of one, on average.
    Average,
    /// Seconds of opening, reading or writing, and closing.
    Total,
    /// Bytes of the file.
    FileBytes,
    /// Bytes of the file beyond the values' own.
    Overhead,
    /// Seconds of all reads or writes, for each byte of values.
    PerByte,
    /// Chunks that were decoded.
    Decodes,
    /// Bytes that came from the file.
    ReadBytes,
    /// Calls that read the file.
    ReadCalls,
    /// Requests to the page buffer.
    PageAccesses,
    /// Those whose page was there.
    PageHits,
    /// Those whose page had to be read.
    PageMisses,
    /// Pages that made room for others.
    PageEvictions,
}

/// A figure that was published.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// What it is of.
    pub metric: Metric,
    /// In seconds, bytes, or a count.
    pub value: f64,
}

/// A number of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// The cell.
    pub cell: String,
    /// The engine.
    #[serde(rename = "who")]
    pub by: EngineKind,
    /// Which number.
    pub metric: Metric,
}

impl Metric {
    /// True where it says something of cells that do this.
    pub fn is_of(self, kind: Kind) -> bool {
        match self {
            Self::FileBytes | Self::Overhead => kind != Kind::Read,
            Self::Seconds | Self::First | Self::Average | Self::Total | Self::PerByte => kind != Kind::File,
            _ => kind == Kind::Read,
        }
    }

    /// A number of this kind: `0.37 s`, `43,162,046 B`, `16,200`.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Seconds | Self::First | Self::Average | Self::Total => seconds_text(value),
            Self::PerByte => format!("{:.2} ns", value * 1e9),
            Self::FileBytes | Self::Overhead | Self::ReadBytes => {
                let sign = if value < 0.0 { "-" } else { "" };
                format!("{sign}{} B", count_text(value.abs().round() as u64))
            }
            _ => count_text(value.round() as u64),
        }
    }
}

/// `3,527 times`, `46 times`, `1.03 times`.
pub(super) fn factor(ratio: f64) -> String {
    match ratio {
        ratio if !ratio.is_finite() => "?".to_owned(),
        ratio if ratio >= 9.95 => format!("{} times", count_text(ratio.round() as u64)),
        ratio if ratio >= 1.995 => format!("{ratio:.1} times"),
        ratio if (ratio - 1.0).abs() < 0.0095 && ratio != 1.0 => format!("{ratio:.4} times"),
        ratio => format!("{ratio:.2} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_their_units() {
        assert_eq!(Metric::FileBytes.text(43_162_046.0), "43,162,046 B");
        assert_eq!(Metric::Overhead.text(-2048.0), "-2,048 B");
        assert_eq!(Metric::Seconds.text(0.37), "0.37 s");
        assert_eq!(Metric::Decodes.text(16_200.0), "16,200");
        assert_eq!(
            [3527.4, 46.3, 3.12, 1.034, 1.0018, 1.0].map(factor),
            ["3,527 times", "46 times", "3.1 times", "1.03 times", "1.0018 times", "1.00 times"]
        );
    }
}
