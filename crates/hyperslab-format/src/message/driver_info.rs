//! Information that the writer's file driver stored for readers: the Driver Info message of the superblock extension
//! (specification IV.A.2.u, type 0x14) and the Driver Information Block of old superblocks (II.B).
//!
//! ```text
//! message   version 0 | driver identification 8 | size 2 | information
//! block     version 0 | reserved 3 | size 4 | driver identification 8 | information
//! ```
//!
//! The information is specific to the driver. Here only the name of the driver matters, which shows that the file is
//! one of several: `NCSAmult` (multi and split), `NCSAfami` (family).

use crate::{Address, Bytes, Cursor, Encoder, FormatError, Name, Parse, View};

/// The file driver that wrote a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverInfo {
    /// The driver identification, at most 8 bytes.
    pub name: Name,
    /// Data of the driver.
    pub data: Bytes,
}

const BLOCK: &str = "driver information block";
const BLOCK_PREFIX: u64 = 16;

impl DriverInfo {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(0..=0)?;
        let name = driver_name(&mut cursor)?;
        let at = cursor.at();
        let len = cursor.u16("driver information size")?;
        if len == 0 {
            return Err(cursor.invalid_at(at, "driver information size", "the driver information is empty"));
        }
        Ok(Self { name, data: cursor.bytes("driver information", len.into())? })
    }

    /// Parses the block that superblocks of version 0 and 1 point to.
    pub fn parse_block(view: View<'_>, address: Address) -> Parse<Self> {
        let mut cursor = view.cursor(BLOCK, address, BLOCK_PREFIX)?;
        cursor.version(0..=0)?;
        cursor.skip("reserved", 3)?;
        let len = cursor.u32("driver information size")?;
        let name = driver_name(&mut cursor)?;
        let mut whole = view.cursor(BLOCK, address, BLOCK_PREFIX + u64::from(len))?;
        whole.skip("driver identification", BLOCK_PREFIX as usize)?;
        Ok(Self { name, data: whole.rest() })
    }
}

fn driver_name(cursor: &mut Cursor) -> Result<Name, FormatError> {
    let name = cursor.bytes("driver identification", 8)?;
    let len = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    Ok(Name::new(name.slice(..len)))
}

impl DriverInfo {
    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        out.u8(0);
        let name = self.name.as_bytes();
        if name.len() > 8 {
            out.refuse("driver identification", format!("{} has more than 8 bytes", self.name));
        }
        out.bytes(&name[..name.len().min(8)]);
        out.zeros(8 - name.len().min(8));
        out.count("driver information size", self.data.len(), 2);
        out.bytes(&self.data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn reads_message_and_block() {
        let expected = DriverInfo { name: "NCSAfami".into(), data: Bytes::from_static(b"12345678") };
        let message = Build::default().u8(0).bytes(b"NCSAfami").u16(8).bytes(b"12345678");
        assert_eq!(DriverInfo::parse(message.cursor()), Ok(expected.clone()));
        message.each_prefix(|cursor| assert!(DriverInfo::parse(cursor).is_err()));

        let block = Build::default().u8(0).zeros(3).u32(8).bytes(b"NCSAfami").bytes(b"12345678");
        let parse = |bytes: Bytes| DriverInfo::parse_block(View::new(&bytes), Address(0));
        assert_eq!(parse(block.done()), Ok(expected));
        for len in 0..block.len() {
            assert!(parse(block.done().slice(..len)).is_err());
        }
    }

    #[test]
    fn a_message_without_information_is_refused() {
        let message = Build::default().u8(0).bytes(b"NCSAmult").u16(0);
        assert_eq!(DriverInfo::parse(message.cursor()).unwrap_err().at, 9);
    }
}
