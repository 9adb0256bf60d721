//! What the file of a recipe says, and what is run of it at some scale.
//!
//! A cell has one of the keys `file`, `write`, `read`, `make` and `visit`, whose value is its name. Its other keys come from
//! itself, from `each` of its table, or from the `defaults` of its kind.

use super::cell::{Cell, Work};
use super::claim::{Claim, Effect};
use super::figure::{Figure, Metric, Published};
use super::scaling::{Rule, Scaling};
use hyperslab_engines::EngineKind;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The file of a recipe.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    pub(super) publication: String,
    pub(super) takes: String,
    pub(super) about: String,
    scale: Rule,
    #[serde(default)]
    defaults: BTreeMap<String, toml::Table>,
    tables: Vec<TableDescription>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableDescription {
    title: String,
    #[serde(default)]
    each: toml::Table,
    #[serde(default)]
    cells: Vec<toml::Table>,
    #[serde(default)]
    effects: Vec<EffectDescription>,
    #[serde(default)]
    notes: Vec<String>,
}

/// An effect; which of the optional keys are given decides what kind of claim it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EffectDescription {
    says: String,
    metric: Metric,
    more: Option<FigureName>,
    less: Option<FigureName>,
    /// What is about the same.
    alike: Option<Vec<FigureName>>,
    /// What comes out as published, for it follows from the format.
    equal: Option<FigureName>,
    /// The published ratio, where it is not that of the published figures.
    times: Option<f64>,
    /// Not published: the ratio at least.
    found: Option<f64>,
    /// Published without figures: the ratio at least.
    shown: Option<f64>,
    /// The published difference.
    beyond: Option<f64>,
    /// How far `equal` and `beyond` may be off, as a share.
    within: Option<f64>,
    /// How far `alike` may be apart at the published size, as a share; twice the published ratio where nothing is given.
    spread: Option<f64>,
    /// The cells that stand for `more` and `less` under what is set today.
    today: Option<Today>,
    remark: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Today {
    more: FigureName,
    less: FigureName,
}

/// A cell, by the engine of the publication or by another. A name that ends in `*` stands for all that begin so.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum FigureName {
    Published(String),
    By(String, EngineKind),
}

/// Everything that a recipe does.
#[derive(Debug)]
pub(super) struct RecipePlan {
    /// By how much data and caches are smaller than published; 1 for the published size.
    pub(super) shrink: f64,
    /// What is run, in order.
    pub(super) tables: Vec<Table>,
}

/// A table or a figure of the publication, or several that belong together.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) title: String,
    /// A cell that reads a file comes after the one that writes it, in this or in an earlier table.
    pub(super) cells: Vec<Cell>,
    pub(super) effects: Vec<Effect>,
    /// What is not as it was published, or has to be known to read the figures.
    pub(super) notes: Vec<String>,
}

impl Table {
    /// True where a cell of it needs the file that another cell writes.
    pub(super) fn reads(&self, cell: &str) -> bool {
        self.cells.iter().any(|reader| reader.work.needs() == Some(cell))
    }
}

impl Description {
    /// What is run at some scale.
    ///
    /// # Errors
    /// What the file says that makes no sense.
    pub(super) fn plan(&self, scale: f64) -> Result<RecipePlan, String> {
        let scaling = Scaling::new(self.scale, scale);
        let mut planner = Planner { description: self, scaling, cells: Vec::new() };
        let tables = self
            .tables
            .iter()
            .map(|table| planner.table(table).map_err(|why| format!("table {:?}: {why}", table.title)));
        Ok(RecipePlan { tables: tables.collect::<Result<_, _>>()?, shrink: scaling.shrink })
    }
}

/// Makes a plan, table by table.
struct Planner<'a> {
    description: &'a Description,
    scaling: Scaling,
    /// All cells so far.
    cells: Vec<Cell>,
}

const KINDS: [&str; 5] = ["file", "write", "read", "make", "visit"];
const UNPUBLISHED: &str = "no figures of it were published";

