//! Axes: the position of a value between the two ends of an axis, and its labels.

use serde::{Deserialize, Serialize};

/// How values are distributed along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Linear; starts at 0.
    Linear,
    /// Logarithmic, in powers of two.
    Log2,
    /// Logarithmic, in powers of ten.
    Log10,
}

/// An axis with its labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The quantity along the axis.
    pub title: String,
    /// How values are distributed.
    pub scale: Scale,
    /// The lower end.
    pub from: f64,
    /// The upper end.
    pub to: f64,
    /// The labelled values, ascending.
    pub ticks: Vec<Tick>,
}

/// A labelled value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// The value.
    pub at: f64,
    /// The label.
    pub label: String,
}

/// The maximum number of labels; more would be too crowded.
const TICKS_MAX: usize = 9;
/// Margin beyond the outermost values, as a share of the axis.
const MARGIN: f64 = 0.05;

/// Units of time with their seconds, and how many of each are labelled.
const UNITS: [(f64, &str, &[f64]); 6] = [
    (1e-6, "µs", &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]),
    (1e-3, "ms", &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]),
    (1.0, "s", &[1.0, 2.0, 5.0, 10.0, 30.0]),
    (60.0, "min", &[1.0, 2.0, 5.0, 10.0, 30.0]),
    (3600.0, "h", &[1.0, 2.0, 5.0, 10.0]),
    (86_400.0, "day", &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0]),
];

/// Only days have a plural.
fn plural(unit: &str, count: f64) -> String {
    if unit == "day" && count > 1.0 { "days".to_owned() } else { unit.to_owned() }
}

impl Axis {
    /// An axis that covers all values that it can show (on a logarithmic axis those above 0), labelled by `label`.
    pub fn over(
        title: impl Into<String>,
        scale: Scale,
        values: impl IntoIterator<Item = f64>,
        label: impl Fn(f64) -> String,
    ) -> Self {
        let usable = |value: &f64| value.is_finite() && (scale == Scale::Linear || *value > 0.0);
        let places = values.into_iter().filter(usable).map(|value| scale.place(value));
        let ends = places.fold(None, |ends: Option<(f64, f64)>, place| {
            Some(ends.map_or((place, place), |(low, high)| (low.min(place), high.max(place))))
        });
        let (mut low, mut high) = ends.unwrap_or((0.0, 1.0));
        if scale == Scale::Linear {
            low = low.min(0.0);
        }
        // Half a doubling, or half the value, on each side of a single value.
        let room = ((high - low) * MARGIN).max(if high > low { 0.0 } else { 0.5 });
        (low, high) = (if low == 0.0 && scale == Scale::Linear { 0.0 } else { low - room }, high + room);
        let mut ticks: Vec<Tick> =
            scale.ticks(low, high).into_iter().map(|at| Tick { at, label: label(at) }).collect();
        // Values that are told alike, such as fractions of what is counted, have one label: at the least of them that is whole.
        ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
        let is_alike = |a: &Tick, b: &Tick| a.label == b.label;
        let wholes: Vec<Tick> = ticks.iter().filter(|tick| tick.at.fract() == 0.0).cloned().collect();
        let has_whole = |tick: &Tick| wholes.iter().any(|whole| is_alike(whole, tick));
        ticks.retain(|tick| tick.at.fract() == 0.0 || !has_whole(tick));
        ticks.dedup_by(|next, before| is_alike(next, before));
        Self { title: title.into(), scale, from: scale.value(low), to: scale.value(high), ticks }
    }

    /// A logarithmic axis of durations, labelled at 1 s, 1 min, 1 h, 1 day.
    pub fn of_seconds(title: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let mut axis = Self::over(title, Scale::Log10, values, |_| String::new());
        let (from, to) = (axis.from, axis.to);
        let within = |is_labelled: fn(f64) -> bool| -> Vec<Tick> {
            let all = UNITS.iter().flat_map(|(seconds, unit, counts)| {
                let own = counts.iter().copied().filter(move |count| is_labelled(*count));
                own.map(move |count| Tick {
                    at: seconds * count,
                    label: format!("{count} {}", plural(unit, count)),
                })
            });
            all.filter(|tick| (from..=to).contains(&tick.at)).collect()
        };
        let steps =
            [within(|_| true), within(|count| count.log10().fract() == 0.0), within(|count| count == 1.0)];
        let ticks =
            steps.into_iter().reduce(|ticks, coarser| if ticks.len() > TICKS_MAX { coarser } else { ticks });
        let ticks = ticks.unwrap_or_default();
        if ticks.len() < 2 {
            // All lie between two of them: round numbers of the largest unit.
            let unit = UNITS.iter().rev().find(|(seconds, ..)| *seconds <= to);
            let (seconds, unit, _) = *unit.unwrap_or(&UNITS[0]);
            let tick = |count: f64| {
                let count = (count * 1e6).round() / 1e6;
                Tick { at: seconds * count, label: format!("{count} {}", plural(unit, count)) }
            };
            axis.ticks = Scale::Linear.ticks(from / seconds, to / seconds).into_iter().map(tick).collect();
        } else {
            axis.ticks = ticks;
        }
        axis
    }

    /// Adds a label at a given value, such as one that represents 0 on a logarithmic axis.
    pub fn labelled(mut self, at: f64, label: impl Into<String>) -> Self {
        self.ticks.retain(|tick| tick.at > at);
        self.ticks.insert(0, Tick { at, label: label.into() });
        self
    }

