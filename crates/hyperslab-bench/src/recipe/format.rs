//! Figures as people read them.

use super::plan::Metric;
use hyperslab_doctor::count_text;
use hyperslab_doctor::predict::seconds_text;

/// A number of this kind: `0.37 s`, `43,162,046 B`, `16,200`.
pub fn figure(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Seconds | Metric::First | Metric::Average | Metric::Total => seconds_text(value),
        Metric::PerByte => format!("{:.2} ns", value * 1e9),
        Metric::FileBytes | Metric::Overhead | Metric::ReadBytes => {
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{} B", count_text(value.abs().round() as u64))
        }
        _ => count_text(value.round() as u64),
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

/// The first letter large, where it is a letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_their_units() {
        assert_eq!(figure(Metric::FileBytes, 43_162_046.0), "43,162,046 B");
        assert_eq!(figure(Metric::Overhead, -2048.0), "-2,048 B");
        assert_eq!(figure(Metric::Seconds, 0.37), "0.37 s");
        assert_eq!(figure(Metric::Decodes, 16_200.0), "16,200");
        assert_eq!(
            [3527.4, 46.3, 3.12, 1.034, 1.0018, 1.0].map(factor),
            ["3,527 times", "46 times", "3.1 times", "1.03 times", "1.0018 times", "1.00 times"]
        );
        assert_eq!(capitalised("a cache"), "A cache");
    }
}
