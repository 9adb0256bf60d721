//! A file that does not exist yet: its objects by path.

use crate::data::Data;
use crate::elements::Region;
use crate::error::CreateError;
use crate::new_dataset::{NewAttribute, NewDataset};
use crate::storage::{Prepared, prepare};
use hyperslab::{Datatype, Selection};
use hyperslab_write::ObjectId;
use std::collections::HashMap;

/// The objects of a new file. Nothing is written before [`Self::write`](crate::NewFile::write).
///
/// Paths begin at the root group, with or without `/`. Groups on the way to an object are created.
#[derive(Debug, Clone)]
pub struct NewFile<'d> {
    pub(crate) objects: Vec<NewObject<'d>>,
    /// True if groups keep the order in which links and attributes were created.
    pub(crate) is_ordered: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct NewObject<'d> {
    /// The path by which it was created.
    pub path: String,
    pub kind: Kind<'d>,
    pub attributes: Attributes,
    pub scale: Scale,
}

/// The attributes of an object, in the order of their creation.
#[derive(Debug, Default, Clone)]
pub(crate) struct Attributes(pub Vec<(String, NewAttribute)>);

#[derive(Debug, Clone)]
pub(crate) enum Kind<'d> {
    Group(Links),
    Dataset(Box<Prepared>, Option<Data<'d>>),
    Datatype(Box<Datatype>),
}

/// The links of a group, in the order of their creation.
#[derive(Debug, Default, Clone)]
pub(crate) struct Links {
    pub list: Vec<(String, LinkTarget)>,
    numbers: HashMap<String, usize>,
}

/// What a dataset has to do with dimension scales.
#[derive(Debug, Default, Clone)]
pub(crate) struct Scale {
    /// The name of the scale that it is, if it is one.
    pub name: Option<String>,
    /// The datasets and axes to which it is attached.
    pub used_by: Vec<(ObjectId, usize)>,
    /// The scales of each axis.
    pub of_axes: Vec<Vec<ObjectId>>,
    /// The labels of each axis.
    pub labels: Vec<String>,
}

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// An object of this file.
    Object(ObjectId),
    /// A path in this file, which need not exist.
    Soft(String),
    /// A path in another file. Neither has to exist.
    External {
        /// The name of the file.
        file: String,
        /// The path in it.
        path: String,
    },
}

impl Default for NewFile<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'d> NewFile<'d> {
    /// The root group.
    pub const ROOT: ObjectId = ObjectId(0);

    /// A file with an empty root group.
    pub fn new() -> Self {
        let root = NewObject::new("/".into(), Kind::Group(Links::default()));
        Self { objects: vec![root], is_ordered: false }
    }

    /// Lets readers list links and attributes in the order in which they were created, instead of by name.
    #[must_use]
    pub fn in_creation_order(self) -> Self {
        Self { is_ordered: true, ..self }
    }

    /// Creates a group.
    ///
    /// # Errors
    ///
    /// A path that is taken, or that leads through something else than a group.
    pub fn group(&mut self, path: &str) -> Result<ObjectId, CreateError> {
        self.create(path, |path| NewObject::new(path, Kind::Group(Links::default())))
    }

    /// Creates a dataset. Without [`Self::set_data`] all its elements are fill values.
    ///
    /// # Errors
    ///
    /// As [`Self::group`]; a layout, chunks or filters that are not possible.
    pub fn dataset(&mut self, path: &str, dataset: NewDataset) -> Result<ObjectId, CreateError> {
        let prepared = prepare(dataset).map_err(|what| CreateError::invalid(path, what))?;
        self.check_named(path, prepared.committed, &prepared.datatype)?;
        self.create(path, |path| NewObject::new(path, Kind::Dataset(Box::new(prepared), None)))
    }

    /// Creates a named datatype, which datasets and attributes can use.
    ///
    /// # Errors
    ///
    /// As [`Self::group`].
    pub fn datatype(&mut self, path: &str, datatype: Datatype) -> Result<ObjectId, CreateError> {
        self.create(path, |path| NewObject::new(path, Kind::Datatype(Box::new(datatype))))
    }

