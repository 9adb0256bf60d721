//! A published study as data: what is made, what is run, what was published of it, and which effects it showed.
//!
//! ```text
//!   Plan ─► Part ─► Cell (work × who) ─► Measured        published figures stand beside the measured ones
//!                └► Effect (a claim about figures) ─► Judged
//! ```

use super::measured::Kind;
use crate::data::Synthetic;
use crate::study::{Access, Records, Storage, Tree, Wanted};
use hyperslab_doctor::simulate::CacheSettings;
use serde::{Deserialize, Serialize};

/// Everything that a recipe does.
#[derive(Debug, Clone)]
pub struct Plan {
    /// By how much data and caches are smaller than published; 1 for the published size.
    pub shrink: f64,
    /// What is run, in order.
    pub parts: Vec<Part>,
}

/// A table or a figure of the publication, or several that belong together.
#[derive(Debug, Clone)]
pub struct Part {
    /// Which tables, and what they are of.
    pub title: String,
    /// What is run. A cell that reads a file comes after the one that writes it, in this or in an earlier part.
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
    /// By whom. The first is the one that the publication measured.
    pub by: Vec<EngineKind>,
    /// What was published.
    pub published: Vec<Published>,
}

/// Whose library does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// The user's libhdf5.
    Libhdf5,
    /// The user's netCDF-C.
    Netcdf,
    /// The user's HDF4.
    Hdf4,
    /// This project.
    Hyperslab,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Seconds of all reads or writes.
    Seconds,
    /// Seconds of the first.
    First,
    /// Seconds of one, on average.
    Average,
    /// Seconds of options, reading or writing, and closing.
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
    /// Whose.
    pub who: EngineKind,
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
    pub remark: Option<&'static str>,
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

impl Plan {
    /// The cell of this name.
    pub fn cell(&self, name: &str) -> Option<&Cell> {
        self.parts.iter().flat_map(|part| &part.cells).find(|cell| cell.name == name)
    }
}

impl Cell {
    /// Writes a file once, for others to read.
    pub fn file(name: &str, storage: Storage, values: Content) -> Self {
        let access = Access::by_chunk(&storage);
        let records = Records::default();
        let work = Work::Write { storage: Box::new(storage), values, access, records, is_timed: false };
        Self { name: name.to_owned(), work, by: vec![EngineKind::Libhdf5], published: Vec::new() }
    }

    /// Makes a file of many objects.
    pub fn make(name: &str, tree: Tree) -> Self {
        let work = Work::Make { tree: Box::new(tree), is_timed: false };
        Self { name: name.to_owned(), work, by: vec![EngineKind::Libhdf5], published: Vec::new() }
    }

    /// Visits all objects of a file that another cell makes.
    pub fn visit(name: &str, of: &str, wanted: Wanted) -> Self {
        let work = Work::Visit { of: of.to_owned(), wanted, page_buffer: None };
        Self { name: name.to_owned(), work, by: vec![EngineKind::Libhdf5, EngineKind::Hyperslab], published: Vec::new() }
    }

    /// With records so in memory.
    pub fn records(mut self, wanted: Records) -> Self {
        if let Work::Write { records, .. } | Work::Read { records, .. } = &mut self.work {
            *records = wanted;
        }
        self
    }

    /// Behind a page buffer of so many bytes.
    pub fn page_buffer(mut self, bytes: u64) -> Self {
        if let Work::Visit { page_buffer, .. } = &mut self.work {
            *page_buffer = Some(bytes);
        }
        self
    }

    /// In these blocks instead of chunk by chunk.
    pub fn written(mut self, blocks: Access) -> Self {
        if let Work::Write { access, .. } = &mut self.work {
            *access = blocks;
        }
        self
    }

    /// Reads a file that another cell wrote.
    pub fn read(name: &str, of: &str, access: Access) -> Self {
        let records = Records::default();
        let work =
            Work::Read { of: of.to_owned(), access, cache: None, reads_max: None, records, cold: false };
        Self { name: name.to_owned(), work, by: vec![EngineKind::Libhdf5, EngineKind::Hyperslab], published: Vec::new() }
    }

    /// Behind a chunk cache of so many bytes, its other settings as libhdf5 had them before 2.0.
    pub fn cache(mut self, nbytes: u64) -> Self {
        if let Work::Read { cache, .. } = &mut self.work {
            *cache = Some(CacheSettings { nbytes, nslots: 521, w0: 0.75 });
        }
        self
    }

    /// Only so many reads.
    pub fn reads(mut self, most: u64) -> Self {
        if let Work::Read { reads_max, .. } = &mut self.work {
            *reads_max = Some(most);
        }
        self
    }

    /// Timed as a whole: writing is what is measured.
    pub fn timed(mut self) -> Self {
        if let Work::Write { is_timed, .. } | Work::Make { is_timed, .. } = &mut self.work {
            *is_timed = true;
        }
        self
    }

    /// After the file was taken out of the page cache.
    pub fn cold(mut self) -> Self {
        if let Work::Read { cold, .. } = &mut self.work {
            *cold = true;
        }
        self
    }

