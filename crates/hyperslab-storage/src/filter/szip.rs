//! szip's coding and the pixels of a block: `szip=nn,8`.

/// Entropy coding, in szip's first parameter (`H5_SZIP_EC_OPTION_MASK`).
pub const ENTROPY_CODING: u32 = 4;
/// Nearest-neighbour coding (`H5_SZIP_NN_OPTION_MASK`).
pub const NEAREST_NEIGHBOUR: u32 = 32;

/// True where szip's parameters choose nearest-neighbour coding.
pub fn is_nearest_neighbour(parameters: &[u32]) -> bool {
    parameters.first().is_some_and(|options| options & NEAREST_NEIGHBOUR != 0)
}

/// The parameters for `nn,8`.
pub(super) fn parse(text: &str, given: &str) -> Result<Vec<u32>, String> {
    let fail = || {
        format!("{text:?}: szip takes a coding and the pixels of a block, such as szip=nn,8 or szip=ec,32")
    };
    let (coding, pixels) = given.split_once(',').unwrap_or((given, "8"));
    let coding = match coding.trim() {
        "nn" => NEAREST_NEIGHBOUR,
        "ec" => ENTROPY_CODING,
        _ => return Err(fail()),
    };
    let pixels: u32 = pixels.trim().parse().map_err(|_| fail())?;
    let is_possible = (2..=32).contains(&pixels) && pixels.is_multiple_of(2);
    is_possible.then(|| vec![coding, pixels]).ok_or_else(fail)
}

/// How [`parse`] reads these parameters.
pub(super) fn text(parameters: &[u32]) -> Option<String> {
    let coding = if is_nearest_neighbour(parameters) { "nn" } else { "ec" };
    Some(format!("szip={coding},{}", parameters.get(1)?))
}