impl Planner<'_> {
    fn table(&mut self, table: &TableDescription) -> Result<Table, String> {
        let first = self.cells.len();
        for own in &table.cells {
            let cell = self.cell(own, &table.each).map_err(|why| format!("{own}: {why}"))?;
            self.cells.push(cell);
        }
        let effects = table
            .effects
            .iter()
            .map(|effect| self.effect(effect).map_err(|why| format!("effect {:?}: {why}", effect.says)));
        Ok(Table {
            title: self.scaling.text(&table.title),
            effects: effects.collect::<Result<_, _>>()?,
            cells: self.cells[first..].to_vec(),
            notes: table.notes.clone(),
        })
    }

    fn cell(&self, own: &toml::Table, each: &toml::Table) -> Result<Cell, String> {
        let kind = KINDS.into_iter().find(|kind| own.contains_key(*kind));
        let kind = kind.ok_or_else(|| format!("a cell has one of the keys {}", KINDS.join(", ")))?;
        let mut keys = own.clone();
        for (key, value) in each.iter().chain(self.description.defaults.get(kind).into_iter().flatten()) {
            keys.entry(key).or_insert_with(|| value.clone());
        }
        let name: String = take(&mut keys, kind)?.ok_or("a cell has a name")?;
        if self.cells.iter().any(|cell| cell.name == name) {
            return Err("its name is that of another cell".to_owned());
        }
        let by: Option<Vec<EngineKind>> = take(&mut keys, "by")?;
        let published: Option<BTreeMap<Metric, f64>> = take(&mut keys, "published")?;
        let figure = |(metric, value)| Published { metric, value: self.figure(metric, value) };
        let published = published.unwrap_or_default().into_iter().map(figure).collect();
        let (work, usual) = match kind {
            "read" => (Work::Read(parse(keys)?), &[EngineKind::Libhdf5, EngineKind::Hyperslab][..]),
            "visit" => (Work::Visit(parse(keys)?), &[EngineKind::Libhdf5, EngineKind::Hyperslab][..]),
            "make" => (Work::Make(parse(keys)?), &[EngineKind::Libhdf5][..]),
            _ => (Work::Write { file: parse(keys)?, is_timed: kind == "write" }, &[EngineKind::Libhdf5][..]),
        };
        let work = work.scaled(&self.scaling);
        let needed = work.needs().map(|needed| self.find(needed));
        let needed = needed.transpose().map_err(|why| format!("{why} before it that writes its file"))?;
        match (&work, needed.map(|cell| &cell.work)) {
            (Work::Read(read), Some(Work::Write { file, .. })) => {
                read.access().check(&file.storage().shape)?
            }
            (Work::Write { file, .. }, _) => file.access().check(&file.storage().shape)?,
            _ => {}
        }
        Ok(Cell { name, work, by: by.unwrap_or_else(|| usual.to_vec()), published })
    }

    /// A published figure, at the size of the data.
    fn figure(&self, metric: Metric, published: f64) -> f64 {
        match metric {
            Metric::FileBytes | Metric::Overhead => published * self.scaling.shrink,
            _ => published,
        }
    }

    fn find(&self, name: &str) -> Result<&Cell, String> {
        self.cells.iter().find(|cell| cell.name == name).ok_or_else(|| format!("there is no cell {name:?}"))
    }

    /// The figures of one name, each with the value that was published.
    fn named(&self, name: &FigureName, metric: Metric) -> Result<Vec<(Figure, Option<f64>)>, String> {
        let (FigureName::Published(text) | FigureName::By(text, _)) = name;
        let cells: Vec<&Cell> = match text.strip_suffix('*') {
            Some(start) => self.cells.iter().filter(|cell| cell.name.starts_with(start)).collect(),
            None => vec![self.find(text)?],
        };
        let figure = |cell: &&Cell| {
            let by = match name {
                FigureName::Published(_) => cell.by[0],
                FigureName::By(_, by) if cell.by.contains(by) => *by,
                FigureName::By(_, by) => return Err(format!("{} does not run {text:?}", by.name())),
            };
            let published = cell.published_of(by).into_iter().find(|published| published.metric == metric);
            Ok((Figure { cell: cell.name.clone(), by, metric }, published.map(|published| published.value)))
        };
        cells.iter().map(figure).collect()
    }

    fn one(&self, name: Option<&FigureName>, metric: Metric) -> Result<(Figure, Option<f64>), String> {
        let found = self.named(name.ok_or("a figure is missing")?, metric)?;
        found.into_iter().next().ok_or_else(|| "no cell has such a name".to_owned())
    }

    fn effect(&self, effect: &EffectDescription) -> Result<Effect, String> {
        let claim = self.claim(effect)?;
        let (claim, as_then) = match (&effect.today, claim) {
            (Some(today), then @ Claim::Times { published, .. }) => {
                let (more, _) = self.one(Some(&today.more), effect.metric)?;
                let (less, _) = self.one(Some(&today.less), effect.metric)?;
                (Claim::Times { more, less, published }, Some(then))
            }
            (_, claim) => (claim, None),
        };
        Ok(Effect { says: effect.says.clone(), claim, as_then, remark: effect.remark.clone() })
    }

    fn claim(&self, effect: &EffectDescription) -> Result<Claim, String> {
        let metric = effect.metric;
        let within = || effect.within.ok_or("`within` is missing");
        if let Some(names) = &effect.alike {
            return self.alike(effect, names);
        }
        if let Some(name) = &effect.equal {
            let (figure, published) = self.one(Some(name), metric)?;
            return Ok(Claim::Equal { figure, published: published.ok_or(UNPUBLISHED)?, within: within()? });
        }
        let (more, published_more) = self.one(effect.more.as_ref(), metric)?;
        let (less, published_less) = self.one(effect.less.as_ref(), metric)?;
        if let Some(times) = effect.found.or(effect.shown) {
            return Ok(Claim::AtLeast { more, less, times, is_published: effect.shown.is_some() });
        }
        if let Some(beyond) = effect.beyond {
            let published = self.figure(metric, beyond);
            return Ok(Claim::Beyond { more, less, published, within: within()? });
        }
        let of_figures = || Some(published_more? / published_less?);
        let published = effect.times.or_else(of_figures).ok_or(UNPUBLISHED)?;
        Ok(Claim::Times { more, less, published })
    }

    fn alike(&self, effect: &EffectDescription, names: &[FigureName]) -> Result<Claim, String> {
        let found =
            names.iter().map(|name| self.named(name, effect.metric)).collect::<Result<Vec<_>, _>>()?;
        let (figures, values): (Vec<Figure>, Vec<Option<f64>>) = found.into_iter().flatten().unzip();
        if figures.len() < 2 {
            return Err("two figures at least can be alike".to_owned());
        }
        let values: Option<Vec<f64>> = values.into_iter().collect();
        let ratio = |values: Vec<f64>| {
            values.iter().copied().fold(0.0, f64::max) / values.iter().copied().fold(f64::INFINITY, f64::min)
        };
        let published = effect.times.or(values.map(ratio)).unwrap_or(1.0);
        // What differs (an index, other content) does not shrink with the data.
        let limit = effect.spread.map(|spread| 1.0 + spread / self.scaling.shrink);
        Ok(Claim::Alike { figures, published, limit: limit.unwrap_or(2.0 * published.max(1.0)) })
    }
}

