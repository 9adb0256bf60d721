//! Advice as a recipe of `hyperslab repack`, for a file or a product line of files alike. Datasets that are read together have
//! the shape that they have in common.

use super::Document;
use super::text::storage_text;
use hyperslab_advise::{Advice, Verdict};
use hyperslab_doctor::pattern::shape_text;

/// The recipe: an entry for each dataset that is to be rewritten.
pub(super) fn recipe(document: &Document) -> String {
    let mut text = format!("# hyperslab advise {}\n", one_line(&document.file));
    for advice in &document.datasets {
        text.push_str(&entry(document, advice));
    }
    text
}

fn entry(document: &Document, advice: &Advice) -> String {
    let Some(all) = advice.recommendations.first() else { return String::new() };
    let agreed = document.together.iter().flat_map(|together| &together.datasets);
    let agreed = agreed.into_iter().find(|agreed| agreed.path == advice.path);
    let (storage, is_kept) = match agreed {
        Some(agreed) => (&agreed.storage, agreed.is_present),
        None => (&all.storage, all.verdict == Verdict::AlreadyGood),
    };
    let path = toml::Value::from(advice.path.as_str());
    let present = one_line(&storage_text(&advice.present));
    if is_kept {
        return format!("\n# {}: already good ({present})\n", one_line(&advice.path));
    }
    let layout = match &storage.chunk {
        Some(chunk) => format!("chunks = \"{}\"\nfilter = \"{}\"", shape_text(chunk), storage.filters),
        None => "layout = \"contiguous\"".to_owned(),
    };
    format!("\n# was {present}\n[[dataset]]\nobjects = {path}\n{layout}\n")
}

/// A comment ends with its line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
