//! The forecast for an object store as a table: a row for each reader, a column for each step.

use super::wrap::wrap;
use crate::forecast::{Alternative, CloudReader, Forecast, ReaderForecast, StepForecast};
use crate::predict::seconds_text;
use comfy_table::{Cell, CellAlignment, Table, presets};
use hyperslab_storage::pattern::shape_beside;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};

/// Columns of reads in a table, beside those of opening and listing.
const READS_MAX: usize = 3;

/// Renders a forecast as text of at most `width` columns, if it can be: a table with the seconds, requests and bytes of
/// each reader, and what they rest on.
pub fn render_forecast(forecast: &Forecast, width: usize) -> String {
    let mut out = String::new();
    let link = match forecast.bytes_per_second.is_finite() {
        true => format!(
            "{} a request, {}/s a connection",
            seconds_text(forecast.latency_seconds),
            bytes_text(forecast.bytes_per_second as u64)
        ),
        false => format!("{} a request", seconds_text(forecast.latency_seconds)),
    };
    let place = if forecast.place.contains('=') { "given".to_owned() } else { forecast.place.clone() };
    wrap(
        &mut out,
        &format!("In an object store ({place}: {link}): seconds of waiting; requests; bytes"),
        width,
        "",
        "",
    );
    let mut shown = forecast.steps.len().min(2 + READS_MAX);
    let text = loop {
        let text = table(&forecast.steps[..shown]);
        if shown <= 2 || text.lines().all(|line| line.chars().count() <= width) {
            break text;
        }
        shown -= 1;
    };
    out.push('\n');
    for line in text.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let basis = match &forecast.recorded_with {
        Some(library) => format!("The reads of {library} were recorded, and replayed over the cache of each reader."),
        None => "The reads are those that hyperslab plans, replayed over the cache of each reader: no h5py has recorded \
                 those of libhdf5."
            .to_owned(),
    };
    let extrapolated = forecast.steps[..shown].iter().any(StepForecast::is_extrapolated);
    let extrapolated = if extrapolated { " ~: extrapolated from the first blocks." } else { "" };
    let rest = forecast.steps.len() - shown;
    let rest = match rest {
        0 => String::new(),
        1 => " --json has 1 more read.".to_owned(),
        rest => format!(" --json has {rest} more reads."),
    };
    out.push('\n');
    let money = money_text(forecast);
    wrap(&mut out, &format!("{basis} Decoding comes on top.{money}{extrapolated}{rest}"), width, "", "");
    for alternative in &forecast.alternatives {
        out.push('\n');
        wrap(&mut out, &alternative_text(forecast, alternative), width, "", "");
        out.push_str(&format!("    {}\n", alternative.line));
    }
    out
}

/// What listing costs, if requests or bytes have a price.
fn money_text(forecast: &Forecast) -> String {
    let listing = forecast.steps.iter().find(|step| step.name == "listing");
    let by_price = |one: &&ReaderForecast, other: &&ReaderForecast| one.dollars.total_cmp(&other.dollars);
    let readers = || listing.into_iter().flat_map(|step| &step.readers).filter(|reader| reader.dollars > 0.0);
    let (Some(least), Some(most)) = (readers().min_by(by_price), readers().max_by(by_price)) else {
        return String::new();
    };
    let title = |reader: &ReaderForecast| CloudReader::titled(&reader.reader).unwrap_or("another").to_owned();
    let times = LISTINGS_PRICED as f64;
    format!(
        " To list {} such files costs ${:.2} ({}) to ${:.2} ({}).",
        count_text(LISTINGS_PRICED),
        least.dollars * times,
        title(least),
        most.dollars * times,
        title(most)
    )
}

/// So many files are listed for a price that is not a fraction of a cent.
const LISTINGS_PRICED: u64 = 1_000;

/// What would change with another layout of the file, in a paragraph.
pub fn alternative_text(forecast: &Forecast, alternative: &Alternative) -> String {
    let title = |code: &str| CloudReader::titled(code).unwrap_or("another reader").to_owned();
    let listing = forecast.steps.iter().zip(&alternative.steps).find(|(now, _)| now.name == "listing");
    let mut gains: Vec<String> = Vec::new();
    if let Some((now, then)) = listing {
        for reader in &then.readers {
            let before = now.readers.iter().find(|before| before.reader == reader.reader);
            if let Some(before) = before.filter(|before| before.seconds > GAIN_FACTOR_MIN * reader.seconds) {
                let seconds = (seconds_text(before.seconds), seconds_text(reader.seconds));
                gains.push(format!("{} {} instead of {}", title(&reader.reader), seconds.1, seconds.0));
            }
        }
    }
    let gains = match gains.as_slice() {
        [] => "no reader lists it much faster".to_owned(),
        gains => format!("listing takes {}", gains.join(", ")),
    };
    let slower = alternative.slower(&forecast.steps).into_iter().map(|(reader, step, before, after)| {
        format!("{} ({step}: {} instead of {})", title(reader), seconds_text(after), seconds_text(before))
    });
    let slower: Vec<String> = slower.collect();
    let losses = match slower.as_slice() {
        [] => "No reader would wait longer.".to_owned(),
        slower => format!("Slower: {}.", slower.join(", ")),
    };
    format!("With {} ({}): {gains}. {losses}", alternative.name, alternative.source)
}

