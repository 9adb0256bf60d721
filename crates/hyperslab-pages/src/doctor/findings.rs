//! What is wrong, what it costs, and what each fix does to every usual read.

use hyperslab_apps::error::one_line;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_doctor::{Cost, Finding, Fix, OtherRead, Report, Severity, list_text};
use hyperslab_report::{Change, Changes, Choice, Level, Notice, Section};
use hyperslab_units::counted_text;
use hyperslab_units::size::bytes_text;

/// Findings that are told at the top of the page.
const TOLD_MAX: usize = 3;

/// The sentences at the top of the page: how many findings there are, and what the worst cost.
pub(super) fn headline(report: &Report) -> Vec<String> {
    let mut all: Vec<(&str, &Finding)> = findings(report).collect();
    if all.is_empty() {
        return vec!["Nothing was found that is worth a change.".to_owned()];
    }
    all.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
    let of = |severity: Severity, word: &str| {
        let count = all.iter().filter(|(_, finding)| finding.severity == severity).count();
        (count > 0).then(|| format!("{count} {word}"))
    };
    let counts: Vec<String> =
        [(Severity::High, "high"), (Severity::Medium, "medium"), (Severity::Low, "low")]
            .into_iter()
            .filter_map(|(severity, word)| of(severity, word))
            .collect();
    let noun = if all.len() == 1 { "finding" } else { "findings" };
    let mut told = vec![format!("{} {noun}", list_text(&counts))];
    let worst = all.iter().take(TOLD_MAX).map(|(place, finding)| sentence(place, finding));
    told.extend(worst);
    told
}

/// A card for each finding.
pub(super) fn section(report: &Report) -> Section {
    findings(report)
        .fold(Section::new("Findings"), |section, (place, finding)| section.figure(notice(place, finding)))
}

/// All findings, each with the dataset that it is about, or nothing where it is about the file.
fn findings(report: &Report) -> impl Iterator<Item = (&str, &Finding)> {
    let of_file = report.findings.iter().map(|finding| ("", finding));
    let of_datasets = report
        .datasets
        .iter()
        .flat_map(|dataset| dataset.findings.iter().map(|finding| (dataset.path.as_str(), finding)));
    of_file.chain(of_datasets)
}

/// `/t2m: row by row takes 56 s in libhdf5 1.10, and 0.21 s after a fix (cache-smaller-than-chunk)`
fn sentence(place: &str, finding: &Finding) -> String {
    let place = if place.is_empty() { "the file".to_owned() } else { one_line(place) };
    // The first one is what is recommended; one that slows another read comes after those that do not.
    let mut serving = finding.fixes.iter().filter(|fix| fix.serves.is_some());
    let recommended = serving.clone().find(|fix| !fix.slows_others).or_else(|| serving.next());
    let served = recommended.and_then(|fix| fix.serves.as_ref());
    match served.filter(|read| read.after_seconds < read.before_seconds) {
        Some(read) => format!(
            "{place}: reading {} takes {} in {}, {} after a fix ({})",
            read.read,
            seconds_text(read.before_seconds),
            read.library,
            seconds_text(read.after_seconds),
            finding.code
        ),
        None => format!("{place}: {} ({})", cost_text(&finding.cost), finding.code),
    }
}