/// Takes the value of a key out of a table.
fn take<T: DeserializeOwned>(keys: &mut toml::Table, key: &str) -> Result<Option<T>, String> {
    let value = keys.remove(key).map(toml::Value::try_into).transpose();
    value.map_err(|error: toml::de::Error| format!("{key}: {error}"))
}

fn parse<T: DeserializeOwned>(keys: toml::Table) -> Result<T, String> {
    toml::Value::Table(keys).try_into().map_err(|error: toml::de::Error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = r#"{ read = "rows", from = "data", block = [1, 8] }"#;

    fn planned(cell: &str, effect: &str) -> Result<RecipePlan, String> {
        let text = format!(
            r#"
            publication = "none"
            takes = "no time"
            about = ""
            scale = {{ of = "last-axis", length = 8 }}
            [[tables]]
            title = "rows of {{8}}"
            cells = [{{ file = "data", shape = [4, 8], type = "<f4", ratio = 1.5, published = {{ file-bytes = 8 }} }}, {cell}]
            [[tables.effects]]
            says = "it is so"
            {effect}
            "#
        );
        toml::from_str::<Description>(&text).map_err(|error| error.to_string())?.plan(0.25)
    }

    #[test]
    fn lengths_shrink_and_figures_in_bytes_with_them() {
        let plan = planned(READ, "metric = 'file-bytes'\nequal = 'data'\nwithin = 0.5").unwrap();
        assert_eq!((plan.shrink, plan.tables[0].title.as_str()), (0.25, "rows of 2"));
        let Work::Read(read) = &plan.tables[0].cells[1].work else { panic!() };
        assert_eq!(read.access().block, [1, 2]);
        assert_eq!(plan.tables[0].effects[0].claim.published(), Some(2.0));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        const EFFECT: &str = "metric = 'seconds'\nfound = 2.0\nmore = 'rows'\nless = 'rows'";
        planned(READ, EFFECT).unwrap();
        for (cell, effect, says) in [
            (r#"{ reed = "rows" }"#, EFFECT, "one of the keys"),
            (r#"{ read = "rows", from = "else", block = [1, 8] }"#, EFFECT, "no cell \"else\""),
            (r#"{ read = "data", from = "data", block = [1, 8] }"#, EFFECT, "that of another"),
            (r#"{ read = "rows", from = "data", block = [8] }"#, EFFECT, "2 dimensions"),
            (r#"{ read = "rows", from = "data", block = [1, 8], cash = "1 MiB" }"#, EFFECT, "cash"),
            (r#"{ read = "rows", from = "data", block = [1, 8], cache = "12q" }"#, EFFECT, "valid byte size"),
            (READ, "metric = 'seconds'\nmore = 'rows'\nless = 'rows'", "were published"),
            (READ, "metric = 'seconds'\nmore = 'columns'\nless = 'rows'", "no cell \"columns\""),
            (READ, "metric = 'seconds'\nmore = ['rows', 'hdf4']\nless = 'rows'", "HDF4 does not run"),
            (READ, "metric = 'seconds'\nalike = ['rows']", "two figures"),
            (READ, "metric = 'minutes'\nalike = ['rows']", "minutes"),
        ] {
            let error = planned(cell, effect).unwrap_err();
            assert!(error.contains(says), "{cell} {effect}: {error}");
        }
    }
}
