//! zfp's modes, of which three take a number: `zfp`, `zfp-rate=8`, `zfp-precision=20`, `zfp-accuracy=0.01`.

/// The modes that take a number, and how H5Z-ZFP numbers them.
const MODES: [(&str, u32); 3] = [("zfp-rate", 1), ("zfp-precision", PRECISION), ("zfp-accuracy", 3)];
const PRECISION: u32 = 2;
/// The mode without a number: no value changes.
pub(super) const REVERSIBLE: u32 = 5;

/// The mode of this word.
pub(super) fn mode(word: &str) -> Option<u32> {
    MODES.iter().find(|(known, _)| *known == word).map(|(_, mode)| *mode)
}

/// The parameters for the number of a mode.
pub(super) fn parse(text: &str, mode: u32, given: &str) -> Result<Vec<u32>, String> {
    let number: f64 = given.trim().parse().ok().filter(|number| *number > 0.0 && f64::is_finite(*number)).ok_or_else(
        || format!("{text:?}: zfp takes a positive number, such as zfp-rate=8, zfp-precision=20 or zfp-accuracy=0.01"),
    )?;
    match mode {
        PRECISION if number.fract() == 0.0 && number <= 64.0 => Ok(vec![mode, 0, number as u32]),
        PRECISION => Err(format!("{text:?}: a number of bit planes from 1 to 64 is required")),
        _ => Ok(vec![mode, 0, number.to_bits() as u32, (number.to_bits() >> 32) as u32]),
    }
}

/// How these parameters are read.
pub(super) fn text(parameters: &[u32]) -> Option<String> {
    let word = |mode| MODES.iter().find(|(_, known)| *known == mode).map(|(word, _)| word);
    match *parameters {
        [REVERSIBLE] => Some("zfp".into()),
        [PRECISION, 0, planes] => Some(format!("{}={planes}", word(PRECISION)?)),
        [mode @ (1 | 3), 0, low, high] => {
            let number = f64::from_bits(u64::from(low) | u64::from(high) << 32);
            Some(format!("{}={number}", word(mode)?))
        }
        _ => None,
    }
}
