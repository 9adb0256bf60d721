//! Datatypes and filters that many datasets have, each once in memory.

use hyperslab::Datatype;
use hyperslab_format::Name;
use hyperslab_format::message::{Filter, FilterPipeline};
use std::collections::VecDeque;
use std::sync::Arc;

/// The datatypes and filters that were used last.
#[derive(Debug, Default)]
pub(crate) struct SharedParts {
    datatypes: Recent<Datatype>,
    filters: Recent<FilterPipeline>,
}

impl SharedParts {
    /// The same datatype, without the address of a committed datatype, and in memory of its own.
    pub fn datatype(&mut self, datatype: &Datatype) -> Arc<Datatype> {
        let is_same = |known: &Datatype| known.size == datatype.size && known.class == datatype.class;
        self.datatypes.find(is_same, || Datatype { committed: None, ..datatype.detached() })
    }

    /// The same filters, in memory of their own.
    pub fn filters(&mut self, filters: &[Filter]) -> Arc<FilterPipeline> {
        let detached =
            |filter: &Filter| Filter { name: filter.name.as_ref().map(Name::detached), ..filter.clone() };
        let new = || FilterPipeline { filters: filters.iter().map(detached).collect() };
        self.filters.find(|known| known.filters == filters, new)
    }
}

/// Values that were used last.
#[derive(Debug)]
struct Recent<T>(VecDeque<Arc<T>>);

/// Files have many objects of few kinds: of more than these, some are in memory several times.
const RECENT_MAX: usize = 16;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Recent<T> {
    fn find(&mut self, is_same: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> Arc<T> {
        if let Some(known) = self.0.iter().find(|known| is_same(known)) {
            return known.clone();
        }
        let new = Arc::new(new());
        self.0.truncate(RECENT_MAX - 1);
        self.0.push_front(new.clone());
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab::datatypes::Class;
    use hyperslab_format::Address;

    #[test]
    fn equal_datatypes_are_one() {
        let opaque = |number: usize| {
            let tag = format!("tag {number}");
            Datatype { size: 4, class: Class::Opaque { tag: tag.as_str().into() }, committed: None }
        };
        let mut shared = SharedParts::default();
        let first = shared.datatype(&Datatype { committed: Some(Address(8)), ..opaque(0) });
        assert_eq!(*first, opaque(0));
        assert!(Arc::ptr_eq(&first, &shared.datatype(&opaque(0))));
        (0..100).for_each(|number| assert_eq!(*shared.datatype(&opaque(number)), opaque(number)));
        assert_eq!(shared.datatypes.0.len(), RECENT_MAX);
    }

    #[test]
    fn equal_filters_are_one() {
        let deflate =
            |level| [Filter { id: 1, name: Some("deflate".into()), flags: 1, parameters: vec![level] }];
        let mut shared = SharedParts::default();
        let first = shared.filters(&deflate(4));
        assert_eq!(first.filters, deflate(4));
        assert!(Arc::ptr_eq(&first, &shared.filters(&deflate(4))));
        assert_eq!(shared.filters(&deflate(5)).filters, deflate(5));
    }
}
