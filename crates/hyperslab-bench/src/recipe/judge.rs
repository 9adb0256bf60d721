//! Whether an effect comes out as published: a verdict from ratios, its reason from counts.
//!
//! An effect of a factor *f* is there again where half of it is (on a scale of factors: its square root), and gone where
//! less than a quarter of it is left (its fourth root), or no more than a difference of a quarter. Figures that were alike
//! are so again within twice their spread.

use super::claim::{Claim, Effect, Verdict};
use super::explanation;
use super::figure::{self, Figure};
use super::measured::Measured;
use hyperslab_engines::EngineKind;
use serde::{Deserialize, Serialize};

/// An effect, with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// As the publication has it.
    pub says: String,
    /// The statement in numbers.
    pub claim: Claim,
    /// What became of it.
    pub verdict: Verdict,
    /// The ratio (or figure) that was published, where it was.
    pub published: Option<f64>,
    /// The one that was measured.
    pub measured: Option<f64>,
    /// Under what was set then, where that differs from what is set today.
    pub as_then: Option<f64>,
    /// The same of other engines that ran all of it.
    pub others: Vec<Other>,
    /// Why, as far as it was counted.
    pub because: String,
    /// The figures and the reason in a sentence.
    pub text: String,
}

/// The ratio (or figure) of another engine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// The engine.
    #[serde(rename = "who")]
    pub by: EngineKind,
    /// What was measured of it.
    pub measured: f64,
}

/// Less than this is not a difference.
const DIFFERENCE: f64 = 1.25;

/// Judges an effect by what was measured.
pub(super) fn judge(effect: &Effect, measured: &[Measured], not_run: &str) -> Judged {
    let value = |figure: &Figure| Measured::of_figure(figure, measured)?.value(figure.metric);
    let now = effect.claim.measured(value);
    let as_then = effect.as_then.as_ref().and_then(|claim| claim.measured(value));
    let verdict = now.map_or(Verdict::NotRun, |now| verdict(&effect.claim, now));
    // What the claim comes to for other engines, where it is about one.
    let engine = effect.claim.engine();
    let others = EngineKind::ALL.into_iter().filter(|other| engine.is_some_and(|engine| engine != *other));
    let other = |by: EngineKind| {
        let measured = effect.claim.measured(|figure| value(&Figure { by, ..figure.clone() }))?;
        Some(Other { by, measured })
    };
    let because = match verdict {
        Verdict::NotRun => not_run.to_owned(),
        _ => explanation::sentence(effect, verdict, as_then, measured),
    };
    let mut judged = Judged {
        says: effect.says.clone(),
        claim: effect.claim.clone(),
        verdict,
        published: effect.claim.published(),
        measured: now,
        as_then,
        others: others.filter_map(other).collect(),
        because,
        text: String::new(),
    };
    judged.text = judged.sentence();
    judged
}

impl Judged {
    /// A number of this kind: `3,527 times`, or with the unit of the figure.
    pub fn figure(&self, value: f64) -> String {
        match &self.claim {
            Claim::Equal { figure, .. } | Claim::Beyond { more: figure, .. } => figure.metric.text(value),
            Claim::Times { .. } | Claim::Alike { .. } | Claim::AtLeast { .. } => figure::factor(value),
        }
    }

    /// `3,450 times`, `without figures`, or nothing where it was not published.
    pub fn published_text(&self) -> String {
        match (&self.claim, self.published) {
            (_, Some(published)) => self.figure(published),
            (Claim::AtLeast { is_published: true, .. }, None) => "without figures".to_owned(),
            (_, None) => String::new(),
        }
    }

    /// `Published: 3,450 times; measured: 3,527; hyperslab: 3.1. A cache of 1 MiB does not hold ...`
    fn sentence(&self) -> String {
        let mut text = match self.published_text() {
            published if published.is_empty() => "Not published".to_owned(),
            published => format!("Published: {published}"),
        };
        if let Some(measured) = self.measured {
            text += &format!("; measured: {}", self.figure(measured));
        }
        for other in &self.others {
            text += &format!("; {}: {}", other.by.name(), self.figure(other.measured));
        }
        text.push('.');
        if !self.because.is_empty() {
            text += &format!(" {}.", hyperslab_units::capitalised(&self.because));
        }
        text
    }
}

