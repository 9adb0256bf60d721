//! DMR++: the index of Hyrax, an XML document that describes variables in terms of DAP4 and where their chunks lie.
//!
//! ```text
//! <Dataset name="f.nc" dmrpp:href="URL" …>
//!   <Dimension name="lat" size="90"/>
//!   <Float32 name="tas"><Dim name="/lat"/>
//!     <Attribute name="units" type="String"><Value>K</Value></Attribute>
//!     <dmrpp:chunks compressionType="shuffle deflate" deflateLevel="4" fillValue="-9999" byteOrder="LE">
//!       <dmrpp:chunkDimensionSizes>45</dmrpp:chunkDimensionSizes>
//!       <dmrpp:chunk offset="19134" nBytes="54710" chunkPositionInArray="[0]"/>
//! ```
//!
//! A position counts elements, not chunks. Filter masks are written as `fm`; chunks that were never written are not listed,
//! and readers fill them with `fillValue`. Enumerations with a name are defined in their group; compounds are structures
//! ([`user_types`]); coordinate variables are maps ([`maps`]). What Hyrax could not read in the file is in the document, if it
//! is small ([`inline`]): compact and virtual data, filters other than deflate, shuffle and fletcher32, text of variable length,
//! compounds with text. The rest is left out and named.
//!
//! Differences from what Hyrax's own builder writes (tests/python/test_dmrpp.py): values in the document have no
//! `dmrpp:chunks` beside them, because other readers take that for chunks that were never written; enumerations without a
//! name are integers; numbers have all of their digits; there is no record of how the document was made.
//!
//! The parser that defines the format: OPENDAP/bes, `modules/dmrpp_module/DMZ.cc`; the writer with which this one is
//! compared: `build_dmrpp_util.cc` and `DmrppCommon.cc` there.

mod fill;
mod inline;
mod maps;
mod storage;
mod stored;
mod types;
mod user_types;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hyperslab::Heap;
use hyperslab_netcdf::Omitted;
use hyperslab_netcdf::{Attribute, DimensionKind, Group, Netcdf, UserType, Variable};
use maps::Maps;
use std::collections::HashMap;
use std::io::{self, Write};
use storage::{Described, describe};
use stored::Stored;
use types::{escaped, joined, texts};
use user_types::{Member, constants};

const DAP: &str = "http://xml.opendap.org/ns/DAP/4.0#";
const DMRPP: &str = "http://xml.opendap.org/dap/dmrpp/1.0.0#";
/// The version of Hyrax's module whose grammar this is.
const VERSION: &str = "3.21.0";

/// Writes the document. `name` is the name of the file, `url` where readers find it. Returns what was left out.
///
/// # Errors
/// Those of `out`.
pub fn write_dmrpp(netcdf: &Netcdf, name: &str, url: &str, out: &mut dyn Write) -> io::Result<Vec<Omitted>> {
    let mut writer = Writer::new(netcdf, out, netcdf.left_out().cloned().collect());
    writeln!(writer.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        writer.out,
        "<Dataset xmlns=\"{DAP}\" xmlns:dmrpp=\"{DMRPP}\" dapVersion=\"4.0\" dmrVersion=\"1.0\" name=\"{}\" \
         dmrpp:href=\"{}\" dmrpp:version=\"{VERSION}\">",
        escaped(name),
        escaped(url)
    )?;
    writer.group(netcdf.root(), 1)?;
    writeln!(writer.out, "</Dataset>")?;
    Ok(writer.omitted)
}

struct Writer<'n, 'o> {
    netcdf: &'n Netcdf,
    /// Where text of variable length lies.
    heap: Heap,
    out: &'o mut dyn Write,
    /// All variables that are written, by path.
    described: HashMap<String, Described>,
    maps: Maps,
    omitted: Vec<Omitted>,
}

impl<'n, 'o> Writer<'n, 'o> {
    fn new(netcdf: &'n Netcdf, out: &'o mut dyn Write, mut omitted: Vec<Omitted>) -> Self {
        let (mut heap, mut described) = (netcdf.file().heap(), HashMap::new());
        for group in &netcdf.groups {
            for variable in &group.variables {
                match describe(netcdf, variable) {
                    Ok(found) => {
                        described.insert(maps::path(group, &variable.name), found);
                    }
                    Err(reason) => {
                        omitted.push(Omitted { path: variable.dataset.path().to_owned(), reason });
                    }
                }
            }
        }
        let maps = Maps::new(netcdf, &mut heap, |path| described.contains_key(path));
        Self { netcdf, heap, out, described, maps, omitted }
    }

