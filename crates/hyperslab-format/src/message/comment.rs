//! Object Comment message (specification IV.A.2.n, type 0x0D): a NUL-terminated text about the object.

use crate::{Cursor, Encoder, FormatError, Name};

/// A comment on an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment(pub Name);

impl Comment {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        Ok(Self(Name::new(cursor.nul_terminated("comment")?)))
    }

    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        out.nul_terminated("comment", self.0.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn ends_at_the_nul() {
        let body = Build::default().bytes(b"why\0");
        assert_eq!(Comment::parse(body.clone().zeros(4).cursor()), Ok(Comment("why".into())));
        body.each_prefix(|cursor| assert!(Comment::parse(cursor).is_err()));
    }
}
