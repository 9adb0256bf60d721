//! What each way to write a dataset of this kind costs in each library: a matrix for each dataset of which writes were asked.

use super::reads::heading;
use hyperslab_apps::error::one_line;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_doctor::{DatasetReport, Report, WriteProfileReport, WriteReport, ratio_text};
use hyperslab_report::{HeatCell, HeatMap, HeatRow, Section};
use hyperslab_units::counted_text;

/// `None` where no writes were asked for.
pub(super) fn section(report: &Report) -> Option<Section> {
    let mut examined = report.datasets.iter().filter(|dataset| !dataset.writes.is_empty()).peekable();
    examined.peek()?;
    let text = "Each row writes a whole new dataset of this kind. Encoding is not measured: times are about so long.";
    let section = Section::new("What each way to write it costs").text(text);
    Some(examined.map(matrix).fold(section, Section::figure))
}

fn matrix(report: &DatasetReport) -> HeatMap {
    let profiles = report.writes.first().map(|write| write.profiles.as_slice()).unwrap_or_default();
    HeatMap {
        title: format!("{}: predicted time of all writes of a kind", one_line(&report.path)),
        corner: "write".to_owned(),
        columns: profiles.iter().map(|profile| heading(&profile.name, profile.cache)).collect(),
        rows: report.writes.iter().map(row).collect(),
        compares: "times the best of its row:".to_owned(),
    }
}

fn row(write: &WriteReport) -> HeatRow {
    let seconds = write.profiles.iter().map(|profile| profile.predicted_seconds);
    let best = seconds.fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
    let cell = |profile: &WriteProfileReport| {
        Some(HeatCell {
            times: Some(profile.predicted_seconds / best),
            text: seconds_text(profile.predicted_seconds),
            detail: detail(profile),
        })
    };
    HeatRow {
        name: write.name.clone(),
        note: counted_text(write.writes, "write"),
        cells: write.profiles.iter().map(cell).collect(),
        ..HeatRow::default()
    }
}

/// `1,080 encodes, 12x each chunk; 1,065 decodes of chunks that were written before`
fn detail(profile: &WriteProfileReport) -> String {
    let WriteProfileReport { name, version, encodes, decodes, amplification, exact, .. } = profile;
    let about = if *exact { "" } else { "\nextrapolated from a part of the writes" };
    format!(
        "{name}, libhdf5 {version}\n{}, {} each chunk\n{} of chunks that were written before{about}",
        counted_text(*encodes, "encode"),
        ratio_text(*amplification),
        counted_text(*decodes, "decode"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_doctor::{DatasetFacts, FilterFact, Options, diagnose};

    #[test]
    fn each_library_has_its_column_and_each_write_its_row() {
        let facts = DatasetFacts::contiguous("/d", &[60, 30, 9, 717], ">f4", 4).in_chunks(
            &[4, 30, 9, 717],
            vec![FilterFact::gzip(6)],
            43_162_046,
        );
        let options = Options { writes: vec!["1x1x1x717".parse().unwrap()], ..Options::default() };
        let report = diagnose(&facts, &options).unwrap();
        let matrix = matrix(&report);
        assert_eq!((matrix.rows.len(), matrix.columns.len()), (1, report.writes[0].profiles.len()));
        let cell = matrix.rows[0].cells[0].as_ref().unwrap();
        assert!(cell.detail.contains("encodes, ") && cell.detail.contains("each chunk"), "{}", cell.detail);
    }
}
