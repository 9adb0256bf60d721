//! The client data that is computed for a dataset is that which libhdf5 and the plug-ins stored for it.

use hyperslab::filters::filter_element;
use hyperslab::{Dataset, File, Group, LinkTarget, Object};
use hyperslab_filters::{Target, asked, client_data};
use hyperslab_format::message::fill_value::Fill;
use hyperslab_testkit::files::{fixtures, hdf5_files};
use hyperslab_testkit::require;
use std::collections::BTreeMap;

const FILE_BYTES_MAX: u64 = 4 << 20;

/// The filters whose client data follows from the dataset and from what was asked for.
const COMPUTED: [u16; 9] = [2, 4, 5, 6, 32000, 32001, 32008, 32013, 32026];

/// The datasets below a group, except those of files that cannot be read.
fn datasets(group: &Group, depth: usize, found: &mut Vec<Dataset>) {
    let Ok(links) = group.links() else { return };
    for link in links.into_iter().flatten() {
        match &link.target {
            LinkTarget::Hard(_) => {}
            _ => continue,
        }
        match group.open(&link) {
            Ok(Object::Dataset(dataset)) => found.push(dataset),
            Ok(Object::Group(group)) if depth > 0 => datasets(&group, depth - 1, found),
            _ => {}
        }
    }
}

#[test]
fn computed_client_data_is_that_of_libhdf5() {
    let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
    for path in hdf5_files(&require!(fixtures()), FILE_BYTES_MAX) {
        let Ok(root) = File::open(&path).and_then(|file| file.root()) else { continue };
        let mut found = Vec::new();
        datasets(&root, 4, &mut found);
        for dataset in found {
            let Some(chunk) = dataset.chunk_shape() else { continue };
            let element = filter_element(dataset.datatype());
            let zeros = vec![0; element.size as usize];
            let fill = match &dataset.fill_value().value {
                Fill::Undefined => None,
                Fill::Default => Some(&zeros[..]),
                Fill::User(value) => Some(&value[..]),
            };
            let target = Target { element: &element, chunk, fill };
            for filter in dataset.filters() {
                // The plug-in of zfp codes big-endian values as if they were little-endian, which is refused here.
                let is_refused = filter.id == 32013 && dataset.path().contains(">f4");
                if !COMPUTED.contains(&filter.id) || is_refused {
                    continue;
                }
                let computed = client_data(filter.id, &asked(filter.id, &filter.parameters), &target);
                let place = format!("{} {} filter {}", path.display(), dataset.path(), filter.id);
                assert_eq!(computed.as_deref(), Ok(&filter.parameters[..]), "{place}");
                *counts.entry(filter.id).or_default() += 1;
            }
        }
    }
    println!("{counts:?}");
    for id in COMPUTED {
        assert!(counts.get(&id).is_some_and(|&count| count > 3), "filter {id}: {counts:?}");
    }
}
