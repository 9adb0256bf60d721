//! Filters and datatypes in words.

use hyperslab_format::message::Filter;

/// A filter with the parameters that people know it by: `gzip 4`, `shuffle`.
pub fn filter(filter: &Filter) -> String {
    let parameters = &filter.parameters;
    match filter.id {
        1 => format!("gzip {}", parameters.first().copied().unwrap_or(6)),
        2 => "shuffle".into(),
        3 => "fletcher32".into(),
        4 => format!("szip {:?}", parameters),
        5 => "nbit".into(),
        6 => "scaleoffset".into(),
        32000 => "lzf".into(),
        id => {
            let known =
                hyperslab_filters::table().iter().find(|entry| entry.id == id).map(|entry| entry.name);
            let given = filter.name.as_ref().map(|name| name.to_string());
            let name = known.map(str::to_string).or(given).unwrap_or_else(|| format!("filter {id}"));
            if parameters.is_empty() { name } else { format!("{name} {parameters:?}") }
        }
    }
}
