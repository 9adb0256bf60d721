//! Objects of stores, served by a local server that counts requests and simulates faults. It does not check signatures:
//! `s3_server.rs` is about those.

use hyperslab_io::{Cancel, Changed, Location, Opener, Source, fetch_all};
use hyperslab_remote::{Files, RemoteFile, RemoteOptions};
use hyperslab_testkit::{Fault, Link, RangeServer};
use std::io;

fn bytes(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// A URL of each kind of store, and the options with which its requests go to a local server.
const STORES: [(&str, &[(&str, &str)]); 4] = [
    ("s3://bucket/a b/k%20+#?.h5", &[("endpoint_url", "SERVER"), ("anon", "True"), ("region", "us-east-1")]),
    ("gs://bucket/a/k.h5", &[("endpoint_url", "SERVER"), ("token", "anon")]),
    (
        "az://container/a/k.h5",
        &[("endpoint_url", "SERVER/account"), ("account_name", "account"), ("anon", "True")],
    ),
    (
        "abfs://container@account.dfs.core.windows.net/k.h5",
        &[("endpoint_url", "SERVER/account"), ("anon", "True")],
    ),
];

fn options(server: &RangeServer, store: &[(&str, &str)]) -> RemoteOptions {
    let mut options = RemoteOptions::default();
    options.attempts = 3;
    options.first_bytes = 1 << 10;
    let address = server.url("");
    let address = address.trim_end_matches('/');
    let pairs = store.iter().map(|(name, value)| (name.to_string(), value.replace("SERVER", address)));
    options.store = pairs.collect();
    options
}

#[test]
fn objects_of_every_store_are_read_exactly() {
    let content = bytes(100_000);
    for (url, store) in STORES {
        let server = RangeServer::start(content.clone(), Link::default());
        let file = RemoteFile::open(url, options(&server, store)).unwrap();
        assert_eq!((file.len(), file.name()), (100_000, url.to_string()));
        let ranges: Vec<_> = (0..100).map(|i| 2000 + i * 900..2000 + i * 900 + i + 1).collect();
        for (range, found) in ranges.iter().zip(fetch_all(&file, &ranges, &Cancel::never()).unwrap()) {
            assert_eq!(found, content[range.start as usize..range.end as usize], "{url}");
        }
        let counts = server.counts();
        assert_eq!(counts.requests, 101, "{url}: one for the beginning, one for each range");
        assert_eq!(counts.ranges[0], 0..1024, "{url}");
    }
}

#[test]
fn faults_of_stores_are_survived_or_explained() {
    let content = bytes(100_000);
    for (url, store) in STORES {
        let server = RangeServer::start(content.clone(), Link::default());
        let file = RemoteFile::open(url, options(&server, store)).unwrap();
        let read = || fetch_all(&file, std::slice::from_ref(&(70_000..71_000)), &Cancel::never());
        for fault in [Fault::Status(503), Fault::Status(500), Fault::Truncated(10), Fault::Reset] {
            server.order([Some(fault)]);
            assert_eq!(read().unwrap()[0], content[70_000..71_000], "{url} {fault:?}");
        }
        for (fault, why) in [
            (Fault::Status(404), "the server responded with status 404"),
            (Fault::Status(403), "the server responded with status 403"),
            (Fault::WholeFile, "the server sent the whole file (100000 bytes) instead of a range"),
            (Fault::WrongRange, "70001"),
        ] {
            server.order([Some(fault)]);
            let error = read().unwrap_err().to_string();
            assert!(error.starts_with(&format!("GET {url} bytes 70000..71000: ")), "{error}");
            assert!(error.contains(why), "{url} {fault:?}: {error}");
        }
        server.replace(bytes(100_001));
        let error = read().unwrap_err();
        assert!(error.get_ref().is_some_and(|error| error.is::<Changed>()), "{url}: {error}");
    }
}

#[test]
fn a_missing_object_and_wrong_options_are_errors() {
    let server = RangeServer::start(bytes(10), Link::default());
    let (url, store) = STORES[0];
    server.order([Some(Fault::Status(404))]);
    let files = Files::new(options(&server, store));
    assert_eq!(files.open(&Location::from(url)).err().unwrap().kind(), io::ErrorKind::NotFound);
    assert!(files.is_file(&Location::from(url)));
    server.take_counts();
    assert_eq!(files.open(&Location::from(url)).unwrap().len(), 10);
    assert_eq!(server.counts().requests, 0, "it was opened to find out whether it exists");
    let error = files.open(&Location::from("s3://bucket")).err().unwrap();
    assert!(error.to_string().contains("s3://bucket/key"), "{error}");
    let error = files.list(&Location::from("https://host/folder/")).unwrap_err();
    assert!(error.to_string().contains("not on web servers"), "{error}");
    let error = files.open(&Location::from("ftp://host/f")).err().unwrap();
    assert!(error.to_string().contains("ftp:// are not supported"), "{error}");
}
