//! Why one run takes longer than another, from what was counted: for rows of a matrix and for cells of recipes alike.

/// What was counted of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Chunks decoded; none where that is not known.
    pub decodes: Option<u64>,
    /// Calls that read the file.
    pub read_calls: u64,
    /// Bytes that they got.
    pub read_bytes: u64,
}

/// What the slower of two runs does more of: how much, and how much the other does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// Chunks are decoded.
    Decodes(u64, u64),
    /// Bytes are read from the file.
    Bytes(u64, u64),
    /// Requests are made.
    Requests(u64, u64),
}

/// Opening a file reads a few kilobytes, in a few calls: fewer than these do not explain anything.
const SOME_BYTES: u64 = 1 << 16;
const SOME_REQUESTS: u64 = 50;

impl Difference {
    /// The costliest count in which two runs differ; none where they are about as many.
    pub fn of(more: &Counts, less: &Counts) -> Option<Self> {
        if let (Some(many), Some(few)) = (more.decodes, less.decodes)
            && is_more(many, few, 0)
        {
            return Some(Self::Decodes(many, few));
        }
        if has_more_bytes(more, less) {
            return Some(Self::Bytes(more.read_bytes, less.read_bytes));
        }
        is_more(more.read_calls, less.read_calls, SOME_REQUESTS)
            .then_some(Self::Requests(more.read_calls, less.read_calls))
    }
}

/// True where clearly more bytes are read.
pub(crate) fn has_more_bytes(more: &Counts, less: &Counts) -> bool {
    is_more(more.read_bytes, less.read_bytes, SOME_BYTES)
}

/// True for half as many again, and so many at least.
pub(crate) fn is_more(many: u64, few: u64, least: u64) -> bool {
    many > few.saturating_add(few / 2).saturating_add(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_explain_before_bytes_and_bytes_before_requests() {
        let counts = |decodes, read_bytes, read_calls| Counts { decodes, read_calls, read_bytes };
        let of = |more, less| Difference::of(&more, &less);
        let many = counts(Some(1500), 9 << 20, 900);
        assert_eq!(of(many, counts(Some(15), 1 << 20, 9)), Some(Difference::Decodes(1500, 15)));
        assert_eq!(of(many, counts(None, 1 << 20, 9)), Some(Difference::Bytes(9 << 20, 1 << 20)));
        assert_eq!(of(many, counts(Some(1400), 8 << 20, 9)), Some(Difference::Requests(900, 9)));
        assert_eq!(of(many, many), None);
        assert_eq!(of(counts(None, 4096, 12), counts(None, 0, 3)), None, "opening a file takes as much");
    }
}
