//! Bytes written one after the other to the start of a slice, for the encoders whose output has a bound.

/// The start of a slice, and how much of it was written.
pub(crate) struct ByteWriter<'a> {
    out: &'a mut [u8],
    len: usize,
}

impl<'a> ByteWriter<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out, len: 0 }
    }

    /// The number of bytes that were written.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Writes bytes; `None` where there is no more room.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        self.out.get_mut(self.len..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
        self.len += bytes.len();
        Some(())
    }

    /// A byte that was written.
    #[cfg(feature = "lzo")]
    pub fn written(&mut self, at: usize) -> &mut u8 {
        &mut self.out[at]
    }
}
