//! The size and the components of an image or a palette (tags 300 and 307; tag 200 for images of 8 bits).

use crate::cursor::Cursor;
use hyperslab_format::FormatError;

/// The order in which the components of an image follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interlace {
    /// All components of a pixel, then those of the next one.
    Pixel,
    /// A component of a whole line, then the next component of that line.
    Line,
    /// A component of the whole image, then the next component.
    Plane,
}

/// What an image consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageDimensions {
    /// Pixels of a line.
    pub width: u32,
    /// Lines.
    pub height: u32,
    /// The tag and the reference of the number type; `None` for bytes.
    pub number_type: Option<(u16, u16)>,
    /// Values of a pixel.
    pub components: u16,
    /// Their order.
    pub interlace: Interlace,
    /// The tag and the reference of the compression; 0 for none.
    pub compression: (u16, u16),
}

impl ImageDimensions {
    /// Parses the record (tag 300) that begins at `at`.
    ///
    /// # Errors
    /// A record that is too short, and orders that the format does not define.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut fields = Cursor::new("image dimensions", bytes, at);
        let (width, height) = (fields.length("width")?, fields.length("height")?);
        let number_type = (fields.u16("number type tag")?, fields.u16("number type reference")?);
        let components = fields.u16("components")?;
        let at = fields.at();
        let interlace = match fields.u16("interlace")? {
            0 => Interlace::Pixel,
            1 => Interlace::Line,
            2 => Interlace::Plane,
            other => return Err(fields.invalid("interlace", at, format!("{other}"))),
        };
        let compression = (fields.u16("compression tag")?, fields.u16("compression reference")?);
        let number_type = (number_type.0 != 0).then_some(number_type);
        Ok(Self { width, height, number_type, components, interlace, compression })
    }

    /// Parses the size of an image of 8 bits (tag 200) that begins at `at`.
    ///
    /// # Errors
    /// A record that is too short.
    pub fn parse_8(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut fields = Cursor::new("image dimensions", bytes, at);
        Ok(Self {
            width: fields.u16("width")?.into(),
            height: fields.u16("height")?.into(),
            number_type: None,
            components: 1,
            interlace: Interlace::Pixel,
            compression: (0, 0),
        })
    }
}
