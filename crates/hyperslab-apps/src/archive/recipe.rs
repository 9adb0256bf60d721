//! What is recommended for the variables of an archive, as a recipe of `hyperslab repack`.

use super::summary::{Summary, Variable};
use crate::advise::{brief_text, recipe_entry};
use crate::error::one_line;
use hyperslab_units::counted_text;

/// The recipe: an entry for each variable that is to be rewritten.
pub fn recipe(summary: &Summary) -> String {
    let entries = summary.rewritten().map(entry);
    format!(
        "# hyperslab doctor --summary: {}\n{}",
        counted_text(summary.files, "file"),
        entries.collect::<String>()
    )
}

fn entry(variable: &Variable) -> String {
    let Variable { path, files, present, recommended, .. } = variable;
    let was = one_line(&brief_text(present.chunk.as_deref(), &present.filters));
    let comment = format!("was {was}, in {}", counted_text(*files, "file"));
    recipe_entry(&comment, path, recommended.chunk.as_deref(), &recommended.filters)
}
