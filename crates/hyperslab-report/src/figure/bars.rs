//! Bar charts, as SVG below names and values.

use crate::axis::{Axis, Scale};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// A bar chart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bars {
    /// The title.
    pub title: String,
    /// The bars.
    pub bars: Vec<Bar>,
    /// The axis along which the bars lie. Without one, their lengths are their values.
    #[serde(default)]
    pub axis: Option<Axis>,
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
    /// The length that it had before, if it is compared with one: what was saved is drawn pale, what was added in another
    /// colour.
    #[serde(default)]
    pub before: Option<f64>,
    /// The value as text.
    pub text: String,
}

/// Beside a bar that is so many times as long, another would be too short to be seen.
const LINEAR_TIMES_MAX: f64 = 30.0;
/// The width of a chart on a small screen, and of a letter of its labels, in pixels.
const WIDTH: f64 = 320.0;
const LETTER: f64 = 7.5;
const HEIGHT: u32 = 12;

impl Bars {
    /// A bar chart whose lengths are the values.
    pub fn new(title: impl Into<String>, bars: Vec<Bar>) -> Self {
        Self { title: title.into(), bars, axis: None }
    }

    /// A bar chart of durations. Where one would be too short to be seen beside another, the bars lie along a logarithmic axis.
    pub fn of_seconds(title: impl Into<String>, bars: Vec<Bar>) -> Self {
        Self::new(title, bars).along(|values| Axis::of_seconds("", values))
    }

    /// A bar chart of other values, such as bytes, that are labelled by `label` along a logarithmic axis.
    pub fn labelled(
        title: impl Into<String>,
        bars: Vec<Bar>,
        scale: Scale,
        label: impl Fn(f64) -> String,
    ) -> Self {
        Self::new(title, bars).along(|values| Axis::over("", scale, values, label))
    }

    /// Gives the bars an axis if their values are too far apart.
    fn along(mut self, axis: impl FnOnce(Vec<f64>) -> Axis) -> Self {
        let values: Vec<f64> = self.values().filter(|value| value.is_finite() && *value > 0.0).collect();
        let (least, most) =
            values.iter().fold((f64::INFINITY, 0.0f64), |(a, b), value| (a.min(*value), b.max(*value)));
        if most > LINEAR_TIMES_MAX * least {
            // The shortest bar has a length, too.
            self.axis = Some(axis(values.into_iter().chain([least / 2.0]).collect()));
        }
        self
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.bars.iter().flat_map(|bar| bar.before.into_iter().chain(bar.whole).chain([bar.value]))
    }

