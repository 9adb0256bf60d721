//! What the file of a recipe says, and the plan that it is at some scale.
//!
//! A cell has one of the keys `file`, `write`, `read`, `make` and `visit`, whose value is its name. Its other keys come from
//! itself, from `each` of its table, or from the `defaults` of its kind.

use super::engines::EngineKind;
use super::plan::{Cell, Claim, Content, Effect, Figure, Metric, Published, RecipePlan, Table, Work};
use super::scaling::{Bytes, Rule, Scaling};
use crate::data::Synthetic;
use crate::study::{Access, BlockWalk, Element, FilterSpec, Format, Memory, Records, Storage, Tree, Wanted};
use hyperslab_doctor::simulate::CacheSettings;
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileDescription {
    shape: Vec<u64>,
    #[serde(rename = "type")]
    element: Element,
    /// Ratio by which gzip makes the values smaller.
    ratio: f64,
    /// The cell that wrote the same values; empty for made-up ones.
    #[serde(default)]
    values_from: String,
    #[serde(default = "hdf5")]
    format: Format,
    chunks: Option<Vec<u64>>,
    filters: Option<String>,
    #[serde(default)]
    unlimited: bool,
    fill_value: Option<f64>,
    /// The block of a write; a chunk where none is given.
    block: Option<Vec<u64>>,
    #[serde(default)]
    memory: Memory,
}

