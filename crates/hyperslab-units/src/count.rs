//! Counts, sentences and checksums as people read them.

/// `16,200`
pub fn count_text(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 request`, `16,200 requests`
pub fn counted_text(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", count_text(count), if count == 1 { "" } else { "s" })
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text with a capital at its beginning, if that is a letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_two_digits_each() {
        assert_eq!(hex(&[0, 0xab, 7]), "00ab07");
    }

    #[test]
    fn sentences_begin_with_a_capital() {
        assert_eq!(["a cache", "1 chunk", ""].map(capitalised), ["A cache", "1 chunk", ""]);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [0, 15, 999, 1000, 16_200, 1_234_567].map(count_text),
            ["0", "15", "999", "1,000", "16,200", "1,234,567"]
        );
    }

    #[test]
    fn only_one_is_singular() {
        assert_eq!(
            [0, 1, 2000].map(|count| counted_text(count, "file")),
            ["0 files", "1 file", "2,000 files"]
        );
    }
}
