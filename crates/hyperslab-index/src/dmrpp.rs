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
//! and readers fill them with `fillValue`. Hyrax knows the filters deflate, shuffle and fletcher32; variables with others, and
//! those whose data is not in chunks or one block of this file, are left out and named.
//!
//! The parser that defines the format: OPENDAP/bes, `modules/dmrpp_module/DMZ.cc`.

use crate::data_type::fill_json;
use crate::model::Omitted;
use hyperslab::datatypes::{ByteOrder, Class, StringPadding};
use hyperslab::internal::chunked_layout;
use hyperslab::internal::number::{NativeFloat, is_native_integer, is_whole};
use hyperslab::storage::Fill;
use hyperslab::{Dataset, Datatype, Selection};
use hyperslab_netcdf::{AtomicType, Attribute, DimensionKind, Group, Netcdf, Values, Variable};
use std::io::{self, Write};

const DAP: &str = "http://xml.opendap.org/ns/DAP/4.0#";
const DMRPP: &str = "http://xml.opendap.org/dap/dmrpp/1.0.0#";
/// The version of Hyrax's module whose grammar this is.
const VERSION: &str = "3.21.0";

/// Writes the document. `name` is the name of the file, `url` where readers find it. Returns what was left out.
///
/// # Errors
/// Those of `out`.
pub fn write_dmrpp(netcdf: &Netcdf, name: &str, url: &str, out: &mut dyn Write) -> io::Result<Vec<Omitted>> {
    let omitted = netcdf.omitted.iter();
    let omitted = omitted.map(|one| Omitted { path: one.path.clone(), reason: one.reason.clone() }).collect();
    let mut writer = Writer { netcdf, out, omitted };
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
    out: &'o mut dyn Write,
    omitted: Vec<Omitted>,
}

/// How a variable is written: all that must be known before its element begins.
struct Described {
    /// The type in DAP4.
    dap_type: &'static str,
    /// The attributes of `dmrpp:chunks`.
    storage: String,
    chunk_shape: Option<Vec<u64>>,
    chunks: Vec<(u64, u64, Option<Vec<u64>>, u32)>,
    /// The size of text, and how it is padded.
    text: Option<(u32, &'static str)>,
}

impl Writer<'_, '_> {
    fn group(&mut self, group: &Group, depth: usize) -> io::Result<()> {
        let indent = "  ".repeat(depth);
        for &id in &group.dimensions {
            let dimension = self.netcdf.dimension(id);
            if dimension.kind != DimensionKind::Phony {
                let (name, len) = (escaped(&dimension.name), dimension.len);
                writeln!(self.out, "{indent}<Dimension name=\"{name}\" size=\"{len}\"/>")?;
            }
        }
        for variable in &group.variables {
            match describe(self.netcdf, variable) {
                Ok(described) => self.variable(variable, &described, depth)?,
                Err(reason) => {
                    self.omitted.push(Omitted { path: variable.dataset.path().to_owned(), reason });
                }
            }
        }
        self.attributes(&group.attributes, &group.path, depth)?;
        for &child in &group.groups {
            let child = self.netcdf.group(child);
            writeln!(self.out, "{indent}<Group name=\"{}\">", escaped(&child.name))?;
            self.group(child, depth + 1)?;
            writeln!(self.out, "{indent}</Group>")?;
        }
        Ok(())
    }

