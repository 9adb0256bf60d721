//! What a fix does to all reads, not only to the one that it is for.

use super::Fix;
use super::change::{Change, Changed, Effect};
use crate::case::Case;
use crate::numbers::rounded;
use crate::predict::seconds_text;
use serde::{Deserialize, Serialize};

/// A read that a fix is not for, and what it takes before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherRead {
    /// Its name, as in the report of the dataset.
    pub read: String,
    /// The library in which the fix changes it most for the worse.
    pub library: String,
    /// Predicted seconds in that library before the fix.
    pub before_seconds: f64,
    /// Predicted seconds in that library after it.
    pub after_seconds: f64,
}

/// A read that takes this many times as long has lost. Below two, because the constants that decide and the speeds that
/// are shown differ.
const LOSS_RATIO: f64 = 1.75;
/// And it must have lost at least this many seconds: less is below what can be predicted.
const LOSS_SECONDS_MIN: f64 = 0.001;
/// At most this many reads are named in a text.
const NAMED_MAX: usize = 3;
/// A read that takes this many times as long is worth naming in a text.
const NAMED_RATIO: f64 = 1.1;

impl Effect {
    /// True if the read takes much longer afterwards.
    pub(crate) fn is_loss(&self) -> bool {
        self.ratio() > LOSS_RATIO && self.reference.1 - self.reference.0 > LOSS_SECONDS_MIN
    }
}

/// What a change does to every read of the case.
pub(crate) struct Judgement {
    /// For each read, the library in which it changes most for the worse, and how.
    pub(crate) effects: Vec<(usize, Effect)>,
}

/// Simulates all reads after a change, in these profiles. `None` if the change is impossible for this dataset.
pub(crate) fn judge(case: &Case<'_>, change: &Change, profiles: &[usize]) -> Option<Judgement> {
    judge_changed(&Changed::new(case, change).ok()?, profiles)
}

/// The same for a change that is simulated already in part.
pub(crate) fn judge_changed(changed: &Changed<'_>, profiles: &[usize]) -> Option<Judgement> {
    let effects = changed.case().reads.iter().map(|read| {
        let all = profiles.iter().map(|&profile| (profile, changed.effect(read, profile)));
        all.max_by(|(_, a), (_, b)| a.is_loss().cmp(&b.is_loss()).then(a.ratio().total_cmp(&b.ratio())))
    });
    Some(Judgement { effects: effects.collect::<Option<_>>()? })
}

impl Judgement {
    /// True if some read takes much longer afterwards.
    pub(crate) fn is_loss(&self) -> bool {
        self.effects.iter().any(|(_, effect)| effect.is_loss())
    }

    /// The sum of all reads' seconds afterwards, each with its weight, by the stored constants.
    pub(crate) fn weighted_seconds(&self, case: &Case<'_>) -> f64 {
        case.reads.iter().zip(&self.effects).map(|(read, (_, effect))| read.weight * effect.reference.1).sum()
    }

    /// Writes into the fix what becomes of all reads but `target`.
    pub(crate) fn tell(&self, case: &Case<'_>, target: Option<usize>, mut fix: Fix) -> Fix {
        fix.slows_others = self.is_loss();
        let all = case.reads.iter().zip(&self.effects).enumerate();
        fix.others = all
            .filter(|(number, _)| Some(*number) != target)
            .map(|(_, (read, (profile, effect)))| OtherRead {
                read: read.name.clone(),
                library: case.profiles[*profile].name.clone(),
                before_seconds: rounded(effect.shown.0),
                after_seconds: rounded(effect.shown.1),
            })
            .collect();
        fix
    }
}

/// `; other reads: plane along axis 0 0.18 s → 0.21 s`, the worst first; empty if no other read gets slower.
pub(crate) fn others_text(others: &[OtherRead]) -> String {
    let ratio = |read: &OtherRead| read.after_seconds / read.before_seconds.max(1e-9);
    let mut slower: Vec<&OtherRead> = others
        .iter()
        .filter(|read| {
            ratio(read) > NAMED_RATIO && read.after_seconds - read.before_seconds > LOSS_SECONDS_MIN
        })
        .collect();
    slower.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    if slower.is_empty() {
        return String::new();
    }
    let more = slower.len().saturating_sub(NAMED_MAX);
    let named: Vec<String> = slower
        .iter()
        .take(NAMED_MAX)
        .map(|read| {
            format!(
                "{} {} → {}",
                read.read,
                seconds_text(read.before_seconds),
                seconds_text(read.after_seconds)
            )
        })
        .collect();
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("; slower: {}{rest}", named.join(", "))
}
