//! The forecast as a section of a page: bars for each step, and what other layouts of the file would change.

use hyperslab_doctor::alternative_text;
use hyperslab_doctor::forecast::{CloudReader, Forecast, StepForecast};
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Bar, Bars, Column, Section, Table};
use hyperslab_storage::pattern::shape_beside;
use hyperslab_units::counted_text;
use hyperslab_units::size::bytes_text;

/// Steps that are drawn: opening, listing, and some reads.
const STEPS_MAX: usize = 6;

/// The section.
pub fn section(forecast: &Forecast) -> Section {
    let reads = match &forecast.recorded_with {
        Some(library) => {
            format!("The reads of {library} were recorded, and replayed over the cache of each reader.")
        }
        None => {
            "The reads are those that hyperslab plans, replayed over the cache of each reader.".to_owned()
        }
    };
    let latency = seconds_text(forecast.latency_seconds);
    let section = Section::new(format!("In an object store ({})", forecast.place)).text(format!(
        "How long each kind of reader waits for the store, at {latency} a request. {reads} Decoding comes on top."
    ));
    let section = forecast.steps.iter().take(STEPS_MAX).map(bars).fold(section, Section::figure);
    let texts = forecast.alternatives.iter().map(|alternative| alternative_text(forecast, alternative));
    let section = texts.fold(section, Section::text);
    if forecast.alternatives.is_empty() {
        return section;
    }
    let columns = vec![Column::new("layout", Align::Left), Column::new("line", Align::Command)];
    let lines = Table::new("Other layouts of the file", columns);
    let lines = forecast.alternatives.iter().fold(lines, |lines, one| lines.row([&*one.name, &*one.line]));
    section.figure(lines)
}

fn bars(step: &StepForecast) -> Bars {
    let title = match (&step.block, step.blocks) {
        (Some(block), Some(blocks)) => {
            let name = match shape_beside(&step.name, block) {
                Some(shape) => format!("{}, {shape}", step.name),
                None => step.name.clone(),
            };
            let about = if step.is_extrapolated() { "; extrapolated from the first blocks" } else { "" };
            format!("{name}: {}{about}", counted_text(blocks, "read"))
        }
        _ => step.name.clone(),
    };
    let bar = |one: &hyperslab_doctor::forecast::ReaderForecast| Bar {
        name: CloudReader::titled(&one.reader).unwrap_or(&one.reader).to_owned(),
        value: one.seconds,
        whole: None,
        before: None,
        text: format!(
            "{}; {}, {}, ${:.5}",
            seconds_text(one.seconds),
            counted_text(one.requests, "request"),
            bytes_text(one.bytes),
            one.dollars
        ),
    };
    Bars::of_seconds(title, step.readers.iter().map(bar).collect())
}
