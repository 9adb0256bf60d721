//! The projection of a grid in the words of CF (appendix F, grid mappings), from those of GCTP, which HDF-EOS2 projects with.

use super::structure::Grid;

/// The value of an attribute of a grid mapping.
#[derive(Debug, Clone, PartialEq)]
pub enum MappingValue {
    /// A word.
    Text(&'static str),
    /// Metres, degrees, or a factor.
    Number(f64),
}

/// Semi-major and semi-minor axes of GCTP's spheroids, in metres, by their codes.
const SPHEROIDS: [(f64, f64); 20] = [
    (6378206.4, 6356583.8),
    (6378249.145, 6356514.86955),
    (6377397.155, 6356078.96284),
    (6378157.5, 6356772.2),
    (6378388.0, 6356911.94613),
    (6378135.0, 6356750.519915),
    (6377276.3452, 6356075.4133),
    (6378145.0, 6356759.769356),
    (6378137.0, 6356752.31414),
    (6377563.396, 6356256.91),
    (6377304.063, 6356103.039),
    (6377340.189, 6356034.448),
    (6378137.0, 6356752.314245),
    (6378155.0, 6356773.3205),
    (6378160.0, 6356774.719),
    (6378245.0, 6356863.0188),
    (6378270.0, 6356794.343479),
    (6378166.0, 6356784.283666),
    (6378150.0, 6356768.337303),
    (6370997.0, 6370997.0),
];
/// Degrees of longitude of a zone of UTM.
const ZONE_DEGREES: f64 = 6.0;

impl Grid {
    /// The attributes of a grid mapping of CF; `None` for a grid of degrees, and for projections that CF has no name for.
    pub fn grid_mapping(&self) -> Option<Vec<(&'static str, MappingValue)>> {
        let (name, mut numbers) = match &*self.projection {
            "GCTP_SNSOID" => ("sinusoidal", vec![("longitude_of_projection_origin", self.degrees(4))]),
            "GCTP_PS" => ("polar_stereographic", self.polar_stereographic()),
            "GCTP_CEA" => {
                let numbers = [("longitude_of_central_meridian", 4), ("standard_parallel", 5)];
                (
                    "lambert_cylindrical_equal_area",
                    numbers.map(|(name, at)| (name, self.degrees(at))).to_vec(),
                )
            }
            "GCTP_LAMAZ" => {
                let numbers = [("longitude_of_projection_origin", 4), ("latitude_of_projection_origin", 5)];
                ("lambert_azimuthal_equal_area", numbers.map(|(name, at)| (name, self.degrees(at))).to_vec())
            }
            "GCTP_UTM" => ("transverse_mercator", self.transverse_mercator()),
            _ => return None,
        };
        if self.projection != "GCTP_UTM" {
            numbers.extend([("false_easting", self.parameter(6)), ("false_northing", self.parameter(7))]);
        }
        match self.axes() {
            Some((major, minor)) if major == minor => numbers.push(("earth_radius", major)),
            Some((major, minor)) => numbers.extend([("semi_major_axis", major), ("semi_minor_axis", minor)]),
            None => {}
        }
        let numbers = numbers.into_iter().map(|(name, value)| (name, MappingValue::Number(value)));
        Some([("grid_mapping_name", MappingValue::Text(name))].into_iter().chain(numbers).collect())
    }

    fn polar_stereographic(&self) -> Vec<(&'static str, f64)> {
        let true_scale = self.degrees(5);
        vec![
            ("straight_vertical_longitude_from_pole", self.degrees(4)),
            ("latitude_of_projection_origin", 90f64.copysign(true_scale)),
            ("standard_parallel", true_scale),
        ]
    }

    fn transverse_mercator(&self) -> Vec<(&'static str, f64)> {
        let zone = self.zone.unwrap_or(0.0);
        let (meridian, is_south) = match zone == 0.0 {
            // A point of the zone, in place of its number.
            true => {
                let zone = ((self.degrees(0) + 180.0) / ZONE_DEGREES).floor();
                (zone * ZONE_DEGREES - 177.0, self.degrees(1) < 0.0)
            }
            false => (zone.abs() * ZONE_DEGREES - 183.0, zone < 0.0),
        };
        vec![
            ("longitude_of_central_meridian", meridian),
            ("latitude_of_projection_origin", 0.0),
            ("scale_factor_at_central_meridian", 0.9996),
            ("false_easting", 500_000.0),
            ("false_northing", if is_south { 10_000_000.0 } else { 0.0 }),
        ]
    }

    fn parameter(&self, at: usize) -> f64 {
        self.parameters.get(at).copied().unwrap_or(0.0)
    }

    /// An angle, of which GCTP packs minutes and seconds: DDDMMMSSS.SS. Some writers store degrees themselves.
    fn degrees(&self, at: usize) -> f64 {
        let angle = self.parameter(at);
        if angle.abs() <= 360.0 {
            return angle;
        }
        let (degrees, rest) = ((angle.abs() / 1e6).floor(), angle.abs() % 1e6);
        let (minutes, seconds) = ((rest / 1e3).floor(), rest % 1e3);
        (degrees + minutes / 60.0 + seconds / 3600.0).copysign(angle)
    }

    /// Semi-major and semi-minor axis, in metres: those of the spheroid with a code; without one, those of the parameters.
    fn axes(&self) -> Option<(f64, f64)> {
        if let Some(code) = self.sphere.filter(|code| *code >= 0.0) {
            return SPHEROIDS.get(code as usize).copied();
        }
        let (major, minor) = (self.parameter(0).abs(), self.parameter(1).abs());
        // A number below 1 is the square of the eccentricity.
        let minor = if minor > 1.0 { minor } else { major * (1.0 - minor).sqrt() };
        (major > 0.0).then_some((major, minor))
    }
}
