//! File Space Info message (specification IV.A.2.x, type 0x17): how the writer managed file space. It is in the
//! superblock extension. Readers need the page size: with paging, metadata is in whole pages.
//!
//! ```text
//! version 0   strategy (old numbering) | threshold L | [strategy 1: 6 free-space managers O]
//! version 1   strategy | persist | threshold L | page size L | page-end threshold 2 | end of allocation O
//!             | [persist: 12 free-space managers O]
//! ```

use crate::{Address, Cursor, Encoder, FormatError};

/// The management of file space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSpaceInfo {
    /// The mechanisms used.
    pub strategy: FileSpaceStrategy,
    /// True if free space is recorded in the file.
    pub persist: bool,
    /// The size of the smallest free section that is recorded, in bytes.
    pub threshold: u64,
    /// The page size in bytes (meaningful with [`FileSpaceStrategy::Page`]).
    pub page_size: u64,
    /// The free-space managers listed in the file; `None` for one that was never created.
    pub managers: Vec<Option<Address>>,
}

/// The mechanisms by which file space is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSpaceStrategy {
    /// Free-space managers, aggregators and the file driver.
    FreeSpaceAggregators,
    /// Free-space managers in pages.
    Page,
    /// Aggregators and the file driver.
    Aggregators,
    /// Only the file driver.
    None,
}

/// `H5F_FILE_SPACE_PAGE_SIZE_DEF`, for version 0, which has no paging.
const PAGE_SIZE_DEFAULT: u64 = 4096;
/// `H5F_FILE_SPACE_PAGE_SIZE_MAX`.
const PAGE_SIZE_MAX: u64 = 1 << 30;
const MANAGERS_VERSION_0: usize = 6;
const MANAGERS_VERSION_1: usize = 12;

impl FileSpaceInfo {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        match cursor.version(0..=1)? {
            0 => Self::parse_version_0(cursor),
            _ => Self::parse_version_1(cursor),
        }
    }

    fn parse_version_0(mut cursor: Cursor) -> Result<Self, FormatError> {
        let at = cursor.at();
        let number = cursor.u8("strategy")?;
        let threshold = cursor.length("threshold")?;
        let (strategy, persist, threshold) = match number {
            1 => (FileSpaceStrategy::FreeSpaceAggregators, true, threshold),
            2 => (FileSpaceStrategy::FreeSpaceAggregators, false, threshold),
            3 => (FileSpaceStrategy::Aggregators, false, 1),
            4 => (FileSpaceStrategy::None, false, 1),
            _ => return Err(unknown_strategy(&cursor, at, number)),
        };
        let managers = if persist { managers(&mut cursor, MANAGERS_VERSION_0)? } else { Vec::new() };
        Ok(Self { strategy, persist, threshold, page_size: PAGE_SIZE_DEFAULT, managers })
    }

    fn parse_version_1(mut cursor: Cursor) -> Result<Self, FormatError> {
        let at = cursor.at();
        let number = cursor.u8("strategy")?;
        let strategy = match number {
            0 => FileSpaceStrategy::FreeSpaceAggregators,
            1 => FileSpaceStrategy::Page,
            2 => FileSpaceStrategy::Aggregators,
            3 => FileSpaceStrategy::None,
            _ => return Err(unknown_strategy(&cursor, at, number)),
        };
        let persist = cursor.u8("persisting free-space")? != 0;
        let threshold = cursor.length("threshold")?;
        let at = cursor.at();
        let page_size = cursor.length("file space page size")?;
        if page_size == 0 || page_size > PAGE_SIZE_MAX {
            let what = format!("{page_size} is not a valid page size; it must be 1 to {PAGE_SIZE_MAX} bytes");
            return Err(cursor.invalid_at(at, "file space page size", what));
        }
        cursor.u16("page-end metadata threshold")?;
        cursor.address("end of allocation")?;
        let managers = if persist { managers(&mut cursor, MANAGERS_VERSION_1)? } else { Vec::new() };
        Ok(Self { strategy, persist, threshold, page_size, managers })
    }

    /// Encodes the message, in version 1. The threshold for metadata at the end of a page, which only writers use, is 0,
    /// and the end of allocation, which matters if free space is recorded, is undefined.
    pub fn encode(&self, out: &mut Encoder) {
        out.u8(1);
        out.u8(match self.strategy {
            FileSpaceStrategy::FreeSpaceAggregators => 0,
            FileSpaceStrategy::Page => 1,
            FileSpaceStrategy::Aggregators => 2,
            FileSpaceStrategy::None => 3,
        });
        out.u8(u8::from(self.persist));
        out.length("threshold", self.threshold);
        if self.page_size == 0 || self.page_size > PAGE_SIZE_MAX {
            out.refuse("file space page size", format!("{} is not a valid page size", self.page_size));
        }
        out.length("file space page size", self.page_size);
        out.u16(0);
        out.address("end of allocation", None);
        if self.persist {
            if self.managers.len() != MANAGERS_VERSION_1 {
                out.refuse("free-space managers", format!("{} are not 12", self.managers.len()));
            }
            self.managers.iter().for_each(|&manager| out.address("free-space manager address", manager));
        }
    }
}

