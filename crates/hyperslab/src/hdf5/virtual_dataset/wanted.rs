//! The elements of a virtual dataset that a read wants.

use crate::Axis;
use crate::hdf5::encoded_selection as encoded;
use hyperslab_array::selection::intersect::may_intersect;
use hyperslab_array::selection::{Region, Resolved};
use hyperslab_format::selection::EncodedSelection;

/// The elements of a virtual dataset that a read wants.
pub(super) struct Wanted<'a> {
    resolved: Resolved<'a>,
    /// The first and the last index along each axis; `None` if no elements are wanted.
    bounds: Option<Vec<(u64, u64)>>,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(resolved: Resolved<'a>) -> Self {
        let bounds = match &resolved {
            Resolved::Slab(axes) => axes.iter().map(Axis::bounds).collect(),
            Resolved::Points(points) => (0..points.rank)
                .map(|axis| {
                    let along = || points.coordinates.iter().skip(axis).step_by(points.rank).copied();
                    Some((along().min()?, along().max()?))
                })
                .collect(),
        };
        Self { resolved, bounds }
    }

    pub(super) fn resolved(&self) -> &Resolved<'a> {
        &self.resolved
    }

    /// The first and the last index along an axis.
    pub(super) fn span(&self, axis: usize) -> Option<(u64, u64)> {
        self.bounds.as_ref()?.get(axis).copied()
    }

    /// False if none of these elements can be wanted, judged by their first and last indexes alone.
    pub(super) fn overlaps_bounds(&self, target: &EncodedSelection) -> bool {
        let Some(wanted) = &self.bounds else { return false };
        let Some((first, last)) = encoded::bounds(target) else { return true };
        let mut axes = wanted.iter().zip(first.iter().zip(&last));
        axes.all(|(wanted, (first, last))| wanted.0 <= *last && *first <= wanted.1)
    }

    /// False if no element of this region can be wanted.
    pub(super) fn touches(&self, target: &Region) -> bool {
        let Region::Product(mapped) = target else { return true };
        match &self.resolved {
            Resolved::Points(points) => {
                points.coordinates.chunks(points.rank.max(1)).any(|point| target.number(point).is_some())
            }
            Resolved::Slab(axes) => axes.iter().zip(mapped).all(|(axis, mapped)| may_intersect(axis, mapped)),
        }
    }
}