    /// A region of a dataset, for references to it.
    ///
    /// # Errors
    ///
    /// An object that is not a dataset; elements that it does not have, and selections that [`hyperslab::encode_region`] refuses.
    pub fn region(&self, dataset: ObjectId, selection: &Selection) -> Result<Region, CreateError> {
        let object = self.objects.get(dataset.0 as usize);
        let Some(NewObject { kind: Kind::Dataset(prepared, _), path, .. }) = object else {
            return Err(CreateError::invalid("/", format!("object {} is not a dataset", dataset.0)));
        };
        let selection = hyperslab::encode_region(selection, prepared.dataspace.dims());
        let selection = selection.map_err(|error| CreateError::invalid(path, error.to_string()))?;
        Ok(Region { dataset, selection })
    }

    /// Sets where the elements of a dataset come from. They are read when the file is written.
    ///
    /// # Errors
    ///
    /// An object that is not a dataset.
    pub fn set_data(&mut self, dataset: ObjectId, data: Data<'d>) -> Result<(), CreateError> {
        let object = self.object_mut(dataset)?;
        match &mut object.kind {
            Kind::Dataset(_, current) => *current = Some(data),
            Kind::Group(_) | Kind::Datatype(_) => {
                return Err(CreateError::invalid(&object.path, "only datasets have data"));
            }
        }
        Ok(())
    }

    /// Drops all attributes that were set, and where the elements of datasets come from.
    pub fn clear_values(&mut self) {
        for object in &mut self.objects {
            object.attributes.0.clear();
            if let Kind::Dataset(_, data) = &mut object.kind {
                *data = None;
            }
        }
    }

