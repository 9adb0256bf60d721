//! What the axes of a dataset are: time, vertical, latitude, longitude, by the names and units that the CF conventions use.
//!
//! CF (section 4) identifies coordinates by their units (`degrees_north`, `days since …`, a unit of pressure) and by the
//! attribute `axis`; names are used where units say nothing.

/// An axis of a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Axis {
    /// The name of its dimension; empty if it has none.
    pub name: String,
    /// The units of its coordinate variable, if there is one.
    pub units: Option<String>,
    /// The attribute `axis` of its coordinate variable: `T`, `Z`, `Y` or `X`.
    pub mark: Option<String>,
}

/// What an axis stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisRole {
    /// Time.
    Time,
    /// Height, depth, pressure or another level.
    Vertical,
    /// Latitude, or the rows of a projected grid.
    Latitude,
    /// Longitude, or the columns of a projected grid.
    Longitude,
    /// Ensemble member, band, or an axis that says nothing of itself.
    Other,
}

const TIME: [&str; 8] = ["time", "times", "t", "date", "valid_time", "day", "month", "year"];
const VERTICAL: [&str; 15] = [
    "lev",
    "level",
    "levels",
    "plev",
    "depth",
    "height",
    "altitude",
    "z",
    "pressure",
    "isobaric",
    "pressure_level",
    "bottom_top",
    "deptht",
    "sigma",
    "layer",
];
const LATITUDE: [&str; 9] = ["lat", "latitude", "y", "rlat", "nlat", "south_north", "j", "nj", "yc"];
const LONGITUDE: [&str; 9] = ["lon", "longitude", "x", "rlon", "nlon", "west_east", "i", "ni", "xc"];
/// The spellings that CF allows (sections 4.1 and 4.2).
const NORTH: [&str; 6] = ["degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"];
const EAST: [&str; 6] = ["degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"];
const PRESSURE: [&str; 6] = ["Pa", "hPa", "mbar", "millibars", "dbar", "bar"];

impl Axis {
    /// An axis of which only the name is known.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// What the axis stands for.
    pub fn role(&self) -> AxisRole {
        match self.mark.as_deref() {
            Some("T") => return AxisRole::Time,
            Some("Z") => return AxisRole::Vertical,
            Some("Y") => return AxisRole::Latitude,
            Some("X") => return AxisRole::Longitude,
            _ => {}
        }
        let units = self.units.as_deref().unwrap_or_default().trim();
        if units.contains(" since ") {
            return AxisRole::Time;
        }
        if NORTH.contains(&units) {
            return AxisRole::Latitude;
        }
        if EAST.contains(&units) {
            return AxisRole::Longitude;
        }
        if PRESSURE.contains(&units) {
            return AxisRole::Vertical;
        }
        let name = self.name.to_ascii_lowercase();
        let known = [
            (&TIME[..], AxisRole::Time),
            (&VERTICAL[..], AxisRole::Vertical),
            (&LATITUDE[..], AxisRole::Latitude),
            (&LONGITUDE[..], AxisRole::Longitude),
        ];
        known
            .iter()
            .find(|(names, _)| names.contains(&name.as_str()))
            .map_or(AxisRole::Other, |(_, role)| *role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_say_more_than_names() {
        let axis =
            |name: &str, units: &str| Axis { units: Some(units.to_owned()), ..Axis::named(name) }.role();
        assert_eq!(axis("record", "days since 1900-01-01"), AxisRole::Time);
        assert_eq!(axis("nav_lat", "degrees_north"), AxisRole::Latitude);
        assert_eq!(axis("nav_lon", "degrees_east"), AxisRole::Longitude);
        assert_eq!(axis("angle", "degrees"), AxisRole::Other, "of a rotated pole, perhaps");
        assert_eq!(axis("isobaric1", "Pa"), AxisRole::Vertical);
        assert_eq!(axis("band", "nm"), AxisRole::Other);
    }

    #[test]
    fn names_are_used_where_units_say_nothing() {
        let role = |name: &str| Axis::named(name).role();
        assert_eq!(
            ["Time", "lev", "south_north", "lon", "phony_dim_0", ""].map(role),
            [
                AxisRole::Time,
                AxisRole::Vertical,
                AxisRole::Latitude,
                AxisRole::Longitude,
                AxisRole::Other,
                AxisRole::Other
            ]
        );
        assert_eq!(Axis { mark: Some("T".into()), ..Axis::named("z") }.role(), AxisRole::Time);
    }
}
