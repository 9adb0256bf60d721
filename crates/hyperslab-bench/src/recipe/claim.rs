//! What a publication concludes: statements about figures, which are judged again.

use super::figure::Figure;
use hyperslab_engines::EngineKind;
use serde::{Deserialize, Serialize};

/// Something that a publication concludes.
#[derive(Debug, Clone)]
pub(super) struct Effect {
    /// In a sentence, as a statement about the publication's machines and libraries.
    pub(super) says: String,
    /// The same in numbers, under what a program gets today.
    pub(super) claim: Claim,
    /// The same under what was set then, where that differs.
    pub(super) as_then: Option<Claim>,
    /// What is known of its cause and cannot be counted here.
    pub(super) remark: Option<String>,
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

/// What became of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is there.
    AsPublished,
    /// There is less of it.
    Weaker,
    /// It is gone.
    NoLonger,
    /// It is the other way round.
    Reversed,
    /// It was not published, and is so.
    Confirmed,
    /// It was not published, and is not so.
    NotConfirmed,
    /// Not everything that it needs was measured.
    NotRun,
}

impl Claim {
    /// The ratio (or figure) that was published.
    pub(super) fn published(&self) -> Option<f64> {
        match self {
            Self::Times { published, .. }
            | Self::Alike { published, .. }
            | Self::Equal { published, .. }
            | Self::Beyond { published, .. } => Some(*published),
            Self::AtLeast { .. } => None,
        }
    }

    /// The figures that it is about.
    pub(super) fn figures(&self) -> Vec<&Figure> {
        match self {
            Self::Times { more, less, .. }
            | Self::AtLeast { more, less, .. }
            | Self::Beyond { more, less, .. } => vec![more, less],
            Self::Alike { figures, .. } => figures.iter().collect(),
            Self::Equal { figure, .. } => vec![figure],
        }
    }

    /// What it comes to where figures have these values: a ratio, a figure, or a difference.
    pub(super) fn measured(&self, value: impl Fn(&Figure) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.figures().into_iter().map(value).collect::<Option<_>>()?;
        let divided = |more: f64, less: f64| (less > 0.0).then(|| more / less);
        match self {
            Self::Times { .. } | Self::AtLeast { .. } => divided(values[0], values[1]),
            Self::Alike { .. } => {
                let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                divided(most, values.iter().copied().fold(f64::INFINITY, f64::min))
            }
            Self::Equal { .. } => Some(values[0]),
            Self::Beyond { .. } => Some(values[0] - values[1]),
        }
    }

    /// The engine that all its figures are of.
    pub(super) fn engine(&self) -> Option<EngineKind> {
        let figures = self.figures();
        let first = figures.first()?.by;
        figures.iter().all(|figure| figure.by == first).then_some(first)
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
