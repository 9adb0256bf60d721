//! Byte sizes as people write them, and counts as they read them. This is the only grammar of sizes in hyperslab: command-
//! line options, environment variables and Python functions all read sizes with [`parse_bytes`].
//!
//! ```text
//! size    = number [space] [unit]            in any case
//! number  = digits [ "." digits ]            digits may be grouped by "_"
//! unit    = "B"
//!         | "K" | "KiB" | "M" | "MiB" | "G" | "GiB" | "T" | "TiB" | "P" | "PiB"      powers of 1024
//!         | "KB" | "MB" | "GB" | "TB" | "PB"                                         powers of 1000
//! ```
//!
//! A bare `K`, `M` or `G` is a power of 1024, as people mean it for caches. A fraction of a byte is dropped.

mod count;
pub mod size;

pub use count::{capitalised, count_text, counted_text, hex};

/// Text that is not a byte size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a valid byte size: {problem}; use a number with KiB, MiB or GiB, for example 500MiB"
)]
pub struct SizeError {
    /// As it was written.
    pub text: String,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// Reads a byte size, for example `1048576`, `3MB` or `1.5 GiB`.
///
/// # Errors
/// [`SizeError`] for text outside the grammar, and for a size of 2⁶⁴ bytes or more.
pub fn parse_bytes(text: &str) -> Result<u64, SizeError> {
    let fail = |problem| SizeError { text: text.to_owned(), problem };
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| !matches!(c, '0'..='9' | '.' | '_')).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(split);
    let factor = factor(unit.trim()).ok_or_else(|| fail("unknown unit"))?;
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() || fraction.contains('.') {
        return Err(fail("not a number"));
    }
    let whole: u64 = whole.parse().map_err(|_| fail("too large"))?;
    // Digits beyond the eighteenth are worth less than a byte of any unit.
    let digits = &fraction[..fraction.len().min(18)];
    let (part, scale) = match digits {
        "" => (0, 1),
        digits => (digits.parse::<u64>().map_err(|_| fail("not a number"))?, 10u128.pow(digits.len() as u32)),
    };
    let bytes = u128::from(whole) * u128::from(factor) + u128::from(part) * u128::from(factor) / scale;
    u64::try_from(bytes).map_err(|_| fail("too large"))
}

/// A byte size as [`parse_bytes`] reads it, in the largest unit of which it is a multiple: `8MiB`, `1025`.
pub fn bytes_option(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let fits = |(_, bits): &&(&str, u32)| bytes > 0 && bytes.trailing_zeros() >= *bits;
    units
        .iter()
        .find(fits)
        .map_or_else(|| bytes.to_string(), |(unit, bits)| format!("{}{unit}", bytes >> bits))
}

fn factor(unit: &str) -> Option<u64> {
    let unit = unit.to_ascii_lowercase();
    let (prefix, base) = match unit.as_str() {
        "" | "b" => return Some(1),
        other => match (other.strip_suffix("ib"), other.strip_suffix('b')) {
            (Some(prefix), _) => (prefix, 1024u64),
            (None, Some(prefix)) => (prefix, 1000),
            (None, None) => (other, 1024),
        },
    };
    let power = ["k", "m", "g", "t", "p"].iter().position(|known| *known == prefix)?;
    Some(base.pow(power as u32 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_of_options_are_read_back() {
        let sizes = [0, 1, 1023, 1024, 1025, 8 << 20, 3 << 29, (1 << 40) + 1, 1 << 40, u64::MAX];
        let texts = sizes.map(bytes_option);
        assert_eq!(texts[3..7], ["1KiB", "1025", "8MiB", "1536MiB"].map(str::to_owned));
        assert_eq!(texts.map(|text| parse_bytes(&text)), sizes.map(Ok));
    }

    #[test]
    fn sizes_are_read_with_and_without_units() {
        for (text, bytes) in [
            ("1048576", 1 << 20),
            (" 3 MiB ", 3 << 20),
            ("3 mib", 3 << 20),
            ("3MB", 3_000_000),
            ("1M", 1 << 20),
            ("1.5KiB", 1536),
            ("1.5g", 3 << 29),
            ("1.", 1),
            ("8_388_608", 8 << 20),
            ("7 B", 7),
            ("1.1KB", 1100),
            ("1PiB", 1 << 50),
            ("16383.999PiB", 18_446_742_947_809_644_773),
            ("0", 0),
            ("0.3333333333333333333333333333KiB", 341),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn a_fraction_of_a_byte_is_dropped() {
        assert_eq!(parse_bytes("1.0001 KiB"), Ok(1024));
        assert_eq!(parse_bytes("1.9"), Ok(1));
    }

    #[test]
    fn what_is_not_a_size_is_refused() {
        for text in [
            "",
            "x",
            "MiB",
            "3 parsecs",
            "3q",
            "1.2.3",
            "99999999999999999999",
            "20000000000000000G",
            "1e3",
            "-1",
        ] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
        let told = parse_bytes("12q").unwrap_err().to_string();
        assert_eq!(
            told,
            "`12q` is not a valid byte size: unknown unit; use a number with KiB, MiB or GiB, for example 500MiB"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = parse_bytes(&text);
        }

        #[test]
        fn any_number_of_bytes_is_itself(bytes: u64) {
            prop_assert_eq!(parse_bytes(&bytes.to_string()), Ok(bytes));
        }
    }
}
