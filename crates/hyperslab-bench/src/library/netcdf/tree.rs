//! Files of many variables in groups, with attributes: made, and visited.

use super::create::Definition;
use super::{Functions, LibraryError, Netcdf, NetcdfFile, NetcdfVariable};
use crate::buffer::reserve;
use crate::library::{c_name, c_path};
use crate::study::{Attribute, Format, Storage};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::rc::Rc;

/// `NC_GLOBAL`: the attributes of a file or group.
const GLOBAL: c_int = -1;
const CHARACTERS: c_int = 2;
const DOUBLE: c_int = 6;
/// `NC_MAX_NAME`, and the end of a string.
const NAME_BYTES: usize = 257;

/// A file, open for many variables.
pub struct NetcdfTree {
    file: Rc<NetcdfFile>,
    /// The groups that were made, by path.
    groups: HashMap<String, c_int>,
    /// The dimensions of the variables that are made.
    dimensions: Option<Vec<c_int>>,
}

/// A group or a variable that was visited.
pub struct NetcdfNode {
    /// Its path, without a slash before it.
    pub path: String,
    group: c_int,
    /// Its number; none for a group.
    variable: Option<c_int>,
}

impl Netcdf {
    /// Makes a file for many variables.
    pub fn make_tree(&self, path: &Path, storage: &Storage) -> Result<NetcdfTree, LibraryError> {
        if storage.format != Format::Netcdf4 {
            return Err(LibraryError::Unsupported(
                "files of many variables are made as netCDF-4: a classic one is rewritten for each"
                    .to_owned(),
            ));
        }
        Ok(NetcdfTree::of(self.create_file(path, storage.format)?))
    }

    /// Opens a file to visit all its variables.
    pub fn open_tree(&self, path: &Path) -> Result<NetcdfTree, LibraryError> {
        const READ_ONLY: c_int = 0;
        let (place, mut id) = (c_path(path)?, 0);
        // SAFETY: a string, and a place for the answer.
        self.check("nc_open", unsafe { (self.functions.nc_open)(place.as_ptr(), READ_ONLY, &mut id) })?;
        Ok(NetcdfTree::of(NetcdfFile { library: self.clone(), id }))
    }
}

impl NetcdfTree {
    fn of(file: NetcdfFile) -> Self {
        Self { file: Rc::new(file), groups: HashMap::new(), dimensions: None }
    }

    fn parts(&self) -> (&Netcdf, &Functions) {
        (&self.file.library, &self.file.library.functions)
    }

