//! A matrix whose cells show, as text and by colour, how far each is from the best of its row or column.

use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// A matrix of coloured cells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatMap {
    /// The title.
    pub title: String,
    /// The heading of the row names.
    pub corner: String,
    /// The columns: the name of a group (adjacent columns of the same group are joined), and the name of the column.
    pub columns: Vec<(String, String)>,
    /// The rows.
    pub rows: Vec<HeatRow>,
    /// What a cell is compared with, before the legend: `times the best of its row:`.
    #[serde(default)]
    pub compares: String,
}

/// One row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatRow {
    /// The name of the row.
    pub name: String,
    /// More details, in small print.
    pub note: String,
    /// One cell per column; `None` if it is empty.
    pub cells: Vec<Option<HeatCell>>,
    /// True for the row that the reader should choose.
    #[serde(default)]
    pub is_best: bool,
    /// True for the row that all others are compared with.
    #[serde(default)]
    pub is_base: bool,
}

/// One cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatCell {
    /// The value divided by the best of the row or column; without it the cell is not coloured.
    pub times: Option<f64>,
    /// The text of the cell.
    pub text: String,
    /// The text that is shown when the pointer is over the cell; may have several lines.
    pub detail: String,
}

/// The colour steps: the maximum ratio to the best, and the text in the legend.
const STEPS: [(f64, &str); 8] = [
    (1.05, "best"),
    (1.5, "to 1.5×"),
    (3.0, "to 3×"),
    (10.0, "to 10×"),
    (30.0, "to 30×"),
    (100.0, "to 100×"),
    (1000.0, "to 1000×"),
    (f64::INFINITY, "more"),
];

/// The step of a value that is this many times the best.
pub(super) fn heat_step(times: f64) -> usize {
    STEPS.iter().position(|(most, _)| times <= *most).unwrap_or(STEPS.len() - 1)
}

impl HeatMap {
    pub(super) fn markup(&self) -> Markup {
        html! {
            figure.heat {
                figcaption { (self.title) }
                div.scroll tabindex="0" role="region" aria-label=(self.title) {
                    table {
                        thead {
                            @if self.columns.iter().any(|(group, _)| !group.is_empty()) {
                                tr {
                                    td {}
                                    @for (group, count) in self.groups() {
                                        th.group scope="colgroup" colspan=(count) { (group) }
                                    }
                                }
                            }
                            tr {
                                th.left scope="col" { (self.corner) }
                                @for (_, name) in &self.columns { th scope="col" { (name) } }
                            }
                        }
                        tbody { @for row in &self.rows { (row.markup()) } }
                    }
                }
                (self.legend())
            }
        }
    }

    /// The groups of adjacent columns, with their numbers of columns.
    fn groups(&self) -> Vec<(&str, usize)> {
        self.columns.chunk_by(|a, b| a.0 == b.0).map(|group| (group[0].0.as_str(), group.len())).collect()
    }

    /// The colour steps up to the largest ratio that occurs.
    fn legend(&self) -> Markup {
        let cells = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        let worst = cells.filter_map(|cell| cell.times).map(heat_step).max();
        html! {
            @if let Some(worst) = worst {
                ul.legend aria-label=(self.compares) {
                    @if !self.compares.is_empty() { li { (self.compares) } }
                    @for (number, (_, words)) in STEPS.iter().enumerate().take(worst + 1) {
                        li { span.swatch.(format!("heat-{number}")) {} (words) }
                    }
                }
            }
        }
    }
}

impl HeatRow {
    fn markup(&self) -> Markup {
        html! {
            tr.best[self.is_best].base[self.is_base] {
                th.left scope="row" {
                    (self.name)
                    @if !self.note.is_empty() { span.note { (self.note) } }
                }
                @for cell in &self.cells {
                    @match cell {
                        None => td.none { span.quiet { "–" } },
                        Some(cell) => td.(cell.class()) tabindex="0" data-tip=(cell.detail) title=(cell.detail) {
                            (cell.text)
                            @if let Some(times) = cell.times { span.times { (times_text(times)) } }
                        },
                    }
                }
            }
        }
    }
}

impl HeatCell {
    fn class(&self) -> String {
        self.times.map_or_else(|| "plain".to_owned(), |times| format!("heat-{}", heat_step(times)))
    }
}

fn times_text(times: f64) -> String {
    match times {
        times if times <= 1.0 => "best".to_owned(),
        times if times < 10.0 => format!("{times:.2}×"),
        times => format!("{times:.0}×"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_the_distance_from_the_best() {
        assert_eq!([1.0, 1.04, 1.4, 2.9, 9.0, 99.0, 1e9].map(heat_step), [0, 0, 1, 2, 3, 5, 7]);
        assert_eq!([1.0, 1.04, 12.3].map(times_text), ["best", "1.04×", "12×"]);
    }

    #[test]
    fn every_cell_says_in_words_what_its_colour_says() {
        let cell = HeatCell { times: Some(4.0), text: "80 ms".into(), detail: "a <b>".into() };
        let map = HeatMap {
            columns: vec![("libhdf5".into(), "1 MiB".into()), ("libhdf5".into(), "8 MiB".into())],
            rows: vec![HeatRow {
                name: "rows".into(),
                cells: vec![Some(cell), None],
                is_base: true,
                ..HeatRow::default()
            }],
            compares: "times the best of its column:".into(),
            ..HeatMap::default()
        };
        let text = map.markup().into_string();
        assert!(text.contains("80 ms") && text.contains("4.00×") && text.contains("heat-3"), "{text}");
        assert!(text.contains("a &lt;b&gt;") && text.contains(r#"colspan="2""#), "{text}");
        assert!(text.contains(r#"base">"#) && text.contains("best of its column:"), "{text}");
        assert!(!text.contains("heat-4"), "the legend ends with the worst that occurs");
    }
}
