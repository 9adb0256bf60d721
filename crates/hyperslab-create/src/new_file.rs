//! A file that does not exist yet: its objects by path.

use crate::data::Data;
use crate::error::CreateError;
use crate::new_dataset::{NewAttribute, NewDataset};
use crate::storage::{Prepared, Storage, prepare};
use hyperslab_write::ObjectId;
use std::collections::HashMap;

/// The objects of a new file. Nothing is written before [`Self::write`](crate::NewFile::write).
///
/// Paths begin at the root group, with or without `/`. Groups on the way to an object are created.
#[derive(Debug)]
pub struct NewFile<'d> {
    pub(crate) objects: Vec<NewObject<'d>>,
    /// True if groups keep the order in which links and attributes were created.
    pub(crate) is_ordered: bool,
}

#[derive(Debug)]
pub(crate) struct NewObject<'d> {
    /// The path by which it was created.
    pub path: String,
    pub kind: Kind<'d>,
    pub attributes: Attributes,
    pub scale: Scale,
}

/// The attributes of an object, in the order of their creation.
#[derive(Debug, Default)]
pub(crate) struct Attributes(pub Vec<(String, NewAttribute)>);

#[derive(Debug)]
pub(crate) enum Kind<'d> {
    Group(Links),
    Dataset(Box<Prepared>, Option<Data<'d>>),
}

/// The links of a group, in the order of their creation.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pub list: Vec<(String, LinkTarget)>,
    numbers: HashMap<String, usize>,
}

/// What a dataset has to do with dimension scales.
#[derive(Debug, Default)]
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
        self.create(path, |path| NewObject::new(path, Kind::Dataset(Box::new(prepared), None)))
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
            Kind::Group(_) => return Err(CreateError::invalid(&object.path, "a group has no data")),
        }
        Ok(())
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
            Kind::Dataset(prepared, _) => match &prepared.storage {
                Storage::Chunked(chunk) => Some(chunk),
                Storage::Compact | Storage::Contiguous => None,
            },
            Kind::Group(_) => None,
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
            Kind::Dataset(..) => None,
        }
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
