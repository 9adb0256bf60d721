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

// Dimensions of the picture, in SVG units; letters are 12 units high, and 14 on a small screen, where they are larger in
// relation to the picture.
/// The width of a letter, and the height of a line, on a small screen.
const LETTER_SMALL: f64 = 8.8;
const LINE_SMALL: f64 = 17.0;
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 345.0;
const RIGHT: f64 = 14.0;
/// Room for the title of the vertical axis.
const TOP: f64 = 30.0;
const BOTTOM: f64 = 46.0;
/// Between an axis and its labels.
const GAP: f64 = 7.0;
/// Half the size of a mark.
const MARK: f64 = 6.0;

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy)]
struct Area(f64, f64, f64, f64);

impl Area {
    fn overlaps(&self, other: &Self) -> bool {
        self.0 < other.2 && other.0 < self.2 && self.1 < other.3 && other.1 < self.3
    }
}

/// A label beside its point.
struct Label<'a> {
    text: &'a str,
    /// The left end of the text and its base line.
    x: f64,
    y: f64,
    area: Area,
}

impl Scatter {
    pub(super) fn markup(&self) -> Markup {
        html! {
            figure.scatter {
                figcaption { (self.title) }
                svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(self.title) {
                    (self.frame())
                    @if let Some(meaning) = &self.diagonal { (self.diagonal(meaning)) }
                    // The first group is what matters most: nothing covers it.
                    @for (number, group) in self.groups.iter().enumerate().rev() {
                        @for (x, y, _, tip) in &group.points { (self.point(number, *x, *y, tip)) }
                    }
                    @for label in self.labels() {
                        text.label x=(round(label.x)) y=(round(label.y)) { (label.text) }
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

    /// The left end of the picture inside the axes: as far as the labels of the vertical axis need.
    fn left(&self) -> f64 {
        let letters = self.y.ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
        (letters as f64 * LETTER_SMALL + GAP).clamp(30.0, WIDTH / 3.0)
    }

    fn x(&self, value: f64) -> f64 {
        let left = self.left();
        left + self.x.share(value) * (WIDTH - left - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(value) * (HEIGHT - TOP - BOTTOM)
    }

    fn frame(&self) -> Markup {
        let (left, right, bottom) = (self.left(), WIDTH - RIGHT, HEIGHT - BOTTOM);
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
                line.grid x1=(round(left)) x2=(right) y1=(y) y2=(y) {}
            }
            @for (y, label) in self.y_labels() {
                text.tick x=(round(left - GAP)) y=(round(y + 4.0)) text-anchor="end" { (label) }
            }
            line.axis x1=(round(left)) x2=(right) y1=(bottom) y2=(bottom) {}
            line.axis x1=(round(left)) x2=(round(left)) y1=(TOP) y2=(bottom) {}
            text.title x=(round((left + right) / 2.0)) y=(HEIGHT - 8.0) text-anchor="middle" { (self.x.title) }
            text.title x="0" y="14" { "↑ " (self.y.title) }
        }
    }

    /// The labels of the horizontal axis with their places: those that would overlap the one before are left out.
    fn x_labels(&self) -> Vec<(f64, &str)> {
        let mut end = f64::NEG_INFINITY;
        let mut labels = Vec::new();
        for tick in &self.x.ticks {
            let half = tick.label.chars().count() as f64 * LETTER_SMALL / 2.0;
            // A label at the end is moved so far that it stays in the picture.
            let x = self.x(tick.at).min(WIDTH - half);
            if x - half > end {
                labels.push((x, &tick.label[..]));
                end = x + half + LETTER_SMALL;
            }
        }
        labels
    }

    /// The labels of the vertical axis, from the lowest: those too close to the one before are left out.
    fn y_labels(&self) -> Vec<(f64, &str)> {
        let mut labels: Vec<(f64, &str)> = Vec::new();
        for tick in &self.y.ticks {
            let y = self.y(tick.at);
            if labels.last().is_none_or(|(before, _)| before - y >= LINE_SMALL) {
                labels.push((y, &tick.label));
            }
        }
        labels
    }

    /// The labels of points, each where it covers the fewest marks and no other label.
    fn labels(&self) -> Vec<Label<'_>> {
        let points = || self.groups.iter().flat_map(|group| &group.points);
        let marks: Vec<Area> = points()
            .map(|(x, y, ..)| (self.x(*x), self.y(*y)))
            .map(|(x, y)| Area(x - MARK, y - MARK, x + MARK, y + MARK))
            .collect();
        let inside = Area(self.left(), TOP - MARK, WIDTH, HEIGHT - BOTTOM);
        let mut labels: Vec<Label<'_>> = Vec::new();
        for (x, y, text, _) in points().filter(|(_, _, text, _)| !text.is_empty()) {
            let (x, y) = (self.x(*x), self.y(*y));
            // As wide and as high as on narrow screens, which have larger letters.
            let width = text.chars().count() as f64 * LETTER_SMALL;
            let beside = MARK + 3.0;
            let lines = [0.0, -1.0, 1.0, -2.0, 2.0, -3.0, 3.0].map(|line| line * LINE_SMALL);
            let places = lines
                .into_iter()
                .flat_map(|down| [(beside, down), (-beside - width, down), (-width / 2.0, down)]);
            let candidates = places.map(|(right, down)| {
                let (left, base) = (x + right, y + down + 4.0);
                let area = Area(left, base - 12.0, left + width, base + 4.0);
                Label { text, x: left, y: base, area }
            });
            let badness = |label: &Label<'_>| -> usize {
                let covered = marks.iter().filter(|mark| mark.overlaps(&label.area)).count();
                let collides = labels.iter().any(|other| other.area.overlaps(&label.area));
                let Area(left, top, right, bottom) = label.area;
                let is_outside = left < inside.0 || top < inside.1 || right > inside.2 || bottom > inside.3;
                covered + 1000 * (usize::from(collides) + usize::from(is_outside))
            };
            labels.extend(candidates.min_by_key(badness));
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

    fn point(&self, group: usize, x: f64, y: f64, tip: &str) -> Markup {
        html! {
            g.point tabindex="0" data-tip=(tip) {
                title { (tip) }
                (shape(group, self.x(x), self.y(y)))
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
            let half = |label: &str| label.len() as f64 * LETTER_SMALL / 2.0;
            assert!(pair[0].0 + half(pair[0].1) < pair[1].0 - half(pair[1].1), "{labels:?}");
        }
        let last = labels.last().unwrap();
        assert!(last.0 + last.1.len() as f64 * LETTER_SMALL / 2.0 <= WIDTH, "{labels:?}");
        for pair in scatter.y_labels().windows(2) {
            assert!(pair[0].0 - pair[1].0 >= LINE_SMALL, "{pair:?}");
        }
    }

    #[test]
    fn marks_and_other_labels_do_not_cover_a_label() {
        let axis = |to: f64| Axis::over("", Scale::Log10, [1.0, to], |value| format!("{value}"));
        let named = |name: &str, x: f64, y: f64| Points {
            name: name.into(),
            points: vec![(x, y, name.to_owned(), String::new())],
        };
        // Two points in the midst of a crowd to their right, one at the right end.
        let crowd = (0..12).map(|at| (10.0 + f64::from(at), 10.0, String::new(), String::new())).collect();
        let groups = vec![
            named("as it is", 10.0, 10.1),
            named("recommended", 10.1, 10.0),
            named("at the end", 100.0, 100.0),
            Points { name: "others".into(), points: crowd },
        ];
        let scatter = Scatter { title: "t".into(), x: axis(100.0), y: axis(100.0), groups, diagonal: None };
        let labels = scatter.labels();
        assert_eq!(labels.len(), 3);
        for (number, label) in labels.iter().enumerate() {
            assert!(!labels[..number].iter().any(|other| other.area.overlaps(&label.area)), "{}", label.text);
            assert!(
                label.area.0 >= scatter.left() && label.area.2 <= WIDTH,
                "{} leaves the picture",
                label.text
            );
            let covered = scatter.groups[3].points.iter().filter(|(x, y, ..)| {
                let (x, y) = (scatter.x(*x), scatter.y(*y));
                Area(x - MARK, y - MARK, x + MARK, y + MARK).overlaps(&label.area)
            });
            assert_eq!(covered.count(), 0, "{} covers marks", label.text);
        }
        // The first group is drawn last, over the others.
        let text = scatter.markup().into_string();
        assert!(text.find("<polygon class=\"style-3\"") < text.find("<circle class=\"style-0\""), "{text}");
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
