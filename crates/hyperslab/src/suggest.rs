//! Suggestions for misspelt names.

/// Longer names are not compared: the time of a comparison is the product of both lengths.
const COMPARED_BYTES_MAX: usize = 128;
/// At most so many names are compared.
const COMPARED_NAMES_MAX: usize = 10_000;

/// The most similar of `names`, if one is similar enough.
pub(crate) fn suggest<'a>(wanted: &str, names: &'a [String]) -> Option<&'a str> {
    if wanted.len() > COMPARED_BYTES_MAX {
        return None;
    }
    let distance_max = wanted.len().max(3) / 3 + 1;
    let wanted = wanted.to_lowercase();
    let letters = wanted.chars().count();
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let comparable = name.chars().count().abs_diff(letters) <= distance_max;
        comparable.then(|| strsim::osa_distance(&wanted, &name)).filter(|&distance| distance <= distance_max)
    };
    let short = names.iter().filter(|name| name.len() <= COMPARED_BYTES_MAX).take(COMPARED_NAMES_MAX);
    let near = short.filter_map(|name| Some((distance(name)?, name.as_str())));
    near.min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn near_names_are_suggested_and_long_ones_never_compared() {
        let names = ["Latitude", "Longitude", "Time"].map(String::from);
        assert_eq!(suggest("latitdue", &names), Some("Latitude"));
        assert_eq!(suggest("Pressure", &names), None);
        let long = ["A".repeat(60_000), "B".repeat(129)];
        assert_eq!(suggest(&"A".repeat(60_000), &long), None);
        assert_eq!(suggest(&"B".repeat(128), &long), None);
    }
}
