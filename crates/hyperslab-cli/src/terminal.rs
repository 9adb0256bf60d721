//! The terminal that text is written to.

use std::io::IsTerminal;

/// Columns if the terminal's width is not known.
const COLUMNS: usize = 100;

/// The columns of text: those that the variable `COLUMNS` names, or those of the terminal.
pub(crate) fn columns() -> usize {
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || {
        let size = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
        size.map(|(width, _)| width.0.into())
    };
    named.or_else(terminal).unwrap_or(COLUMNS)
}
