//! Line charts, drawn by uPlot: the cursor shows the values of all lines, and a range can be enlarged.
//!
//! uPlot needs one ascending list of x values for all lines. If a line has several points with the same x value (two
//! chunk shapes of the same size), that value is repeated in the list.

use crate::axis::Axis;
use maud::{Markup, PreEscaped, html};
use serde::{Deserialize, Serialize};

/// A line chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
    /// Values on the x axis to mark.
    pub marks: Vec<Mark>,
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The name of the line.
    pub name: String,
    /// Its points.
    pub points: Vec<Point>,
    /// True if the line is a constant for every x, given by its only point.
    pub is_level: bool,
    /// True if a value holds up to the next point: the line is made of steps.
    #[serde(default)]
    pub is_step: bool,
}

/// One point of a line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The x value.
    pub x: f64,
    /// The y value.
    pub y: f64,
    /// The text that is shown when the cursor is at the point.
    pub text: String,
    /// True if the line passes here without a mark.
    #[serde(default)]
    pub is_bend: bool,
}

/// A mark on the x axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The x value.
    pub x: f64,
    /// The label.
    pub text: String,
}

/// The lines in uPlot's data format.
#[derive(Serialize)]
struct Aligned<'a> {
    x_axis: &'a Axis,
    y_axis: &'a Axis,
    marks: &'a [Mark],
    x: Vec<f64>,
    lines: Vec<AlignedLine<'a>>,
}

#[derive(Serialize)]
struct AlignedLine<'a> {
    name: &'a str,
    is_level: bool,
    is_step: bool,
    /// The places of points that have a mark.
    marked: Vec<usize>,
    y: Vec<Option<f64>>,
    texts: Vec<Option<&'a str>>,
}

impl Curves {
    pub(super) fn markup(&self) -> Markup {
        // Inside a script element only its end tag has a meaning, and JSON can write any character as an escape.
        let data = serde_json::to_string(&self.aligned()).unwrap_or_default().replace('<', "\\u003c");
        html! {
            figure.curves {
                figcaption { (self.title) }
                div.plot role="img" aria-label=(self.title) {}
                script.data type="application/json" { (PreEscaped(data)) }
                noscript { p.quiet { "This chart needs JavaScript. Its numbers are in the table." } }
            }
        }
    }

    fn aligned(&self) -> Aligned<'_> {
        let mut x = self.places();
        if let (true, Some(line)) = (x.is_empty(), self.lines.first()) {
            x = line.points.iter().map(|point| point.x).collect();
        }
        let lines = self.lines.iter().map(|line| line.aligned(&x)).collect();
        Aligned { x_axis: &self.x, y_axis: &self.y, marks: &self.marks, lines, x }
    }

    /// All x values, ascending, each as often as in the line that has it most often.
    fn places(&self) -> Vec<f64> {
        let mut all: Vec<f64> = Vec::new();
        for line in self.lines.iter().filter(|line| !line.is_level) {
            for point in &line.points {
                let own = line.points.iter().filter(|other| other.x == point.x).count();
                let known = all.iter().filter(|x| **x == point.x).count();
                all.extend(std::iter::repeat_n(point.x, own.saturating_sub(known)));
            }
        }
        all.sort_by(f64::total_cmp);
        all
    }
}

impl Line {
    fn aligned(&self, x: &[f64]) -> AlignedLine<'_> {
        let mut rest: Vec<&Point> = self.points.iter().collect();
        let points: Vec<Option<&Point>> = x
            .iter()
            .map(|x| match self.is_level {
                true => self.points.first(),
                false => rest.iter().position(|point| point.x == *x).map(|found| rest.remove(found)),
            })
            .collect();
        let is_marked = |point: Option<&Point>| !self.is_level && point.is_some_and(|point| !point.is_bend);
        AlignedLine {
            name: &self.name,
            is_level: self.is_level,
            is_step: self.is_step,
            marked: (0..x.len()).filter(|place| is_marked(points[*place])).collect(),
            y: points.iter().map(|point| point.map(|point| point.y)).collect(),
            texts: points.iter().map(|point| point.map(|point| point.text.as_str())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;

    fn line(points: &[(f64, f64)]) -> Line {
        let point =
            |(x, y): &(f64, f64)| Point { x: *x, y: *y, text: format!("</script>{y}"), is_bend: *y == 1.0 };
        Line { name: "l".into(), points: points.iter().map(point).collect(), ..Line::default() }
    }

    #[test]
    fn lines_share_their_places_and_may_have_several_points_at_one() {
        let axis = || Axis::over("", Scale::Log2, [1.0, 4.0], |_| String::new());
        let level = Line { is_level: true, ..line(&[(1.0, 9.0)]) };
        let curves = Curves {
            title: "t".into(),
            x: axis(),
            y: axis(),
            lines: vec![line(&[(4.0, 1.0), (1.0, 2.0)]), line(&[(2.0, 3.0), (2.0, 4.0)]), level],
            marks: Vec::new(),
        };
        let aligned = curves.aligned();
        assert_eq!(aligned.x, [1.0, 2.0, 2.0, 4.0]);
        assert_eq!(aligned.lines[0].y, [Some(2.0), None, None, Some(1.0)]);
        assert_eq!((&aligned.lines[0].marked[..], &aligned.lines[1].marked[..]), (&[0][..], &[1, 2][..]));
        assert_eq!(aligned.lines[1].y, [None, Some(3.0), Some(4.0), None]);
        assert_eq!(aligned.lines[2].y, [Some(9.0); 4]);
        let text = curves.markup().into_string();
        assert_eq!(text.matches("</script>").count(), 1, "data cannot end its script");
    }
}
