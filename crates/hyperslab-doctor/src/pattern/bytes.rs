//! Sizes in bytes, parsed and printed: `3MiB`, `3MB`, `1048576`.

use crate::DoctorError;

/// The units. A bare `K`, `M` or `G` is a power of two, as is common for caches.
const UNITS: [(&str, u64); 13] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
    ("tib", 1 << 40),
    ("tb", 1_000_000_000_000),
];

/// Parses a size: a number, possibly with a fraction, and a unit.
pub fn parse_bytes(text: &str) -> Result<u64, DoctorError> {
    let fail = |problem: &str| DoctorError::Bytes { text: text.to_owned(), problem: problem.to_owned() };
    let trimmed = text.trim();
    let split =
        trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(split);
    let unit = unit.trim().to_ascii_lowercase();
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(|| fail("unknown unit"))?;
    let number = number.replace('_', "");
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(*factor).ok_or_else(|| fail("too large"));
    }
    let fraction: f64 = number.parse().map_err(|_| fail("not a number"))?;
    let bytes = fraction * *factor as f64;
    if bytes.fract() != 0.0 || bytes >= u64::MAX as f64 {
        return Err(fail("not a whole number of bytes"));
    }
    Ok(bytes as u64)
}

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
    fn sizes_are_read_with_and_without_units() {
        for (text, bytes) in [
            ("1048576", 1 << 20),
            ("3MiB", 3 << 20),
            ("3 mib", 3 << 20),
            ("3MB", 3_000_000),
            ("1M", 1 << 20),
            ("1.5KiB", 1536),
            ("8_388_608", 8 << 20),
            ("0", 0),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in
            ["", "MiB", "3 parsecs", "1.0001 KiB", "99999999999999999999", "20000000000000000G", "1e3", "-1"]
        {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
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
