//! Numbers and lists as text.

/// Seconds and ratios for JSON, rounded to six decimals.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// `1080x`, `1.5x`
pub fn ratio_text(ratio: f64) -> String {
    if ratio >= 1e6 {
        format!("{ratio:.1e}x")
    } else if ratio >= 9.95 || (ratio - ratio.round()).abs() < 0.005 {
        format!("{ratio:.0}x")
    } else {
        format!("{ratio:.1}x")
    }
}

/// `a`, `a and b`, `a, b and c`
pub fn list_text(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [many @ .., last] => format!("{} and {last}", many.join(", ")),
    }
}

/// `libhdf5 1.8, 1.10, 1.14; netCDF-C 4.9`: the releases of each library after its name.
pub(crate) fn library_names(names: &[&str]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let (library, release) = match name.split_once(' ') {
            Some((library @ ("libhdf5" | "netCDF-C"), release)) => (library, release),
            _ => (*name, ""),
        };
        match groups.iter_mut().find(|(known, _)| *known == library) {
            Some((_, releases)) => releases.push(release),
            None => groups.push((library, vec![release])),
        }
    }
    let groups: Vec<String> = groups
        .into_iter()
        .map(|(library, releases)| format!("{library} {}", releases.join(", ")).trim_end().to_owned())
        .collect();
    groups.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_short_and_names_listed() {
        assert_eq!(
            [1.0, 1.5, 1080.0, 9.96, 2.04, 193_590.0].map(ratio_text),
            ["1x", "1.5x", "1080x", "10x", "2.0x", "193590x"]
        );
        let libraries = ["libhdf5 1.8", "libhdf5 2.x", "cache 3 MiB, 521 slots, w0 0.75", "netCDF-C 4.9"];
        assert_eq!(
            library_names(&libraries),
            "libhdf5 1.8, 2.x; cache 3 MiB, 521 slots, w0 0.75; netCDF-C 4.9"
        );
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            [&names[..0], &names[..1], &names[..2], &names].map(list_text),
            ["", "a", "a and b", "a, b and c"]
        );
    }
}