/// `costs 56 s and 3 MiB of the file`
fn cost_text(cost: &Cost) -> String {
    let parts: Vec<String> = [
        cost.seconds.map(|seconds| format!("about {}", seconds_text(seconds))),
        cost.bytes.map(|bytes| format!("{} of the file", bytes_text(bytes))),
        cost.requests.map(|requests| counted_text(requests, "request")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() { String::new() } else { format!("costs {}", list_text(&parts)) }
}

fn notice(place: &str, finding: &Finding) -> Notice {
    let groups = groups(&finding.fixes);
    // Where the message and its fixes have the seconds of this library, those by the stored constants would be another figure
    // for the same cost.
    let has_seconds = finding.fixes.iter().any(|fix| fix.serves.is_some());
    let seconds = finding.cost.seconds.filter(|_| !has_seconds);
    let cost = cost_text(&Cost { seconds, ..finding.cost });
    Notice {
        level: match finding.severity {
            Severity::Low => Level::Low,
            Severity::Medium => Level::Medium,
            Severity::High => Level::High,
        },
        title: finding.code.clone(),
        place: one_line(place),
        text: one_line(&finding.message),
        cost: cost.strip_prefix("costs").map(|cost| format!("Costs{cost}.")).unwrap_or_default(),
        changes: changes(&groups),
        choices: groups.iter().map(|group| choice(group)).collect(),
    }
}

/// The fixes that are one change, in the words of several programs.
fn groups(fixes: &[Fix]) -> Vec<&[Fix]> {
    fixes.chunk_by(|a, b| (a.kind, &a.effect) == (b.kind, &b.effect)).collect()
}

fn choice(group: &[Fix]) -> Choice {
    let first = &group[0];
    let lines = group.iter().flat_map(|fix| {
        let writers = fix.writers.iter().map(|writer| (writer.target.clone(), writer.line.clone()));
        std::iter::once((fix.target.clone(), fix.line.clone())).chain(writers)
    });
    Choice {
        title: format!("{}: {}", first.kind.text(), first.effect),
        warning: if first.slows_others {
            "Makes another read much slower.".to_owned()
        } else {
            String::new()
        },
        lines: lines.collect(),
    }
}

/// Seconds of each read before and after each fix. `None` if none of them changes a read.
fn changes(groups: &[&[Fix]]) -> Option<Changes> {
    let reads = |fix: &Fix| fix.serves.iter().chain(&fix.others).cloned().collect::<Vec<OtherRead>>();
    let mut columns: Vec<String> = Vec::new();
    for read in groups.iter().flat_map(|group| reads(&group[0])) {
        if !columns.contains(&read.read) {
            columns.push(read.read);
        }
    }
    if columns.is_empty() {
        return None;
    }
    let row = |group: &&[Fix]| {
        let fix = &group[0];
        let reads = reads(fix);
        let cells = columns.iter().map(|name| reads.iter().find(|read| read.read == *name).map(change));
        // What the fix is called comes before the colon, what follows is told with its lines.
        let name = fix.effect.split(':').next().unwrap_or(&fix.effect);
        (format!("{}: {name}", fix.kind.text()), cells.collect())
    };
    Some(Changes {
        title:
            "Predicted time of each usual read before and after, in the library where a fix changes it most"
                .to_owned(),
        corner: "fix".to_owned(),
        rows: groups.iter().map(row).collect(),
        columns,
    })
}

fn change(read: &OtherRead) -> Change {
    let (before_text, after_text) = (seconds_text(read.before_seconds), seconds_text(read.after_seconds));
    Change {
        before: read.before_seconds,
        after: read.after_seconds,
        detail: format!("{} in {}\nnow {before_text}, then {after_text}", read.read, read.library),
        before_text,
        after_text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_doctor::{DatasetFacts, FilterFact, Options, Prediction, diagnose};

    /// The case study: rows of chunks that are larger than the old default cache.
    fn report() -> Report {
        let facts = DatasetFacts::contiguous("/d", &[60, 30, 9, 717], ">f4", 4).unlimited().in_chunks(
            &[4, 30, 9, 717],
            vec![FilterFact::gzip(6)],
            43_162_046,
        );
        let dataset = diagnose(&facts, &Options::default()).unwrap();
        Report {
            absent: Vec::new(),
            file: "in.h5".to_owned(),
            prediction: Prediction::default(),
            findings: Vec::new(),
            datasets: vec![dataset],
            forecast: None,
        }
    }

    #[test]
    fn the_headline_says_what_the_worst_costs_before_and_after() {
        let told = headline(&report());
        assert!(told[0].starts_with("1 high"), "{told:?}");
        assert!(
            told[1].starts_with("/d: reading row by row (1x1x1x717)") || told[1].contains("row by row"),
            "{told:?}"
        );
        assert!(told[1].contains("after a fix (cache-smaller-than-chunk)"), "{told:?}");
        let nothing = Report { datasets: Vec::new(), ..report() };
        assert_eq!(headline(&nothing), ["Nothing was found that is worth a change."]);
    }

    #[test]
    fn a_fix_has_one_row_whatever_the_number_of_its_lines() {
        let report = report();
        let (place, finding) = findings(&report).next().unwrap();
        let notice = notice(place, finding);
        let changes = notice.changes.unwrap();
        assert_eq!(changes.rows.len(), notice.choices.len());
        assert_eq!(changes.columns[0], "row by row", "the read that it is for comes first");
        let (name, cells) = &changes.rows[0];
        assert_eq!(name, "set the cache: a cache of 3 MiB");
        let gain = cells[0].as_ref().unwrap();
        assert!(gain.after < gain.before / 10.0, "{gain:?}");
        assert_eq!(notice.choices[0].lines.len(), 4, "h5py, netCDF4, xarray, C");
    }
}