fn hdf5() -> Format {
    Format::Hdf5
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ReadDescription {
    from: String,
    block: Vec<u64>,
    /// Which lengths of the block shrink with the data; those that the recipe's rule says where nothing is given.
    scaled: Option<Vec<bool>>,
    step: Option<Vec<u64>>,
    walk: Option<BlockWalk>,
    cache: Option<Bytes>,
    reads: Option<u64>,
    fields: Option<Vec<String>>,
    #[serde(default)]
    memory: Memory,
    #[serde(default)]
    cold: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct MakeDescription {
    shape: Vec<u64>,
    #[serde(rename = "type")]
    element: Element,
    chunks: Option<Vec<u64>>,
    page: Option<Bytes>,
    /// Groups, the root among them.
    #[serde(default)]
    groups: u64,
    datasets: u64,
    attributes: u64,
    #[serde(default)]
    laid_out_first: bool,
    #[serde(default)]
    timed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct VisitDescription {
    from: String,
    wanted: Wanted,
    page_buffer: Option<Bytes>,
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

impl Description {
    /// What is run at some scale.
    ///
    /// # Errors
    /// What the file says that makes no sense.
    pub(super) fn plan(&self, scale: f64) -> Result<RecipePlan, String> {
        let scaling = Scaling::new(self.scale, scale);
        let mut planner = Planner { description: self, scaling, values: Vec::new(), cells: Vec::new() };
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
    /// Values that were made up for a ratio: finding them takes a while.
    values: Vec<(f64, Synthetic)>,
    /// All cells so far.
    cells: Vec<Cell>,
}

const KINDS: [&str; 5] = ["file", "write", "read", "make", "visit"];

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

    fn cell(&mut self, own: &toml::Table, each: &toml::Table) -> Result<Cell, String> {
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
        let published = published.unwrap_or_default().into_iter();
        let published =
            published.map(|(metric, value)| Published { metric, value: self.figure(metric, value) });
        let published = published.collect();
        let work = match kind {
            "read" => self.read(parse(keys)?)?,
            "make" => self.make(parse(keys)?),
            "visit" => self.visit(parse(keys)?),
            kind => self.write(parse(keys)?, kind == "write")?,
        };
        let usual = match kind {
            "read" | "visit" => vec![EngineKind::Libhdf5, EngineKind::Hyperslab],
            _ => vec![EngineKind::Libhdf5],
        };
        if work.needs().is_some_and(|needed| self.find(needed).is_err()) {
            return Err("no cell before it writes its file".to_owned());
        }
        Ok(Cell { name, work, by: by.unwrap_or(usual), published })
    }

    /// A published figure, at the size of the data.
    fn figure(&self, metric: Metric, published: f64) -> f64 {
        match metric {
            Metric::FileBytes | Metric::Overhead => published * self.scaling.shrink,
            _ => published,
        }
    }

    fn write(&mut self, file: FileDescription, is_timed: bool) -> Result<Work, String> {
        let shape = self.scaling.lengths(&file.shape);
        let values = match file.values_from.as_str() {
            "" => Content::Synthetic(self.made_up(&shape, file.element, file.ratio)),
            cell => Content::Of(cell.to_owned()),
        };
        let filters = file.filters.as_deref().map(FilterSpec::parse_pipeline).transpose()?;
        let storage = Storage {
            format: file.format,
            unlimited: file.unlimited,
            chunks: file.chunks.map(|chunks| self.scaling.lengths(&chunks)),
            filters: filters.unwrap_or_default(),
            fill_value: file.fill_value,
            ..Storage::plain(shape, file.element)
        };
        let block = file.block.map(|block| Access::sweep(self.scaling.lengths(&block)));
        let access = block.unwrap_or_else(|| Access::by_chunk(&storage));
        access.check(&storage.shape)?;
        let records = Records { fields: None, memory: file.memory };
        Ok(Work::Write { storage: Box::new(storage), values, access, records, is_timed })
    }

    fn made_up(&mut self, shape: &[u64], element: Element, ratio: f64) -> Synthetic {
        const SEED: u64 = 1;
        let is_same = |(known, values): &&(f64, Synthetic)| {
            *known == ratio && values.shape == shape && values.element == element
        };
        if let Some((_, known)) = self.values.iter().find(is_same) {
            return known.clone();
        }
        let values = Synthetic::with_ratio(shape, element, ratio, SEED);
        self.values.push((ratio, values.clone()));
        values
    }

    fn read(&self, read: ReadDescription) -> Result<Work, String> {
        let mut block = self.scaling.lengths(&read.block);
        let stays = read.scaled.unwrap_or_default().into_iter().map(|is_scaled| !is_scaled);
        for ((length, published), stays) in block.iter_mut().zip(&read.block).zip(stays) {
            *length = if stays { *published } else { *length };
        }
        let mut access = Access::sweep(block);
        if let Some(step) = read.step {
            access.step = step;
        }
        if let Some(walk) = read.walk {
            access.walk = walk;
        }
        if let Work::Write { storage, .. } = &self.find(&read.from)?.work {
            access.check(&storage.shape)?;
        }
        Ok(Work::Read {
            of: read.from,
            access,
            // As libhdf5 had its other settings before 2.0.
            cache: read.cache.map(|Bytes(nbytes)| CacheSettings { nbytes, nslots: 521, w0: 0.75 }),
            reads_max: read.reads,
            records: Records { fields: read.fields, memory: read.memory },
            cold: read.cold,
        })
    }

    fn make(&self, make: MakeDescription) -> Work {
        let tree = Tree {
            groups: self.scaling.count(make.groups).saturating_sub(1),
            datasets: self.scaling.count(make.datasets),
            attributes: make.attributes,
            storage: Storage {
                chunks: make.chunks,
                page_bytes: make.page.map(|page| self.scaling.pages(page)),
                ..Storage::plain(make.shape, make.element)
            },
            seed: 1,
            is_laid_out_first: make.laid_out_first,
        };
        Work::Make { tree: Box::new(tree), is_timed: make.timed }
    }

    fn visit(&self, visit: VisitDescription) -> Work {
        let page_buffer = visit.page_buffer.map(|bytes| self.scaling.pages(bytes));
        Work::Visit { of: visit.from, wanted: visit.wanted, page_buffer }
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

const UNPUBLISHED: &str = "no figures of it were published";

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
        let Work::Read { access, .. } = &plan.tables[0].cells[1].work else { panic!() };
        assert_eq!(access.block, [1, 2]);
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
