//! h5repack's spellings of layouts and filters, so that its command lines work.

use super::words::wrong;
use crate::Error;
use hyperslab_repack::{Change, LayoutRequest, PathPattern, Rule, Size};
use hyperslab_storage::FilterRequest;
use hyperslab_storage::filter::number::{DEFLATE, FLETCHER32, NBIT, SCALEOFFSET, SHUFFLE, SZIP};
use hyperslab_storage::filter::{ENTROPY_CODING, NEAREST_NEIGHBOUR};

/// The rules of `-l` and `-f`. Several `-f` for the same objects are one pipeline.
pub(super) fn rules(layouts: &[String], filters: &[String]) -> Result<Vec<Rule>, Error> {
    let mut rules = Vec::new();
    for text in layouts {
        let option = format!("-l {text}");
        let (objects, value) = split(text);
        let layout = layout(value).map_err(|why| wrong(&option, &why))?;
        for datasets in patterns(objects, &option)? {
            rules.push(Rule { option: option.clone(), datasets, change: Change::Layout(layout.clone()) });
        }
    }
    let mut pipelines: Vec<Rule> = Vec::new();
    for text in filters {
        let option = format!("-f {text}");
        let (objects, value) = split(text);
        let filter = filter(value).map_err(|why| wrong(&option, &why))?;
        for datasets in patterns(objects, &option)? {
            let known = pipelines.iter_mut().find(|rule| rule.datasets == datasets);
            match (known, &filter) {
                (Some(Rule { change: Change::Filters(filters), .. }), Some(filter)) => {
                    filters.push(filter.clone());
                }
                _ => {
                    let change = Change::Filters(filter.iter().cloned().collect());
                    pipelines.push(Rule { option: option.clone(), datasets, change });
                }
            }
        }
    }
    rules.append(&mut pipelines);
    Ok(rules)
}

fn split(text: &str) -> (Option<&str>, &str) {
    text.rsplit_once(':').map_or((None, text), |(objects, value)| (Some(objects), value))
}

/// `/a,b/c`: paths with or without the slash at the front.
fn patterns(objects: Option<&str>, option: &str) -> Result<Vec<PathPattern>, Error> {
    let Some(objects) = objects else { return Ok(vec![PathPattern::All]) };
    let pattern = |path: &str| {
        let path = path.trim();
        PathPattern::parse(&format!("/{}", path.trim_start_matches('/'))).map_err(|why| wrong(option, &why))
    };
    objects.split(',').map(pattern).collect()
}

fn layout(text: &str) -> Result<LayoutRequest, String> {
    match text.split_once('=') {
        Some(("CHUNK", shape)) => Size::parse_each(shape).map(LayoutRequest::Chunks),
        None if text == "CONTI" => Ok(LayoutRequest::Contiguous),
        None if text == "COMPA" => Ok(LayoutRequest::Compact),
        _ => Err("a layout is CHUNK=1x2, CONTI or COMPA".into()),
    }
}

/// A filter; `None` for `NONE`.
fn filter(text: &str) -> Result<Option<FilterRequest>, String> {
    let (name, given) = text.split_once('=').unwrap_or((text, ""));
    let words: Vec<&str> = given.split(',').filter(|word| !word.is_empty()).collect();
    let number = |at: usize| -> Result<u32, String> {
        let word = words.get(at).copied().unwrap_or_default();
        word.parse().map_err(|_| format!("{word:?} is not a number"))
    };
    let request = |id: u16, parameters: Vec<u32>| Ok(Some(FilterRequest { id, parameters }));
    match name {
        "NONE" => Ok(None),
        "GZIP" => match number(0)? {
            level @ 0..=9 => request(DEFLATE, vec![level]),
            level => Err(format!("GZIP has levels from 0 to 9, not {level}")),
        },
        "SHUF" => request(SHUFFLE, Vec::new()),
        "FLET" => request(FLETCHER32, Vec::new()),
        "SZIP" => match words.get(1) {
            Some(&"NN") => request(SZIP, vec![NEAREST_NEIGHBOUR, number(0)?]),
            Some(&"EC") => request(SZIP, vec![ENTROPY_CODING, number(0)?]),
            _ => Err("SZIP takes the pixels of a block and NN or EC, such as SZIP=8,NN".into()),
        },
        "NBIT" => request(NBIT, Vec::new()),
        "SOFF" => match words.get(1) {
            Some(&"IN") => request(SCALEOFFSET, vec![2, number(0)?]),
            Some(&"DS") => request(SCALEOFFSET, vec![0, number(0)?]),
            _ => Err("SOFF takes a factor and IN or DS, such as SOFF=2,DS".into()),
        },
        "UD" => {
            // Identifier, flag, number of values, values.
            let (id, count) = (number(0)?, number(2)? as usize);
            let id = u16::try_from(id).map_err(|_| format!("{id} is not the number of a filter"))?;
            if words.len() != 3 + count {
                return Err(format!(
                    "{count} values are announced, and {} given",
                    words.len().saturating_sub(3)
                ));
            }
            request(id, (3..words.len()).map(number).collect::<Result<_, _>>()?)
        }
        _ => Err("a filter is GZIP, SHUF, FLET, SZIP, NBIT, SOFF, UD or NONE".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(items: &[&str]) -> Vec<String> {
        items.iter().map(|&item| item.into()).collect()
    }

    #[test]
    fn several_filters_are_a_pipeline() {
        let rules = rules(&[], &texts(&["SHUF", "/a,b:SZIP=8,NN", "GZIP=4", "a:UD=32015,0,1,3"])).unwrap();
        let found: Vec<(Option<bool>, Vec<u16>)> = rules
            .iter()
            .map(|rule| {
                let Change::Filters(filters) = &rule.change else { panic!("filters") };
                let is_all = (rule.datasets == PathPattern::All).then_some(true);
                (is_all, filters.iter().map(|filter| filter.id).collect())
            })
            .collect();
        assert_eq!(found, [(Some(true), vec![2, 1]), (None, vec![4, 32015]), (None, vec![4])]);
        assert!(rules[1].datasets.matches("/a") && !rules[1].datasets.matches("/g/a"));
    }

    #[test]
    fn what_h5repack_does_not_know_is_refused() {
        for text in ["GZIP", "GZIP=10", "SZIP=8", "UD=1,0,2,5", "LZ4=1", "SOFF=2"] {
            assert!(rules(&[], &texts(&[text])).is_err(), "{text}");
        }
        for text in ["CHUNK", "CHUNK=0", "COMPACT"] {
            assert!(rules(&texts(&[text]), &[]).is_err(), "{text}");
        }
    }
}
