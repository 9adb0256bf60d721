//! What choices change: a table of values before and after, coloured by how much better or worse they become.

use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// Values before and after each of several choices. Smaller is better.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// The title.
    pub title: String,
    /// The heading of the names of the choices.
    pub corner: String,
    /// The names of the values.
    pub columns: Vec<String>,
    /// One row for each choice: its name, and a change for each value, where it is known.
    pub rows: Vec<(String, Vec<Option<Change>>)>,
}

/// One value before and after.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// The value before, as text.
    pub before_text: String,
    /// The value after, as text.
    pub after_text: String,
    /// The text that is shown when the pointer is over the cell.
    pub detail: String,
}

/// Ratios up to this are not worth a colour, in either direction;
const SAME_MAX: f64 = 1.1;
/// from this on the colour is strong.
const STRONG_MIN: f64 = 1.75;

impl Changes {
    pub(super) fn markup(&self) -> Markup {
        html! {
            div.changes {
                @if !self.title.is_empty() { p.quiet { (self.title) } }
                div.scroll tabindex="0" role="region" aria-label=(self.title) {
                    table {
                        thead { tr {
                            th.left scope="col" { (self.corner) }
                            @for column in &self.columns { th scope="col" { (column) } }
                        } }
                        tbody { @for (name, cells) in &self.rows { tr {
                            th.left scope="row" { (name) }
                            @for (cell, column) in cells.iter().zip(&self.columns) {
                                @match cell {
                                    None => td.none data-title=(column) { span.quiet { "–" } },
                                    Some(change) => (change.markup(column)),
                                }
                            }
                        } } }
                    }
                }
            }
        }
    }
}

impl Change {
    fn markup(&self, column: &str) -> Markup {
        html! {
            td.(self.class()) tabindex="0" data-title=(column) data-tip=(self.detail) title=(self.detail) {
                span.before { (self.before_text) " →" } " " span.after { (self.after_text) }
                @let words = self.words();
                @if !words.is_empty() { span.times { (words) } }
            }
        }
    }

    /// How many times as good it becomes; below 1 it becomes worse.
    fn gain(&self) -> f64 {
        self.before.max(f64::MIN_POSITIVE) / self.after.max(f64::MIN_POSITIVE)
    }

    fn class(&self) -> &'static str {
        match self.gain() {
            gain if gain >= STRONG_MIN => "much-better",
            gain if gain >= SAME_MAX => "better",
            gain if gain > 1.0 / SAME_MAX => "same",
            gain if gain > 1.0 / STRONG_MIN => "worse",
            _ => "much-worse",
        }
    }

    /// `12× faster`; nothing where it stays the same.
    fn words(&self) -> String {
        let text = |times: f64| if times < 10.0 { format!("{times:.1}×") } else { format!("{times:.0}×") };
        match self.gain() {
            gain if gain >= SAME_MAX => format!("{} less", text(gain)),
            gain if gain > 1.0 / SAME_MAX => String::new(),
            gain => format!("{} more", text(1.0 / gain)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: f64, after: f64) -> Change {
        Change { before, after, ..Change::default() }
    }

    #[test]
    fn colours_and_words_say_the_same() {
        for (before, after, class, words) in [
            (56.0, 0.2, "much-better", "280× less"),
            (1.2, 1.0, "better", "1.2× less"),
            (1.0, 1.05, "same", ""),
            (1.0, 1.5, "worse", "1.5× more"),
            (0.18, 232.0, "much-worse", "1289× more"),
        ] {
            assert_eq!(
                (change(before, after).class(), change(before, after).words().as_str()),
                (class, words)
            );
        }
        assert_eq!(change(0.0, 0.0).class(), "same");
    }

    #[test]
    fn a_value_that_is_not_known_has_a_cell_of_its_own() {
        let changes = Changes {
            columns: vec!["rows".into(), "planes".into()],
            rows: vec![("<fix>".into(), vec![Some(change(2.0, 1.0)), None])],
            ..Changes::default()
        };
        let text = changes.markup().into_string();
        assert_eq!(text.matches("<td").count(), 2);
        assert!(text.contains("&lt;fix&gt;") && text.contains("2.0× less") && text.contains("–"), "{text}");
    }
}