    /// Sets an attribute; one of the same name is replaced.
    ///
    /// # Errors
    ///
    /// An object that does not exist, and elements of another number of bytes than datatype and extent say.
    pub fn set_attribute(
        &mut self,
        object: ObjectId,
        name: &str,
        attribute: NewAttribute,
    ) -> Result<(), CreateError> {
        self.check_named(name, attribute.named_datatype, &attribute.datatype)?;
        let object = self.object_mut(object)?;
        let elements = attribute.dataspace.elements();
        let bytes = elements.and_then(|count| count.checked_mul(attribute.datatype.size.into()));
        if bytes != Some(attribute.elements.len() as u64) {
            let what = format!("attribute {name}: {} bytes do not fit its extent", attribute.elements.len());
            return Err(CreateError::invalid(&object.path, what));
        }
        let attributes = &mut object.attributes.0;
        match attributes.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => *value = attribute,
            None => attributes.push((name.into(), attribute)),
        }
        Ok(())
    }

    /// Creates a link.
    ///
    /// # Errors
    ///
    /// As [`Self::group`], and an object that does not exist.
    pub fn link(&mut self, path: &str, target: LinkTarget) -> Result<(), CreateError> {
        if let LinkTarget::Object(object) = target {
            self.object_mut(object)?;
        }
        let (group, name) = self.place(path)?;
        self.insert(group, path, name, target)
    }

    /// The object at a path, if there is one; symbolic links are not followed.
    pub fn find(&self, path: &str) -> Option<ObjectId> {
        components(path).try_fold(Self::ROOT, |group, name| match self.link_of(group, name)? {
            LinkTarget::Object(object) => Some(*object),
            _ => None,
        })
    }

    /// The shape of the chunks of a dataset; `None` if it is not chunked.
    pub fn chunk_shape(&self, dataset: ObjectId) -> Option<&[u64]> {
        match &self.objects.get(dataset.0 as usize)?.kind {
            Kind::Dataset(prepared, _) => prepared.layout.chunk(),
            Kind::Group(_) | Kind::Datatype(_) => None,
        }
    }

    /// Gives a link another path. Groups on the way to it are created. The link is the last one that was created in its group.
    ///
    /// # Errors
    ///
    /// A link that does not exist; as [`Self::group`], and a group that would be moved into itself.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), CreateError> {
        let missing = || CreateError::invalid(from, "there is no such link");
        let mut names: Vec<&str> = components(from).collect();
        let name = names.pop().ok_or_else(missing)?;
        let group = self.find(&names.join("/")).ok_or_else(missing)?;
        let target = self.link_of(group, name).cloned().ok_or_else(missing)?;
        if components(to).eq(components(from)) {
            return Ok(());
        }
        let (old, new): (Vec<&str>, Vec<&str>) = (components(from).collect(), components(to).collect());
        if new.starts_with(&old) {
            return Err(CreateError::invalid(to, format!("{from} cannot be moved into itself")));
        }
        let (target_group, last) = self.place(to)?;
        self.insert(target_group, to, last, target)?;
        if let Kind::Group(links) = &mut self.objects[group.0 as usize].kind {
            links.remove(name);
        }
        let (old, new) = (format!("/{}", old.join("/")), format!("/{}", new.join("/")));
        for object in &mut self.objects {
            let rest = object.path.strip_prefix(&old).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            if let Some(rest) = rest {
                object.path = format!("{new}{rest}");
            }
        }
        Ok(())
    }

    fn check_named(
        &self,
        what: &str,
        named: Option<ObjectId>,
        datatype: &Datatype,
    ) -> Result<(), CreateError> {
        let Some(id) = named else { return Ok(()) };
        match self.objects.get(id.0 as usize).map(|object| &object.kind) {
            Some(Kind::Datatype(known)) if **known == *datatype => Ok(()),
            Some(Kind::Datatype(_)) => Err(CreateError::invalid(what, "the named datatype is another one")),
            _ => Err(CreateError::invalid(what, format!("object {} is not a named datatype", id.0))),
        }
    }

    pub(crate) fn object_mut(&mut self, object: ObjectId) -> Result<&mut NewObject<'d>, CreateError> {
        let what = || CreateError::invalid("/", format!("there is no object {}", object.0));
        self.objects.get_mut(object.0 as usize).ok_or_else(what)
    }

    fn create(
        &mut self,
        path: &str,
        new: impl FnOnce(String) -> NewObject<'d>,
    ) -> Result<ObjectId, CreateError> {
        let (group, name) = self.place(path)?;
        let object = ObjectId(self.objects.len() as u32);
        self.insert(group, path, name.clone(), LinkTarget::Object(object))?;
        let folder = self.objects[group.0 as usize].path.trim_end_matches('/');
        let path = format!("{folder}/{name}");
        self.objects.push(new(path));
        Ok(object)
    }

    /// The group in which a path ends, which is created if it does not exist, and the last name.
    fn place(&mut self, path: &str) -> Result<(ObjectId, String), CreateError> {
        let mut names: Vec<&str> = components(path).collect();
        let Some(last) = names.pop() else {
            return Err(CreateError::invalid(path, "the root group exists already"));
        };
        let mut group = Self::ROOT;
        for name in names {
            group = match self.link_of(group, name) {
                Some(LinkTarget::Object(next)) => *next,
                Some(_) => {
                    return Err(CreateError::invalid(path, format!("{name} on the way is a symbolic link")));
                }
                None => {
                    let folder = self.objects[group.0 as usize].path.trim_end_matches('/').to_owned();
                    let next = ObjectId(self.objects.len() as u32);
                    self.insert(group, path, name.into(), LinkTarget::Object(next))?;
                    let new = NewObject::new(format!("{folder}/{name}"), Kind::Group(Links::default()));
                    self.objects.push(new);
                    next
                }
            };
        }
        Ok((group, last.into()))
    }

    fn insert(
        &mut self,
        group: ObjectId,
        path: &str,
        name: String,
        target: LinkTarget,
    ) -> Result<(), CreateError> {
        if name == "." || name.contains('\0') {
            return Err(CreateError::invalid(path, "not a valid name"));
        }
        let group = &mut self.objects[group.0 as usize];
        let Kind::Group(links) = &mut group.kind else {
            return Err(CreateError::invalid(path, format!("{} is not a group", group.path)));
        };
        if links.numbers.contains_key(&name) {
            return Err(CreateError::invalid(path, "the name already exists"));
        }
        links.numbers.insert(name.clone(), links.list.len());
        links.list.push((name, target));
        Ok(())
    }

    fn link_of(&self, group: ObjectId, name: &str) -> Option<&LinkTarget> {
        match &self.objects.get(group.0 as usize)?.kind {
            Kind::Group(links) => links.numbers.get(name).map(|&number| &links.list[number].1),
            Kind::Dataset(..) | Kind::Datatype(_) => None,
        }
    }
}

