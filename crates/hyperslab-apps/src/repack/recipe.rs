//! Changes of many datasets in a TOML file.
//!
//! ```toml
//! drop = ["/debug"]                 # and `only`
//! rename = { "/model/t" = "t2m" }
//!
//! [[dataset]]
//! objects = "/model/*"
//! chunks = "time=1,lat=all,lon=all"
//! filter = "shuffle+gzip=4"
//! ```

use super::words::{choice, wrong};
use crate::Error;
use crate::error::system_text;
use hyperslab_repack::{Change, LayoutRequest, ObjectSelection, PathPattern, Rename, Rule, Size};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use toml::Spanned;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    /// What is changed, in this order: later entries override earlier ones.
    #[serde(default)]
    dataset: Vec<Entry>,
    /// Objects that are copied; all if there are none.
    #[serde(default)]
    only: Vec<String>,
    /// Objects that are left out.
    #[serde(default)]
    drop: Vec<String>,
    /// Names of dimensions that get no limit.
    #[serde(default)]
    unlimited: Vec<String>,
    /// New names or paths by old paths.
    #[serde(default)]
    rename: BTreeMap<String, String>,
}

/// The changes of some datasets.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    objects: Spanned<String>,
    chunks: Option<String>,
    chunk_bytes: Option<Bytes>,
    #[serde(rename = "for")]
    read: Option<String>,
    /// `contiguous` or `compact`.
    layout: Option<String>,
    filter: Option<String>,
}

/// A number of bytes, or with a unit: `1000`, `"1MiB"`.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of bytes such as 1000 or \"1MiB\"")]
enum Bytes {
    Number(u64),
    Text(String),
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(bytes) => write!(f, "{bytes}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// What a recipe says.
#[derive(Debug, Default)]
pub(super) struct Requests {
    pub rules: Vec<Rule>,
    pub objects: ObjectSelection,
    pub unlimited: Vec<String>,
}

/// Reads a recipe.
pub(super) fn read(path: &Path) -> Result<Requests, Error> {
    let name = path.display();
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| Error::wrong_request(format!("{name}: {}", system_text(&error))))?;
    let line = |place: usize| text.as_bytes()[..place].iter().filter(|byte| **byte == b'\n').count() + 1;
    let recipe: Recipe = toml::from_str(&text).map_err(|error| {
        let place = error.span().map_or_else(String::new, |span| format!("line {}: ", line(span.start)));
        Error::wrong_request(format!("{name}: {place}{}", error.message()))
    })?;
    let mut rules = Vec::new();
    for entry in &recipe.dataset {
        let objects = entry.objects.get_ref();
        let changes = entry.changes();
        let place = format!("{name}: line {}", line(entry.objects.span().start));
        let layouts: Vec<_> = changes.iter().map(|(key, ..)| *key).filter(|key| *key != "filter").collect();
        if changes.is_empty() {
            let message = format!("{place}: the entry of {objects:?} changes nothing");
            return Err(
                Error::wrong_request(message).hint("give it chunks, chunk-bytes, for, layout or filter")
            );
        }
        if layouts.len() > 1 {
            let message = format!("{place}: {objects:?} has {}; only one is possible", layouts.join(" and "));
            return Err(Error::wrong_request(message));
        }
        for (key, value, change) in changes {
            let option = format!("{place}: {key} = {value:?}");
            let datasets = PathPattern::parse(objects).map_err(|why| wrong(&option, &why))?;
            let change = change.map_err(|why| wrong(&option, &why))?;
            rules.push(Rule { option, datasets, change });
        }
    }
    let choices = |key: &str, texts: &[String]| -> Result<Vec<_>, Error> {
        texts.iter().map(|text| choice(&format!("{name}: {key} = {text:?}"), text)).collect()
    };
    let renames = recipe.rename.iter().map(|(from, to)| {
        let option = format!("{name}: rename {from:?} = {to:?}");
        Rename::new(&option, from, to).map_err(|why| wrong(&option, &why))
    });
    let rename = renames.collect::<Result<_, _>>()?;
    let objects = ObjectSelection {
        only: choices("only", &recipe.only)?,
        drop: choices("drop", &recipe.drop)?,
        rename,
    };
    Ok(Requests { rules, objects, unlimited: recipe.unlimited })
}

impl Entry {
    /// Each key that makes a change, with its value.
    fn changes(&self) -> Vec<(&'static str, String, Result<Change, String>)> {
        let mut changes = Vec::new();
        if let Some(text) = &self.chunks {
            changes.push(("chunks", text.clone(), LayoutRequest::parse_chunks(text).map(Change::Layout)));
        }
        if self.chunk_bytes.is_some() || self.read.is_some() {
            let text = self.chunk_bytes.as_ref().map_or_else(|| "1MiB".to_owned(), Bytes::to_string);
            let change = self.chunk_bytes(&text);
            changes.push(("chunk-bytes", text, change));
        }
        if let Some(text) = &self.layout {
            let layout = match &text[..] {
                "contiguous" => Ok(LayoutRequest::Contiguous),
                "compact" => Ok(LayoutRequest::Compact),
                _ => Err("a layout is contiguous or compact; `chunks` gives chunks".into()),
            };
            changes.push(("layout", text.clone(), layout.map(Change::Layout)));
        }
        if let Some(text) = &self.filter {
            changes.push(("filter", text.clone(), Change::parse_filters(text)));
        }
        changes
    }

