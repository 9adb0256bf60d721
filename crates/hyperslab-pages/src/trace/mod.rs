//! The page of a trace: what a program read, when, how often each chunk was decoded for it, and what would have helped.

mod chunks;
mod when;
pub mod words;

use hyperslab_apps::error::one_line;
use hyperslab_apps::shell_line::shell_line;
use hyperslab_apps::trace::{Answer, Cure, Traced};
use hyperslab_report::{Align, Choice, Facts, Level, Notice, Page, Section, Table};
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use words::{cure_text, cured, pattern_text, seconds_text};

/// The most datasets that are drawn.
const DRAWN_MAX: usize = 6;

/// The page of a trace. `command` is the line that makes it again.
pub fn page(answer: &Answer, command: &str) -> Page {
    let title = if answer.program.is_empty() { answer.trace.clone() } else { shell_line(&answer.program) };
    let page = Page {
        topic: "hyperslab trace".to_owned(),
        findings: findings(answer),
        foot: format!(
            "hyperslab {}, {}",
            env!("CARGO_PKG_VERSION"),
            jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC")
        ),
        ..Page::new(one_line(&title))
    };
    let cures = cured(answer).map(|(traced, cure)| notice(answer, traced, cure));
    let cures = cures.fold(Section::new("What would help"), Section::figure);
    page.section(cures)
        .section(when::section(answer))
        .section(chunks::section(answer))
        .section(Section::new("What was read").figure(datasets(answer)).figure(patterns(answer)))
        .section(Section::new("How it was counted").figure(conditions(answer, command)))
}

fn findings(answer: &Answer) -> Vec<String> {
    let share = 100.0 * answer.seconds_in_hdf5 / answer.seconds.max(1e-9);
    let (inside, all) = (seconds_text(answer.seconds_in_hdf5), seconds_text(answer.seconds));
    let mut findings = vec![match answer.processes {
        1 => format!("{inside} of {all} in HDF5 ({share:.0} %)"),
        processes => format!("{processes} processes, {inside} in HDF5 together; the longest ran {all}"),
    }];
    match cured(answer).next() {
        Some((traced, cure)) => {
            findings.push(format!("{}: {}", one_line(&traced.dataset), cure_text(traced, cure)));
        }
        None if answer.datasets.iter().any(|traced| traced.reads.decodes.is_some()) => {
            findings.push("No chunk cache would have saved much of this time".to_owned());
        }
        None => {}
    }
    if !answer.ended {
        findings.push("A process did not end by itself: its last reads may be missing".to_owned());
    }
    findings
}

fn notice(answer: &Answer, traced: &Traced, cure: &Cure) -> Notice {
    let saved = (traced.reads.seconds - cure.seconds) / answer.seconds.max(1e-9);
    let lines = cure.lines.iter().map(|(target, line)| (target.clone(), line.clone())).collect();
    Notice {
        level: if saved >= 0.5 {
            Level::High
        } else if saved >= 0.1 {
            Level::Medium
        } else {
            Level::Low
        },
        title: format!("{} saves {:.0} % of the run", cure.text(), 100.0 * saved),
        place: one_line(&traced.dataset),
        text: cure_text(traced, cure),
        cost: String::new(),
        changes: None,
        choices: vec![Choice { title: cure.text(), warning: String::new(), lines }],
    }
}

fn datasets(answer: &Answer) -> Table {
    let columns = [
        ("dataset", Align::Left),
        ("file", Align::Left),
        ("stored as", Align::Left),
        ("chunk cache", Align::Right),
        ("reads", Align::Right),
        ("bytes", Align::Right),
        ("time", Align::Right),
        ("decodes", Align::Right),
        ("needed", Align::Right),
    ];
    let mut table = Table::new("Datasets, those that took most time first", columns);
    let count = |count: Option<u64>| count.map(count_text).unwrap_or_default();
    table.rows = answer
        .datasets
        .iter()
        .map(|traced| {
            let decodes = match &traced.not_counted {
                Some(why) => format!("not counted: {why}"),
                None => count(traced.reads.decodes),
            };
            vec![
                one_line(&traced.dataset),
                one_line(&traced.file),
                stored(traced),
                traced.cache.map(|cache| bytes_text(cache.nbytes)).unwrap_or_default(),
                count_text(traced.reads.calls),
                bytes_text(traced.reads.bytes),
                seconds_text(traced.seconds()),
                decodes,
                count(traced.decodes_least),
            ]
        })
        .collect();
    table
}

/// `1460x361x720 f4 in chunks of 1x361x720, shuffle+gzip=4`
fn stored(traced: &Traced) -> String {
    let chunks = traced.chunks.as_ref().map(|chunks| format!(" in chunks of {}", shape_text(chunks)));
    let filters = if traced.filters.is_empty() { String::new() } else { format!(", {}", traced.filters) };
    format!("{} {}{}{filters}", shape_text(&traced.shape), traced.element, chunks.unwrap_or_default())
}

fn patterns(answer: &Answer) -> Table {
    let columns = [
        ("dataset", Align::Left),
        ("reads", Align::Left),
        ("in memory", Align::Left),
        ("calls", Align::Right),
        ("bytes", Align::Right),
        ("time", Align::Right),
        ("decodes", Align::Right),
    ];
    let mut table = Table::new("Reads that are alike", columns);
    for traced in &answer.datasets {
        table.rows.extend(traced.patterns.iter().map(|pattern| {
            vec![
                one_line(&traced.dataset),
                pattern_text(pattern),
                pattern.memory_type.clone(),
                count_text(pattern.count),
                bytes_text(pattern.bytes),
                seconds_text(pattern.seconds),
                pattern.decodes.map(count_text).unwrap_or_default(),
            ]
        }));
    }
    table
}

fn conditions(answer: &Answer, command: &str) -> Facts {
    let mut versions: Vec<&str> =
        answer.datasets.iter().flat_map(|traced| traced.libhdf5.split(", ")).collect();
    versions.sort_unstable();
    versions.dedup();
    Facts::new("")
        .fact("Program", one_line(&shell_line(&answer.program)))
        .fact("Processes", counted_text(answer.processes, "process"))
        .fact("libhdf5", versions.join(", "))
        .fact(
            "Decodes",
            "simulated for the chunk cache in force and for larger ones, in the order of the reads",
        )
        .fact("Seconds", "inside H5Dread and H5Dwrite")
        .fact("Trace", answer.trace.as_str())
        .command(command)
}
