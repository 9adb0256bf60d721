//! Files for tests, built field by field.

use crate::{Address, Bytes, Parse, Stop, View, checksum};
use std::sync::OnceLock;

/// The bytes of a file under construction, with 8-byte offsets and lengths.
#[derive(Debug, Clone, Default)]
pub(crate) struct Image {
    bytes: Vec<u8>,
    frozen: OnceLock<Bytes>,
}

impl Image {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The address of the next field.
    pub(crate) fn here(&self) -> Address {
        Address(self.len())
    }

    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.raw(text.as_bytes())
    }

    pub(crate) fn uint(self, value: u64, width: usize) -> Self {
        self.raw(&value.to_le_bytes()[..width])
    }

    pub(crate) fn u8(self, value: u8) -> Self {
        self.uint(value.into(), 1)
    }

    pub(crate) fn u16(self, value: u16) -> Self {
        self.uint(value.into(), 2)
    }

    pub(crate) fn u32(self, value: u32) -> Self {
        self.uint(value.into(), 4)
    }

    pub(crate) fn u64(self, value: u64) -> Self {
        self.uint(value, 8)
    }

    /// Appends an undefined address.
    pub(crate) fn undefined(self) -> Self {
        self.u64(u64::MAX)
    }

    /// Appends zeros up to `address`.
    pub(crate) fn pad_to(mut self, address: u64) -> Self {
        assert!(self.len() <= address, "{} is beyond {address}", self.len());
        self.bytes.resize(address as usize, 0);
        self
    }

    /// Appends the checksum of everything since `start`.
    pub(crate) fn checksum_since(self, start: Address) -> Self {
        let sum = checksum::lookup3(&self.bytes[start.0 as usize..]);
        self.u32(sum)
    }

    /// Overwrites some bytes.
    pub(crate) fn patch(mut self, at: u64, bytes: &[u8]) -> Self {
        self.bytes[at as usize..][..bytes.len()].copy_from_slice(bytes);
        self.frozen = OnceLock::new();
        self
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A view of the file in its current state.
    pub(crate) fn view(&self) -> View<'_> {
        View::new(self.frozen.get_or_init(|| Bytes::from(self.bytes.clone())))
    }
}

/// Checks that the parser accepts the whole file, and rejects every truncation of it.
pub(crate) fn every_prefix_fails<T: std::fmt::Debug>(
    image: &Image,
    mut parse: impl FnMut(&View) -> Parse<T>,
) {
    let whole = Bytes::from(image.bytes.clone());
    parse(&View::new(&whole)).expect("the whole file parses");
    for len in 0..whole.len() {
        let prefix = whole.slice(..len);
        match parse(&View::new(&prefix)) {
            Err(Stop::Bad(_)) => {}
            other => panic!("of {len} bytes: {other:?}"),
        }
    }
}
