//! When a program waited for HDF5, and for which dataset.

use super::DRAWN_MAX;
use super::words::seconds_text;
use hyperslab_apps::error::one_line;
use hyperslab_apps::trace::{Answer, Traced};
use hyperslab_report::{Axis, Curves, Line, Point, Scale, Section};
use hyperslab_trace::Timeline;
use hyperslab_units::{count_text, counted_text};

/// The chart of the seconds inside HDF5, and that of the chunks decoded.
pub(super) fn section(answer: &Answer) -> Section {
    let drawn: Vec<(&Traced, &Timeline)> = answer
        .datasets
        .iter()
        .filter_map(|traced| Some((traced, traced.timeline.as_ref()?)))
        .take(DRAWN_MAX)
        .collect();
    // A single part is not a course of time.
    if !drawn.iter().any(|(_, timeline)| timeline.calls.len() > 1) {
        return Section::default();
    }
    let section = Section::new("When it waited for HDF5").text(
        "Time since the program began, in parts of equal length; for each dataset the share of the part that was spent inside its reads \
         (above 100 % where several threads or processes read), and the chunks that libhdf5 decoded for them.",
    );
    let waited = chart(
        "Share of the time spent in HDF5",
        &drawn,
        |timeline, part| 100.0 * timeline.seconds[part] / timeline.part_seconds,
        |share| format!("{share:.0} %"),
    );
    let decoded = chart(
        "Chunks decoded in each second",
        &drawn,
        |timeline, part| timeline.decodes[part] as f64 / timeline.part_seconds,
        |decodes| count_text(decodes.round() as u64),
    );
    let has_decodes = drawn.iter().any(|(_, timeline)| timeline.decodes.iter().any(|decodes| *decodes > 0));
    let section = section.figure(waited);
    if has_decodes { section.figure(decoded) } else { section }
}

fn chart(
    title: &str,
    drawn: &[(&Traced, &Timeline)],
    value: impl Fn(&Timeline, usize) -> f64,
    label: impl Fn(f64) -> String,
) -> Curves {
    let line = |(traced, timeline): &(&Traced, &Timeline)| Line {
        name: one_line(&traced.dataset),
        points: points(timeline, &value),
        is_step: true,
        ..Line::default()
    };
    let lines: Vec<Line> = drawn.iter().map(line).collect();
    let of = |of: fn(&Point) -> f64| lines.iter().flat_map(|line| &line.points).map(of).collect::<Vec<f64>>();
    let x = Axis::over("time since the program began", Scale::Linear, of(|point| point.x), seconds_text);
    let y = Axis::over("", Scale::Linear, of(|point| point.y), label);
    Curves { title: title.to_owned(), x, y, lines, marks: Vec::new() }
}

/// A point at the beginning of each part, and one of nothing before the first and after the last.
fn points(timeline: &Timeline, value: &impl Fn(&Timeline, usize) -> f64) -> Vec<Point> {
    let at = |part: u64| part as f64 * timeline.part_seconds;
    let mut points = Vec::new();
    if timeline.first_part > 0 {
        points.push(Point { x: 0.0, is_bend: true, ..Point::default() });
    }
    for part in 0..timeline.calls.len() {
        let decodes = match timeline.decodes[part] {
            0 => String::new(),
            decodes => format!(", {}", counted_text(decodes, "decode")),
        };
        let text = format!(
            "{} in {}{decodes}",
            counted_text(timeline.calls[part], "call"),
            seconds_text(timeline.seconds[part])
        );
        let x = at(timeline.first_part + part as u64);
        points.push(Point { x, y: value(timeline, part), text, is_bend: true });
    }
    let end = at(timeline.first_part + timeline.calls.len() as u64);
    points.push(Point { x: end, is_bend: true, ..Point::default() });
    points
}
