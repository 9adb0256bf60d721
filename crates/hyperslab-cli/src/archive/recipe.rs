//! What is recommended for the variables of an archive, as a recipe of `hyperslab repack`.

use super::summary::{Summary, Variable};
use super::text::storage_text;
use crate::failure::one_line;
use hyperslab_doctor::pattern::shape_text;

/// The recipe: an entry for each variable that is to be rewritten.
pub(super) fn recipe(summary: &Summary) -> String {
    let entries = summary.variables.iter().filter(|variable| variable.savings.rewritten > 0).map(entry);
    format!("# hyperslab doctor --summary: {} files\n{}", summary.files, entries.collect::<String>())
}

fn entry(variable: &Variable) -> String {
    let path = toml::Value::from(variable.path.as_str());
    let present = one_line(&storage_text(&variable.present));
    let storage = &variable.recommended;
    let layout = match &storage.chunk {
        Some(chunk) => format!("chunks = \"{}\"\nfilter = \"{}\"", shape_text(chunk), storage.filters),
        None => "layout = \"contiguous\"".to_owned(),
    };
    format!("\n# was {present}, in {} files\n[[dataset]]\nobjects = {path}\n{layout}\n", variable.files)
}