fn managers(cursor: &mut Cursor, count: usize) -> Result<Vec<Option<Address>>, FormatError> {
    (0..count).map(|_| cursor.address("free-space manager address")).collect()
}

fn unknown_strategy(cursor: &Cursor, at: u64, number: u8) -> FormatError {
    cursor.invalid_at(at, "strategy", format!("unknown file space strategy {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn version_1_lists_managers_where_space_persists() {
        let head =
            |persist| Build::default().u8(1).u8(1).u8(persist).length(1).length(65_536).u16(0).address(0x900);
        let body = head(0);
        let info = FileSpaceInfo::parse(body.cursor()).unwrap();
        assert_eq!((info.strategy, info.page_size), (FileSpaceStrategy::Page, 65_536));
        assert!(!info.persist && info.managers.is_empty());
        body.each_prefix(|cursor| assert!(FileSpaceInfo::parse(cursor).is_err()));

        let body = (0..12).fold(head(1), |body, at| body.address(if at == 0 { 7 } else { u64::MAX }));
        let info = FileSpaceInfo::parse(body.cursor()).unwrap();
        assert_eq!((info.managers.len(), info.managers[0], info.managers[1]), (12, Some(Address(7)), None));
        body.each_prefix(|cursor| assert!(FileSpaceInfo::parse(cursor).is_err()));
    }

    #[test]
    fn version_0_numbers_the_strategies_otherwise() {
        let strategy = |number| {
            let body = Build::default().u8(0).u8(number).length(5).zeros(48);
            FileSpaceInfo::parse(body.cursor()).map(|info| (info.strategy, info.persist, info.threshold))
        };
        assert_eq!(strategy(1), Ok((FileSpaceStrategy::FreeSpaceAggregators, true, 5)));
        assert_eq!(strategy(2), Ok((FileSpaceStrategy::FreeSpaceAggregators, false, 5)));
        assert_eq!(strategy(3), Ok((FileSpaceStrategy::Aggregators, false, 1)));
        assert_eq!(strategy(4), Ok((FileSpaceStrategy::None, false, 1)));
        assert_eq!(strategy(0).unwrap_err().field, "strategy");
        let persistent = Build::default().u8(0).u8(1).length(5).zeros(48);
        persistent.each_prefix(|cursor| assert!(FileSpaceInfo::parse(cursor).is_err()));
    }

    #[test]
    fn impossible_pages_are_refused() {
        for page_size in [0, (1 << 30) + 1] {
            let body = Build::default().u8(1).u8(1).u8(0).length(1).length(page_size).u16(0).address(0);
            assert_eq!(FileSpaceInfo::parse(body.cursor()).unwrap_err().field, "file space page size");
        }
    }
}
