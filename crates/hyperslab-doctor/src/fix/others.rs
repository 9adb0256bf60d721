//! What a fix does to all reads, not only to the one that it is for.

use super::Fix;
use super::change::{Change, Changed, Effect};
use crate::case::Case;
use crate::numbers::rounded;
use crate::predict::seconds_text;
use serde::{Deserialize, Serialize};

/// A read, and what it takes before and after a fix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherRead {
    /// Its name, as in the report of the dataset.
    pub read: String,
    /// The library: that in which the fix changes it most for the worse, or, of the read that the fix is for, most for
    /// the better.
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
/// A read that takes this many times as long is ruined ...
const RUIN_RATIO: f64 = 10.0;
/// ... if that is at least so many seconds.
const RUIN_SECONDS_MIN: f64 = 0.1;
/// Reads of much less than this are fast, however much less.
const NOTICED_SECONDS: f64 = 0.01;
/// At most this many reads are named in a text.
const NAMED_MAX: usize = 3;
/// A read that takes this many times as long is worth naming in a text.
const NAMED_RATIO: f64 = 1.1;

impl Effect {
    /// True if the read takes much longer afterwards.
    pub(crate) fn is_loss(&self) -> bool {
        self.ratio() > LOSS_RATIO && self.lost_seconds() > LOSS_SECONDS_MIN
    }

    /// [`Self::ratio`], where milliseconds do not count.
    fn noticeable_ratio(&self) -> f64 {
        (self.reference.1 + NOTICED_SECONDS) / (self.reference.0 + NOTICED_SECONDS)
    }

    /// Seconds that the read takes longer afterwards, by the stored constants; negative where it gains.
    fn lost_seconds(&self) -> f64 {
        self.reference.1 - self.reference.0
    }
}

/// What a change does to every read of the case.
pub(crate) struct Judgement {
    /// For each read, the library in which it changes most for the worse, and how.
    pub(crate) effects: Vec<(usize, Effect)>,
    /// For each read, the library in which it gains the most seconds, and how.
    gains: Vec<(usize, Effect)>,
    /// How many times as long reads take afterwards on the whole: the geometric mean over reads, with their weights, and
    /// libraries. A read of hours does not hide what becomes of one of seconds.
    pub(crate) change: f64,
}

/// Simulates all reads after a change, in these profiles. `None` if the change is impossible for this dataset.
pub(crate) fn judge(case: &Case<'_>, change: &Change, profiles: &[usize]) -> Option<Judgement> {
    judge_changed(&Changed::new(case, change).ok()?, profiles)
}

/// The same for a change that is simulated already in part.
pub(crate) fn judge_changed(changed: &Changed<'_>, profiles: &[usize]) -> Option<Judgement> {
    let (mut effects, mut gains) = (Vec::new(), Vec::new());
    let (mut logarithms, mut weights) = (0.0, 0.0);
    for read in &changed.case().reads {
        let all = || profiles.iter().map(|&profile| (profile, changed.effect(read, profile)));
        let worse =
            |a: &Effect, b: &Effect| a.is_loss().cmp(&b.is_loss()).then(a.ratio().total_cmp(&b.ratio()));
        effects.push(all().max_by(|(_, a), (_, b)| worse(a, b))?);
        // Of equal ones the first: the user's own library, if it is among them.
        gains.push(all().min_by(|(_, a), (_, b)| a.lost_seconds().total_cmp(&b.lost_seconds()))?);
        for (_, effect) in all() {
            logarithms += read.weight * effect.noticeable_ratio().ln();
            weights += read.weight;
        }
    }
    let change = if weights > 0.0 { (logarithms / weights).exp() } else { 1.0 };
    Some(Judgement { effects, gains, change })
}

impl Judgement {
    /// True if some read takes much longer afterwards.
    pub(crate) fn is_loss(&self) -> bool {
        self.effects.iter().any(|(_, effect)| effect.is_loss())
    }

    /// True if some read takes many times as long afterwards.
    pub(crate) fn ruins_a_read(&self) -> bool {
        let is_ruined =
            |effect: &Effect| effect.ratio() > RUIN_RATIO && effect.lost_seconds() > RUIN_SECONDS_MIN;
        self.effects.iter().any(|(_, effect)| is_ruined(effect))
    }

    /// The share of its time that a read takes afterwards, in the library where it gains most.
    pub(crate) fn gain(&self, read: usize) -> f64 {
        self.gains[read].1.ratio()
    }

    /// Writes into the fix what becomes of all reads but `target`.
    pub(crate) fn tell(&self, case: &Case<'_>, target: Option<usize>, mut fix: Fix) -> Fix {
        fix.slows_others = self.is_loss();
        let told = |number: usize, (profile, effect): &(usize, Effect)| OtherRead {
            read: case.reads[number].name.clone(),
            library: case.profiles[*profile].name.clone(),
            before_seconds: rounded(effect.shown.0),
            after_seconds: rounded(effect.shown.1),
        };
        fix.serves = target.map(|target| told(target, &self.gains[target]));
        let others = self.effects.iter().enumerate().filter(|(number, _)| Some(*number) != target);
        fix.others = others.map(|(number, effect)| told(number, effect)).collect();
        fix
    }
}

/// `; slower: plane along axis 0 0.18 s → 0.21 s (libhdf5 1.14)`, the worst first; empty if no other read gets slower.
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
            let OtherRead { read, library, before_seconds, after_seconds } = read;
            let (before, after) = (seconds_text(*before_seconds), seconds_text(*after_seconds));
            format!("{read} {before} → {after} ({library})")
        })
        .collect();
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("; slower: {}{rest}", named.join(", "))
}
