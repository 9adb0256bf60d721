//! The table of writes: what each costs in each library.

use super::model::DatasetReport;
use super::wrap::wrap;
use crate::numbers::{library_names, ratio_text};
use crate::pattern::bytes_text;
use crate::predict::seconds_text;
use hyperslab_units::{count_text, counted_text};
use std::fmt::Write;

/// Under each write, one line for each distinct result with all libraries that have it.
pub(super) fn writes_text(out: &mut String, report: &DatasetReport, width: usize) {
    let what = "encodes, encodes per chunk, predicted time (about: encoding is not measured)";
    wrap(out, &format!("Writes of {} into a new file: {what}", report.path), width, "", "");
    for write in &report.writes {
        let _ = writeln!(out, "\n{}, {}", write.name, counted_text(write.writes, "write"));
        let mut told: Vec<(Vec<&str>, usize)> = Vec::new();
        for (at, profile) in write.profiles.iter().enumerate() {
            let same = told.iter_mut().find(|(_, first)| {
                let first = &write.profiles[*first];
                (first.encodes, first.decodes, first.cache.nbytes)
                    == (profile.encodes, profile.decodes, profile.cache.nbytes)
            });
            match same {
                Some((names, _)) => names.push(&profile.name),
                None => told.push((vec![&profile.name], at)),
            }
        }
        let lines = told.iter().map(|(names, at)| {
            let profile = &write.profiles[*at];
            let title = match names[..] {
                [name] if name.starts_with("cache ") => name.to_owned(),
                _ => format!("{}, {}", library_names(names), bytes_text(profile.cache.nbytes)),
            };
            let about = if profile.exact { "" } else { "~" };
            let encodes = format!("{about}{}", count_text(profile.encodes));
            (
                title,
                encodes,
                ratio_text(profile.amplification),
                format!("~{}", seconds_text(profile.predicted_seconds)),
            )
        });
        let lines: Vec<(String, String, String, String)> = lines.collect();
        let widest = |of: fn(&(String, String, String, String)) -> &String| {
            lines.iter().map(|line| of(line).chars().count()).max().unwrap_or(0)
        };
        let widths = (widest(|l| &l.0), widest(|l| &l.1), widest(|l| &l.2), widest(|l| &l.3));
        for (title, encodes, ratio, seconds) in &lines {
            let _ = writeln!(
                out,
                "  {title:<0$}  {encodes:>1$}  {ratio:>2$}  {seconds:>3$}",
                widths.0, widths.1, widths.2, widths.3
            );
        }
    }
}
