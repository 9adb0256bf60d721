//! Names and texts in CDL.

/// A name with a backslash before each character that would end it.
pub(super) fn identifier(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, c) in name.chars().enumerate() {
        let is_leading_digit = i == 0 && c.is_ascii_digit();
        if c.is_ascii_control() {
            out.push_str(&format!("\\%{:02x}", c as u32));
            continue;
        }
        if is_leading_digit || " !\"#$%&'()*,:;<=>?[]\\^`{|}~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The name of a variable before a colon: `data:` would begin CDL's data section.
pub(super) fn attribute_prefix(name: &str) -> String {
    let escaped = identifier(name);
    if escaped == "data" { escaped + " " } else { escaped }
}

/// A text in quotation marks, with C's escapes.
pub(super) fn quoted(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            c if c.is_ascii_control() => out.push_str(&format!("\\{:03o}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// ncdump does not print the NULs at the end of a text.
pub(super) fn without_trailing_nuls(text: &[u8]) -> &[u8] {
    &text[..text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_called_data_does_not_begin_the_data_section() {
        assert_eq!(
            (attribute_prefix("data").as_str(), attribute_prefix("data1").as_str()),
            ("data ", "data1")
        );
    }

    #[test]
    fn names_and_texts_are_escaped() {
        assert_eq!(identifier("9 dim+a/b"), "\\9\\ dim+a/b");
        assert_eq!(identifier("a\nb"), "a\\%0ab");
        assert_eq!(quoted(b"he said \"x\"\n\t\\\x01"), "\"he said \\\"x\\\"\\n\\t\\\\\\001\"");
        assert_eq!(without_trailing_nuls(b"ab\0c\0\0"), b"ab\0c");
        assert_eq!(without_trailing_nuls(b"\0"), b"");
    }
}
