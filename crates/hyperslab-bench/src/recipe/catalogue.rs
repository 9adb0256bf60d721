//! The recipes that come with the program.

use super::description::{Description, RecipePlan};
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
    pub(super) fn plan(&self, scale: f64) -> RecipePlan {
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
    fn every_recipe_can_be_planned_at_its_size_and_at_the_smallest() {
        for recipe in RECIPES.iter() {
            let plans = [1.0, 1e-9].map(|scale| recipe.plan(scale));
            for plan in &plans {
                assert!(plan.shrink > 0.0 && plan.shrink <= 1.0, "{} {}", recipe.name, plan.shrink);
                assert!(plan.tables.iter().any(|table| !table.effects.is_empty()), "{}", recipe.name);
            }
            assert_eq!(plans[0].shrink, 1.0, "{}", recipe.name);
        }
    }
}
