//! Sizes and shapes as text.

/// `717 B`, `1.4 KiB`, `23.0 MiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    // A value that would be printed as 1024.0 belongs to the next unit.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A size with as many digits as tell it from its neighbours: `3 MiB`, `2.95 MiB`, `717 B`. [`bytes`] has one digit always, for
/// columns.
pub fn bytes_text(bytes: u64) -> String {
    let (unit, size) = match bytes {
        ..1_024 => return format!("{bytes} B"),
        1_024..1_048_576 => ("KiB", 1u64 << 10),
        1_048_576..1_073_741_824 => ("MiB", 1 << 20),
        1_073_741_824..1_099_511_627_776 => ("GiB", 1 << 30),
        _ => ("TiB", 1 << 40),
    };
    let value = bytes as f64 / size as f64;
    let digits = if bytes.is_multiple_of(size) || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

/// `60x30x9x717`.
pub fn shape(dims: &[u64]) -> String {
    dims.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

/// The size or `unlimited`, for each dimension.
pub fn max_shape(dims: &[Option<u64>]) -> String {
    let sizes = dims.iter().map(|dim| dim.map_or_else(|| "unlimited".to_owned(), |dim| dim.to_string()));
    sizes.collect::<Vec<_>>().join("x")
}

/// Logical by stored bytes, such as 1.08; `None` if nothing is stored.
pub fn ratio(logical: u64, stored: u64) -> Option<f64> {
    (stored > 0).then(|| logical as f64 / stored as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_at_a_glance() {
        let cases = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1 << 20, "1.0 MiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (3_097_440, "3.0 MiB"),
            (u64::MAX, "16.0 EiB"),
        ];
        for (count, text) in cases {
            assert_eq!(bytes(count), text);
        }
        assert_eq!(shape(&[60, 30, 9, 717]), "60x30x9x717");
        assert_eq!(max_shape(&[None, Some(3)]), "unlimitedx3");
        assert_eq!(ratio(3, 2), Some(1.5));
        assert_eq!(ratio(3, 0), None);
    }

    #[test]
    fn sizes_are_written_for_people() {
        assert_eq!(bytes_text(717), "717 B");
        assert_eq!(bytes_text(3_097_440), "2.95 MiB");
        assert_eq!(bytes_text(3 << 20), "3 MiB");
        assert_eq!(bytes_text(46_461_600), "44.3 MiB");
        assert_eq!(bytes_text(1_517_875_200), "1.41 GiB");
    }
}
