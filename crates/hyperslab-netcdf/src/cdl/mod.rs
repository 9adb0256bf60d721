//! The view as CDL, netCDF's text form, as `ncdump -h` prints it (with `-s`: `ncdump -hs`).

mod number;
mod text;
mod value;

use crate::attribute::{Attribute, Values};
use crate::model::{DimensionId, DimensionKind, Group, Netcdf, Variable};
use crate::types::{AtomicType, UserKind, UserType, VariableType, find_user_type};
use hyperslab::Heap;
use hyperslab_format::message::{Class, Datatype};
use std::collections::HashSet;
use std::fmt::{self, Write};
use text::{attribute_prefix, identifier, quoted};
use value::user_value;

/// What is printed.
#[derive(Debug, Clone, Copy, Default)]
pub struct CdlOptions {
    /// Prints how variables are stored, as attributes whose names begin with an underscore (`ncdump -s`).
    pub has_special_attributes: bool,
}

/// Writes the header of a file as CDL: types, dimensions, variables, attributes and groups, without data. `name` is
/// that of the file without its folder and extension.
pub fn write_cdl(netcdf: &Netcdf, name: &str, options: CdlOptions, out: &mut impl Write) -> fmt::Result {
    let variables = netcdf.groups.iter().flat_map(|group| &group.variables);
    let dimensions_of_types = variables
        .filter(|variable| has_type(variable))
        .flat_map(|variable| variable.dimensions.clone())
        .collect();
    let mut printer = Printer { netcdf, options, heap: netcdf.file().heap(), dimensions_of_types, out };
    writeln!(printer.out, "netcdf {} {{", identifier(name))?;
    printer.group(netcdf.root(), 0)?;
    writeln!(printer.out, "}}")
}

struct Printer<'n, 'o, W> {
    netcdf: &'n Netcdf,
    options: CdlOptions,
    heap: Heap,
    /// Dimensions of the variables that are printed.
    dimensions_of_types: HashSet<DimensionId>,
    out: &'o mut W,
}

impl<W: Write> Printer<'_, '_, W> {
    fn group(&mut self, group: &Group, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        self.types(group, &indent)?;
        self.dimensions(group, &indent)?;
        let mut variables = group.variables.iter().filter(|variable| has_type(variable)).peekable();
        if variables.peek().is_some() {
            writeln!(self.out, "{indent}variables:")?;
        }
        for variable in variables {
            self.variable(variable, &indent)?;
        }
        self.group_attributes(group, depth, &indent)?;
        for &child in &group.groups {
            let child = self.netcdf.group(child);
            let name = identifier(&child.name);
            writeln!(self.out, "\n{indent}group: {name} {{")?;
            self.group(child, depth + 1)?;
            writeln!(self.out, "{indent}  }} // group {name}")?;
        }
        Ok(())
    }