/// A layout is a gain for a reader that waits so many times as long without it.
const GAIN_FACTOR_MIN: f64 = 1.25;

fn table(steps: &[StepForecast]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let heading = |step: &StepForecast| match (&step.block, step.blocks) {
        (Some(block), Some(blocks)) => {
            let shape =
                shape_beside(&step.name, block).map_or_else(String::new, |shape| format!("{shape}\n"));
            right(format!("{}\n{shape}{}", step.name, counted_text(blocks, "read")))
        }
        _ => right(step.name.clone()),
    };
    table.set_header([Cell::new("reader")].into_iter().chain(steps.iter().map(heading)));
    let Some(first) = steps.first() else { return String::new() };
    for reader in first.readers.iter().map(|reader| &reader.reader) {
        let title = CloudReader::titled(reader).unwrap_or(reader);
        let cell = |step: &StepForecast| {
            let found = step.readers.iter().find(|found| found.reader == *reader);
            right(found.map(|found| cell_text(found, step.is_extrapolated())).unwrap_or_default())
        };
        table.add_row([Cell::new(title)].into_iter().chain(steps.iter().map(cell)));
    }
    table.trim_fmt()
}

/// `~13.9 s; 118; 575 MiB`
fn cell_text(reader: &ReaderForecast, is_extrapolated: bool) -> String {
    let about = if is_extrapolated { "~" } else { "" };
    format!(
        "{about}{}; {}; {}",
        seconds_text(reader.seconds),
        count_text(reader.requests),
        bytes_text(reader.bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::AlternativeStep;

    fn step(name: &str, blocks: Option<(u64, u64)>) -> StepForecast {
        let reader = |code: &str, requests| ReaderForecast {
            reader: code.to_owned(),
            requests,
            rounds: requests,
            bytes: requests << 20,
            seconds: requests as f64 * 0.05,
            dollars: requests as f64 * 4e-7,
        };
        StepForecast {
            name: name.to_owned(),
            path: blocks.map(|_| "/d".to_owned()),
            block: blocks.map(|_| vec![1, 100]),
            blocks: blocks.map(|(all, _)| all),
            blocks_replayed: blocks.map(|(_, replayed)| replayed),
            not_recorded: None,
            readers: vec![reader("fsspec-readahead", 118), reader("hyperslab", 2)],
        }
    }

    #[test]
    fn a_row_for_each_reader_and_as_many_reads_as_fit() {
        let mut steps = vec![step("opening", None), step("listing", None)];
        steps.extend((0..5).map(|axis| step(&format!("plane along axis {axis}"), Some((744, 700)))));
        let forecast = Forecast {
            place: "s3".to_owned(),
            latency_seconds: 0.04,
            bytes_per_second: 80e6,
            recorded_with: Some("h5py 3.16.0, libhdf5 2.0.0".to_owned()),
            steps,
            alternatives: Vec::new(),
        };
        let text = render_forecast(&forecast, 100);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(
            text.starts_with("In an object store (s3: 40.0 ms a request, 76.3 MiB/s a connection)"),
            "{text}"
        );
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "fsspec, read ahead 5 MiB",
            "~5.90 s; 118; 118 MiB",
            "744 reads",
            "--json has 4 more reads",
            "~: extrapolated",
            "To list 1,000 such files costs $0.00 (hyperslab) to $0.05 (fsspec, read ahead 5 MiB).",
        ] {
            assert!(words.contains(part), "{part}: {text}");
        }
        let narrow = render_forecast(&forecast, 60);
        assert!(narrow.contains("listing") && !narrow.contains("plane"), "{narrow}");
    }

    #[test]
    fn a_layout_names_who_gains_and_who_loses() {
        let steps = vec![step("opening", None), step("listing", None), step("everything", Some((1, 1)))];
        let seconds = |step: &StepForecast, factor: f64| AlternativeStep {
            name: step.name.clone(),
            readers: step.readers[..1]
                .iter()
                .map(|reader| ReaderForecast { seconds: reader.seconds * factor, ..reader.clone() })
                .collect(),
        };
        let changed = vec![seconds(&steps[0], 1.0), seconds(&steps[1], 0.1), seconds(&steps[2], 2.0)];
        let alternative = Alternative {
            name: "pages of 8 MiB".to_owned(),
            source: "NSIDC".to_owned(),
            page_bytes: Some(8 << 20),
            line: "hyperslab repack --page-size 8MiB in.h5 out.h5".to_owned(),
            steps: changed,
        };
        let forecast = Forecast {
            place: "s3".to_owned(),
            latency_seconds: 0.04,
            bytes_per_second: 80e6,
            recorded_with: None,
            steps,
            alternatives: vec![alternative],
        };
        let text = render_forecast(&forecast, 200);
        assert!(
            text.contains(
                "With pages of 8 MiB (NSIDC): listing takes fsspec, read ahead 5 MiB 0.59 s instead of 5.90 s. Slower: \
                 fsspec, read ahead 5 MiB (everything: 12 s instead of 5.90 s)."
            ),
            "{text}"
        );
    }
}