    /// By these, the published one first.
    pub fn by(mut self, who: &[EngineKind]) -> Self {
        self.by = who.to_vec();
        self
    }

    /// What was published of it.
    pub fn published(mut self, metric: Metric, value: f64) -> Self {
        self.published.push(Published { metric, value });
        self
    }

    /// The figures that were published, where they are this engine's.
    pub fn published_of(&self, who: EngineKind) -> Vec<Published> {
        if self.by.first() == Some(&who) { self.published.clone() } else { Vec::new() }
    }

    /// A figure of it that was published.
    pub(super) fn published_value(&self, metric: Metric) -> f64 {
        let found = self.published.iter().find(|published| published.metric == metric);
        found.map(|published| published.value).expect("a figure that was published")
    }

    /// A number of it, of the engine that the publication measured.
    pub fn figure(&self, metric: Metric) -> Figure {
        self.figure_of(self.by[0], metric)
    }

    /// A number of it, of one engine.
    pub fn figure_of(&self, who: EngineKind, metric: Metric) -> Figure {
        Figure { cell: self.name.clone(), who, metric }
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

impl Effect {
    /// One figure is so many times another.
    pub fn times(says: &str, more: Figure, less: Figure, published: f64) -> Self {
        let claim = Claim::Times { more, less, published };
        Self { says: says.to_owned(), claim, as_then: None, remark: None }
    }

    /// One cell takes so many times what another does, as their published figures have it.
    pub fn ratio(says: &str, metric: Metric, more: &Cell, less: &Cell) -> Self {
        let published = more.published_value(metric) / less.published_value(metric);
        Self::times(says, more.figure(metric), less.figure(metric), published)
    }

    /// Cells come to about the same, as near each other as their published figures are.
    pub fn same(says: &str, metric: Metric, cells: &[&Cell]) -> Self {
        let published = || cells.iter().map(|cell| cell.published_value(metric));
        let ratio = published().fold(0.0, f64::max) / published().fold(f64::INFINITY, f64::min);
        Self::alike(says, cells.iter().map(|cell| cell.figure(metric)).collect(), ratio)
    }

    /// Figures are about the same.
    pub fn alike(says: &str, figures: Vec<Figure>, published: f64) -> Self {
        let claim = Claim::Alike { figures, published, limit: 2.0 * published.max(1.0) };
        Self { says: says.to_owned(), claim, as_then: None, remark: None }
    }

    /// Says that they are more alike than twice what was published.
    pub fn within(mut self, most: f64) -> Self {
        if let Claim::Alike { limit, .. } = &mut self.claim {
            *limit = most;
        }
        self
    }

    /// Not published: what explains the rest.
    pub fn found(says: &str, more: Figure, less: Figure, times: f64) -> Self {
        let claim = Claim::AtLeast { more, less, times, is_published: false };
        Self { says: says.to_owned(), claim, as_then: None, remark: None }
    }

    /// Published without figures: one is larger.
    pub fn shown(says: &str, more: Figure, less: Figure, times: f64) -> Self {
        let claim = Claim::AtLeast { more, less, times, is_published: true };
        Self { says: says.to_owned(), claim, as_then: None, remark: None }
    }

    /// A figure that follows from the format comes out again.
    pub fn equal(says: &str, figure: Figure, published: f64, within: f64) -> Self {
        let claim = Claim::Equal { figure, published, within };
        Self { says: says.to_owned(), claim, as_then: None, remark: None }
    }

    /// What one figure is beyond another comes out again.
    pub fn beyond(says: &str, more: Figure, less: Figure, published: f64, within: f64) -> Self {
        let claim = Claim::Beyond { more, less, published, within };
        Self { says: says.to_owned(), claim, as_then: None, remark: None }
    }

    /// What was published is of cells under what was set then; judged are these, under what a program gets today.
    pub fn today(mut self, more: &Cell, less: &Cell) -> Self {
        if let Claim::Times { more: then, published, .. } = &self.claim {
            let (metric, published) = (then.metric, *published);
            let claim = Claim::Times { more: more.figure(metric), less: less.figure(metric), published };
            self.as_then = Some(std::mem::replace(&mut self.claim, claim));
        }
        self
    }

    /// Says what is known of the cause and cannot be counted here.
    pub fn remark(mut self, remark: &'static str) -> Self {
        self.remark = Some(remark);
        self
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
    pub fn of(&self, who: EngineKind) -> Self {
        let mut other = self.clone();
        match &mut other {
            Self::Times { more, less, .. }
            | Self::AtLeast { more, less, .. }
            | Self::Beyond { more, less, .. } => {
                [more, less].into_iter().for_each(|figure| figure.who = who);
            }
            Self::Alike { figures, .. } => figures.iter_mut().for_each(|figure| figure.who = who),
            Self::Equal { figure, .. } => figure.who = who,
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

impl EngineKind {
    /// A name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Libhdf5 => "libhdf5",
            Self::Netcdf => "netCDF-C",
            Self::Hdf4 => "HDF4",
            Self::Hyperslab => "hyperslab",
        }
    }
}
