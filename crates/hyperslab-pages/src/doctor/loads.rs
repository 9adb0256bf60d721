//! How often the chunks of a dataset are decoded (or fetched, where nothing is to be decoded), on the map of the file's
//! bytes.

use super::bytes::ByteMap;
use hyperslab::Dataset;
use hyperslab_apps::error::one_line;
use hyperslab_doctor::{DatasetFacts, DatasetReport, Options, ReadReport, chunk_loads};
use hyperslab_report::{CellColour, CellKind, CellMap};
use hyperslab_storage::pattern::shape_beside;
use hyperslab_units::{count_text, counted_text};
use std::collections::BTreeMap;

/// Loads per chunk above which a read is drawn in the library where it is, even if that is not the user's own.
const RATIO_MIN: f64 = 1.5;

/// The map of the read that loads chunks most often. `None` if the data is not chunked, lies elsewhere, is too small to
/// have a colour of its own, or if no such read can be simulated to its end.
pub(super) fn figure(
    dataset: &Dataset,
    facts: &DatasetFacts,
    report: &DatasetReport,
    options: &Options,
    bytes: &ByteMap,
) -> Option<CellMap> {
    let kind = bytes.kind_of(&report.path)?;
    let (read, profile) = told_read(report).or_else(|| worst_read(report))?;
    let loads = chunk_loads(facts, options, read, profile).ok()??;
    let means = cell_means(dataset, &loads, bytes)?;
    let is_decoded = read.profiles[profile].amplification.is_some();
    let mut map = bytes.blank(title(report, read, profile, is_decoded));
    let means: Vec<Option<f64>> =
        bytes.cells.iter().zip(means).map(|(cell, mean)| (*cell == kind).then_some(mean)).collect();
    // The loads of the cells of each colour, from the fewest to the most.
    let mut ranges: BTreeMap<CellColour, (f64, f64)> = BTreeMap::new();
    for mean in means.iter().flatten() {
        let (fewest, most) = ranges.entry(CellColour::of_times(*mean)).or_insert((*mean, *mean));
        (*fewest, *most) = (fewest.min(*mean), most.max(*mean));
    }
    let verb = if is_decoded { "decoded" } else { "fetched" };
    for (colour, (fewest, most)) in &ranges {
        let name = format!("{verb} {}", times_text(*fewest, *most));
        map.kinds.push(CellKind { name, text: String::new(), colour: *colour });
    }
    map.kinds.push(CellKind {
        name: "the rest of the file".to_owned(),
        text: String::new(),
        colour: CellColour::Muted,
    });
    let place = |mean: Option<f64>| {
        let colour = mean.map(CellColour::of_times);
        let known = colour.and_then(|colour| ranges.keys().position(|known| *known == colour));
        known.unwrap_or(ranges.len()) as u16
    };
    map.cells = means.into_iter().map(place).collect();
    Some(map)
}

/// `/t2m: chunks decoded by series along axis 0 (1460x1x1), 259,920 reads, in libhdf5 1.14`
fn title(report: &DatasetReport, read: &ReadReport, profile: usize, is_decoded: bool) -> String {
    let read_text = match shape_beside(&read.name, &read.shape) {
        Some(shape) => format!("{} ({shape})", read.name),
        None => read.name.clone(),
    };
    format!(
        "{}: how often each chunk is {} by reading {read_text}, {}, in {}",
        one_line(&report.path),
        if is_decoded { "decoded" } else { "fetched" },
        counted_text(read.reads, "read"),
        read.profiles[profile].name,
    )
}

/// `once`, `1,080 times`, `2 to 15 times`
fn times_text(fewest: f64, most: f64) -> String {
    match (fewest.round() as u64, most.round() as u64) {
        (1, 1) => "once".to_owned(),
        (fewest, most) if fewest == most => counted_text(most, "time"),
        (fewest, most) => format!("{} to {} times", count_text(fewest), count_text(most)),
    }
}

/// The read of the first finding that is about one, in the first library that it names.
fn told_read(report: &DatasetReport) -> Option<(&ReadReport, usize)> {
    report.findings.iter().find_map(|finding| {
        let (name, hit) = (finding.evidence["read_name"].as_str()?, finding.evidence["hit"].as_array()?);
        let read = report.reads.iter().find(|read| read.name == name)?;
        let library = hit.first()?["profile"].as_str()?;
        Some((read, read.profiles.iter().position(|profile| profile.name == library)?))
    })
}

/// The read with the most loads per chunk in the first library, which is the user's own where that is known; if none
/// loads chunks repeatedly there, the worst in any library.
fn worst_read(report: &DatasetReport) -> Option<(&ReadReport, usize)> {
    let ratio = |read: &ReadReport, profile: usize| {
        let counts = &read.profiles[profile];
        let loads = if counts.amplification.is_some() { counts.decodes } else { counts.driver_reads };
        loads as f64 / counts.chunks_touched.max(1) as f64
    };
    let all =
        report.reads.iter().flat_map(|read| (0..read.profiles.len()).map(move |profile| (read, profile)));
    let worst = |among: &mut dyn Iterator<Item = (&'_ ReadReport, usize)>| -> Option<f64> {
        among.map(|(read, profile)| ratio(read, profile)).max_by(f64::total_cmp)
    };
    let in_own = worst(&mut all.clone().filter(|(_, profile)| *profile == 0))?;
    let (only_own, most) =
        if in_own >= RATIO_MIN { (true, in_own) } else { (false, worst(&mut all.clone())?) };
    let mut of_interest = all.filter(|(_, profile)| !only_own || *profile == 0);
    of_interest.find(|(read, profile)| ratio(read, *profile) >= most)
}

/// Mean loads of the chunks in each cell, by their bytes. A cell without bytes of them has the value of the one before.
fn cell_means(dataset: &Dataset, loads: &[(u64, u64)], bytes: &ByteMap) -> Option<Vec<f64>> {
    let mut sums = vec![(0u64, 0.0f64); bytes.cells.len()];
    for (number, location) in dataset.chunk_map().ok()?.iter() {
        let times = u64::try_from(number).ok().and_then(|number| {
            let found = loads.binary_search_by_key(&number, |(chunk, _)| *chunk).ok()?;
            Some(loads[found].1)
        });
        let (mut at, end) = (location.address, location.address.saturating_add(location.stored_bytes));
        while at < end {
            let cell = at / bytes.cell_bytes;
            let Some(sum) = usize::try_from(cell).ok().and_then(|cell| sums.get_mut(cell)) else { break };
            let until = end.min((cell + 1) * bytes.cell_bytes);
            sum.0 += until - at;
            sum.1 += (until - at) as f64 * times.unwrap_or(0) as f64;
            at = until;
        }
    }
    let mut last = 1.0;
    let means = sums.into_iter().map(|(bytes, loads)| {
        if bytes > 0 {
            last = loads / bytes as f64;
        }
        last
    });
    Some(means.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_told_as_counts() {
        assert_eq!(times_text(1.0, 1.2), "once");
        assert_eq!(times_text(1080.0, 1080.0), "1,080 times");
        assert_eq!(times_text(2.0, 14.6), "2 to 15 times");
    }
}
