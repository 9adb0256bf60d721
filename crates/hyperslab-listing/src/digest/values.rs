//! The checksum of a value.
//!
//! The form in which a value is digested depends only on its datatype: canonical bytes; JSON text if it contains
//! variable-length or reference members; or the bytes in the file if some member has no native type. Datasets are read
//! in slabs, and the next slab is read while the previous one is hashed, so that memory use is limited however large
//! they are.

use super::canonical::Encoder;
use super::describe_type::size;
use super::elements::{ElementWriter, Stop};
use super::slabs::slabs;
use super::text_hasher::{TextHasher, hex};
use super::text_plan::TextPlan;
use crate::element::{Enumeration, NativeFloat};
use crate::json::{Json, Object};
use crate::object_paths::ObjectPaths;
use hyperslab::{Attribute, Dataset, Dataspace, Endianness, Error, File, Result, Selection};
use hyperslab_format::message::{Class, Datatype};
use sha2::{Digest, Sha256};

/// A single value of at most this many bytes is also reported itself.
const SHORT_BYTES: usize = 16;

/// Completed, or stopped early.
type Digested = std::result::Result<(), Stop>;

/// The type and extent of a value, and the source of its elements.
pub struct Value<'v> {
    pub datatype: &'v Datatype,
    pub extent: &'v Dataspace,
    pub elements: Elements<'v>,
}

/// The source of the elements.
pub enum Elements<'v> {
    /// In memory, as they are in the file.
    Here(&'v [u8]),
    /// To be read from a dataset.
    Of(&'v Dataset),
}

impl<'v> Value<'v> {
    /// The value of an attribute.
    pub fn of_attribute(attribute: &'v Attribute) -> Self {
        let Attribute { datatype, dataspace, data, .. } = attribute;
        Self { datatype, extent: dataspace, elements: Elements::Here(data) }
    }

    /// The values of a dataset.
    pub fn of_dataset(dataset: &'v Dataset) -> Self {
        let (datatype, extent) = (dataset.datatype(), dataset.dataspace());
        Self { datatype, extent, elements: Elements::Of(dataset) }
    }

    /// Adds the record of this value to `record`. Values of more than `bytes_max` bytes are skipped.
    pub fn digest(
        &self,
        file: &File,
        paths: &ObjectPaths,
        bytes_max: u64,
        record: &mut Object,
    ) -> Result<()> {
        match self.digest_or_stop(file, paths, bytes_max, record) {
            Ok(()) => Ok(()),
            Err(Stop::TooLong) => {
                record.insert("skipped", format!("text of more than {bytes_max} bytes").into());
                Ok(())
            }
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn digest_or_stop(
        &self,
        file: &File,
        paths: &ObjectPaths,
        bytes_max: u64,
        record: &mut Object,
    ) -> Digested {
        let count = self
            .extent
            .elements()
            .ok_or_else(|| Error::damaged("the number of elements in the extent overflows 64 bits"))?;
        record.insert("n", count.into());
        if *self.extent == Dataspace::Null {
            record.insert("enc", "null".into());
            return Ok(());
        }
        let is_text = self.datatype.is_variable() || self.datatype.contains_reference();
        if !is_text && let Some(name) = numpy_name(self.datatype) {
            record.insert("np", name.into());
        }
        let logical = count.saturating_mul(size(self.datatype));
        if logical > bytes_max {
            record.insert("skipped", format!("logical size {logical}").into());
            return Ok(());
        }
        match (is_text, Encoder::new(self.datatype)) {
            (true, _) => self.digest_text(file, paths, bytes_max, record),
            (false, Some(encoder)) => self.digest_bytes(&encoder, count, record),
            (false, None) => {
                let mut hash = Sha256::new();
                self.each_slab(|elements| {
                    hash.update(elements);
                    Ok(())
                })?;
                record.insert("enc", "raw".into());
                record.insert("sha256", hex(hash).into());
                Ok(())
            }
        }
    }

    fn digest_bytes(&self, encoder: &Encoder, count: u64, record: &mut Object) -> Digested {
        let mut hash = Sha256::new();
        let mut total = 0u64;
        let mut short = Vec::new();
        let mut encoded = Vec::new();
        self.each_slab(|elements| {
            let bytes = if encoder.is_identity() {
                elements
            } else {
                encoded.clear();
                encoder.encode(elements, &mut encoded);
                &encoded
            };
            hash.update(bytes);
            total += bytes.len() as u64;
            if count == 1 && bytes.len() <= SHORT_BYTES {
                short = bytes.to_vec();
            }
            Ok(())
        })?;
        record.extend([("enc", "bin".into()), ("nbytes", total.into()), ("sha256", hex(hash).into())]);
        if count == 1 && total <= SHORT_BYTES as u64 {
            record.insert("value", hyperslab_units::hex(&short).into());
        }
        if encoder.has_extended() {
            record.insert("x87", true.into());
        }
        Ok(())
    }

    fn digest_text(&self, file: &File, paths: &ObjectPaths, bytes_max: u64, record: &mut Object) -> Digested {
        let plan = TextPlan::new(self.datatype)?;
        let mut writer = ElementWriter::new(file.heap(), paths);
        let mut text_hasher = TextHasher::new(bytes_max);
        let mut first = true;
        text_hasher.text.push('[');
        self.each_slab(|elements| {
            for element in elements.chunks_exact(self.datatype.size.max(1) as usize) {
                if !std::mem::take(&mut first) {
                    text_hasher.text.push(',');
                }
                writer.write(&plan, element, &mut text_hasher)?;
            }
            Ok(())
        })?;
        text_hasher.text.push(']');
        let (digest, short) = text_hasher.finish();
        record.extend([("enc", "json".into()), ("sha256", digest.into())]);
        if let Some(short) = short {
            record.insert("value", short.into());
        }
        Ok(())
    }

    /// Calls `consume` with all elements in order, slab by slab, until it stops.
    fn each_slab(&self, mut consume: impl FnMut(&[u8]) -> Digested + Send) -> Digested {
        let dataset = match self.elements {
            Elements::Here(data) => return consume(data),
            Elements::Of(dataset) => dataset,
        };
        if dataset.elements() == 0 {
            return Ok(());
        }
        let element_bytes = self.datatype.size.into();
        let mut slabs = slabs(dataset.shape(), dataset.chunk_shape(), element_bytes, dataset.file().len())
            .map(|(start, count)| dataset.read_bytes(&Selection::block(&start, &count), Endianness::File));
        let mut next = slabs.next();
        while let Some(read) = next {
            let elements = read?;
            let consumed;
            (next, consumed) = rayon::join(|| slabs.next(), || consume(&elements));
            consumed?;
        }
        Ok(())
    }
}

/// NumPy's name of the element type, if its size there differs from that in the file.
fn numpy_name(datatype: &Datatype) -> Option<String> {
    match &datatype.class {
        Class::Float(float) => {
            let native = NativeFloat::of(float, datatype.size)?;
            (native.memory_bytes() != datatype.size).then(|| native.numpy_name(float.order))
        }
        Class::Enum { base, members } => {
            let enumeration = Enumeration::new(base, members)?;
            (enumeration.bytes() != datatype.size as usize).then(|| "bool".into())
        }
        _ => None,
    }
}

/// The error of a value, as it is reported.
pub fn error_text(error: &Error) -> Json {
    error.message().into()
}
