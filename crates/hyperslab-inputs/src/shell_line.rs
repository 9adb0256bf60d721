//! A command line that a shell reads as these words.

/// The words, quoted where a shell needs it.
pub fn shell_line(words: &[String]) -> String {
    // Arguments hold no zero byte, which is all that cannot be quoted.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}
