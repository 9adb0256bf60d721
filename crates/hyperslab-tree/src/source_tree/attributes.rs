//! An attribute of the tree, without references to what is left out.

use super::Reader;
use crate::dimension_scales::{DIMENSION_LIST, Detached, detach};
use crate::object_selection::BrokenReference;
use crate::relocate::Relocatable;
use hyperslab::Attribute;
use hyperslab_encode::RepackError;
use hyperslab_units::counted_text;
use hyperslab_write::AttributeSpec;

/// An attribute of the new file.
pub(super) struct CopiedAttribute {
    /// `None` if all that it refers to is left out.
    pub(super) attribute: Option<AttributeSpec>,
    /// True if some of what it referred to is left out.
    pub(super) is_detached: bool,
}

impl Reader<'_> {
    pub(super) fn attribute(
        &mut self,
        mut attribute: Attribute,
        path: &str,
    ) -> Result<CopiedAttribute, RepackError> {
        let datatype = self.datatype(&attribute.datatype, path)?;
        let mut found =
            Relocatable::read(&attribute.datatype, &attribute.data, &mut self.heap, &mut self.sources)?;
        attribute.datatype = self.wide(&attribute.datatype, path)?.into_owned();
        let omitted = found.omitted_count();
        if omitted > 0 {
            let is_scale = attribute.name.as_bytes() != DIMENSION_LIST.as_bytes();
            let detached = detach(&mut attribute, &mut found);
            match detached {
                Detached::Unchanged => {
                    let nulls = counted_text(omitted as u64, "null reference");
                    self.sever(path, format!("{nulls} in attribute {}, to what is left out", attribute.name));
                }
                // The list of a scale follows from those of the datasets.
                Detached::Changed | Detached::Empty if is_scale => {}
                Detached::Changed | Detached::Empty => {
                    let are = if omitted == 1 { "is" } else { "are" };
                    self.sever(
                        path,
                        format!(
                            "loses {}, which {are} left out",
                            counted_text(omitted as u64, "dimension scale")
                        ),
                    );
                }
            }
            if matches!(detached, Detached::Empty) {
                return Ok(CopiedAttribute { attribute: None, is_detached: true });
            }
        }
        let value = found.into_value(&mut self.tree);
        let Attribute { name, charset, dataspace, .. } = attribute;
        let attribute = Some(AttributeSpec {
            name: self.parts.name(&name),
            charset,
            datatype,
            dataspace: dataspace.into(),
            value,
        });
        Ok(CopiedAttribute { attribute, is_detached: omitted > 0 })
    }

    /// Notes that an object referred to what is left out.
    pub(super) fn sever(&mut self, path: &str, what: String) {
        if let Some(selected) = &mut self.selected {
            selected.summary.severed.push(BrokenReference { path: path.into(), what });
        }
    }
}
