//! The objects: which groups they are in, their names, and what refers to what.

use super::attributes::{self, copied, reference_number, text, texts};
use crate::netcdf4::Blocks;
use hyperslab::datatypes::Class;
use hyperslab::hdf4::{self, Facts, Kind};
use hyperslab::storage::Fill;
use hyperslab::{Address, Attribute, Dataset, Error, File, Group, LinkTarget, Object, Result};
use hyperslab_create::{
    CreateError, Data, Elements, Layout, NewAttribute, NewDataset, NewFile, ObjectId, datatypes,
};
use std::collections::{HashMap, HashSet};

const DIMENSION_GROUP: &str = "/HDF4_DIMGROUP";
/// Attributes that say what an object was.
const ADDED: [&str; 5] =
    ["HDF4_OBJECT_TYPE", "HDF4_OBJECT_NAME", "HDF4_REF_NUM", "HDF4_DIMENSION_LIST", "HDF4_PALETTE_LIST"];
const PALETTE_GROUP: &str = "/HDF4_PALGROUP";
/// Bytes of an object reference.
const REFERENCE_BYTES: usize = 8;

/// A file that is planned: its objects without values, the path of each dataset with values and where these are now, what is not the
/// same, and the datasets whose first axis can grow.
#[derive(Default)]
pub(crate) struct Planned {
    pub file: NewFile<'static>,
    pub values: Vec<(String, Dataset)>,
    pub notes: Vec<String>,
    pub growing: Vec<String>,
}

/// Plans the file. `file` has its Vgroups as they are.
pub(crate) fn plan(file: &File) -> Result<Planned> {
    let mut planner = Planner {
        file,
        planned: Planned { file: NewFile::new().in_creation_order(), ..Planned::default() },
        made: HashMap::new(),
        names: HashMap::new(),
        datasets: Vec::new(),
        grouped: HashSet::new(),
    };
    planner.find_grouped(&file.root()?, &mut HashSet::new())?;
    planner.root()?;
    planner.refer().map_err(|error| planner.named(error))?;
    Ok(planner.planned)
}

struct Planner<'f> {
    file: &'f File,
    planned: Planned,
    /// The new objects, by the addresses of the old ones, and their paths.
    made: HashMap<Address, (ObjectId, String)>,
    /// The names that are taken in each new group.
    names: HashMap<String, HashSet<String>>,
    datasets: Vec<(Address, Dataset, Facts)>,
    /// What is in Vgroups, and for that reason not in the root group.
    grouped: HashSet<Address>,
}

