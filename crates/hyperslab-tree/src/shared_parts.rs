//! What many objects have in common, once in memory: names of attributes, datatypes, fill values and filters.

use hyperslab::Datatype;
use hyperslab_format::Name;
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_write::FillSpec;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// The parts that were used last.
#[derive(Debug, Default)]
pub struct SharedParts {
    names: HashSet<Arc<Name>>,
    fills: Recent<FillSpec>,
    datatypes: Recent<Datatype>,
    filters: Recent<FilterPipeline>,
}

impl SharedParts {
    /// The same name, in memory of its own.
    pub fn name(&mut self, name: &Name) -> Arc<Name> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        if self.names.len() == NAMES_MAX {
            self.names.clear();
        }
        let new = Arc::new(name.detached());
        self.names.insert(new.clone());
        new
    }

    /// The same fill value.
    pub fn fill(&mut self, fill: FillSpec) -> Arc<FillSpec> {
        self.fills.find(|known| *known == fill, || fill.clone())
    }

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

/// Objects have many attributes, whose names come again and again: of more than these, some are in memory several times.
const NAMES_MAX: usize = 1024;

/// Values that were used last.
#[derive(Debug)]
pub struct Recent<T>(VecDeque<Arc<T>>);

/// Files have many objects of few kinds: of more than these, some are in memory several times.
const RECENT_MAX: usize = 16;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Recent<T> {
    /// One that is the same, or a new one.
    pub fn find(&mut self, is_same: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> Arc<T> {
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
    use hyperslab_format::message::FillValue;
    use hyperslab_format::message::fill_value::Fill;

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
    fn equal_names_are_one() {
        let mut shared = SharedParts::default();
        let first = shared.name(&"units".into());
        assert!(Arc::ptr_eq(&first, &shared.name(&"units".into())));
        let other = |number: usize| Name::from(format!("name {number}").as_str());
        (0..2 * NAMES_MAX).for_each(|number| assert_eq!(*shared.name(&other(number)), other(number)));
        assert!(shared.names.len() <= NAMES_MAX);
    }

    #[test]
    fn equal_fill_values_are_one() {
        let mut shared = SharedParts::default();
        let fill = |byte: u8| {
            let value = FillValue { value: Fill::User(vec![byte; 4].into()), ..FillValue::default() };
            FillSpec { value, patches: Box::default() }
        };
        let first = shared.fill(fill(1));
        assert_eq!(*first, fill(1));
        assert!(Arc::ptr_eq(&first, &shared.fill(fill(1))));
        assert_eq!(*shared.fill(fill(2)), fill(2));
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
