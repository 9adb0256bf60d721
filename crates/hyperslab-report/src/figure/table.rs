//! Tables. A wide table scrolls horizontally; a long one can be collapsed, and is expanded when the page is printed.

use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The title.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, with one cell per column.
    pub rows: Vec<Vec<String>>,
    /// True if the table is collapsed until the reader opens it.
    pub is_folded: bool,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The heading.
    pub title: String,
    /// The alignment and kind of its cells.
    pub align: Align,
}

/// The alignment and kind of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
    /// A command line that can be copied.
    Command,
}

impl Column {
    /// A column.
    pub fn new(title: impl Into<String>, align: Align) -> Self {
        Self { title: title.into(), align }
    }
}

/// A column by its heading.
impl<T: Into<String>> From<(T, Align)> for Column {
    fn from((title, align): (T, Align)) -> Self {
        Self::new(title, align)
    }
}

impl Table {
    /// A table without rows.
    pub fn new<C: Into<Column>>(title: impl Into<String>, columns: impl IntoIterator<Item = C>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { title: title.into(), columns, ..Self::default() }
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(mut self, cells: impl IntoIterator<Item = T>) -> Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// Adds rows.
    pub fn rows<T: Into<String>, R: IntoIterator<Item = T>>(self, rows: impl IntoIterator<Item = R>) -> Self {
        rows.into_iter().fold(self, Self::row)
    }

    /// Collapses the table until the reader opens it.
    pub fn folded(self) -> Self {
        Self { is_folded: true, ..self }
    }

    pub(super) fn markup(&self) -> Markup {
        html! {
            @if self.is_folded {
                details.numbers {
                    summary { (self.title) }
                    (self.body(false))
                }
            } @else {
                figure.table { (self.body(true)) }
            }
        }
    }

    fn body(&self, is_titled: bool) -> Markup {
        let has_commands = self.columns.iter().any(|column| column.align == Align::Command);
        html! {
            // Beside the table, so that it is not wider than the screen where the table is.
            @if is_titled { figcaption { (self.title) } }
            div.scroll tabindex="0" role="region" aria-label=(self.title) {
                table.commands[has_commands] {
                    thead { tr { @for column in &self.columns { th.(column.align.class()) scope="col" { (column.title) } } } }
                    tbody {
                        @for row in &self.rows {
                            tr { @for (cell, column) in row.iter().zip(&self.columns) { (column.align.cell(cell, &column.title)) } }
                        }
                    }
                }
            }
        }
    }
}

impl Align {
    fn class(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Command => "command",
        }
    }

    /// A cell. `title` is that of its column, which a small screen shows beside it.
    fn cell(self, text: &str, title: &str) -> Markup {
        html! {
            td.(self.class()) data-title=(title) {
                @match (self, text.split_once(ARROW)) {
                    (Self::Command, _) if !text.is_empty() => (command(text)),
                    (Self::Right, Some((before, after))) => (before_after(before, after)),
                    _ => (text),
                }
            }
        }
    }
}

/// Between a value before and after.
const ARROW: &str = " → ";

/// A value before and after, which may be broken at the arrow only.
fn before_after(before: &str, after: &str) -> Markup {
    html! { span.value { (before) " →" } " " span.value { (after) } }
}

/// A command line with a button to copy it.
pub(super) fn command(text: &str) -> Markup {
    html! { span.copyable { code { (text) } button.copy type="button" hidden { "copy" } } }
}
