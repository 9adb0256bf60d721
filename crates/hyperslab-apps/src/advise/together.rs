//! Datasets that are read together: variables over the same dimensions.

use super::case::Case;
use super::samples::Samples;
use hyperslab_advise::{Advice, AdviseError, Axis, Member, Question, Together, together};

/// The places of datasets that are read together, at least two each: those of the same extents, dimensions and reads. Where
/// dimensions have no names, datasets of one group.
pub(super) fn groups(cases: &[Case<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        match groups.iter_mut().find(|group| are_together(&cases[group[0]], case)) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

fn are_together(one: &Case<'_>, other: &Case<'_>) -> bool {
    let names = |case: &Case<'_>| case.axes.iter().map(|axis| axis.name.clone()).collect::<Vec<_>>();
    let is_named = |axes: &[Axis]| !axes.is_empty() && axes.iter().all(|axis| !axis.name.is_empty());
    let group = |case: &Case<'_>| case.facts.path.rsplit_once('/').map(|(group, _)| group.to_owned());
    let is_near = is_named(one.axes) || group(one) == group(other);
    one.facts.shape == other.facts.shape && one.reads == other.reads && names(one) == names(other) && is_near
}

/// The shape that these datasets have in common.
pub(super) fn agreed(
    questions: &[Question<'_>],
    advice: &[&Advice],
    samples: &mut [Samples<'_>],
) -> Result<Option<Together>, AdviseError> {
    let members = questions.iter().zip(advice).zip(samples);
    let mut members: Vec<Member<'_, '_>> =
        members.map(|((question, advice), samples)| Member { question, advice, trials: samples }).collect();
    together(&mut members)
}
