//! Published studies, run again: each at its own size, on the user's own libraries and on hyperslab, its figures beside
//! today's, its conclusions judged by them.
//!
//! A recipe is data, a file of `recipes/`: files, reads, caches, published figures and effects.
//!
//! ```text
//!   Description ── scale ──► Plan ──► run (the runner's turns) ──► Measured ──► Judged ──► Report
//! ```

mod artifacts;
mod description;
mod engines;
mod explanation;
mod format;
mod judge;
mod measured;
mod plan;
mod report;
mod run;
mod scaling;
mod task;

pub use engines::{EngineKind, Engines, Used};
pub use format::{capitalised, figure as figure_text};
pub use judge::{Judged, Other, Verdict};
pub use measured::{CacheFit, Measured};
pub use plan::{Cell, Claim, Content, Effect, Figure, Kind, Metric, Plan, Published, Table, Work};
pub use report::{Counts, NotRun, Report, TableReport};
pub use run::RunContext;

use description::Description;
use std::sync::LazyLock;

/// A published study.
#[derive(Debug)]
pub struct Recipe {
    /// Its name on the command line.
    pub name: &'static str,
    description: Description,
}

macro_rules! recipes {
    ($($name:literal)*) => {
        vec![$(Recipe::parse($name, include_str!(concat!("../../recipes/", $name, ".toml")))),*]
    };
}

/// All recipes.
pub static RECIPES: LazyLock<Vec<Recipe>> = LazyLock::new(|| {
    recipes![
        "compression-2015"
        "unidata-compressed"
        "unidata-unlimited"
        "unidata-sizes"
        "unidata-series"
        "page-buffer-2022"
        "hdf4-2000"
    ]
});

impl Recipe {
    fn parse(name: &'static str, text: &str) -> Self {
        // The text is part of the program, and a test reads each.
        let description = toml::from_str(text).unwrap_or_else(|error| panic!("recipe {name}: {error}"));
        Self { name, description }
    }

    /// The recipe of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        RECIPES.iter().find(|recipe| recipe.name == name)
    }

    /// Author, title and year of the publication.
    pub fn publication(&self) -> &str {
        &self.description.publication
    }

    /// How long it takes at the published size, on two cores.
    pub fn takes(&self) -> &str {
        &self.description.takes
    }

    /// What is run where data and caches are smaller by this factor, from 0 to 1.
    pub fn plan(&self, scale: f64) -> Plan {
        // The text is part of the program, and a test plans each.
        self.description.plan(scale).unwrap_or_else(|why| panic!("recipe {}: {why}", self.name))
    }

    /// The page about it, in Markdown.
    pub fn page(&self) -> &str {
        &self.description.about
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_can_be_planned_at_every_size() {
        for recipe in RECIPES.iter() {
            for scale in [1.0, 0.3, 0.01, 1e-9] {
                let plan = recipe.plan(scale);
                assert!(plan.shrink > 0.0 && plan.shrink <= 1.0, "{} {scale}", recipe.name);
                assert!(plan.tables.iter().any(|table| !table.effects.is_empty()), "{}", recipe.name);
            }
            assert_eq!(recipe.plan(1.0).shrink, 1.0, "{}", recipe.name);
        }
    }
}
