//! Typed getters for the messages of a header. Each parses the first message of its kind, as libhdf5 does; only links
//! and attributes occur several times.

use super::{Context, Found, Message, MessageKind, ObjectHeader, Resolved};
use crate::message::fill_value::Fill;
use crate::message::{
    Attribute, AttributeInfo, Comment, Dataspace, Datatype, ExternalFiles, FillValue, FilterPipeline,
    GroupInfo, Layout, Link, LinkInfo, ModificationTime, SymbolTable,
};
use crate::{Cursor, FormatError, Gather, Name, Parse, Widths};

/// An attribute in an object header, or the error if it cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub struct HeaderAttribute {
    /// Its name, if at least that can be read.
    pub name: Option<Name>,
    /// The attribute, or its error.
    pub attribute: Result<Attribute, FormatError>,
}

impl ObjectHeader {
    /// The dataspace of a dataset.
    pub fn dataspace(&self, context: Context<'_>) -> Parse<Option<Dataspace>> {
        self.shareable(context, MessageKind::DATASPACE, Dataspace::parse)
    }

    /// The datatype of a dataset, or the committed datatype itself.
    pub fn datatype(&self, context: Context<'_>) -> Parse<Option<Datatype>> {
        let Some(Resolved { cursor, committed }) = self.resolve(context, MessageKind::DATATYPE)? else {
            return Ok(None);
        };
        let mut datatype = Datatype::parse(cursor)?;
        datatype.committed = committed;
        Ok(Some(datatype))
    }

    /// The fill value of a dataset: from the new message, or from the old one if there is no new one.
    pub fn fill_value(&self, context: Context<'_>) -> Parse<Option<FillValue>> {
        let mut kind = MessageKind::FILL_VALUE;
        let mut fill = self.shareable(context, kind, FillValue::parse)?;
        if fill.is_none() {
            kind = MessageKind::FILL_VALUE_OLD;
            fill = self.shareable(context, kind, FillValue::parse_old)?;
        }
        if let (Some(Fill::User(value)), Some(message)) = (fill.as_ref().map(|f| &f.value), self.first(kind))
        {
            let size = self.datatype(context)?.map(|datatype| u64::from(datatype.size));
            if size.is_some_and(|size| size != value.len() as u64) {
                let what = format!("{} bytes, but an element has {}", value.len(), size.unwrap_or_default());
                return Err(FormatError::invalid(kind.structure(), "size", message.at, what).into());
            }
        }
        Ok(fill)
    }

    /// The filters of a dataset.
    pub fn filter_pipeline(&self, context: Context<'_>) -> Parse<Option<FilterPipeline>> {
        self.shareable(context, MessageKind::FILTER_PIPELINE, FilterPipeline::parse)
    }

    /// How the raw data of a dataset is stored.
    pub fn layout(&self, widths: Widths) -> Result<Option<Layout>, FormatError> {
        self.own(widths, MessageKind::LAYOUT, Layout::parse)
    }

    /// The external files with the raw data.
    pub fn external_files(&self, widths: Widths) -> Result<Option<ExternalFiles>, FormatError> {
        self.own(widths, MessageKind::EXTERNAL_FILES, ExternalFiles::parse)
    }

    /// The location of a new-style group's dense links.
    pub fn link_info(&self, widths: Widths) -> Result<Option<LinkInfo>, FormatError> {
        self.own(widths, MessageKind::LINK_INFO, LinkInfo::parse)
    }

    /// The thresholds of a new-style group.
    pub fn group_info(&self, widths: Widths) -> Result<Option<GroupInfo>, FormatError> {
        self.own(widths, MessageKind::GROUP_INFO, GroupInfo::parse)
    }

    /// The location of an old-style group's links.
    pub fn symbol_table(&self, widths: Widths) -> Result<Option<SymbolTable>, FormatError> {
        self.own(widths, MessageKind::SYMBOL_TABLE, SymbolTable::parse)
    }

    /// The location of an object's dense attributes.
    pub fn attribute_info(&self, widths: Widths) -> Result<Option<AttributeInfo>, FormatError> {
        self.own(widths, MessageKind::ATTRIBUTE_INFO, AttributeInfo::parse)
    }

    /// The comment on the object.
    pub fn comment(&self, widths: Widths) -> Result<Option<Comment>, FormatError> {
        self.own(widths, MessageKind::COMMENT, Comment::parse)
    }

    /// The time of the last modification: from the new message, otherwise from the old one, otherwise from the header's
    /// own times.
    pub fn modification_time(&self, widths: Widths) -> Result<Option<ModificationTime>, FormatError> {
        if let Some(time) = self.own(widths, MessageKind::MODIFICATION_TIME, ModificationTime::parse)? {
            return Ok(Some(time));
        }
        let old = self.own(widths, MessageKind::MODIFICATION_TIME_OLD, ModificationTime::parse_old)?;
        Ok(old.or_else(|| self.times.map(|times| ModificationTime(times.change.into()))))
    }

    /// The links in the header of a new-style group; each may be an error by itself.
    pub fn links(&self, widths: Widths) -> Vec<Result<Link, FormatError>> {
        self.all(MessageKind::LINK).map(|message| Link::parse(message.cursor(widths))).collect()
    }

    /// The attributes in the header; each may be an error by itself.
    pub fn attributes(&self, context: Context<'_>) -> Parse<Vec<HeaderAttribute>> {
        let mut gather = Gather::default();
        let mut datatypes = Found::default();
        let mut attributes = Vec::new();
        for message in self.all(MessageKind::ATTRIBUTE) {
            let resolved = match gather.take(context.resolve_message(message)) {
                Ok(Some(resolved)) => resolved,
                Ok(None) => continue,
                Err(error) => {
                    attributes.push(HeaderAttribute { name: None, attribute: Err(error) });
                    continue;
                }
            };
            let name = Attribute::parse_name(resolved.cursor.clone()).ok();
            let order = message.creation_order.map(u32::from);
            let attribute =
                match gather.take(Attribute::parse_with(context, resolved.cursor, order, &mut datatypes)) {
                    Ok(Some(attribute)) => Ok(attribute),
                    Ok(None) => continue,
                    Err(error) => Err(error),
                };
            attributes.push(HeaderAttribute { name, attribute });
        }
        gather.finish()?;
        Ok(attributes)
    }

    fn resolve(&self, context: Context<'_>, kind: MessageKind) -> Parse<Option<Resolved>> {
        self.first(kind).map(|message| context.resolve_message(message)).transpose()
    }

    fn shareable<T>(
        &self,
        context: Context<'_>,
        kind: MessageKind,
        parse: impl Fn(Cursor) -> Result<T, FormatError>,
    ) -> Parse<Option<T>> {
        let resolved = self.resolve(context, kind)?;
        Ok(resolved.map(|resolved| parse(resolved.cursor)).transpose()?)
    }

    fn own<T>(
        &self,
        widths: Widths,
        kind: MessageKind,
        parse: impl Fn(Cursor) -> Result<T, FormatError>,
    ) -> Result<Option<T>, FormatError> {
        self.first(kind).map(|message| parse(message.cursor(widths))).transpose()
    }
}

impl Context<'_> {
    /// The body of a message, from another location if the message is shared.
    pub fn resolve_message(self, message: &Message) -> Parse<Resolved> {
        let cursor = message.cursor(self.view.widths);
        self.resolve(message.kind, message.is_shared(), cursor, &mut Found::default())
    }
}

#[cfg(test)]
mod tests;