    pub(super) fn markup(&self) -> Markup {
        let longest = self.values().fold(f64::MIN_POSITIVE, f64::max);
        let share = |value: f64| match &self.axis {
            Some(axis) if value > 0.0 => axis.share(value),
            Some(_) => 0.0,
            None => (value / longest).clamp(0.0, 1.0),
        };
        let ticks: Vec<f64> =
            self.axis.iter().flat_map(|axis| axis.ticks.iter().map(|tick| axis.share(tick.at))).collect();
        let has = |is: fn(f64, f64) -> bool| {
            self.bars.iter().any(|bar| bar.before.is_some_and(|before| is(bar.value, before)))
        };
        let legend = [
            ("bar", true),
            ("saved", has(|now, before| before > now)),
            ("added", has(|now, before| before < now)),
        ];
        html! {
            figure.bars {
                figcaption {
                    (self.title)
                    @if self.axis.is_some() { span.note { "logarithmic scale" } }
                }
                dl {
                    @for bar in &self.bars {
                        div {
                            dt { (bar.name) }
                            dd { (bar.text) }
                            dd.drawn { svg width="100%" height=(HEIGHT) aria-hidden="true" {
                                @for tick in &ticks {
                                    line.grid x1=(percent(*tick)) x2=(percent(*tick)) y1="0" y2=(HEIGHT) {}
                                }
                                @if let Some(whole) = bar.whole { (rectangle("whole", share(whole))) }
                                @let before = bar.before.unwrap_or(bar.value);
                                @if before > bar.value { (rectangle("saved", share(before))) }
                                @if before < bar.value { (rectangle("added", share(bar.value))) }
                                (rectangle("bar", share(before.min(bar.value))))
                            } }
                        }
                    }
                }
                @if let Some(axis) = &self.axis { (labels(axis)) }
                @if legend.iter().filter(|(_, is_drawn)| *is_drawn).count() > 1 {
                    ul.legend {
                        @for (class, _) in legend.iter().filter(|(_, is_drawn)| *is_drawn) {
                            li {
                                svg.swatch viewBox="0 0 14 14" aria-hidden="true" { rect.(class) width="14" height="14" rx="2" {} }
                                (match *class { "bar" => "left", other => other })
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A bar from the left end.
fn rectangle(class: &str, share: f64) -> Markup {
    html! { @if share > 0.0 { rect.(class) width=(percent(share)) height=(HEIGHT) rx="2" {} } }
}

/// The labels of the axis, as far as they have room: `1 min` and the like before others.
fn labels(axis: &Axis) -> Markup {
    let mut ticks: Vec<_> = axis.ticks.iter().collect();
    ticks.sort_by_key(|tick| !tick.label.starts_with("1 "));
    let mut taken: Vec<(f64, f64)> = Vec::new();
    ticks.retain(|tick| {
        let (at, half) =
            (axis.share(tick.at) * WIDTH, (tick.label.chars().count() + 1) as f64 * LETTER / 2.0);
        let (from, to) = (at - half, at + half);
        let has_room =
            from >= 0.0 && to <= WIDTH && taken.iter().all(|other| to <= other.0 || other.1 <= from);
        taken.extend(has_room.then_some((from, to)));
        has_room
    });
    html! {
        div.scale aria-hidden="true" {
            @for tick in ticks { span style=(format!("left:{}", percent(axis.share(tick.at)))) { (tick.label) } }
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(value: f64, before: f64) -> Bar {
        Bar { name: "n".into(), value, whole: None, before: Some(before), text: "t".into() }
    }

    fn widths(text: &str, class: &str) -> Vec<f64> {
        let marker = format!("<rect class=\"{class}\" width=\"");
        text.split(&marker).skip(1).filter_map(|rest| rest.split('%').next()?.parse().ok()).collect()
    }

    #[test]
    fn a_second_can_be_seen_beside_days() {
        let days = 8.7 * 86_400.0;
        let text = Bars::of_seconds("reads", vec![bar(3.5, days), bar(77.0, 1.0)]).markup().into_string();
        assert!(
            text.contains("logarithmic scale") && text.contains(">1 min<") && text.contains(">1 day<"),
            "{text}"
        );
        // What is left, at least a visible piece; what was saved up to the end; what was added after what there was.
        let (left, saved, added) = (widths(&text, "bar"), widths(&text, "saved"), widths(&text, "added"));
        assert!(left.iter().all(|width| *width > 3.0), "{left:?}");
        assert!(saved[0] > 95.0 && left[0] < saved[0] / 2.0, "{saved:?}");
        assert!(saved.len() == 1 && added.len() == 1 && added[0] > left[1], "{added:?} {left:?} {saved:?}");
        for name in ["left", "saved", "added"] {
            assert!(text.contains(&format!("</svg>{name}</li>")), "{name}: {text}");
        }
    }

    #[test]
    fn values_that_are_close_have_their_lengths() {
        let text = Bars::of_seconds("reads", vec![bar(1.0, 4.0), bar(2.0, 2.0)]).markup().into_string();
        assert!(!text.contains("logarithmic"), "{text}");
        assert_eq!(widths(&text, "bar"), [25.0, 50.0]);
        let nothing =
            Bars::of_seconds("none", vec![bar(0.0, 0.0), bar(f64::NAN, 0.0)]).markup().into_string();
        assert!(!nothing.contains("NaN") && !nothing.contains("<rect class=\"bar\" width"), "{nothing}");
    }
}