    fn chunk_bytes(&self, text: &str) -> Result<Change, String> {
        let bytes = hyperslab::parse_bytes(text).map_err(|error| error.to_string())?;
        let read = self.read.as_deref().map(Size::parse_each).transpose()?;
        Ok(Change::Layout(LayoutRequest::ChunkBytes { bytes, read }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Requests, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recipe.toml");
        std::fs::write(&path, text).unwrap();
        super::read(&path)
    }

    #[test]
    fn a_recipe_selects_and_renames_objects() {
        let text = "only = [\"/model/**\"]\ndrop = [\"debug\"]\n[rename]\n\"/model/t\" = \"t2m\"\n";
        let objects = read(text).unwrap().objects;
        assert!(objects.only[0].objects.matches("/model/a/b"));
        assert!(objects.drop[0].option.ends_with("drop = \"debug\""), "{}", objects.drop[0].option);
        assert_eq!(objects.rename[0].to, "/model/t2m");
        let wrong = read("[rename]\nt = \"u\"\n").unwrap_err();
        assert!(wrong.message.contains("\"t\" is not the path of an object"), "{}", wrong.message);
    }

    #[test]
    fn entries_become_rules_in_their_order() {
        let text = "[[dataset]]\nobjects = \"*\"\nfilter = \"gzip=4\"\n\
                    [[dataset]]\nobjects = \"/t2m\"\nchunks = \"1x2\"\nfilter = \"none\"\n\
                    [[dataset]]\nobjects = \"/u\"\nfor = \":x1\"\n";
        let rules = read(text).unwrap().rules;
        let keys: Vec<_> = rules.iter().map(|rule| rule.option.split(": ").nth(2).unwrap()).collect();
        assert_eq!(
            keys,
            ["filter = \"gzip=4\"", "chunks = \"1x2\"", "filter = \"none\"", "chunk-bytes = \"1MiB\""]
        );
    }

    #[test]
    fn mistakes_are_named() {
        let unknown = read("[[dataset]]\nobjects = \"*\"\nfilters = \"gzip\"\n").unwrap_err();
        assert!(unknown.message.contains("unknown field `filters`"), "{}", unknown.message);
        let wrong = read("[[dataset]]\nobjects = \"*\"\nfilter = \"gzip=11\"\n").unwrap_err();
        assert!(wrong.message.contains("filter = \"gzip=11\"`: gzip takes"), "{}", wrong.message);
        for (entry, says) in [
            ("filters = \"gzip\"", "line 4: unknown field"),
            ("", "line 3: the entry of \"/t2m\" changes nothing"),
            ("chunks = \"1x2\"\nlayout = \"compact\"", "line 3: \"/t2m\" has chunks and layout"),
            ("chunk-bytes = 1.5", "line 4: expected a number of bytes"),
            ("chunks = \"0\"", "line 3: chunks = \"0\"`"),
        ] {
            let wrong = read(&format!("# why\n[[dataset]]\nobjects = \"/t2m\"\n{entry}\n")).unwrap_err();
            assert!(wrong.message.contains(says), "{}", wrong.message);
        }
        let bytes = read("[[dataset]]\nobjects = \"*\"\nchunk-bytes = 1000\n").unwrap();
        let expected = LayoutRequest::ChunkBytes { bytes: 1000, read: None };
        assert_eq!(bytes.rules[0].change, Change::Layout(expected));
    }
}
