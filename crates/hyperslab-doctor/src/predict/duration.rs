//! Durations as people write them.

/// A duration with a unit: `3 min 45 s`, `0.21 s`, `13 ms`.
pub fn seconds_text(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "?".to_owned(),
        s if s < 0.000_999_5 => format!("{:.0} µs", s * 1e6),
        s if s < 0.099_95 => format!("{:.1} ms", s * 1e3),
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 119.5 => format!("{s:.0} s"),
        s if s < 7_170.0 => {
            let whole = s.round() as u64;
            format!("{} min {:02} s", whole / 60, whole % 60)
        }
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_for_people() {
        let texts: Vec<String> =
            [3e-6, 0.0131, 0.212, 12.3, 225.4, 119.4, 7300.0, 1e6].map(seconds_text).to_vec();
        assert_eq!(texts, ["3 µs", "13.1 ms", "0.21 s", "12 s", "3 min 45 s", "119 s", "2.0 h", "11.6 days"]);
    }
}
