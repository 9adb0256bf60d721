//! A published study as data: what is made, what is run, what was published of it, and which effects it showed.
//!
//! ```text
//!   RecipePlan ─► Table ─► Cell (work × engine) ─► Measured        published figures stand beside the measured ones
//!                └► Effect (a claim about figures) ─► Judged
//! ```

use super::engines::EngineKind;
use crate::data::Synthetic;
use crate::study::{Access, Records, Storage, Tree, Wanted};
use hyperslab_doctor::simulate::CacheSettings;
use serde::{Deserialize, Serialize};

/// Everything that a recipe does.
#[derive(Debug, Clone)]
pub struct RecipePlan {
    /// By how much data and caches are smaller than published; 1 for the published size.
    pub shrink: f64,
    /// What is run, in order.
    pub tables: Vec<Table>,
}

/// A table or a figure of the publication, or several that belong together.
#[derive(Debug, Clone)]
pub struct Table {
    /// Which tables, and what they are of.
    pub title: String,
    /// What is run. A cell that reads a file comes after the one that writes it, in this or in an earlier table.
    pub cells: Vec<Cell>,
    /// What the publication concludes.
    pub effects: Vec<Effect>,
    /// What is not as it was published, or has to be known to read the figures.
    pub notes: Vec<String>,
}

/// One measurement, by one or more engines.
#[derive(Debug, Clone)]
pub struct Cell {
    /// In words, unlike that of any other cell of the plan.
    pub name: String,
    /// What is done.
    pub work: Work,
    /// The engines. The first is the one that the publication measured.
    pub by: Vec<EngineKind>,
    /// What was published.
    pub published: Vec<Published>,
}

/// Whether a cell is a file for others, or a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Writes a file for others to read.
    File,
    /// Writes, and is timed.
    Write,
    /// Reads.
    Read,
}

/// What a cell does.
#[derive(Debug, Clone)]
pub enum Work {
    /// Writes a file.
    Write {
        /// How the dataset is stored.
        storage: Box<Storage>,
        /// What is written.
        values: Content,
        /// In which blocks.
        access: Access,
        /// How records lie in memory.
        records: Records,
        /// Whether writing is what is measured; else the file is written once, for others to read.
        is_timed: bool,
    },
    /// Reads the file that another cell wrote.
    Read {
        /// The name of that cell.
        of: String,
        /// In which blocks.
        access: Access,
        /// Behind which chunk cache, at the published size; the library's default where none is set.
        cache: Option<CacheSettings>,
        /// Only so many blocks.
        reads_max: Option<u64>,
        /// What is read of records, and how they lie in memory.
        records: Records,
        /// Whether the file is taken out of the page cache before.
        cold: bool,
    },
    /// Makes a file of many objects.
    Make {
        /// What is put into it.
        tree: Box<Tree>,
        /// Whether making it is what is measured.
        is_timed: bool,
    },
    /// Visits all objects of such a file.
    Visit {
        /// The name of the cell that makes it.
        of: String,
        /// What is read of each dataset.
        wanted: Wanted,
        /// Bytes of the page buffer, where there is one.
        page_buffer: Option<u64>,
    },
}

/// Where the values of a file come from.
#[derive(Debug, Clone)]
pub enum Content {
    /// Made up.
    Synthetic(Synthetic),
    /// Those that another cell wrote.
    Of(String),
}

/// A figure that was published.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// What it is of.
    pub metric: Metric,
    /// In seconds, bytes, or a count.
    pub value: f64,
}

/// Something of a run that has a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Seconds of all reads or writes.
    Seconds,
    /// Seconds of the first.
    First,
    /// Seconds of one, on average.
    Average,
    /// Seconds of opening, reading or writing, and closing.
    Total,
    /// Bytes of the file.
    FileBytes,
    /// Bytes of the file beyond the values' own.
    Overhead,
    /// Seconds of all reads or writes, for each byte of values.
    PerByte,
    /// Chunks that were decoded.
    Decodes,
    /// Bytes that came from the file.
    ReadBytes,
    /// Calls that read the file.
    ReadCalls,
    /// Requests to the page buffer.
    PageAccesses,
    /// Those whose page was there.
    PageHits,
    /// Those whose page had to be read.
    PageMisses,
    /// Pages that made room for others.
    PageEvictions,
}

/// A number of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// The cell.
    pub cell: String,
    /// The engine.
    #[serde(rename = "who")]
    pub by: EngineKind,
    /// Which number.
    pub metric: Metric,
}

/// Something that a publication concludes.
#[derive(Debug, Clone)]
pub struct Effect {
    /// In a sentence, as a statement about the publication's machines and libraries.
    pub says: String,
    /// The same in numbers, under what a program gets today.
    pub claim: Claim,
    /// The same under what was set then, where that differs.
    pub as_then: Option<Claim>,
    /// What is known of its cause and cannot be counted here.
    pub remark: Option<String>,
}

