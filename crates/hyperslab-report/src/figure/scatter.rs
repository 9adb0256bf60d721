//! Scatter plots, as SVG. Groups of points differ in colour and shape.

use super::STYLES;
use crate::axis::Axis;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// A scatter plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The groups of points.
    pub groups: Vec<Points>,
    /// The label of the diagonal, on which both values are equal.
    pub diagonal: Option<String>,
}

/// A group of points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Points {
    /// The name of the group.
    pub name: String,
    /// x, y, the label (may be empty), and the text that is shown when the pointer is over the point.
    pub points: Vec<(f64, f64, String, String)>,
}

// Dimensions of the picture, in SVG units; letters are 12 units high.
/// The width of a letter on a small screen, where letters are larger in relation to the picture.
const LETTER: f64 = 7.5;
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 100.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;

impl Scatter {
    pub(super) fn markup(&self) -> Markup {
        html! {
            figure.scatter {
                figcaption { (self.title) }
                svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(self.title) {
                    (self.frame())
                    @if let Some(meaning) = &self.diagonal { (self.diagonal(meaning)) }
                    @for (number, group) in self.groups.iter().enumerate() {
                        @for (x, y, label, tip) in &group.points {
                            (self.point(number, *x, *y, label, tip))
                        }
                    }
                }
                @if self.groups.len() > 1 {
                    ul.legend {
                        @for (number, group) in self.groups.iter().enumerate() {
                            li {
                                svg.swatch viewBox="-8 -8 16 16" aria-hidden="true" { (shape(number, 0.0, 0.0)) }
                                (group.name)
                            }
                        }
                    }
                }
            }
        }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.x.share(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(value) * (HEIGHT - TOP - BOTTOM)
    }

    fn frame(&self) -> Markup {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        html! {
            @for tick in &self.x.ticks {
                @let x = round(self.x(tick.at));
                line.grid x1=(x) x2=(x) y1=(TOP) y2=(bottom) {}
            }
            @for (x, label) in self.x_labels() {
                text.tick x=(round(x)) y=(bottom + 16.0) text-anchor="middle" { (label) }
            }
            @for tick in &self.y.ticks {
                @let y = round(self.y(tick.at));
                line.grid x1=(LEFT) x2=(right) y1=(y) y2=(y) {}
                text.tick x=(LEFT - 7.0) y=(y + 4.0) text-anchor="end" { (tick.label) }
            }
            line.axis x1=(LEFT) x2=(right) y1=(bottom) y2=(bottom) {}
            line.axis x1=(LEFT) x2=(LEFT) y1=(TOP) y2=(bottom) {}
            text.title x=(round((LEFT + right) / 2.0)) y=(HEIGHT - 8.0) text-anchor="middle" { (self.x.title) }
            text.title transform=(format!("translate(13 {}) rotate(-90)", round((TOP + bottom) / 2.0)))
                text-anchor="middle" { (self.y.title) }
        }
    }

    /// The labels of the horizontal axis with their places: those that would overlap the one before are left out.
    fn x_labels(&self) -> Vec<(f64, &str)> {
        let mut end = f64::NEG_INFINITY;
        let mut labels = Vec::new();
        for tick in &self.x.ticks {
            let (x, half) = (self.x(tick.at), tick.label.chars().count() as f64 * LETTER / 2.0);
            if x - half > end {
                labels.push((x, &tick.label[..]));
                end = x + half + LETTER;
            }
        }
        labels
    }

    /// The diagonal of the range that both axes have in common.
    fn diagonal(&self, meaning: &str) -> Markup {
        let (from, to) = (self.x.from.max(self.y.from), self.x.to.min(self.y.to));
        html! {
            @if from < to {
                line.diagonal x1=(round(self.x(from))) y1=(round(self.y(from))) x2=(round(self.x(to)))
                    y2=(round(self.y(to))) { title { (meaning) } }
            }
        }
    }

    fn point(&self, group: usize, x: f64, y: f64, label: &str, tip: &str) -> Markup {
        let (x, y) = (self.x(x), self.y(y));
        // Labels must stay inside the picture.
        let is_right = x > (LEFT + WIDTH) / 2.0;
        html! {
            g.point tabindex="0" data-tip=(tip) {
                title { (tip) }
                (shape(group, x, y))
                @if !label.is_empty() {
                    text.label x=(round(if is_right { x - 9.0 } else { x + 9.0 })) y=(round(y + 4.0))
                        text-anchor=(if is_right { "end" } else { "start" }) { (label) }
                }
            }
        }
    }
}

/// A mark with the shape and colour of a group.
fn shape(group: usize, x: f64, y: f64) -> Markup {
    let class = format!("style-{}", group % STYLES);
    let polygon = |corners: &[(f64, f64)]| {
        let corner = |(dx, dy): &(f64, f64)| format!("{},{}", round(x + dx), round(y + dy));
        let points = corners.iter().map(corner).collect::<Vec<_>>().join(" ");
        html! { polygon.(class) points=(points) {} }
    };
    match group % 4 {
        0 => html! { circle.(class) cx=(round(x)) cy=(round(y)) r="5" {} },
        1 => polygon(&[(-4.6, -4.6), (4.6, -4.6), (4.6, 4.6), (-4.6, 4.6)]),
        2 => polygon(&[(0.0, -6.0), (5.6, 4.4), (-5.6, 4.4)]),
        _ => polygon(&[(0.0, -6.4), (6.4, 0.0), (0.0, 6.4), (-6.4, 0.0)]),
    }
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;

    #[test]
    fn labels_do_not_overlap() {
        let bytes = |value: f64| format!("{} MiB", 1000.0 * value);
        let ten = (0..10).map(|power| f64::from(1 << power));
        let x = Axis::over("bytes", Scale::Log2, ten, bytes);
        let (ticks, y) = (x.ticks.len(), x.clone());
        let scatter = Scatter { title: "t".into(), x, y, groups: Vec::new(), diagonal: None };
        let labels = scatter.x_labels();
        assert!(labels.len() > 2 && labels.len() < ticks, "{labels:?} of {ticks}");
        for pair in labels.windows(2) {
            let half = |label: &str| label.len() as f64 * LETTER / 2.0;
            assert!(pair[0].0 + half(pair[0].1) < pair[1].0 - half(pair[1].1), "{labels:?}");
        }
    }

    #[test]
    fn points_lie_where_their_values_are() {
        let axis = || Axis::over("decodes", Scale::Log10, [1.0, 100.0], |value| format!("{value}"));
        let points = vec![
            (1.0, 1.0, "low".to_owned(), "tip".to_owned()),
            (100.0, 100.0, String::new(), String::new()),
        ];
        let scatter = Scatter {
            title: "t".into(),
            x: axis(),
            y: axis(),
            groups: vec![Points { name: "one".into(), points }],
            diagonal: Some("both the same".into()),
        };
        assert!(scatter.x(1.0) < scatter.x(100.0) && scatter.y(1.0) > scatter.y(100.0));
        let text = scatter.markup().into_string();
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.contains("both the same") && text.contains(">low<"));
        assert!(!text.contains("NaN"));
    }
}
