//! Grids, swaths and points: names, dimensions, fields and, of grids, where they lie on Earth.

use super::odl::{Node, parse};
use std::collections::BTreeMap;

/// A structure of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Structure {
    /// A regular grid of a projection.
    Grid(Grid),
    /// Rows along the track of an instrument.
    Swath(Swath),
}

/// A grid.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    /// Its name.
    pub name: String,
    /// Pixels along x and y.
    pub size: [u64; 2],
    /// x and y of the outer corner at the upper left: metres, or packed degrees.
    pub upper_left: Option<[f64; 2]>,
    /// The same at the lower right.
    pub lower_right: Option<[f64; 2]>,
    /// The projection: `GCTP_GEO`, `GCTP_SNSOID`, ...
    pub projection: String,
    /// The parameters of the projection.
    pub parameters: Vec<f64>,
    /// The code of the sphere.
    pub sphere: Option<f64>,
    /// The zone of UTM.
    pub zone: Option<f64>,
    /// Which corner the first pixel is at: `HDFE_GD_UL` and others.
    pub origin: String,
    /// Whether coordinates are those of centres or of corners.
    pub pixel_registration: String,
    /// The dimensions of each field, slowest first.
    pub fields: BTreeMap<String, Vec<String>>,
    /// The fields of each data set that several share, one after the other along its first axis.
    pub merged: BTreeMap<String, Vec<String>>,
}

/// A swath.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Swath {
    /// Its name.
    pub name: String,
    /// How dimensions of geolocation belong to those of data.
    pub maps: Vec<DimensionMap>,
    /// The dimensions of each field, slowest first.
    pub fields: BTreeMap<String, Vec<String>>,
    /// The fields of each data set that several share, one after the other along its first axis.
    pub merged: BTreeMap<String, Vec<String>>,
}

/// The index along a dimension of data is `offset + increment × index` along one of geolocation.
#[derive(Debug, Clone, PartialEq)]
pub struct DimensionMap {
    /// The dimension of geolocation.
    pub geolocation: String,
    /// The dimension of data.
    pub data: String,
    /// The index of data of the first geolocation.
    pub offset: i64,
    /// The steps of data from one geolocation to the next.
    pub increment: i64,
}

/// The structures that a text describes.
pub fn structures(text: &str) -> Vec<Structure> {
    let root = parse(text);
    let of = |name: &str| root.find(name).map(|node| node.children.clone()).unwrap_or_default();
    let grids = of("GridStructure").into_iter().map(|node| Structure::Grid(grid(&node)));
    let swaths = of("SwathStructure").into_iter().map(|node| Structure::Swath(swath(&node)));
    grids.chain(swaths).collect()
}

fn grid(node: &Node) -> Grid {
    let pair = |name: &str| <[f64; 2]>::try_from(node.numbers(name)).ok();
    let size = |name: &str| node.number(name).map_or(0, |size| size as u64);
    let text = |name: &str| node.text(name).unwrap_or_default().to_string();
    Grid {
        name: text("GridName"),
        size: [size("XDim"), size("YDim")],
        upper_left: pair("UpperLeftPointMtrs"),
        lower_right: pair("LowerRightMtrs"),
        projection: text("Projection"),
        parameters: node.numbers("ProjParams"),
        sphere: node.number("SphereCode"),
        zone: node.number("ZoneCode"),
        origin: text("GridOrigin"),
        pixel_registration: text("PixelRegistration"),
        fields: fields(node, &[("DataField", "DataFieldName")]),
        merged: merged(node),
    }
}

fn swath(node: &Node) -> Swath {
    let map = |node: &Node| {
        Some(DimensionMap {
            geolocation: node.text("GeoDimension")?.to_string(),
            data: node.text("DataDimension")?.to_string(),
            offset: node.number("Offset")? as i64,
            increment: node.number("Increment")? as i64,
        })
    };
    let maps = node.find("DimensionMap").map(|maps| maps.children.iter().filter_map(map).collect());
    Swath {
        name: node.text("SwathName").unwrap_or_default().to_string(),
        maps: maps.unwrap_or_default(),
        fields: fields(node, &[("GeoField", "GeoFieldName"), ("DataField", "DataFieldName")]),
        merged: merged(node),
    }
}

fn fields(node: &Node, kinds: &[(&str, &str)]) -> BTreeMap<String, Vec<String>> {
    let mut fields = BTreeMap::new();
    for (group, name) in kinds {
        for field in node.find(group).map(|group| &group.children[..]).unwrap_or_default() {
            if let Some(name) = field.text(name) {
                fields.insert(name.to_string(), field.texts("DimList"));
            }
        }
    }
    fields
}

fn merged(node: &Node) -> BTreeMap<String, Vec<String>> {
    let all = node.find("MergedFields").map(|group| &group.children[..]).unwrap_or_default();
    let named =
        all.iter().filter_map(|one| Some((one.text("MergedFieldName")?.to_string(), one.texts("FieldList"))));
    named.collect()
}