    fn group(&mut self, group: &Group, depth: usize) -> io::Result<()> {
        let indent = "  ".repeat(depth);
        for &id in &group.dimensions {
            let dimension = self.netcdf.dimension(id);
            if dimension.kind != DimensionKind::Phony {
                let (name, len) = (escaped(&dimension.name), dimension.len);
                writeln!(self.out, "{indent}<Dimension name=\"{name}\" size=\"{len}\"/>")?;
            }
        }
        for &id in &group.types {
            self.enumeration(self.netcdf.user_type(id), &indent)?;
        }
        // A map comes before the variables that use it.
        let is_map = |variable: &&Variable| self.maps.is_map(group, variable);
        let (first, others): (Vec<_>, Vec<_>) = group.variables.iter().partition(is_map);
        for variable in first.into_iter().chain(others) {
            if let Some(described) = self.described.remove(&maps::path(group, &variable.name)) {
                self.variable(group, variable, &described, depth)?;
            }
        }
        self.attributes(&group.attributes, &group.path, depth)?;
        if group.parent.is_none() {
            self.unlimited_dimensions(group, &indent)?;
        }
        for &child in &group.groups {
            let child = self.netcdf.group(child);
            writeln!(self.out, "{indent}<Group name=\"{}\">", escaped(&child.name))?;
            self.group(child, depth + 1)?;
            writeln!(self.out, "{indent}</Group>")?;
        }
        Ok(())
    }

