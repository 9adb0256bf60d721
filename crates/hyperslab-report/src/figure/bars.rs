//! Bar charts, as SVG beside names and values.

use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// A bar chart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bars {
    /// The title.
    pub title: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// The name of the bar.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// The length of a longer bar behind it that contains it, if any.
    pub whole: Option<f64>,
    /// The value as text.
    pub text: String,
}

impl Bars {
    pub(super) fn markup(&self) -> Markup {
        let longest = self
            .bars
            .iter()
            .map(|bar| bar.whole.unwrap_or(0.0).max(bar.value))
            .fold(f64::MIN_POSITIVE, f64::max);
        let share = |value: f64| format!("{:.2}%", (value / longest).clamp(0.0, 1.0) * 100.0);
        html! {
            figure.bars {
                figcaption { (self.title) }
                dl {
                    @for bar in &self.bars {
                        div {
                            dt { (bar.name) }
                            dd {
                                svg width="100%" height="14" aria-hidden="true" {
                                    @if let Some(whole) = bar.whole {
                                        rect.whole width=(share(whole)) height="14" rx="2" {}
                                    }
                                    rect.bar width=(share(bar.value)) height="14" rx="2" {}
                                }
                                span { (bar.text) }
                            }
                        }
                    }
                }
            }
        }
    }
}
