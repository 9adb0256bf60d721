//! The summary as a page: what is saved in all, how many files that takes, and the variables and files with the most.

pub mod tables;
pub mod words;

use hyperslab_apps::archive::{Rank, Savings, Summary};
use hyperslab_apps::error::one_line;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{
    Axis, Bar, Bars, Column, Curves, Facts, Line, Page, Point, Points, Scale, Scatter, Section, Table,
};
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use tables::SavingsTable;
use words::{dollars_text, headline, rank_text};

/// Variables and files that are drawn as bars.
const BARS_MAX: usize = 20;

/// The page. `command` is the line that makes it again.
pub fn page(summary: &Summary, command: &str) -> Page {
    let page = Page {
        topic: "hyperslab doctor --summary".to_owned(),
        findings: headline(summary),
        foot: format!(
            "hyperslab {}, {}",
            env!("CARGO_PKG_VERSION"),
            jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC")
        ),
        ..Page::new("What repacking would save")
    };
    let facts = Facts::new("How it was found")
        .fact("Reads", "simulated with the chunk cache of each reader, now and with a few other chunk shapes")
        .fact("Sizes", "extrapolated from samples of the values, a few for each dataset")
        .fact("Place", summary.asked.place.as_str())
        .command(command);
    page.section(variables(summary))
        .section(files(summary))
        .section(Section::new("How it was found").figure(facts))
}

fn variables(summary: &Summary) -> Section {
    let section = Section::new("Variables");
    let names: Vec<(String, &Savings)> =
        summary.rewritten().map(|variable| (one_line(&variable.path), &variable.savings)).collect();
    if names.is_empty() {
        return section;
    }
    section
        .figure(bars(summary, "What is left of each variable", &names))
        .figure(trade_off(&names))
        .figure(figure(tables::variables(summary)))
}

fn files(summary: &Summary) -> Section {
    let section = Section::new("Files");
    if summary.best_files.is_empty() || summary.files < 2 {
        return section;
    }
    let names: Vec<(String, &Savings)> =
        summary.best_files.iter().map(|file| (one_line(&file.file), &file.savings)).collect();
    section
        .figure(curve(summary))
        .figure(bars(summary, "What is left of each file", &names))
        .figure(figure(tables::files(summary)))
}

fn figure(SavingsTable { head, rows }: SavingsTable) -> Table {
    let columns = head.into_iter().map(|(title, align)| Column::new(title, align));
    rows.into_iter().fold(Table::new("By what is saved", columns), Table::row)
}

/// What is left as a bar before what there is now.
fn bars(summary: &Summary, title: &str, names: &[(String, &Savings)]) -> Bars {
    let bar = |(name, savings): &(String, &Savings)| {
        let (now, then, text): (f64, f64, fn(f64) -> String) = match summary.rank {
            Rank::Seconds => (savings.seconds, savings.seconds_then, seconds_text),
            Rank::Bytes => {
                (savings.bytes as f64, savings.bytes_then as f64, |bytes| bytes_text(bytes as u64))
            }
            Rank::Dollars => (
                savings.dollars + savings.dollars_a_month,
                savings.dollars_then + savings.dollars_a_month_then,
                dollars_text,
            ),
        };
        Bar {
            name: name.clone(),
            value: then,
            whole: None,
            before: Some(now),
            text: format!("{} → {}", text(now), text(then)),
        }
    };
    let title = format!("{title}: {}", rank_text(summary.rank));
    let bars = names.iter().take(BARS_MAX).map(bar).collect();
    match summary.rank {
        Rank::Seconds => Bars::of_seconds(title, bars),
        Rank::Bytes => Bars::labelled(title, bars, Scale::Log2, |bytes| bytes_text(bytes as u64)),
        Rank::Dollars => Bars::labelled(title, bars, Scale::Log10, dollars_text),
    }
}

/// Bytes against seconds of each variable, now and then.
fn trade_off(names: &[(String, &Savings)]) -> Scatter {
    let group = |title: &str, of: fn(&Savings) -> (u64, f64)| Points {
        name: title.to_owned(),
        points: names
            .iter()
            .map(|(name, savings)| {
                let (bytes, seconds) = of(savings);
                let tip = format!("{name}, {title}: {}, {}", bytes_text(bytes), seconds_text(seconds));
                (bytes as f64, seconds, String::new(), tip)
            })
            .collect(),
    };
    let groups = vec![
        group("now", |savings| (savings.bytes, savings.seconds)),
        group("as recommended", |savings| (savings.bytes_then, savings.seconds_then)),
    ];
    let all = || groups.iter().flat_map(|group| &group.points);
    Scatter {
        title: "Bytes against time of each variable: the lower left corner is the best".to_owned(),
        x: Axis::over("bytes in the files", Scale::Log2, all().map(|point| point.0), |bytes| {
            bytes_text(bytes as u64)
        }),
        y: Axis::of_seconds("reading everything once", all().map(|point| point.1)),
        groups,
        diagonal: None,
    }
}

/// How much of all savings the first files bring.
fn curve(summary: &Summary) -> Curves {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let point = |(files, share): &(u64, f64)| Point {
        x: *files as f64,
        y: *share,
        text: format!("{}: {}", counted_text(*files, "file"), percent(*share)),
        is_bend: true,
    };
    let line = Line {
        name: format!("share of the {} that are saved", rank_text(summary.rank)),
        points: summary.curve.iter().map(point).collect(),
        ..Line::default()
    };
    Curves {
        title: "What repacking the first files brings".to_owned(),
        x: Axis::over(
            "files, in order of what they save",
            Scale::Linear,
            summary.curve.iter().map(|point| point.0 as f64),
            |files| count_text(files as u64),
        ),
        y: Axis::over("of all that is saved", Scale::Linear, [0.0, 1.0], percent),
        lines: vec![line],
        marks: Vec::new(),
    }
}
