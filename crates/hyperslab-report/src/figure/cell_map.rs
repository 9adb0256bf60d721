//! A map of equal cells in reading order, each of one kind: what the parts of a file belong to, or how often they are
//! used.

use super::STYLES;
use super::heat_map::heat_step;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A map of cells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CellMap {
    /// The title.
    pub title: String,
    /// Cells of a row.
    pub columns: usize,
    /// The kind of each cell, as a place in `kinds`; row by row.
    pub cells: Vec<u16>,
    /// The kinds of cells, as the legend lists them.
    pub kinds: Vec<CellKind>,
    /// What a cell stands for, before the legend: `a cell is 12 KiB`.
    pub unit: String,
}

/// A kind of cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellKind {
    /// Its name in the legend.
    pub name: String,
    /// Its value in the legend, such as its size.
    pub text: String,
    /// Its colour.
    pub colour: CellColour,
}

/// The colour of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellColour {
    /// One of the colours that distinguish the kinds, counted from 0.
    Distinct(usize),
    /// A step of the scale from best to worst.
    Heat(usize),
    /// Something that is not the subject.
    Muted,
    /// Nothing.
    Empty,
}

/// Side of a cell in a square of side 1; the rest is the gap to the next.
const SIDE: f64 = 0.86;

impl CellColour {
    /// The colour of something that is this many times what it should be.
    pub fn of_times(times: f64) -> Self {
        Self::Heat(heat_step(times))
    }

    fn class(self) -> String {
        match self {
            Self::Distinct(number) => format!("style-{}", number % STYLES),
            Self::Heat(step) => format!("heat-{step}"),
            Self::Muted => "muted".to_owned(),
            Self::Empty => "empty".to_owned(),
        }
    }
}

impl CellMap {
    pub(super) fn markup(&self) -> Markup {
        let columns = self.columns.max(1);
        let rows = self.cells.len().div_ceil(columns);
        let text = |kind: &CellKind| {
            if kind.text.is_empty() { kind.name.clone() } else { format!("{}: {}", kind.name, kind.text) }
        };
        html! {
            figure.cells {
                figcaption { (self.title) }
                svg viewBox=(format!("0 0 {columns} {rows}")) role="img" aria-label=(self.title) {
                    @for (number, kind) in self.kinds.iter().enumerate() {
                        path.(kind.colour.class()) d=(self.path(number, columns)) data-tip=(text(kind)) {}
                    }
                }
                ul.legend {
                    @if !self.unit.is_empty() { li { (self.unit) } }
                    @for kind in &self.kinds { li {
                        svg.swatch.cell viewBox="0 0 1 1" aria-hidden="true" { path.(kind.colour.class()) d="M0 0h1v1h-1z" {} }
                        (text(kind))
                    } }
                }
            }
        }
    }

    /// The outline of all cells of one kind; neighbours in a row are drawn as one.
    fn path(&self, kind: usize, columns: usize) -> String {
        let mut path = String::new();
        for (row, cells) in self.cells.chunks(columns).enumerate() {
            let mut column = 0;
            for run in cells.chunk_by(|a, b| a == b) {
                if usize::from(run[0]) == kind {
                    let width = run.len() as f64 - (1.0 - SIDE);
                    let _ = write!(path, "M{column} {row}h{width:.2}v{SIDE}h-{width:.2}z");
                }
                column += run.len();
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_kind_are_one_path_and_its_legend_says_what_they_are() {
        let kind = |name: &str, text: &str, colour| CellKind { name: name.into(), text: text.into(), colour };
        let map = CellMap {
            title: "<file>".into(),
            columns: 3,
            cells: vec![0, 1, 1, 1, 0],
            kinds: vec![kind("meta", "", CellColour::Distinct(1)), kind("/d", "3 B", CellColour::Heat(0))],
            unit: "a cell is 1 B".into(),
        };
        assert_eq!(map.path(0, 3), "M0 0h0.86v0.86h-0.86zM1 1h0.86v0.86h-0.86z");
        assert_eq!(map.path(1, 3), "M1 0h1.86v0.86h-1.86zM0 1h0.86v0.86h-0.86z");
        let text = map.markup().into_string();
        assert!(text.contains(r#"viewBox="0 0 3 2""#) && text.contains("&lt;file&gt;"), "{text}");
        assert!(text.contains("/d: 3 B") && text.contains(r#"class="style-1""#) && text.contains("heat-0"));
    }

    #[test]
    fn what_is_as_it_should_be_has_the_best_colour() {
        assert_eq!(CellColour::of_times(1.0), CellColour::Heat(0));
        assert!(CellColour::of_times(20.0) > CellColour::of_times(2.0));
    }
}
