//! The help of commands as paragraphs: clap breaks lines at the width of the terminal, and would break again the lines
//! that are broken in the source.

use clap::Command;

/// Lines of paragraphs are at least this long in the source, except the last one.
const FULL_LINE: usize = 90;

/// The same command line, with the paragraphs of its help in one line each.
pub(crate) fn with_paragraphs(command: Command) -> Command {
    let long = command.get_after_long_help().map(|text| paragraphs(&text.to_string()));
    let command = command.mut_subcommands(with_paragraphs);
    match long {
        Some(text) => command.after_long_help(text),
        None => command,
    }
}

/// Joins the lines of each paragraph. Examples and tables stay as they are.
fn paragraphs(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut is_full = false;
    for line in text.split('\n') {
        match lines.last_mut() {
            Some(last) if is_full && is_prose(line) && indent(line) == indent(last) => {
                last.push(' ');
                last.push_str(line.trim_start());
            }
            _ => lines.push(line.to_owned()),
        }
        is_full = is_prose(line) && line.chars().count() >= FULL_LINE;
    }
    lines.join("\n")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// True for a line of words, which is neither an example nor one with columns.
fn is_prose(line: &str) -> bool {
    let words = line.trim_start();
    !words.is_empty() && !words.starts_with("hyperslab ") && !words.contains("  ")
}

#[cfg(test)]
mod tests {
    use super::paragraphs;

    #[test]
    fn lines_of_a_paragraph_are_joined() {
        let full = "word ".repeat(22).trim_end().to_owned();
        let text = format!("HEAD\n  {full}\n  {full}\n  end.\n  Another.\n\n{full}\nend.\n");
        let joined = format!("HEAD\n  {full} {full} end.\n  Another.\n\n{full} end.\n");
        assert_eq!(paragraphs(&text), joined);
    }

    #[test]
    fn examples_and_columns_are_not() {
        let example = format!("  hyperslab bench {}", "--read 1x2 ".repeat(10).trim_end());
        for text in [
            format!("{example}\n{example}\n"),
            format!("{example}\n      what it costs\n"),
            format!("  a  {0}\n  b  {0}\n", "word ".repeat(20).trim_end()),
        ] {
            assert_eq!(paragraphs(&text), text);
        }
    }
}
