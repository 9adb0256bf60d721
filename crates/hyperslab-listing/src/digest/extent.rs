//! An extent as JSON.

use crate::json::{Json, Object};
use hyperslab::Dataspace;

/// The description of an extent.
pub fn describe(extent: &Dataspace) -> Json {
    let members = match extent {
        Dataspace::Null => Object::from([("kind", "null".into())]),
        Dataspace::Scalar => Object::from([("kind", "scalar".into())]),
        Dataspace::Simple { dims, max_dims } => Object::from([
            ("kind", "simple".into()),
            ("dims", Json::list(dims.iter().copied())),
            ("max", Json::list(max_dims.iter().copied())),
        ]),
    };
    members.into()
}