/// A statement about figures. All are ratios: the machines of then are gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// One is so many times the other.
    Times {
        /// The larger.
        more: Figure,
        /// The smaller.
        less: Figure,
        /// How many times.
        published: f64,
    },
    /// They are about the same.
    Alike {
        /// At least two.
        figures: Vec<Figure>,
        /// How many times the smallest the largest was.
        published: f64,
        /// How many times the smallest the largest may be.
        limit: f64,
    },
    /// One is larger: published without figures, or found later to explain the rest.
    AtLeast {
        /// The larger.
        more: Figure,
        /// The smaller.
        less: Figure,
        /// How many times, at least.
        times: f64,
        /// True where it was published, if without figures.
        is_published: bool,
    },
    /// A figure that follows from the format alone comes out again.
    Equal {
        /// The figure.
        figure: Figure,
        /// What was published.
        published: f64,
        /// How far it may be off, as a share.
        within: f64,
    },
    /// So does what one of two has more than the other.
    Beyond {
        /// The larger.
        more: Figure,
        /// The smaller.
        less: Figure,
        /// What was published of the difference.
        published: f64,
        /// How far it may be off, as a share.
        within: f64,
    },
}

impl RecipePlan {
    /// The cell of this name.
    pub fn cell(&self, name: &str) -> Option<&Cell> {
        self.tables.iter().flat_map(|table| &table.cells).find(|cell| cell.name == name)
    }
}

impl Table {
    /// True where a cell of it needs the file that another cell writes.
    pub(super) fn reads(&self, cell: &str) -> bool {
        self.cells.iter().any(|reader| reader.work.needs() == Some(cell))
    }
}

impl Cell {
    /// The figures that were published, where they are this engine's.
    pub fn published_of(&self, engine: EngineKind) -> Vec<Published> {
        if self.by.first() == Some(&engine) { self.published.clone() } else { Vec::new() }
    }
}

impl Work {
    /// What a cell that does this did.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Write { is_timed: false, .. } | Self::Make { is_timed: false, .. } => Kind::File,
            Self::Write { is_timed: true, .. } | Self::Make { is_timed: true, .. } => Kind::Write,
            Self::Read { .. } | Self::Visit { .. } => Kind::Read,
        }
    }

    /// The cell whose file it needs.
    pub fn needs(&self) -> Option<&str> {
        match self {
            Self::Read { of, .. } | Self::Visit { of, .. } | Self::Write { values: Content::Of(of), .. } => {
                Some(of)
            }
            Self::Write { .. } | Self::Make { .. } => None,
        }
    }
}

#[cfg(test)]
impl Effect {
    /// A claim that says no more than itself.
    pub(super) fn of(claim: Claim) -> Self {
        Self { says: String::new(), claim, as_then: None, remark: None }
    }

    /// One figure is so many times another.
    pub(super) fn times(more: Figure, less: Figure, published: f64) -> Self {
        Self::of(Claim::Times { more, less, published })
    }

    /// Figures are about the same.
    pub(super) fn alike(figures: Vec<Figure>, published: f64) -> Self {
        Self::of(Claim::Alike { figures, published, limit: 2.0 * published.max(1.0) })
    }
}

impl Claim {
    /// The ratio (or figure) that was published.
    pub fn published(&self) -> Option<f64> {
        match self {
            Self::Times { published, .. }
            | Self::Alike { published, .. }
            | Self::Equal { published, .. }
            | Self::Beyond { published, .. } => Some(*published),
            Self::AtLeast { .. } => None,
        }
    }

    /// The figures that it is about.
    pub fn figures(&self) -> Vec<&Figure> {
        match self {
            Self::Times { more, less, .. }
            | Self::AtLeast { more, less, .. }
            | Self::Beyond { more, less, .. } => vec![more, less],
            Self::Alike { figures, .. } => figures.iter().collect(),
            Self::Equal { figure, .. } => vec![figure],
        }
    }

    /// The same of another engine.
    pub fn of(&self, engine: EngineKind) -> Self {
        let mut other = self.clone();
        match &mut other {
            Self::Times { more, less, .. }
            | Self::AtLeast { more, less, .. }
            | Self::Beyond { more, less, .. } => {
                [more, less].into_iter().for_each(|figure| figure.by = engine);
            }
            Self::Alike { figures, .. } => figures.iter_mut().for_each(|figure| figure.by = engine),
            Self::Equal { figure, .. } => figure.by = engine,
        }
        other
    }
}

impl Metric {
    /// True where it says something of cells that do this.
    pub fn is_of(self, kind: Kind) -> bool {
        match self {
            Self::FileBytes | Self::Overhead => kind != Kind::Read,
            Self::Seconds | Self::First | Self::Average | Self::Total | Self::PerByte => kind != Kind::File,
            _ => kind == Kind::Read,
        }
    }
}