impl Links {
    fn remove(&mut self, name: &str) {
        let Some(removed) = self.numbers.remove(name) else { return };
        self.list.remove(removed);
        self.numbers.values_mut().filter(|number| **number > removed).for_each(|number| *number -= 1);
    }
}

impl<'d> NewObject<'d> {
    fn new(path: String, kind: Kind<'d>) -> Self {
        Self { path, kind, attributes: Attributes::default(), scale: Scale::default() }
    }
}

fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatypes::integer;

    #[test]
    fn groups_on_the_way_are_created() {
        let mut file = NewFile::new();
        let dataset = file.dataset("a/b/x", NewDataset::new(integer(1, false), &[3])).unwrap();
        assert_eq!(file.find("/a/b/x"), Some(dataset));
        assert_eq!(file.objects[dataset.0 as usize].path, "/a/b/x");
        file.group("/a/c/").unwrap();
        file.link("/a/hard", LinkTarget::Object(file.find("/a/b").unwrap())).unwrap();
        assert_eq!(file.find("a/hard/x"), Some(dataset));
        file.link("/soft", LinkTarget::Soft("/a".into())).unwrap();
        for (path, says) in [
            ("/a/b", "already exists"),
            ("/", "root group"),
            ("/a/b/x/y", "/a/b/x is not a group"),
            ("/soft/y", "symbolic link"),
            ("/a/.", "not a valid name"),
        ] {
            let error = file.group(path).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains(path), "{error}");
        }
        assert_eq!(file.find("/soft"), None);
    }

    #[test]
    fn links_get_other_paths() {
        let mut file = NewFile::new();
        let dataset = file.dataset("a/b/x", NewDataset::new(integer(1, false), &[3])).unwrap();
        let after = file.group("a/after").unwrap();
        file.link("soft", LinkTarget::Soft("/a".into())).unwrap();
        file.rename("/a/b", "new/place").unwrap();
        assert_eq!(
            (file.find("new/place/x"), file.find("a/b"), file.find("a/after")),
            (Some(dataset), None, Some(after))
        );
        assert_eq!(file.objects[dataset.0 as usize].path, "/new/place/x");
        file.rename("soft", "a/soft").unwrap();
        file.rename("/a/after/", "a/after").unwrap();
        let Kind::Group(links) = &file.objects[file.find("a").unwrap().0 as usize].kind else { panic!() };
        assert_eq!(links.list.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["after", "soft"]);
        for (from, to, says) in [
            ("absent", "x", "no such link"),
            ("/", "x", "no such link"),
            ("new/place", "a/soft", "already exists"),
            ("new", "new/place/deeper", "into itself"),
        ] {
            let error = file.rename(from, to).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert_eq!(file.find("new/place/x"), Some(dataset));
    }

    #[test]
    fn a_named_datatype_is_that_of_its_users() {
        let mut file = NewFile::new();
        let named = file.datatype("types/four", integer(4, true)).unwrap();
        let dataset = NewDataset::new(integer(4, true), &[3]).named_datatype(named);
        let dataset = file.dataset("x", dataset).unwrap();
        for (size, id) in [(8, named), (4, dataset)] {
            let wrong = NewDataset::new(integer(size, true), &[3]).named_datatype(id);
            assert!(file.dataset("y", wrong).is_err());
            let attribute = NewAttribute::new(integer(size, true), &[], vec![0; size as usize]);
            let attribute = NewAttribute { named_datatype: Some(id), ..attribute };
            assert!(file.set_attribute(dataset, "a", attribute).is_err());
        }
        assert!(file.set_data(named, Data::memory(vec![0u8; 4])).is_err());
    }

    #[test]
    fn attributes_have_the_size_of_their_extent() {
        let mut file = NewFile::new();
        let attribute = |bytes: usize| NewAttribute::new(integer(4, true), &[2], vec![0; bytes]);
        file.set_attribute(NewFile::ROOT, "a", attribute(8)).unwrap();
        file.set_attribute(NewFile::ROOT, "a", attribute(8)).unwrap();
        assert_eq!(file.objects[0].attributes.0.len(), 1);
        assert!(file.set_attribute(NewFile::ROOT, "b", attribute(7)).is_err());
        assert!(file.set_attribute(ObjectId(9), "a", attribute(8)).is_err());
    }
}
