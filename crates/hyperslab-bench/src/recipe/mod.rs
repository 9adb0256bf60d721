//! Published studies, run again: each at its own size, on the user's own libraries and on hyperslab, its figures beside
//! those of today, its conclusions judged by them.
//!
//! A recipe is a file. Its module comment is the user's page: what was published, by whom, where, and what is run here;
//! its `plan` is the study as data ([`Plan`]).

mod explanation;
mod compression_2015;
mod engines;
mod hdf4_2000;
mod judge;
mod artifacts;
mod measured;
mod page_buffer_2022;
mod plan;
mod report;
mod run;
mod cell_run;
mod task;
mod unidata;
mod unidata_compressed;
mod unidata_series;
mod unidata_sizes;
mod unidata_unlimited;
mod format;

pub use engines::{Engines, Used};
pub use judge::{Judged, Other, Verdict};
pub use measured::{CacheFit, Kind, Measured};
pub use plan::{Cell, Claim, Content, Effect, Figure, Metric, Part, Plan, Published, EngineKind, Work};
pub use report::{Counts, NotRun, PartReport, Report};
pub use run::RunContext;
pub use format::{capitalised, figure as figure_text};

/// A published study.
pub struct Recipe {
    /// Its name on the command line.
    pub name: &'static str,
    /// EngineKind published what, and where.
    pub publication: &'static str,
    /// How long it takes at the published size, on two cores.
    pub takes: &'static str,
    /// The file that defines it, whose module comment is the page.
    source: &'static str,
    /// What is run, with data and caches smaller by this factor.
    plan: fn(f64) -> Plan,
}

macro_rules! recipes {
    ($($name:literal $module:ident $takes:literal),* $(,)?) => {
        &[$(Recipe {
            name: $name,
            publication: $module::PUBLICATION,
            takes: $takes,
            source: include_str!(concat!(stringify!($module), ".rs")),
            plan: $module::plan,
        }),*]
    };
}

/// All recipes.
pub static RECIPES: &[Recipe] = recipes![
    "compression-2015" compression_2015 "5 min",
    "unidata-compressed" unidata_compressed "4 min",
    "unidata-unlimited" unidata_unlimited "6 min",
    "unidata-sizes" unidata_sizes "1 min",
    "unidata-series" unidata_series "5 min",
    "page-buffer-2022" page_buffer_2022 "1 min",
    "hdf4-2000" hdf4_2000 "1 min",
];

impl Recipe {
    /// The recipe of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        RECIPES.iter().find(|recipe| recipe.name == name)
    }

    /// What is run where data and caches are smaller by this factor.
    pub fn plan(&self, shrink: f64) -> Plan {
        (self.plan)(shrink)
    }

    /// The page about it, in Markdown.
    pub fn page(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n") + "\n"
    }
}