    fn variable(&mut self, variable: &Variable, described: &Described, depth: usize) -> io::Result<()> {
        let (indent, dap_type) = ("  ".repeat(depth), described.dap_type);
        writeln!(self.out, "{indent}<{dap_type} name=\"{}\">", escaped(&variable.name))?;
        for &id in &variable.dimensions {
            let dimension = self.netcdf.dimension(id);
            match dimension.kind {
                DimensionKind::Phony => writeln!(self.out, "{indent}  <Dim size=\"{}\"/>", dimension.len)?,
                _ => {
                    let group = self.netcdf.group(dimension.group).path.trim_end_matches('/');
                    let path = format!("{group}/{}", dimension.name);
                    writeln!(self.out, "{indent}  <Dim name=\"{}\"/>", escaped(&path))?;
                }
            }
        }
        self.attributes(&variable.attributes, variable.dataset.path(), depth + 1)?;
        if let Some((size, padding)) = described.text {
            writeln!(
                self.out,
                "{indent}  <dmrpp:FixedLengthStringArray string_length=\"{size}\" pad=\"{padding}\"/>"
            )?;
        }
        writeln!(self.out, "{indent}  <dmrpp:chunks{}>", described.storage)?;
        if let Some(shape) = &described.chunk_shape {
            let sizes = joined(shape, " ");
            writeln!(self.out, "{indent}    <dmrpp:chunkDimensionSizes>{sizes}</dmrpp:chunkDimensionSizes>")?;
        }
        for (offset, bytes, position, mask) in &described.chunks {
            write!(self.out, "{indent}    <dmrpp:chunk offset=\"{offset}\" nBytes=\"{bytes}\"")?;
            if let Some(position) = position {
                write!(self.out, " chunkPositionInArray=\"[{}]\"", joined(position, ","))?;
            }
            if *mask != 0 {
                write!(self.out, " fm=\"{mask}\"")?;
            }
            writeln!(self.out, "/>")?;
        }
        writeln!(self.out, "{indent}  </dmrpp:chunks>\n{indent}</{dap_type}>")
    }