fn verdict(claim: &Claim, now: f64) -> Verdict {
    match claim {
        Claim::Times { published, .. } => match now {
            now if now >= published.sqrt() => Verdict::AsPublished,
            now if now >= published.powf(0.25).max(DIFFERENCE) => Verdict::Weaker,
            now if now > 1.0 / DIFFERENCE => Verdict::NoLonger,
            _ => Verdict::Reversed,
        },
        Claim::AtLeast { times, is_published, .. } => match (now >= *times, is_published) {
            (true, true) => Verdict::AsPublished,
            (false, true) if now <= 1.0 / DIFFERENCE => Verdict::Reversed,
            (false, true) => Verdict::NoLonger,
            (true, false) => Verdict::Confirmed,
            (false, false) => Verdict::NotConfirmed,
        },
        Claim::Alike { limit, .. } if now <= *limit => Verdict::AsPublished,
        Claim::Equal { published, within, .. } | Claim::Beyond { published, within, .. }
            if (now / published - 1.0).abs() <= *within =>
        {
            Verdict::AsPublished
        }
        Claim::Alike { .. } | Claim::Equal { .. } | Claim::Beyond { .. } => Verdict::NoLonger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::figure::Metric;

    fn figure(cell: &str) -> Figure {
        Figure { cell: cell.to_owned(), by: EngineKind::Libhdf5, metric: Metric::Seconds }
    }

    #[test]
    fn an_effect_is_there_weaker_gone_or_the_other_way_round() {
        let times = |published| Claim::Times { more: figure("a"), less: figure("b"), published };
        for (published, now, expected) in [
            (3450.0, 3600.0, Verdict::AsPublished),
            (3450.0, 59.0, Verdict::AsPublished),
            (3450.0, 58.0, Verdict::Weaker),
            (3450.0, 4.2, Verdict::NoLonger),
            (3450.0, 1.2, Verdict::NoLonger),
            (3.0, 0.9, Verdict::NoLonger),
            (3.0, 0.5, Verdict::Reversed),
            (1.3, 1.15, Verdict::AsPublished),
        ] {
            assert_eq!(verdict(&times(published), now), expected, "{published} {now}");
        }
    }

    #[test]
    fn what_was_published_without_figures_can_be_the_other_way_round_too() {
        let at_least =
            |is_published| Claim::AtLeast { more: figure("a"), less: figure("b"), times: 1.5, is_published };
        let shown = at_least(true);
        for (now, expected) in [
            (1.5, Verdict::AsPublished),
            (1.4, Verdict::NoLonger),
            (0.9, Verdict::NoLonger),
            (0.8, Verdict::Reversed),
        ] {
            assert_eq!(verdict(&shown, now), expected, "{now}");
        }
        assert_eq!(verdict(&at_least(false), 0.1), Verdict::NotConfirmed);
    }

    #[test]
    fn alike_and_equal_have_bounds() {
        let alike = |published| Effect::alike(vec![figure("a"), figure("b")], published).claim;
        assert_eq!(verdict(&alike(3.7), 7.0), Verdict::AsPublished);
        assert_eq!(verdict(&alike(1.0), 2.1), Verdict::NoLonger);
        let equal = Claim::Equal { figure: figure("a"), published: 100.0, within: 0.01 };
        assert_eq!(verdict(&equal, 100.9), Verdict::AsPublished);
        assert_eq!(verdict(&equal, 98.0), Verdict::NoLonger);
        let exactly = Claim::Equal { figure: figure("a"), published: 1.0, within: 0.0 };
        assert_eq!(
            [1.0, 2.0, 0.0].map(|now| verdict(&exactly, now) == Verdict::AsPublished),
            [true, false, false]
        );
    }

    #[test]
    fn a_difference_is_judged_by_what_it_is_of_and_not_by_the_whole() {
        let sizes = [("paged", 1_040_000.0), ("plain", 1_000_000.0)];
        let cells = sizes.map(|(cell, bytes)| Measured {
            file_bytes: bytes as u64,
            ..Measured::example(cell, EngineKind::Libhdf5, 1.0)
        });
        let bytes = |cell: &str| Figure { metric: Metric::FileBytes, ..figure(cell) };
        let judged = |published| {
            let (more, less) = (bytes("paged"), bytes("plain"));
            judge(&Effect::of(Claim::Beyond { more, less, published, within: 0.5 }), &cells, "")
        };
        assert_eq!(judged(42_000.0).verdict, Verdict::AsPublished);
        assert_eq!(judged(100_000.0).verdict, Verdict::NoLonger);
        assert_eq!(judged(42_000.0).text, "Published: 42,000 B; measured: 40,000 B.");
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        let effect = Effect::times(figure("a"), figure("b"), 2.0);
        let judged = judge(&effect, &[], "no library was found");
        assert_eq!((judged.verdict, judged.because.as_str()), (Verdict::NotRun, "no library was found"));
    }
}