impl Planner<'_> {
    fn named(&self, error: CreateError) -> Error {
        Error::unsupported(format!("has no place in an HDF5 file: {error}")).in_file(self.file.name())
    }

    /// The members of a group in the order of the file.
    fn members(&self, group: &Group) -> Result<Vec<(Address, Object)>> {
        let mut links = group.links()?.into_iter().collect::<Result<Vec<_>>>()?;
        links.sort_by_key(|link| link.creation_order);
        let object = |link: hyperslab::Link| match link.target {
            LinkTarget::Hard(address) => Some(group.open(&link).map(|object| (address, object))),
            _ => None,
        };
        links.into_iter().filter_map(object).collect()
    }

    fn find_grouped(&mut self, group: &Group, visited: &mut HashSet<Address>) -> Result<()> {
        let is_root = visited.is_empty();
        if !visited.insert(Object::Group(group.clone()).address()) {
            return Ok(());
        }
        for (address, object) in self.members(group)? {
            if !is_root {
                self.grouped.insert(address);
            }
            if let Object::Group(group) = object {
                self.find_grouped(&group, visited)?;
            }
        }
        Ok(())
    }

    fn root(&mut self) -> Result<()> {
        let root = self.file.root()?;
        let attributes = root.attributes().in_file_order()?.into_iter().collect::<Result<Vec<_>>>()?;
        let first_of_images = attributes.len().saturating_sub(hdf4::image_attributes(self.file)?);
        for (number, attribute) in attributes.iter().enumerate() {
            let name = attributes::name_in_root(&attribute.name.to_string(), number >= first_of_images);
            self.set(NewFile::ROOT, &name, copied(attribute))?;
        }
        for (address, object) in self.members(&root)? {
            let is_elsewhere = self.grouped.contains(&address) && !matches!(object, Object::Group(_));
            if !is_elsewhere {
                self.add("", address, object)?;
            }
        }
        Ok(())
    }

    /// Adds an object to the group at a path, or a link to it if it is there already.
    fn add(&mut self, group: &str, address: Address, object: Object) -> Result<()> {
        let facts = hdf4::facts(self.file, address)?;
        let facts = facts.ok_or_else(|| Error::internal("an object that HDF4 does not have"))?;
        if let Some((id, path)) = self.made.get(&address).cloned() {
            // It is where h4toh5 collects its kind, or in another Vgroup.
            if path.starts_with(DIMENSION_GROUP) || path.starts_with(PALETTE_GROUP) {
                return Ok(());
            }
            let path = self.path(group, &facts);
            let link = self.planned.file.link(&path, hyperslab_create::LinkTarget::Object(id));
            return link.map_err(|error| self.named(error));
        }
        match object {
            Object::Group(old) => {
                let path = self.path(group, &facts);
                let id = self.planned.file.group(&path).map_err(|error| self.named(error))?;
                // Before its members: one of them may be the group itself.
                self.made.insert(address, (id, path.clone()));
                let attributes = old.attributes().in_file_order()?.into_iter().collect::<Result<Vec<_>>>()?;
                self.describe(id, &facts, &attributes)?;
                for (address, member) in self.members(&old)? {
                    self.add(&path, address, member)?;
                }
                Ok(())
            }
            Object::Dataset(dataset) => {
                let collected = match facts.kind {
                    Kind::Palette => Some(PALETTE_GROUP),
                    Kind::DataSet if self.is_scale(address, &dataset, &facts) => Some(DIMENSION_GROUP),
                    _ => None,
                };
                if let Some(path) = collected.filter(|path| self.planned.file.find(path).is_none()) {
                    self.planned.file.group(path).map_err(|error| self.named(error))?;
                }
                self.dataset(collected.unwrap_or(group), address, dataset, facts)
            }
            Object::Datatype(_) => Err(Error::internal("HDF4 has no named datatypes")),
        }
    }

    /// True for the values along a dimension, which have its name.
    fn is_scale(&self, address: Address, dataset: &Dataset, facts: &Facts) -> bool {
        let dimensions = self.file.named_dimensions().map(|dimensions| dimensions.of(address));
        let own = dimensions.and_then(|dimensions| dimensions.first().map(|one| one.name.clone()));
        dataset.shape().len() == 1 && own.is_some_and(|own| own == facts.name)
    }

    fn dataset(&mut self, group: &str, address: Address, dataset: Dataset, facts: Facts) -> Result<()> {
        let path = self.path(group, &facts);
        let shape = dataset.shape();
        let mut new = NewDataset::new(dataset.datatype().clone(), shape);
        new = match shape.contains(&0) {
            true => new.maximum(dataset.max_shape()).automatic_chunks(),
            false => new.layout(Layout::Contiguous),
        };
        if let Fill::User(fill) = &dataset.fill_value().value {
            new = new.fill(fill.to_vec());
        }
        let id = self.planned.file.dataset(&path, new).map_err(|error| self.named(error))?;
        if dataset.elements() > 0 {
            let data = Data::blocks(Blocks(dataset.clone()));
            self.planned.file.set_data(id, data).map_err(|error| self.named(error))?;
            self.planned.values.push((path.clone(), dataset.clone()));
            if dataset.max_shape().first() == Some(&None) {
                self.planned.growing.push(path.clone());
            }
        }
        self.made.insert(address, (id, path));
        let attributes = dataset.attributes().in_file_order()?.into_iter().collect::<Result<Vec<_>>>()?;
        self.describe(id, &facts, &attributes)?;
        match facts.kind {
            Kind::Vdata => self.describe_table(id, &dataset, &facts)?,
            Kind::Image => self.describe_image(id, &dataset, &facts)?,
            Kind::Palette => {
                let texts = [
                    ("CLASS", "PALETTE"),
                    ("PAL_COLORMODEL", "RGB"),
                    ("PAL_TYPE", "STANDARD8"),
                    ("PAL_VERSION", "1.2"),
                ];
                self.set_texts(id, &texts)?;
            }
            Kind::DataSet | Kind::Vgroup => {}
        }
        self.datasets.push((address, dataset, facts));
        Ok(())
    }

    /// A path for an object in a group: by its own name, or by its reference if that is taken or none.
    fn path(&mut self, group: &str, facts: &Facts) -> String {
        let word = match facts.kind {
            Kind::DataSet if group == DIMENSION_GROUP => "DIMSCALE",
            Kind::DataSet => "SDS",
            Kind::Image => "IMAGE",
            Kind::Palette => "PALETTE",
            Kind::Vdata => "VDATA",
            Kind::Vgroup => "VGROUP",
        };
        let own = facts.name.to_string();
        let name = own.replace('/', "_");
        if name != own {
            self.planned.notes.push(format!("{own} is {name}, because a name in HDF5 has no slash"));
        }
        let taken = self.names.entry(group.to_owned()).or_default();
        let by_reference = format!("HDF4_{word}_{}", facts.reference);
        let reserved = ["", ".", "HDF4_DIMGROUP", "HDF4_PALGROUP"];
        let mut chosen =
            if reserved.contains(&name.as_str()) || taken.contains(&name) { by_reference } else { name };
        while !taken.insert(chosen.clone()) {
            chosen.push('_');
        }
        format!("{group}/{chosen}")
    }

    fn set(&mut self, object: ObjectId, name: &str, attribute: NewAttribute) -> Result<()> {
        self.planned.file.set_attribute(object, name, attribute).map_err(|error| self.named(error))
    }

    fn set_texts(&mut self, object: ObjectId, all: &[(&str, &str)]) -> Result<()> {
        all.iter().try_for_each(|(name, value)| self.set(object, name, text(value.as_bytes())))
    }

    /// The attributes of an object, and what it was.
    fn describe(&mut self, id: ObjectId, facts: &Facts, attributes: &[Attribute]) -> Result<()> {
        for attribute in attributes {
            let name = attributes::name(facts.kind, &attribute.name.to_string());
            if ADDED.contains(&&*name) {
                let note = format!(
                    "{}: the attribute {name} is left out, because the new file has its own",
                    facts.name
                );
                self.planned.notes.push(note);
                continue;
            }
            self.set(id, &name, copied(attribute))?;
        }
        let word = match facts.kind {
            Kind::DataSet => "SDS",
            Kind::Palette => "palette",
            Kind::Vdata => "Vdata",
            Kind::Vgroup => "Vgroup",
            // Its components say which.
            Kind::Image => "GR",
        };
        self.set_texts(id, &[("HDF4_OBJECT_TYPE", word)])?;
        if !facts.name.as_bytes().is_empty() {
            self.set(id, "HDF4_OBJECT_NAME", text(facts.name.as_bytes()))?;
        }
        self.set(id, "HDF4_REF_NUM", reference_number(facts.reference))
    }

    /// The attributes of HDF5's specification of tables.
    fn describe_table(&mut self, id: ObjectId, dataset: &Dataset, facts: &Facts) -> Result<()> {
        self.set_texts(id, &[("CLASS", "TABLE"), ("VERSION", "1.0")])?;
        self.set(id, "TITLE", text(facts.name.as_bytes()))?;
        let Class::Compound { members } = &dataset.datatype().class else { return Ok(()) };
        for (number, member) in members.iter().enumerate() {
            self.set(id, &format!("FIELD_{number}_NAME"), text(member.name.as_bytes()))?;
        }
        Ok(())
    }

    /// The attributes of HDF5's specification of images.
    fn describe_image(&mut self, id: ObjectId, dataset: &Dataset, facts: &Facts) -> Result<()> {
        let components = dataset.shape().get(2).copied().unwrap_or(1);
        let (word, subclass) = match (components, dataset.datatype().size) {
            (1, 1) if facts.palette.is_some() => ("raster8", Some("IMAGE_INDEXED")),
            (1, 1) => ("raster8", Some("IMAGE_GRAYSCALE")),
            (3, 1) => ("raster24", Some("IMAGE_TRUECOLOR")),
            _ => ("GR", None),
        };
        self.set_texts(id, &[("HDF4_OBJECT_TYPE", word), ("CLASS", "IMAGE"), ("IMAGE_VERSION", "1.2")])?;
        if let Some(subclass) = subclass {
            self.set_texts(id, &[("IMAGE_SUBCLASS", subclass)])?;
        }
        if components > 1 {
            self.set_texts(id, &[("INTERLACE_MODE", "INTERLACE_PIXEL")])?;
        }
        Ok(())
    }

    /// Lets data sets refer to the scales of their dimensions, and images to their palettes.
    fn refer(&mut self) -> std::result::Result<(), CreateError> {
        let scales: HashMap<String, ObjectId> = self.scales();
        for (address, dataset, facts) in &self.datasets {
            let Some((id, _)) = self.made.get(address) else { continue };
            if let Some((palette, path)) = facts.palette.and_then(|palette| self.made.get(&palette)) {
                let attribute = references(&[Some(*palette)]);
                self.planned.file.set_attribute(*id, "PALETTE", attribute)?;
                self.planned.file.set_attribute(*id, "HDF4_PALETTE_LIST", text(path.as_bytes()))?;
            }
            let named = self.file.named_dimensions().filter(|_| facts.kind == Kind::DataSet);
            let names: Vec<_> = named.map(|named| named.of(*address)).unwrap_or_default();
            if names.is_empty() || names.len() != dataset.shape().len() {
                continue;
            }
            let list: Vec<&[u8]> = names.iter().map(|one| one.name.as_bytes()).collect();
            let list = texts(&list, &[names.len() as u64]);
            self.planned.file.set_attribute(*id, "HDF4_DIMENSION_LIST", list)?;
            let own: Vec<_> = names.iter().map(|one| scales.get(&one.name.to_string()).copied()).collect();
            if own.iter().any(|scale| scale.is_some_and(|scale| scale != *id)) {
                self.planned.file.set_attribute(*id, "DIMSCALE", references(&own))?;
            }
        }
        Ok(())
    }

    /// The scales by the names of their dimensions.
    fn scales(&self) -> HashMap<String, ObjectId> {
        let scales = self.datasets.iter().filter_map(|(address, _, facts)| {
            let (id, path) = self.made.get(address)?;
            path.starts_with(DIMENSION_GROUP).then(|| (facts.name.to_string(), *id))
        });
        scales.collect()
    }
}

/// References to objects along one axis; those that are none are null.
fn references(objects: &[Option<ObjectId>]) -> NewAttribute {
    let mut elements = Elements::zeros(REFERENCE_BYTES * objects.len());
    for (number, object) in objects.iter().enumerate() {
        if let Some(object) = object {
            elements.set_reference(REFERENCE_BYTES * number, *object);
        }
    }
    NewAttribute::new(datatypes::reference(), &[objects.len() as u64], elements)
}
