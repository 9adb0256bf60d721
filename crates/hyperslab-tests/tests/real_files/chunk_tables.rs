//! Groups, attributes and chunk indexes of real files, compared with the results of libhdf5.

use crate::whole_file::{Compared, compare_file, oracle::oracle};
use hyperslab_format::Bytes;
use hyperslab_testkit::files::corpus;
use hyperslab_testkit::require;

#[test]
fn groups_attributes_and_chunks_are_those_of_the_library() {
    let root = require!(corpus());
    let oracle = oracle(&root);
    let manifest = std::fs::read_to_string(root.join("MANIFEST.tsv")).unwrap();
    let (mut all, mut total) = (Vec::new(), Compared::default());
    for line in manifest.lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        if columns[5] != "hdf5" || !oracle.contains_key(&(columns[0].to_owned(), "/".to_owned())) {
            continue;
        }
        let malformed = columns[6].contains("MALFORMED");
        let bytes = Bytes::from(std::fs::read(root.join(columns[0])).unwrap());
        match compare_file(columns[0].to_owned(), bytes, &oracle) {
            Ok((differences, compared)) => {
                // The first member of a file of several members refers to addresses in the others.
                if !malformed && !columns[0].contains("family") {
                    all.extend(differences.into_iter().map(|difference| difference.text));
                    let reached = |path: &String| compared.paths.contains(path);
                    let known = oracle.keys().filter(|(file, _)| file == columns[0]);
                    let missed = known.filter(|(_, path)| !reached(path));
                    all.extend(missed.map(|(file, path)| format!("{file} {path} was not reached")));
                }
                total.groups += compared.groups;
                total.attributes += compared.attributes;
                for (kind, count) in compared.tables {
                    *total.tables.entry(kind).or_default() += count;
                }
            }
            Err(error) if !malformed => all.push(format!("{}: {error}", columns[0])),
            Err(_) => {}
        }
    }
    eprintln!("{total:?}");
    assert!(all.is_empty(), "{} differences:\n{}", all.len(), all.join("\n"));
    assert_eq!(total.tables.len(), 6, "there are chunk indexes of all kinds");
}
