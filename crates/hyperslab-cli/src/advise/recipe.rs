//! Advice as a recipe of `hyperslab repack`, for a file or a product line of files alike.

use super::Document;
use super::text::storage_text;
use hyperslab_advise::{Advice, Verdict};
use hyperslab_doctor::pattern::shape_text;

/// The recipe: an entry for each dataset that is to be rewritten.
pub(super) fn recipe(document: &Document) -> String {
    let mut text = format!("# hyperslab advise {}\n", one_line(&document.file));
    for advice in &document.datasets {
        text.push_str(&entry(advice));
    }
    text
}

fn entry(advice: &Advice) -> String {
    let Some(all) = advice.recommendations.first() else { return String::new() };
    let path = toml::Value::from(advice.path.as_str());
    let present = one_line(&storage_text(&advice.present));
    if all.verdict == Verdict::AlreadyGood {
        return format!("\n# {}: already good ({present})\n", one_line(&advice.path));
    }
    let layout = match &all.storage.chunk {
        Some(chunk) => format!("chunks = \"{}\"\nfilter = \"{}\"", shape_text(chunk), all.storage.filters),
        None => "layout = \"contiguous\"".to_owned(),
    };
    format!("\n# was {present}\n[[dataset]]\nobjects = {path}\n{layout}\n")
}

/// A comment ends with its line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
