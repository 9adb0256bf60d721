//! What was simulated against what was measured: chunks decoded, and seconds.

use super::by_ratio::by_name;
use super::matrix::detail;
use super::numbers::behind;
use super::seconds_label;
use crate::bench::document::{Document, Measured};
use crate::bench::finding;
use hyperslab_bench::matrix::Row;
use hyperslab_report::{Axis, Scale, Scatter, Section};

/// Both pictures, where a libhdf5 was counted or predicted.
pub(super) fn section(document: &Document) -> Section {
    let counted = |row: &Row| Some((row.read.simulated_decodes? as f64, row.read.decodes? as f64));
    let predicted = |row: &Row| Some((row.read.predicted_seconds?, row.read.read.median));
    let with = |pair: &dyn Fn(&Row) -> Option<(f64, f64)>| -> Vec<&Measured> {
        let is_drawn = |row: &Row| pair(row).is_some_and(|(x, y)| x > 0.0 && y > 0.0);
        document.rows.iter().filter(|measured| is_drawn(&measured.row)).collect()
    };
    let (decodes, seconds) = (with(&counted), with(&predicted));
    if decodes.is_empty() && seconds.is_empty() {
        return Section::default();
    }
    let equal = decodes.iter().filter(|one| one.row.read.decodes == one.row.read.simulated_decodes).count();
    let mut section = Section::new("Simulated against measured").text(
        "The simulator follows the library's chunk cache decision by decision without reading anything; the doctor \
         makes its findings of these counts. On the dashed line both are the same.",
    );
    if !decodes.is_empty() {
        section = section
            .text(format!("Decodes: {equal} of {} cells were counted as they were simulated.", decodes.len()))
            .figure(picture(
                "Chunks decoded",
                "simulated",
                "counted in the library",
                &decodes,
                &counted,
                |n| format!("{n:.0}"),
            ));
    }
    if !seconds.is_empty() {
        section = section.figure(picture(
            "Seconds, predicted by the decodes and requests that were simulated",
            "predicted",
            "measured",
            &seconds,
            &predicted,
            seconds_label,
        ));
    }
    let mut shown = decodes.clone();
    shown.extend(seconds.iter().filter(|one| !decodes.iter().any(|other| std::ptr::eq(*other, **one))));
    section.figure(behind("The numbers of these points", shown))
}

fn picture(
    title: &str,
    x: &str,
    y: &str,
    cells: &[&Measured],
    pair: &dyn Fn(&Row) -> Option<(f64, f64)>,
    label: impl Fn(f64) -> String,
) -> Scatter {
    let point = |measured: &&Measured| {
        let row = &measured.row;
        let (across, up) = pair(row)?;
        let tip = format!("{}\n{x} {}, {y} {}", detail(row), label(across), label(up));
        Some((finding::engine(row), (across, up, String::new(), tip)))
    };
    let groups = by_name(cells.iter().filter_map(point));
    let values = groups.iter().flat_map(|points| &points.points).flat_map(|point| [point.0, point.1]);
    let axis = Axis::over(x, Scale::Log10, values, label);
    Scatter {
        title: title.to_owned(),
        y: Axis { title: y.to_owned(), ..axis.clone() },
        x: axis,
        groups,
        diagonal: Some("both the same".to_owned()),
    }
}
