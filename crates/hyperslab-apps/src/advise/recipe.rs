//! Advice as a recipe of `hyperslab repack`, for a file or a product line of files alike. Datasets that are read together have
//! the shape that they have in common.

use super::Document;
use super::storage::{kept_text, recipe_entry, storage_text};
use crate::error::one_line;
use hyperslab_advise::{Advice, Verdict};

/// The recipe: an entry for each dataset that is to be rewritten.
pub fn recipe(document: &Document) -> String {
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
    let present = one_line(&storage_text(&advice.present));
    if is_kept {
        return format!("\n# {}: {} ({present})\n", one_line(&advice.path), kept_text(advice));
    }
    recipe_entry(&format!("was {present}"), &advice.path, storage.chunk.as_deref(), &storage.filters)
}