    /// The unlimited dimensions of the root group, which DAP4 does not tell from others.
    fn unlimited_dimensions(&mut self, root: &Group, indent: &str) -> io::Result<()> {
        let dimensions = root.dimensions.iter().map(|&id| self.netcdf.dimension(id));
        let unlimited: Vec<_> =
            dimensions.filter(|one| one.is_unlimited && one.kind != DimensionKind::Phony).collect();
        if unlimited.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "{indent}<Attribute name=\"DODS_EXTRA\" type=\"Container\">")?;
        write!(self.out, "{indent}  <Attribute name=\"Unlimited_Dimension\" type=\"String\">")?;
        for dimension in unlimited {
            write!(self.out, "<Value>{}</Value>", escaped(&dimension.name))?;
        }
        writeln!(self.out, "</Attribute>")?;
        writeln!(self.out, "{indent}</Attribute>")
    }

    fn enumeration(&mut self, user: &UserType, indent: &str) -> io::Result<()> {
        let Some((base, constants)) = constants(user) else { return Ok(()) };
        let name = escaped(&user.name);
        writeln!(self.out, "{indent}<Enumeration name=\"{name}\" basetype=\"{base}\">")?;
        for (name, value) in constants {
            writeln!(self.out, "{indent}  <EnumConst name=\"{}\" value=\"{value}\"/>", escaped(&name))?;
        }
        writeln!(self.out, "{indent}</Enumeration>")
    }

    fn member(&mut self, member: &Member, indent: &str) -> io::Result<()> {
        let (dap_type, name) = (member.dap_type, escaped(&member.name));
        if member.dims.is_empty() {
            return writeln!(self.out, "{indent}<{dap_type} name=\"{name}\"/>");
        }
        writeln!(self.out, "{indent}<{dap_type} name=\"{name}\">")?;
        for len in &member.dims {
            writeln!(self.out, "{indent}  <Dim size=\"{len}\"/>")?;
        }
        writeln!(self.out, "{indent}</{dap_type}>")
    }

    fn variable(
        &mut self,
        group: &Group,
        variable: &Variable,
        described: &Described,
        depth: usize,
    ) -> io::Result<()> {
        let (indent, dap_type) = ("  ".repeat(depth), described.dap_type);
        let enumeration = described.enumeration.as_ref();
        let enumeration = enumeration.map_or_else(String::new, |path| format!(" enum=\"{}\"", escaped(path)));
        writeln!(self.out, "{indent}<{dap_type} name=\"{}\"{enumeration}>", escaped(&variable.name))?;
        for member in &described.members {
            self.member(member, &format!("{indent}  "))?;
        }
        for &id in &variable.dimensions {
            let dimension = self.netcdf.dimension(id);
            match dimension.kind {
                DimensionKind::Phony => writeln!(self.out, "{indent}  <Dim size=\"{}\"/>", dimension.len)?,
                _ => {
                    let path = maps::path(self.netcdf.group(dimension.group), &dimension.name);
                    writeln!(self.out, "{indent}  <Dim name=\"{}\"/>", escaped(&path))?;
                }
            }
        }
        self.attributes(&variable.attributes, variable.dataset.path(), depth + 1)?;
        for map in self.maps.of(group, variable) {
            writeln!(self.out, "{indent}  <Map name=\"{}\"/>", escaped(map))?;
        }
        if let Some((size, padding)) = described.text {
            writeln!(
                self.out,
                "{indent}  <dmrpp:FixedLengthStringArray string_length=\"{size}\" pad=\"{padding}\"/>"
            )?;
        }
        match &described.stored {
            Stored::Compact(bytes) => {
                writeln!(self.out, "{indent}  <dmrpp:compact>{}</dmrpp:compact>", BASE64.encode(bytes))?;
            }
            Stored::Elements(bytes) => {
                let text = BASE64.encode(bytes);
                let element = "dmrpp:specialstructuredata";
                writeln!(self.out, "{indent}  <{element}>{text}</{element}>")?;
            }
            Stored::Texts(texts) => self.texts(texts, &indent)?,
            stored => {
                writeln!(self.out, "{indent}  <dmrpp:chunks{}>", described.attributes)?;
                self.chunks(stored, &indent)?;
                writeln!(self.out, "{indent}  </dmrpp:chunks>")?;
            }
        }
        writeln!(self.out, "{indent}</{dap_type}>")
    }

    /// Texts of variable length; those that repeat are counted.
    fn texts(&mut self, texts: &[String], indent: &str) -> io::Result<()> {
        writeln!(self.out, "{indent}  <dmrpp:vlsa>")?;
        for same in texts.chunk_by(|a, b| a == b) {
            let count = if same.len() > 1 { format!(" c=\"{}\"", same.len()) } else { String::new() };
            writeln!(self.out, "{indent}    <v{count}>{}</v>", escaped(&same[0]))?;
        }
        writeln!(self.out, "{indent}  </dmrpp:vlsa>")
    }

    fn chunks(&mut self, stored: &Stored, indent: &str) -> io::Result<()> {
        let (map, shape, unfiltered_edges) = match stored {
            Stored::Nothing | Stored::Compact(_) | Stored::Elements(_) | Stored::Texts(_) => {
                return Ok(());
            }
            Stored::Block(offset, bytes) => {
                return writeln!(
                    self.out,
                    "{indent}    <dmrpp:chunk offset=\"{offset}\" nBytes=\"{bytes}\"/>"
                );
            }
            Stored::Map { map, shape, unfiltered_edges } => (map, shape, *unfiltered_edges),
        };
        let (grid, out) = (map.grid(), &mut self.out);
        let sizes = joined(grid.chunk_shape(), " ");
        writeln!(out, "{indent}    <dmrpp:chunkDimensionSizes>{sizes}</dmrpp:chunkDimensionSizes>")?;
        for (number, location) in map.iter() {
            let position = grid.offset(number);
            let mut axes = position.iter().zip(grid.chunk_shape()).zip(shape);
            let is_partial = axes.any(|((at, chunk), len)| at + chunk > *len);
            let mask = unfiltered_edges.filter(|_| is_partial).unwrap_or(location.filter_mask);
            let (offset, bytes) = (location.address, location.stored_bytes);
            write!(
                out,
                "{indent}    <dmrpp:chunk offset=\"{offset}\" nBytes=\"{bytes}\" chunkPositionInArray=\"[{}]\"",
                joined(&position, ",")
            )?;
            if mask != 0 {
                write!(out, " fm=\"{mask}\"")?;
            }
            writeln!(out, "/>")?;
        }
        Ok(())
    }

    fn attributes(&mut self, attributes: &[Attribute], path: &str, depth: usize) -> io::Result<()> {
        let indent = "  ".repeat(depth);
        for attribute in attributes {
            let values = attribute.values(&mut self.heap).map_err(|error| error.to_string());
            let values = match values.and_then(|values| texts(values, &attribute.stored.datatype)) {
                Ok(values) => values,
                Err(reason) => {
                    let path = format!("{path}, attribute {:?}", attribute.name);
                    self.omitted.push(Omitted { path, reason });
                    continue;
                }
            };
            let (dap_type, values) = values;
            write!(
                self.out,
                "{indent}<Attribute name=\"{}\" type=\"{dap_type}\">",
                escaped(&attribute.name)
            )?;
            for value in values {
                write!(self.out, "<Value>{}</Value>", escaped(&value))?;
            }
            writeln!(self.out, "</Attribute>")?;
        }
        Ok(())
    }
}
