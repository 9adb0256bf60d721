//! The table of writes: what each costs in each library.

use super::model::DatasetReport;
use super::table::{Line, Times, aligned, grouped, title};
use super::wrap::wrap;
use crate::numbers::ratio_text;
use hyperslab_units::{count_text, counted_text};

/// Under each write, one line for each distinct result with all libraries that have it.
pub(super) fn writes_text(out: &mut String, report: &DatasetReport, width: usize) {
    let what = "encodes, encodes per chunk, predicted time (about: encoding is not measured)";
    wrap(out, &format!("Writes of {} into a new file: {what}", report.path), width, "", "");
    out.push('\n');
    let mut lines: Vec<Line> = vec![(None, ["", "encodes", "per chunk", "predicted"].map(str::to_owned))];
    for write in &report.writes {
        let mut heading = Some(format!("{}, {}", write.name, counted_text(write.writes, "write")));
        for group in grouped(&write.profiles, |profile| (profile.encodes, profile.decodes)) {
            let first = group[0];
            let named = group.iter().map(|profile| (profile.name.as_str(), profile.cache.nbytes)).collect();
            let about = if first.exact { "" } else { "~" };
            let cells = [
                format!("  {}", title(named, write.profiles.len(), true)),
                format!("{about}{}", count_text(first.encodes)),
                ratio_text(first.amplification),
                Times::Constants.text(first.predicted_seconds),
            ];
            lines.push((heading.take(), cells));
        }
    }
    out.push_str(&aligned(lines, width));
}
