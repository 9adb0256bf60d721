//! Sizes in bytes as people read them: `3 MiB`, `717 B`.

/// A size with a unit: `3 MiB`, `2.95 MiB`, `717 B`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_for_people() {
        assert_eq!(bytes_text(717), "717 B");
        assert_eq!(bytes_text(3_097_440), "2.95 MiB");
        assert_eq!(bytes_text(3 << 20), "3 MiB");
        assert_eq!(bytes_text(46_461_600), "44.3 MiB");
        assert_eq!(bytes_text(1_517_875_200), "1.41 GiB");
    }
}