    /// The group in which a path lies, and the name in it.
    fn above<'a>(&self, path: &'a str) -> Result<(c_int, &'a str), LibraryError> {
        let (folder, short) = path.rsplit_once('/').unwrap_or(("", path));
        let group = if folder.is_empty() { Some(self.file.id) } else { self.groups.get(folder).copied() };
        let absent = || LibraryError::Unsupported(format!("no group {folder:?} was made"));
        Ok((group.ok_or_else(absent)?, short))
    }

    /// Makes a group with attributes; that in which it lies was made before.
    pub fn create_group(
        &mut self,
        path: &str,
        attributes: &[(String, Attribute)],
    ) -> Result<(), LibraryError> {
        let (above, short) = self.above(path)?;
        let (short, mut made) = (c_name(short)?, 0);
        let (library, f) = self.parts();
        // SAFETY: an open group, a string, and a place for the answer.
        library.check("nc_def_grp", unsafe { (f.nc_def_grp)(above, short.as_ptr(), &mut made) })?;
        self.write_attributes(made, GLOBAL, attributes)?;
        self.groups.insert(path.to_owned(), made);
        Ok(())
    }

    /// Makes a variable with attributes, open for its values.
    pub fn create(
        &mut self,
        path: &str,
        storage: &Storage,
        attributes: &[(String, Attribute)],
    ) -> Result<NetcdfVariable, LibraryError> {
        let (group, short) = self.above(path)?;
        let dimensions = match &self.dimensions {
            Some(dimensions) => dimensions.clone(),
            None => self.file.library.dimensions(self.file.id, storage)?,
        };
        self.dimensions = Some(dimensions.clone());
        let id = Definition::make(&self.file.library, group, short, storage, &dimensions)?;
        self.write_attributes(group, id, attributes)?;
        NetcdfVariable::new(self.file.clone(), group, id, None)
    }

    fn write_attributes(
        &self,
        group: c_int,
        variable: c_int,
        attributes: &[(String, Attribute)],
    ) -> Result<(), LibraryError> {
        let (library, f) = self.parts();
        for (attribute, value) in attributes {
            let attribute = c_name(attribute)?;
            let (element, bytes, count) = match value {
                Attribute::Text(text) => (CHARACTERS, text.clone().into_bytes(), text.len()),
                Attribute::Number(number) => (DOUBLE, number.to_ne_bytes().to_vec(), 1),
            };
            // SAFETY: an open group or variable, a string, and so many values of that type.
            library.check("nc_put_att", unsafe {
                (f.nc_put_att)(group, variable, attribute.as_ptr(), element, count, bytes.as_ptr().cast())
            })?;
        }
        Ok(())
    }

    /// All groups and variables, a group before what lies in it.
    pub fn nodes(&self) -> Result<Vec<NetcdfNode>, LibraryError> {
        let mut found = Vec::new();
        self.list(self.file.id, String::new(), &mut found)?;
        Ok(found)
    }

    fn list(&self, group: c_int, path: String, found: &mut Vec<NetcdfNode>) -> Result<(), LibraryError> {
        let (_, f) = self.parts();
        let below = |short: &str| match path.as_str() {
            "" => short.to_owned(),
            path => format!("{path}/{short}"),
        };
        found.push(NetcdfNode { path: path.clone(), group, variable: None });
        for variable in self.numbers("nc_inq_varids", f.nc_inq_varids, group)? {
            // SAFETY: an open variable, and room for the longest name.
            let short =
                self.named("nc_inq_varname", |to| unsafe { (f.nc_inq_varname)(group, variable, to) })?;
            found.push(NetcdfNode { path: below(&short), group, variable: Some(variable) });
        }
        for inner in self.numbers("nc_inq_grps", f.nc_inq_grps, group)? {
            // SAFETY: an open group, and room for the longest name.
            let short = self.named("nc_inq_grpname", |to| unsafe { (f.nc_inq_grpname)(inner, to) })?;
            self.list(inner, below(&short), found)?;
        }
        Ok(())
    }

    /// The numbers of the groups or variables in a group.
    fn numbers(
        &self,
        call: &'static str,
        inquire: unsafe extern "C" fn(c_int, *mut c_int, *mut c_int) -> c_int,
        group: c_int,
    ) -> Result<Vec<c_int>, LibraryError> {
        let (library, mut count) = (&self.file.library, 0);
        // SAFETY: an open group, a place for the count, and then room for so many numbers.
        unsafe {
            library.check(call, inquire(group, &mut count, std::ptr::null_mut()))?;
            let mut numbers = vec![0; count.max(0) as usize];
            library.check(call, inquire(group, &mut count, numbers.as_mut_ptr()))?;
            Ok(numbers)
        }
    }

    fn named(
        &self,
        call: &'static str,
        inquire: impl FnOnce(*mut c_char) -> c_int,
    ) -> Result<String, LibraryError> {
        let mut place = [0 as c_char; NAME_BYTES];
        self.file.library.check(call, inquire(place.as_mut_ptr()))?;
        // SAFETY: the library put a string there.
        Ok(unsafe { CStr::from_ptr(place.as_ptr()) }.to_string_lossy().into_owned())
    }

    /// The extent of a variable; none for a group.
    pub fn shape(&self, node: &NetcdfNode) -> Result<Option<Vec<u64>>, LibraryError> {
        let Some(variable) = node.variable else { return Ok(None) };
        let (library, f) = self.parts();
        let mut rank = 0;
        // SAFETY: an open variable, and room for so many dimensions.
        unsafe {
            library.check("nc_inq_varndims", (f.nc_inq_varndims)(node.group, variable, &mut rank))?;
            let mut ids = vec![0; rank.max(0) as usize];
            let answered = (f.nc_inq_vardimid)(node.group, variable, ids.as_mut_ptr());
            library.check("nc_inq_vardimid", answered)?;
            let length = |id: c_int| {
                let mut length = 0;
                library.check("nc_inq_dimlen", (f.nc_inq_dimlen)(node.group, id, &mut length))?;
                Ok(length as u64)
            };
            ids.into_iter().map(length).collect::<Result<_, _>>().map(Some)
        }
    }

    /// Opens a variable for reading; none where its elements have no fixed length, or it is a group.
    pub fn open(&self, node: &NetcdfNode) -> Result<Option<NetcdfVariable>, LibraryError> {
        let Some(variable) = node.variable else { return Ok(None) };
        let (library, f) = self.parts();
        let mut element = 0;
        // SAFETY: an open variable, and a place for the answer.
        library.check("nc_inq_vartype", unsafe { (f.nc_inq_vartype)(node.group, variable, &mut element) })?;
        if element > super::variable::LAST_PLAIN_TYPE {
            return Ok(None);
        }
        NetcdfVariable::new(self.file.clone(), node.group, variable, None).map(Some)
    }

    /// Tells of every attribute of a group or variable: its name, and its value where its type is plain.
    pub fn each_attribute(
        &self,
        node: &NetcdfNode,
        each: &mut dyn FnMut(&str, &[u8]),
    ) -> Result<(), LibraryError> {
        let (library, f) = self.parts();
        let (mut count, variable) = (0, node.variable.unwrap_or(GLOBAL));
        let mut buffer = Vec::new();
        // SAFETY: an open group or variable, and places for the answers.
        unsafe {
            let answered = match node.variable {
                Some(variable) => (f.nc_inq_varnatts)(node.group, variable, &mut count),
                None => (f.nc_inq_natts)(node.group, &mut count),
            };
            library.check("nc_inq_natts", answered)?;
            for number in 0..count {
                let found = |to| (f.nc_inq_attname)(node.group, variable, number, to);
                let attribute = self.named("nc_inq_attname", found)?;
                let short = c_name(&attribute)?;
                let (mut element, mut length, mut bytes) = (0, 0, 0);
                let answered =
                    (f.nc_inq_att)(node.group, variable, short.as_ptr(), &mut element, &mut length);
                library.check("nc_inq_att", answered)?;
                let mut value: &mut [u8] = &mut [];
                if element <= super::variable::LAST_PLAIN_TYPE {
                    let answered = (f.nc_inq_type)(node.group, element, std::ptr::null_mut(), &mut bytes);
                    library.check("nc_inq_type", answered)?;
                    value = reserve(&mut buffer, length.saturating_mul(bytes) as u64)?;
                    let to = value.as_mut_ptr().cast();
                    library.check("nc_get_att", (f.nc_get_att)(node.group, variable, short.as_ptr(), to))?;
                }
                each(&attribute, value);
            }
        }
        Ok(())
    }

    /// Closes it; what was written reaches the file at the latest now.
    pub fn close(self) -> Result<(), LibraryError> {
        // This is the only reference to the file.
        Rc::into_inner(self.file).map_or(Ok(()), NetcdfFile::close)
    }
}
