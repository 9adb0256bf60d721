//! Text wrapped into lines.

/// Appends `text` wrapped at spaces into lines of at most `width` columns; a longer word stays whole. The first line
/// begins with `first`, the others with `rest`.
pub(super) fn wrap(out: &mut String, text: &str, width: usize, first: &str, rest: &str) {
    let mut line = first.to_owned();
    let mut has_word = false;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let needed = line.chars().count() + usize::from(has_word) + word.chars().count();
        if has_word && needed > width {
            out.push_str(line.trim_end());
            out.push('\n');
            line = rest.to_owned();
            has_word = false;
        }
        if has_word {
            line.push(' ');
        }
        line.push_str(word);
        has_word = true;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole() {
        let mut out = String::new();
        wrap(&mut out, "one two three incomprehensible", 9, "- ", "  ");
        assert_eq!(out, "- one two\n  three\n  incomprehensible\n");
    }
}
