//! Names and numbers in the syntax of Python and of shells.

/// A tuple of Python, of one element with its comma: `(73, 91)`, `(100,)`.
pub fn python_tuple(sizes: &[u64]) -> String {
    let numbers = sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    if sizes.len() == 1 { format!("({numbers},)") } else { format!("({numbers})") }
}

/// A Python string literal in double quotes.
pub fn python_string(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A text quoted as one word of a POSIX shell.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:@%,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
        text.to_owned()
    } else if text.contains(char::is_control) {
        // As bash, zsh and ksh understand it: nothing reaches the terminal that it would obey.
        let escaped = |c: char| match c {
            '\'' => r"\'".to_owned(),
            '\\' => r"\\".to_owned(),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\x{byte:02x}")).collect()
            }
            c => c.to_string(),
        };
        format!("$'{}'", text.chars().map(escaped).collect::<String>())
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_quotes() {
        assert_eq!(python_string("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
        assert_eq!(shell_word("it's; rm *"), r"'it'\''s; rm *'");
        assert_eq!(shell_word("-x"), "'-x'");
        assert_eq!(shell_word("/a/b_1.h5"), "/a/b_1.h5");
    }
}