    fn types(&mut self, group: &Group, indent: &str) -> fmt::Result {
        let mut types = group.types.iter().map(|&id| self.netcdf.user_type(id)).peekable();
        if types.peek().is_some() {
            writeln!(self.out, "{indent}types:")?;
        }
        for user in types {
            let name = identifier(&user.name);
            let indent = format!("{indent}  ");
            match (user.kind, &user.datatype.class) {
                (UserKind::Compound, Class::Compound { members }) => {
                    writeln!(self.out, "{indent}compound {name} {{")?;
                    for member in members {
                        let (datatype, dims) = member_type(&member.datatype);
                        let kind = self.type_name(datatype);
                        let field = identifier(&member.name.to_string());
                        writeln!(self.out, "{indent}  {kind} {field}{dims} ;")?;
                    }
                    writeln!(self.out, "{indent}}}; // {name}")?;
                }
                (UserKind::Enum, Class::Enum { base, members }) => {
                    let kind = self.type_name(base);
                    let values = members.iter().enumerate().map(|(i, (name, value))| {
                        let separator = if i + 1 < members.len() { ", " } else { "" };
                        let name = identifier(&name.to_string());
                        format!("{name} = {}{separator}", user_value(base, value, &mut self.heap))
                    });
                    let values = values.collect::<Vec<_>>();
                    write_wrapped(self.out, &indent, &format!("{kind} enum {name} {{"), &values, "} ;")?;
                }
                (UserKind::Vlen, Class::VlenSequence { base }) => {
                    writeln!(self.out, "{indent}{}(*) {name} ;", self.type_name(base))?;
                }
                (UserKind::Opaque, _) => {
                    writeln!(self.out, "{indent}opaque({}) {name} ;", user.datatype.size)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn dimensions(&mut self, group: &Group, indent: &str) -> fmt::Result {
        let is_shown = |&id: &DimensionId| {
            self.netcdf.dimension(id).kind != DimensionKind::Phony || self.dimensions_of_types.contains(&id)
        };
        let shown: Vec<DimensionId> = group.dimensions.iter().copied().filter(is_shown).collect();
        if !shown.is_empty() {
            writeln!(self.out, "{indent}dimensions:")?;
        }
        for id in shown {
            let dimension = self.netcdf.dimension(id);
            let (name, len) = (identifier(&dimension.name), dimension.len);
            match dimension.is_unlimited {
                true => writeln!(self.out, "{indent}\t{name} = UNLIMITED ; // ({len} currently)")?,
                false => writeln!(self.out, "{indent}\t{name} = {len} ;")?,
            }
        }
        Ok(())
    }

    fn variable(&mut self, variable: &Variable, indent: &str) -> fmt::Result {
        let name = identifier(&variable.name);
        let kind = self.type_name(variable.datatype());
        let dimensions: Vec<String> =
            variable.dimensions.iter().map(|&id| identifier(&self.netcdf.dimension(id).name)).collect();
        let dimensions =
            if dimensions.is_empty() { String::new() } else { format!("({})", dimensions.join(", ")) };
        writeln!(self.out, "{indent}\t{kind} {name}{dimensions} ;")?;
        for attribute in &variable.attributes {
            self.attribute(&attribute_prefix(&variable.name), attribute, indent)?;
        }
        // As in ncdump, which tells it of netCDF-4's and CDF-5's variables.
        let has_storage = matches!(self.netcdf.older_kind, None | Some("cdf5"));
        if self.options.has_special_attributes && has_storage {
            self.storage(&name, variable, indent)?;
        }
        Ok(())
    }

    fn group_attributes(&mut self, group: &Group, depth: usize, indent: &str) -> fmt::Result {
        let is_root = depth == 0;
        if group.attributes.is_empty() && !self.options.has_special_attributes {
            return Ok(());
        }
        writeln!(self.out, "\n{indent}// {} attributes:", if is_root { "global" } else { "group" })?;
        for attribute in &group.attributes {
            self.attribute("", attribute, indent)?;
        }
        if is_root && self.options.has_special_attributes {
            if let Some(properties) = &self.netcdf.properties {
                writeln!(self.out, "\t\t:_NCProperties = {} ;", quoted(properties.as_bytes()))?;
            }
            if let Some(format) = self.netcdf.older_kind {
                return writeln!(self.out, "\t\t:_Format = \"{format}\" ;");
            }
            let (is_netcdf4, format) = match self.netcdf.is_classic_model {
                true => (0, "netCDF-4 classic model"),
                false => (u8::from(self.netcdf.is_netcdf4), "netCDF-4"),
            };
            if let Ok(superblock) = hyperslab::hdf5::superblock(self.netcdf.file()) {
                writeln!(self.out, "\t\t:_SuperblockVersion = {} ;", superblock.version)?;
            }
            writeln!(self.out, "\t\t:_IsNetcdf4 = {is_netcdf4} ;")?;
            writeln!(self.out, "\t\t:_Format = \"{format}\" ;")?;
        }
        Ok(())
    }

    fn attribute(&mut self, of: &str, attribute: &Attribute, indent: &str) -> fmt::Result {
        let kind = match attribute.attribute_type {
            // netCDF-C leaves it out.
            VariableType::Other => return Ok(()),
            VariableType::Atomic(AtomicType::String) => "string ".to_owned(),
            VariableType::User(id) => format!("{} ", identifier(&self.netcdf.user_type(id).name)),
            _ => String::new(),
        };
        let name = identifier(&attribute.name);
        let values = match attribute.values(&mut self.heap) {
            Ok(values) => self.values(attribute, &values),
            Err(error) => return writeln!(self.out, "{indent}\t\t// {of}:{name} cannot be read: {error}"),
        };
        writeln!(self.out, "{indent}\t\t{kind}{of}:{name} = {values} ;")
    }

    fn values(&mut self, attribute: &Attribute, values: &Values) -> String {
        let list = |values: Vec<String>| values.join(", ");
        let stored = &attribute.stored;
        match values {
            values if values.is_empty() => "\"\"".to_owned(),
            Values::Char(bytes) => self.lines(text::without_trailing_nuls(bytes)),
            Values::String(texts) => {
                let elements = stored.data.chunks_exact(stored.datatype.size.max(1) as usize);
                let texts = texts.iter().zip(elements).map(|(text, element)| {
                    if is_nil(&stored.datatype, element) { "NIL".to_owned() } else { quoted(text) }
                });
                list(texts.collect())
            }
            Values::Integer(kind, values) => {
                list(values.iter().map(|&v| number::integer(*kind, v)).collect())
            }
            Values::Float(values) => list(values.iter().map(|&v| number::float(v)).collect()),
            Values::Double(values) => list(values.iter().map(|&v| number::double(v)).collect()),
            Values::Elements(elements) => {
                let heap = &mut self.heap;
                list(elements.iter().map(|element| user_value(&stored.datatype, element, heap)).collect())
            }
        }
    }

    /// In the classic model a text goes on in a new line after each line break of its own. Elsewhere that would make
    /// it several texts.
    fn lines(&self, text: &[u8]) -> String {
        if !self.netcdf.is_classic_model || text.is_empty() {
            return quoted(text);
        }
        let lines: Vec<String> = text.split_inclusive(|&byte| byte == b'\n').map(quoted).collect();
        let ends_in_break = text.ends_with(b"\n").then(|| quoted(b""));
        lines.into_iter().chain(ends_in_break).collect::<Vec<_>>().join(",\n\t\t\t")
    }

    fn storage(&mut self, name: &str, variable: &Variable, indent: &str) -> fmt::Result {
        let storage = variable.storage();
        let out = &mut *self.out;
        writeln!(out, "{indent}\t\t{name}:_Storage = \"{}\" ;", storage.layout)?;
        if let Some(sizes) = &storage.chunk_sizes {
            let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
            writeln!(out, "{indent}\t\t{name}:_ChunkSizes = {} ;", sizes.join(", "))?;
        }
        if storage.has_fletcher32 {
            writeln!(out, "{indent}\t\t{name}:_Fletcher32 = \"true\" ;")?;
        }
        if storage.has_shuffle {
            writeln!(out, "{indent}\t\t{name}:_Shuffle = \"true\" ;")?;
        }
        if let Some(level) = storage.deflate_level {
            writeln!(out, "{indent}\t\t{name}:_DeflateLevel = {level} ;")?;
        }
        if !storage.other_filters.is_empty() {
            let filters: Vec<String> = storage
                .other_filters
                .iter()
                .map(|(id, parameters)| {
                    let numbers = parameters.iter().map(u32::to_string);
                    std::iter::once(id.to_string()).chain(numbers).collect::<Vec<_>>().join(",")
                })
                .collect();
            writeln!(out, "{indent}\t\t{name}:_Filter = \"{}\" ;", filters.join("|"))?;
        }
        if let Some(endianness) = storage.endianness {
            writeln!(out, "{indent}\t\t{name}:_Endianness = \"{}\" ;", endianness.name())?;
        }
        if storage.has_no_fill {
            writeln!(out, "{indent}\t\t{name}:_NoFill = \"true\" ;")?;
        }
        Ok(())
    }

    /// The name of a type in CDL; an HDF5 datatype without a netCDF type is printed as HDF5 calls it.
    fn type_name(&self, datatype: &Datatype) -> String {
        let user = || {
            let id = find_user_type(&self.netcdf.types, datatype)?;
            let UserType { name, .. } = self.netcdf.user_type(id);
            Some(identifier(name))
        };
        match AtomicType::of(datatype) {
            Some(atomic) => atomic.name().to_owned(),
            // A member of a type may have none, too.
            None => user().unwrap_or_else(|| format!("/* {datatype} */")),
        }
    }
}

fn has_type(variable: &Variable) -> bool {
    variable.variable_type != VariableType::Other
}

/// True for a text of variable length that was never written: its reference leads nowhere.
fn is_nil(datatype: &Datatype, element: &[u8]) -> bool {
    // Length (4 bytes), address of a global heap collection, number of an object in it (4 bytes).
    let address = element.get(4..element.len().saturating_sub(4)).unwrap_or_default();
    matches!(datatype.class, Class::VlenString { .. }) && address.iter().all(|&byte| byte == 0)
}

/// A line's length, at most.
const LINE_MAX: usize = 80;

/// Writes a list that goes on in the next line, indented further, where a part would be beyond the end of the line.
fn write_wrapped(
    out: &mut impl Write,
    indent: &str,
    head: &str,
    parts: &[String],
    tail: &str,
) -> fmt::Result {
    write!(out, "{indent}{head}")?;
    let mut len = indent.len() + head.len();
    for part in parts.iter().map(String::as_str).chain([tail]) {
        if len + part.len() > LINE_MAX && part.len() > 2 {
            write!(out, "\n{indent}    ")?;
            len = indent.len() + 4;
        }
        out.write_str(part)?;
        len += part.len();
    }
    writeln!(out)
}

/// The element type of a field, and the sizes of its array as CDL has them: `(2, 3)`.
fn member_type(datatype: &Datatype) -> (&Datatype, String) {
    match &datatype.class {
        Class::Array { dims, base } => {
            let dims: Vec<String> = dims.iter().map(u32::to_string).collect();
            (base, format!("({})", dims.join(", ")))
        }
        _ => (datatype, String::new()),
    }
}
