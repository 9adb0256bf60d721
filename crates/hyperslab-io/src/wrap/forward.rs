//! Functions of a source that another one answers.

/// Defines functions of [`Source`](crate::Source), in its `impl`, that hand a call on: `forward_source!(self => self.inner: len, name)`.
#[macro_export]
macro_rules! forward_source {
    ($self:ident => $to:expr; $($name:ident),+ $(,)?) => {
        $($crate::forward_source!(@ $name $self $to);)+
    };
    (@ len $self:ident $to:expr) => { fn len(&$self) -> u64 { $to.len() } };
    (@ is_empty $self:ident $to:expr) => { fn is_empty(&$self) -> bool { $to.is_empty() } };
    (@ epoch $self:ident $to:expr) => { fn epoch(&$self) -> $crate::Epoch { $to.epoch() } };
    (@ held_from $self:ident $to:expr) => { fn held_from(&$self, at: u64) -> u64 { $to.held_from(at) } };
    (@ stored_bytes $self:ident $to:expr) => { fn stored_bytes(&$self) -> u64 { $to.stored_bytes() } };
    (@ beginning $self:ident $to:expr) => { fn beginning(&$self) -> $crate::Bytes { $to.beginning() } };
    (@ known $self:ident $to:expr) => {
        fn known(&$self, at: u64, len: u64) -> Option<$crate::Bytes> { $to.known(at, len) }
    };
    (@ knows_structures $self:ident $to:expr) => {
        fn knows_structures(&$self) -> bool { $to.knows_structures() }
    };
    (@ read_into $self:ident $to:expr) => {
        fn read_into(&$self, at: u64, out: &mut [u8]) -> std::io::Result<()> { $to.read_into(at, out) }
    };
    (@ read_unwritten $self:ident $to:expr) => {
        fn read_unwritten<'o>(
            &$self,
            at: u64,
            out: &'o mut [std::mem::MaybeUninit<u8>],
        ) -> std::io::Result<&'o mut [u8]> {
            $to.read_unwritten(at, out)
        }
    };
    (@ fetch $self:ident $to:expr) => {
        fn fetch(&$self, ranges: &[std::ops::Range<u64>], cancel: &$crate::Cancel, deliver: &mut $crate::Deliver<'_>) {
            $to.fetch(ranges, cancel, deliver);
        }
    };
    (@ check_unchanged $self:ident $to:expr) => {
        fn check_unchanged(&$self) -> std::io::Result<()> { $to.check_unchanged() }
    };
    (@ lock_shared $self:ident $to:expr) => { fn lock_shared(&$self) -> std::io::Result<()> { $to.lock_shared() } };
    (@ unlock $self:ident $to:expr) => { fn unlock(&$self) { $to.unlock(); } };
    (@ version $self:ident $to:expr) => { fn version(&$self) -> Option<$crate::Version> { $to.version() } };
    (@ advice $self:ident $to:expr) => { fn advice(&$self) -> $crate::Advice { $to.advice() } };
    (@ metadata_gap_bytes $self:ident $to:expr) => {
        fn metadata_gap_bytes(&$self) -> u64 { $to.metadata_gap_bytes() }
    };
    (@ name $self:ident $to:expr) => { fn name(&$self) -> String { $to.name() } };
    (@ path $self:ident $to:expr) => { fn path(&$self) -> Option<&std::path::Path> { $to.path() } };
}
