//! A cell of a recipe: one measurement by one or more engines, as the recipe's file describes it.

use super::figure::{Kind, Published};
use super::scaling::{Bytes, Scaling};
use hyperslab_engines::{CreationProperties, Element, EngineKind, Format, Memory, Wanted};
use hyperslab_measure::access::{Access, BlockWalk};
use hyperslab_measure::tree::Tree;
use hyperslab_storage::{CacheSettings, FilterRequest};
use serde::{Deserialize, Deserializer};

/// One measurement.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    /// In words, unlike that of any other cell of the recipe.
    pub(super) name: String,
    pub(super) work: Work,
    /// The engines. The first is the one that the publication measured.
    pub(super) by: Vec<EngineKind>,
    pub(super) published: Vec<Published>,
}

/// What a cell does.
#[derive(Debug, Clone)]
pub(super) enum Work {
    /// Writes a file: for others to read, or to measure that.
    Write { file: FileWork, is_timed: bool },
    /// Reads the file that another cell wrote.
    Read(ReadWork),
    /// Creates a file of many objects.
    Make(MakeWork),
    /// Visits all objects of such a file.
    Visit(VisitWork),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FileWork {
    shape: Vec<u64>,
    #[serde(rename = "type")]
    pub(super) element: Element,
    /// Ratio by which gzip makes the values smaller.
    pub(super) ratio: f64,
    /// The cell that wrote the same values; they are made up where it is empty.
    #[serde(default)]
    values_from: String,
    #[serde(default)]
    format: Format,
    chunks: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "pipeline")]
    filters: Vec<FilterRequest>,
    #[serde(default)]
    unlimited: bool,
    fill_value: Option<f64>,
    /// The block of a write; a chunk where none is given.
    block: Option<Vec<u64>>,
    #[serde(default)]
    pub(super) memory: Memory,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ReadWork {
    pub(super) from: String,
    block: Vec<u64>,
    /// Which lengths of the block shrink with the data; those that the recipe's rule says where nothing is given.
    #[serde(default)]
    scaled: Vec<bool>,
    step: Option<Vec<u64>>,
    walk: Option<BlockWalk>,
    cache: Option<Bytes>,
    pub(super) reads: Option<u64>,
    pub(super) fields: Option<Vec<String>>,
    #[serde(default)]
    pub(super) memory: Memory,
    #[serde(default)]
    pub(super) cold: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct MakeWork {
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

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct VisitWork {
    pub(super) from: String,
    pub(super) wanted: Wanted,
    pub(super) page_buffer: Option<Bytes>,
}

fn pipeline<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FilterRequest>, D::Error> {
    FilterRequest::parse_pipeline(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}

impl Cell {
    /// The figures that were published, where they are this engine's.
    pub(super) fn published_of(&self, engine: EngineKind) -> Vec<Published> {
        if self.by.first() == Some(&engine) { self.published.clone() } else { Vec::new() }
    }
}

impl Work {
    /// The same at another size.
    pub(super) fn scaled(mut self, scaling: &Scaling) -> Self {
        match &mut self {
            Self::Write { file, .. } => {
                scaling.shrink(&mut file.shape);
                file.chunks.iter_mut().chain(&mut file.block).for_each(|lengths| scaling.shrink(lengths));
            }
            Self::Read(read) => {
                let published = read.block.clone();
                scaling.shrink(&mut read.block);
                for ((length, published), is_scaled) in read.block.iter_mut().zip(published).zip(&read.scaled)
                {
                    *length = if *is_scaled { *length } else { published };
                }
            }
            Self::Make(make) => {
                make.groups = scaling.count(make.groups);
                make.datasets = scaling.count(make.datasets);
                make.page = make.page.map(|page| scaling.pages(page));
            }
            Self::Visit(visit) => visit.page_buffer = visit.page_buffer.map(|bytes| scaling.pages(bytes)),
        }
        self
    }

    /// Whether it writes a file for others, or is a measurement.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Write { is_timed: false, .. } | Self::Make(MakeWork { timed: false, .. }) => Kind::File,
            Self::Write { is_timed: true, .. } | Self::Make(MakeWork { timed: true, .. }) => Kind::Write,
            Self::Read(_) | Self::Visit(_) => Kind::Read,
        }
    }

    /// The cell whose file it needs.
    pub(super) fn needs(&self) -> Option<&str> {
        match self {
            Self::Read(ReadWork { from, .. }) | Self::Visit(VisitWork { from, .. }) => Some(from),
            Self::Write { file, .. } => file.values_from(),
            Self::Make(_) => None,
        }
    }

    /// What is done, in words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Write { file, .. } => file.access().to_string(),
            Self::Read(read) => read.access().to_string(),
            Self::Make(make) => make.tree().to_string(),
            Self::Visit(visit) => format!("all objects, {:?}", visit.wanted).to_lowercase(),
        }
    }
}

impl FileWork {
    /// The cell that wrote the same values; none where they are made up.
    pub(super) fn values_from(&self) -> Option<&str> {
        Some(self.values_from.as_str()).filter(|cell| !cell.is_empty())
    }

    /// How the dataset is stored.
    pub(super) fn storage(&self) -> CreationProperties {
        CreationProperties {
            format: self.format,
            unlimited: self.unlimited,
            chunks: self.chunks.clone(),
            filters: self.filters.clone(),
            fill_value: self.fill_value,
            ..CreationProperties::plain(self.shape.clone(), self.element)
        }
    }

    /// In which blocks it is written.
    pub(super) fn access(&self) -> Access {
        self.block.clone().map_or_else(|| Access::by_chunk(&self.storage()), Access::sweep)
    }
}

impl ReadWork {
    /// In which blocks it is read.
    pub(super) fn access(&self) -> Access {
        let sweep = Access::sweep(self.block.clone());
        let (step, walk) = (self.step.clone(), self.walk.clone());
        Access { step: step.unwrap_or(sweep.step), walk: walk.unwrap_or(sweep.walk), ..sweep }
    }

    /// The chunk cache at the published size; none for the library's default.
    pub(super) fn cache(&self) -> Option<CacheSettings> {
        // As libhdf5 had its other settings before 2.0.
        self.cache.map(|Bytes(nbytes)| CacheSettings { nbytes, nslots: 521, w0: 0.75 })
    }
}

impl MakeWork {
    /// What is put into the file.
    pub(super) fn tree(&self) -> Tree {
        Tree {
            groups: self.groups.saturating_sub(1),
            datasets: self.datasets,
            attributes: self.attributes,
            storage: CreationProperties {
                chunks: self.chunks.clone(),
                page_bytes: self.page.map(|Bytes(bytes)| bytes),
                ..CreationProperties::plain(self.shape.clone(), self.element)
            },
            seed: 1,
            is_laid_out_first: self.laid_out_first,
        }
    }
}