    fn attributes(&mut self, attributes: &[Attribute], path: &str, depth: usize) -> io::Result<()> {
        let indent = "  ".repeat(depth);
        let mut heap = self.netcdf.file().heap();
        for attribute in attributes {
            let values = match attribute.values(&mut heap).map_err(|error| error.to_string()).and_then(texts)
            {
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

fn describe(netcdf: &Netcdf, variable: &Variable) -> Result<Described, String> {
    let dataset = &variable.dataset;
    if !dataset.file().is_same(netcdf.file()) {
        return Err("it lies in another file, behind an external link".into());
    }
    let (dap_type, order) = dap_type(dataset.datatype())
        .ok_or_else(|| format!("DMR++ has no type like {}, or Hyrax does not read it", dataset.datatype()))?;
    if netcdf.shape(variable) != dataset.shape() {
        return Err("it is shorter than its dimensions".into());
    }
    let text = match &dataset.datatype().class {
        Class::FixedString { padding, .. } => Some((
            dataset.datatype().size,
            match padding {
                StringPadding::NullTerminate => "null_term",
                StringPadding::NullPad => "null_pad",
                StringPadding::SpacePad => "space_pad",
            },
        )),
        _ => None,
    };
    let fill = match &dataset.fill_value().value {
        Fill::User(bytes) if bytes.len() == dataset.datatype().size as usize => bytes.to_vec(),
        _ => vec![0; dataset.datatype().size as usize],
    };
    let fill = fill_json(dataset.datatype(), &fill).map(|fill| fill.trim_matches('"').to_lowercase());
    let mut storage = compression(dataset)?;
    storage += &fill.map_or_else(String::new, |fill| format!(" fillValue=\"{fill}\""));
    storage += &order.map_or_else(String::new, |order| format!(" byteOrder=\"{order}\""));
    let described = Described { dap_type, storage, chunk_shape: None, chunks: Vec::new(), text };
    match dataset.layout_name() {
        "chunked" => chunked(described, dataset),
        "contiguous" => {
            let explained = dataset.explain(&Selection::All).map_err(|error| error.to_string())?;
            let first = explained.requests.first().map(|first| first.range.start);
            let chunk = |offset| (offset, dataset.logical_bytes(), None, 0);
            Ok(Described { chunks: first.map(chunk).into_iter().collect(), ..described })
        }
        layout => Err(format!("its data is {layout}")),
    }
}

fn chunked(mut described: Described, dataset: &Dataset) -> Result<Described, String> {
    let map = dataset.chunk_map().map_err(|error| error.to_string())?;
    let shape = map.grid().chunk_shape();
    let unfiltered_edges = !dataset.filters().is_empty()
        && chunked_layout(dataset).is_some_and(|layout| layout.edge_chunks_unfiltered);
    let all_skipped = (1u32 << dataset.filters().len().min(31)) - 1;
    for (number, location) in map.iter() {
        let position = map.grid().offset(number);
        let is_partial =
            position.iter().zip(shape).zip(dataset.shape()).any(|((at, chunk), len)| at + chunk > *len);
        let mask = if unfiltered_edges && is_partial { all_skipped } else { location.filter_mask };
        described.chunks.push((location.address, location.stored_bytes, Some(position), mask));
    }
    described.chunk_shape = Some(shape.to_vec());
    Ok(described)
}

/// The filters, in the order in which they were applied.
fn compression(dataset: &Dataset) -> Result<String, String> {
    let (mut names, mut levels) = (Vec::new(), Vec::new());
    for filter in dataset.filters() {
        names.push(match filter.id {
            1 => {
                levels.push(filter.parameters.first().copied().unwrap_or(6).to_string());
                "deflate"
            }
            2 => "shuffle",
            3 => "fletcher32",
            _ => {
                let name = hyperslab::internal::describe::filter(filter);
                return Err(format!("Hyrax does not have the filter {name}"));
            }
        });
    }
    let mut text = String::new();
    if !names.is_empty() {
        text += &format!(" compressionType=\"{}\"", names.join(" "));
    }
    if !levels.is_empty() {
        text += &format!(" deflateLevel=\"{}\"", levels.join(" "));
    }
    Ok(text)
}

/// The type in DAP4, and the byte order of a number.
fn dap_type(datatype: &Datatype) -> Option<(&'static str, Option<&'static str>)> {
    let order = |order| match order {
        ByteOrder::Little => Some("LE"),
        ByteOrder::Big => Some("BE"),
        ByteOrder::Vax => None,
    };
    match &datatype.class {
        Class::Integer(integer) => {
            if !is_native_integer(datatype.size) || !is_whole(integer, datatype.size) {
                return None;
            }
            let name = match (datatype.size, integer.signed) {
                (1, true) => "Int8",
                (1, false) => "UInt8",
                (2, true) => "Int16",
                (2, false) => "UInt16",
                (4, true) => "Int32",
                (4, false) => "UInt32",
                (_, true) => "Int64",
                (_, false) => "UInt64",
            };
            Some((name, Some(order(integer.order)?)))
        }
        Class::Float(float) => {
            let name = match NativeFloat::of(float, datatype.size)? {
                NativeFloat::Single if NativeFloat::Single.is(float, datatype.size) => "Float32",
                NativeFloat::Double if NativeFloat::Double.is(float, datatype.size) => "Float64",
                _ => return None,
            };
            Some((name, Some(order(float.order)?)))
        }
        Class::FixedString { .. } => Some(("String", None)),
        _ => None,
    }
}

/// The type of an attribute in DAP4, and its values as text.
fn texts(values: Values) -> Result<(&'static str, Vec<String>), String> {
    let lossy = |text: &[u8]| String::from_utf8_lossy(text).trim_end_matches('\0').to_owned();
    Ok(match values {
        Values::Char(text) => ("String", vec![lossy(&text)]),
        Values::String(texts) => ("String", texts.iter().map(|text| lossy(text)).collect()),
        Values::Integer(atomic, numbers) => {
            let name = match atomic {
                AtomicType::Byte => "Int8",
                AtomicType::UByte => "UInt8",
                AtomicType::Short => "Int16",
                AtomicType::UShort => "UInt16",
                AtomicType::Int => "Int32",
                AtomicType::UInt => "UInt32",
                AtomicType::UInt64 => "UInt64",
                _ => "Int64",
            };
            (name, numbers.iter().map(ToString::to_string).collect())
        }
        Values::Float(numbers) => {
            ("Float32", numbers.iter().map(|number| float(format!("{number:?}"))).collect())
        }
        Values::Double(numbers) => {
            ("Float64", numbers.iter().map(|number| float(format!("{number:?}"))).collect())
        }
        Values::Elements(_) => return Err("its datatype has no form in DMR++".into()),
    })
}

/// Whole numbers without a fraction, as Hyrax writes them.
fn float(text: String) -> String {
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text).to_lowercase()
}

fn joined(numbers: &[u64], between: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

/// Text as the value of an attribute or an element. Characters that XML does not have are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' | '\r' => escaped.push_str(&format!("&#{};", u32::from(character))),
            character if character.is_control() => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}