    /// The position of a value: 0 at the lower end, 1 at the upper end.
    pub fn share(&self, value: f64) -> f64 {
        let place = |value| self.scale.place(value);
        let (low, high) = (place(self.from), place(self.to));
        ((place(value) - low) / (high - low)).clamp(0.0, 1.0)
    }
}

impl Scale {
    /// A value on a linear scale: itself, or its logarithm.
    fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log2 => value.max(f64::MIN_POSITIVE).log2(),
            Self::Log10 => value.max(f64::MIN_POSITIVE).log10(),
        }
    }

    fn value(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Log2 => place.exp2(),
            Self::Log10 => 10f64.powf(place),
        }
    }

    /// Round values between two positions.
    fn ticks(self, low: f64, high: f64) -> Vec<f64> {
        let within = |step: f64| -> Vec<f64> {
            let (first, last) = ((low / step).ceil(), (high / step).floor());
            let count = (last - first).clamp(-1.0, 1000.0) as i64;
            (0..=count).map(|i| (first + i as f64) * step).collect()
        };
        match self {
            Self::Linear => {
                let rough = 10f64.powf(((high - low) / TICKS_MAX as f64).log10().floor());
                let steps = [1.0, 2.0, 5.0, 10.0, 20.0].map(|factor| within(rough * factor));
                steps.into_iter().find(|places| places.len() <= TICKS_MAX).unwrap_or_default()
            }
            Self::Log2 | Self::Log10 => {
                let whole = within(1.0);
                if whole.len() < 3 {
                    return self.close(low, high);
                }
                let every = whole.len().div_ceil(TICKS_MAX);
                whole.into_iter().step_by(every).map(|place| self.value(place)).collect()
            }
        }
    }

    /// Ticks for a range of less than three doublings or decades.
    fn close(self, low: f64, high: f64) -> Vec<f64> {
        let factors: &[f64] = if self == Self::Log2 { &[1.0, 1.5] } else { &[1.0, 2.0, 5.0] };
        let base = low.floor() as i64..=high.ceil() as i64;
        let all = base.flat_map(|whole| factors.iter().map(move |factor| factor * self.value(whole as f64)));
        all.filter(|value| (low..=high).contains(&self.place(*value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        let axis = Axis::over("", scale, values.iter().copied(), |value| format!("{value}"));
        axis.ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn labels_are_round_and_few() {
        assert_eq!(labels(Scale::Log2, &[1024.0, 8192.0]), ["1024", "2048", "4096", "8192"]);
        assert_eq!(labels(Scale::Log10, &[0.1, 340.0]), ["0.1", "1", "10", "100"]);
        assert_eq!(labels(Scale::Log10, &[0.1, 0.4]), ["0.1", "0.2"]);
        assert_eq!(labels(Scale::Linear, &[3.0, 9.0]), ["0", "2", "4", "6", "8"]);
        assert!(labels(Scale::Log2, &[1.0, 1e12]).len() <= TICKS_MAX);
    }

    #[test]
    fn what_is_counted_has_whole_labels_each_once() {
        let axis = Axis::over("", Scale::Linear, [1.0, 3.0], |files| format!("{}", files as u64));
        let ticks: Vec<(f64, &str)> = axis.ticks.iter().map(|tick| (tick.at, tick.label.as_str())).collect();
        assert_eq!(ticks, [(0.0, "0"), (1.0, "1"), (2.0, "2"), (3.0, "3")]);
    }

    #[test]
    fn durations_are_labelled_where_people_count_them() {
        let labels = |values: &[f64]| -> Vec<String> {
            let axis = Axis::of_seconds("", values.iter().copied());
            axis.ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(&[0.3, 400_000.0]), ["1 s", "10 s", "1 min", "10 min", "1 h", "10 h", "1 day"]);
        assert_eq!(
            labels(&[18.0, 7000.0]),
            ["30 s", "1 min", "2 min", "5 min", "10 min", "30 min", "1 h", "2 h"]
        );
        assert_eq!(labels(&[12.0, 28.0])[..3], ["12 s", "14 s", "16 s"]);
        assert_eq!(labels(&[4500.0, 6000.0])[..2], ["1.25 h", "1.3 h"]);
        assert_eq!(labels(&[0.001, 0.02]), ["1 ms", "2 ms", "5 ms", "10 ms", "20 ms"]);
        assert_eq!(labels(&[1e-7, 1e7]), ["1 µs", "1 ms", "1 s", "1 min", "1 h", "1 day"]);
    }

    #[test]
    fn values_lie_between_the_ends() {
        let axis = Axis::over("", Scale::Log10, [1.0, 100.0, 0.0, f64::NAN], |_| String::new());
        assert!((axis.share(10.0) - 0.5).abs() < 1e-9);
        assert!(axis.share(1.0) > 0.0 && axis.share(100.0) < 1.0);
        assert_eq!((axis.share(0.0), axis.share(1e9)), (0.0, 1.0));
    }

    #[test]
    fn one_value_and_none_still_make_an_axis() {
        for scale in [Scale::Linear, Scale::Log2, Scale::Log10] {
            for values in [&[][..], &[5.0], &[0.0]] {
                let axis = Axis::over("", scale, values.iter().copied(), |_| String::new());
                assert!(axis.from < axis.to && axis.share(5.0).is_finite(), "{scale:?} {values:?}");
            }
        }
    }
}
