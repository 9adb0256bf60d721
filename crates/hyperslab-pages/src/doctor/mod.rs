//! The report as a page: the findings first, each with the seconds of all usual reads before and after its fixes; then
//! the file as a map of its bytes, and what the reads cost.
//!
//! ```text
//!   Report ─► findings · reads ─┐
//!   census ─► bytes ─► loads   ─┴─► Page
//! ```

mod bytes;
mod findings;
mod loads;
mod reads;
mod writes;

use bytes::ByteMap;
use hyperslab::Dataset;
use hyperslab_apps::doctor::Evidence;
use hyperslab_apps::facts;
use hyperslab_doctor::{DatasetReport, Options, Report};
use hyperslab_report::{CellMap, Facts, Page, Section};

/// Datasets whose loads are drawn, at most.
const LOAD_MAPS_MAX: usize = 3;

/// What is drawn of a file beside its report.
struct Maps {
    bytes: CellMap,
    loads: Vec<CellMap>,
}

impl Maps {
    /// The maps of a file whose datasets were examined read by read. A dataset that cannot be read again is left out: what
    /// is wrong with it was told when it was examined.
    fn of(report: &Report, Evidence { census, datasets, options }: &Evidence) -> Self {
        let bytes = ByteMap::new(census);
        let examined = report.datasets.iter().filter(|dataset| !dataset.reads.is_empty());
        let loads = examined
            .filter_map(|report| {
                let dataset = datasets.iter().find(|dataset| dataset.path() == report.path)?;
                loads_of(dataset, report, options, &bytes)
            })
            .take(LOAD_MAPS_MAX)
            .collect();
        Self { bytes: bytes.figure(), loads }
    }
}

fn loads_of(
    dataset: &Dataset,
    report: &DatasetReport,
    options: &Options,
    bytes: &ByteMap,
) -> Option<CellMap> {
    let facts = hyperslab_apps::facts::layout_facts(dataset).ok()?;
    loads::figure(dataset, &facts, report, options, bytes)
}

/// The page of one file. `command` is the line that makes it again.
pub fn page(report: &Report, evidence: &Evidence, command: &str) -> Page {
    let maps = Maps::of(report, evidence);
    let page = Page {
        topic: "hyperslab doctor".to_owned(),
        findings: findings::headline(report).into_iter().chain(report.absent.iter().cloned()).collect(),
        foot: format!(
            "hyperslab {}, {}",
            env!("CARGO_PKG_VERSION"),
            jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC")
        ),
        ..Page::new(report.file.rsplit('/').next().unwrap_or(&report.file))
    };
    let maps = maps.loads.into_iter().fold(
        Section::new("The file, byte by byte")
            .text("Each cell is a piece of the file, in the order of its bytes: the first row is its beginning.")
            .figure(maps.bytes),
        Section::figure,
    );
    let page = page.section(findings::section(report)).section(maps).section(reads::section(report));
    let page = writes::section(report).into_iter().fold(page, Page::section);
    let page = report.forecast.iter().map(crate::forecast::section).fold(page, Page::section);
    page.section(conditions(report, command))
}

fn conditions(report: &Report, command: &str) -> Section {
    let library = match (&report.prediction.release, &report.prediction.library) {
        (Some(release), Some(library)) => format!("libhdf5 {release}, measured on this machine: {library}"),
        _ => facts::CONSTANTS.to_owned(),
    };
    let facts = Facts::new("How it was predicted")
        .fact("File", report.file.as_str())
        .fact("Seconds are those of", library)
        .fact("Counts", "each read is simulated chunk by chunk with the chunk cache of each library")
        .fact("Not included", "a cold disk; a network, but for the object store of --cloud")
        .command(command);
    Section::new("How it was predicted").figure(facts)
}
