//! Filters 32022 and 32023, "BitGroom" and "Granular BitRound". They only round values before they are stored, so that
//! they compress better; nothing needs to be decoded.

use crate::FilterError;
use crate::scratch::CodecState;
use crate::stage::{Growth, Setup, Stage};
use std::ops::Range;

const BIT_GROOM: u16 = 32022;

struct Quantize {
    name: &'static str,
    digits: Option<u32>,
}

/// The first parameter is the number of significant digits that were kept.
pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let name = if setup.id == BIT_GROOM { "bitgroom" } else { "granular bitround" };
    Ok(Box::new(Quantize { name, digits: setup.parameters.first().copied() }))
}

impl Stage for Quantize {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self) -> String {
        self.digits.map_or_else(|| self.name.to_string(), |digits| format!("{} {digits}", self.name))
    }

    fn growth(&self) -> Growth {
        Growth::Same
    }

    fn view(&self, stored: &[u8]) -> Result<Option<Range<usize>>, FilterError> {
        Ok(Some(0..stored.len()))
    }

    fn encodes(&self) -> bool {
        false
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let out = out.get_mut(..stored.len()).ok_or(FilterError::TooLong { filter: self.name, max })?;
        out.copy_from_slice(stored);
        Ok(stored.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changes() {
        let stage = make(Setup { id: 32023, parameters: &[3, 4, 0, 0, 0] }).unwrap();
        assert_eq!(stage.describe(), "granular bitround 3");
        assert_eq!(stage.view(&[1, 2, 3]).unwrap(), Some(0..3));
        assert!(stage.decode(&[1, 2, 3], &mut [0; 2], &mut CodecState::default()).is_err());
    }
}
