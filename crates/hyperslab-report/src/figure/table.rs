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
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.title) {
                table {
                    @if is_titled { caption { (self.title) } }
                    thead { tr { @for column in &self.columns { th.(column.align.class()) scope="col" { (column.title) } } } }
                    tbody {
                        @for row in &self.rows {
                            tr { @for (cell, column) in row.iter().zip(&self.columns) { (column.align.cell(cell)) } }
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

    fn cell(self, text: &str) -> Markup {
        html! {
            td.(self.class()) {
                @if self == Self::Command && !text.is_empty() { (command(text)) } @else { (text) }
            }
        }
    }
}

/// A command line with a button to copy it.
pub(super) fn command(text: &str) -> Markup {
    html! { span.copyable { code { (text) } button.copy type="button" hidden { "copy" } } }
}