impl Structure {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Structure::Grid(grid) => &grid.name,
            Structure::Swath(swath) => &swath.name,
        }
    }

    /// The dimensions of a field.
    pub fn dimensions_of(&self, field: &str) -> Option<&[String]> {
        let fields = match self {
            Structure::Grid(grid) => &grid.fields,
            Structure::Swath(swath) => &swath.fields,
        };
        fields.get(field).map(Vec::as_slice)
    }

    /// The fields that share a data set of this name, in their order along its first axis.
    pub fn merged(&self, data_set: &str) -> Option<&[String]> {
        let merged = match self {
            Structure::Grid(grid) => &grid.merged,
            Structure::Swath(swath) => &swath.merged,
        };
        merged.get(data_set).map(Vec::as_slice)
    }
}

impl Grid {
    /// True for a grid of degrees.
    pub fn is_geographic(&self) -> bool {
        self.projection == "GCTP_GEO"
    }

    /// The coordinates along x and y of pixels, as HDF-EOS2 tells them (`GDij2ll`): of their centres, or of the corner that is the
    /// origin; in degrees for a geographic grid, else in metres. `None` for a grid that does not say where it lies, or, as those of
    /// blended cylindrical equal-area projections, says it in other units.
    pub fn coordinates(&self) -> Option<[Vec<f64>; 2]> {
        let (mut from, mut to) = (self.upper_left?, self.lower_right?);
        if self.is_geographic() {
            [&mut from, &mut to].into_iter().flatten().for_each(|angle| *angle = degrees(*angle));
        }
        let along = |axis: usize| {
            let count = self.size[axis];
            let is_far = match axis {
                0 => self.origin.ends_with('R'),
                _ => self.origin.ends_with("LL") || self.origin.ends_with("LR"),
            };
            let shift = match (self.pixel_registration == "HDFE_CORNER", is_far) {
                (false, _) => 0.5,
                (true, false) => 0.0,
                (true, true) => 1.0,
            };
            let step = (to[axis] - from[axis]) / count.max(1) as f64;
            (0..count).map(|index| from[axis] + (index as f64 + shift) * step).collect()
        };
        // More pixels than any element can hold are no grid.
        let is_possible = self.size.iter().all(|size| *size > 0 && *size <= 1 << 24);
        (is_possible && self.projection != "GCTP_BCEA").then(|| [along(0), along(1)])
    }
}

/// Packed degrees, minutes and seconds (DDDMMMSSS.SS) as degrees.
fn degrees(packed: f64) -> f64 {
    // Some writers store degrees themselves.
    if packed.abs() <= 360.0 {
        return packed;
    }
    let absolute = packed.abs();
    let degrees = (absolute / 1e6).trunc();
    let minutes = ((absolute - degrees * 1e6) / 1e3).trunc();
    let seconds = absolute - degrees * 1e6 - minutes * 1e3;
    packed.signum() * (degrees + minutes / 60.0 + seconds / 3600.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
GROUP=SwathStructure
  GROUP=SWATH_1
    SwathName="s"
    GROUP=DimensionMap
      OBJECT=DimensionMap_1
        GeoDimension="g"
        DataDimension="d"
        Offset=2
        Increment=5
      END_OBJECT=DimensionMap_1
    END_GROUP=DimensionMap
    GROUP=GeoField
      OBJECT=GeoField_1
        GeoFieldName="Latitude"
        DimList=("g","x")
      END_OBJECT=GeoField_1
    END_GROUP=GeoField
  END_GROUP=SWATH_1
END_GROUP=SwathStructure
GROUP=GridStructure
  GROUP=GRID_1
    GridName="g"
    XDim=4
    YDim=2
    UpperLeftPointMtrs=(-180000000.000000,90000000.000000)
    LowerRightMtrs=(180000000.000000,-90000000.000000)
    Projection=GCTP_GEO
  END_GROUP=GRID_1
END_GROUP=GridStructure
"#;

    #[test]
    fn grids_and_swaths_are_found() {
        let found = structures(TEXT);
        let [Structure::Grid(grid), Structure::Swath(swath)] = &found[..] else { panic!("{found:?}") };
        let [x, y] = grid.coordinates().unwrap();
        assert_eq!((x, y), (vec![-135.0, -45.0, 45.0, 135.0], vec![45.0, -45.0]));
        let with = |origin: &str, registration: &str, projection: &str| {
            let [origin, pixel_registration, projection] =
                [origin, registration, projection].map(str::to_owned);
            Grid { origin, pixel_registration, projection, ..grid.clone() }.coordinates()
        };
        // The corner is that of each pixel; the order of the pixels is always the same.
        let [x, y] = with("HDFE_GD_LR", "HDFE_CORNER", "GCTP_GEO").unwrap();
        assert_eq!((x, y), (vec![-90.0, 0.0, 90.0, 180.0], vec![0.0, -90.0]));
        let [x, y] = with("HDFE_GD_UL", "HDFE_CORNER", "GCTP_GEO").unwrap();
        assert_eq!((x, y), (vec![-180.0, -90.0, 0.0, 90.0], vec![90.0, 0.0]));
        assert_eq!(with("HDFE_GD_LR", "HDFE_CENTER", "GCTP_GEO"), grid.coordinates());
        assert_eq!(with("HDFE_GD_UL", "HDFE_CENTER", "GCTP_BCEA"), None);
        assert_eq!((swath.maps[0].offset, swath.maps[0].increment), (2, 5));
        assert_eq!(found[1].dimensions_of("Latitude").unwrap(), ["g", "x"]);
        assert_eq!(degrees(-4_030_000.0), -4.5);
    }
}
