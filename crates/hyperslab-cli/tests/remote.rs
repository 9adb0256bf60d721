//! Commands on URLs: what they print equals what they print of the local file, and the server counts their requests.

#[path = "remote/forecast.rs"]
mod forecast;

use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{Counts, Fault, Link, RangeServer, require};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

const NAME: &str = "granule.h5";

/// Runs the command in a process of its own, because requests are counted for a whole process.
fn hyperslab(arguments: &[&str], file: &str) -> Output {
    let arguments = arguments.iter().map(|argument| argument.replace("{}", file));
    Command::new(env!("CARGO_BIN_EXE_hyperslab")).args(arguments).output().expect("the command runs")
}

fn serve(path: &Path, milliseconds: u64) -> RangeServer {
    let link = Link { latency: Duration::from_millis(milliseconds), bytes_per_second: None };
    RangeServer::start(std::fs::read(path).expect("the file can be read"), link)
}

/// The output for a served file, after it was compared with the output for the local file, and the counts of its
/// requests.
fn compared(arguments: &[&str], path: &Path, expected_code: i32) -> (String, Counts) {
    let server = serve(path, 0);
    let url = server.url(NAME);
    let (remote, local) = (hyperslab(arguments, &url), hyperslab(arguments, path.to_str().unwrap()));
    let text = |bytes: &[u8], name: &str| String::from_utf8_lossy(bytes).replace(name, "FILE");
    let local_name = path.to_str().unwrap();
    // The size of its metadata is not looked up for one group of a remote file.
    let shown = text(&local.stdout, local_name);
    let shown = match (shown.find("\"metadata_bytes\":"), arguments.contains(&"--json")) {
        (Some(at), true) => {
            let end = at + shown[at..].find(',').expect("another member");
            format!("{}\"metadata_bytes\":null{}", &shown[..at], &shown[end..])
        }
        _ => shown,
    };
    assert_eq!(text(&remote.stdout, &url), shown, "{arguments:?}");
    assert_eq!(text(&remote.stderr, &url), text(&local.stderr, local_name), "{arguments:?}");
    assert_eq!(remote.status.code(), Some(expected_code));
    (text(&remote.stdout, &url), server.counts())
}

/// The lines of a trace.
fn trace(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the trace was written");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn rounds(lines: &[Value]) -> u64 {
    let rounds = lines.iter().map(|line| line["round"].as_u64().expect("a round"));
    rounds.max().unwrap_or(0)
}

#[test]
fn every_command_prints_of_a_url_what_it_prints_of_the_file() {
    let path = require!(fixture("granule/granule.h5"));
    let dataset = "/gt1l/heights/h_ph";
    for arguments in [
        &["ls", "-r", "-v", "{}"][..],
        &["ls", "--json", "{}", "/gt1l"],
        &["ls", "--bytes", "{}"],
        &["ls", "--netcdf", "{}"],
        &["chunks", "{}", dataset],
        &["chunks", "--json", "{}", dataset],
        &["check", "{}"],
    ] {
        compared(arguments, &path, 0);
    }
    let small = require!(fixture("filters/v200.h5"));
    compared(&["digest", "{}"], &small, 0);
    compared(&["check", "--data", "{}"], &small, 0);
}

#[test]
fn all_chunks_of_scattered_datasets_are_located_in_few_rounds() {
    let path = require!(fixture("granule/granule.h5"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.jsonl");
    let (listing, _) = compared(&["chunks", "--csv", "{}"], &path, 0);
    assert_eq!(listing.lines().count(), 1 + 12_708, "a header and the chunks");
    // The bandwidth decides which gaps are fetched in vain: without a bound, a busy machine would seem to have latency
    // for hundreds of kilobytes.
    let link = Link { latency: Duration::from_millis(5), bytes_per_second: Some(20_000_000) };
    let server = RangeServer::start(std::fs::read(&path).expect("the file can be read"), link);
    let output =
        hyperslab(&["chunks", "--csv", "{}", "--request-log", file.to_str().unwrap()], &server.url(NAME));
    assert_eq!(output.status.code(), Some(0));
    let (lines, counts) = (trace(&file), server.counts());
    assert_eq!(lines.len() as u64, counts.requests, "one line for each request");
    // The largest index has 450 chunks: 2 levels. Groups are 2 deep, each with a B-tree and symbol table nodes.
    assert!(rounds(&lines) <= 2 + 6, "{} rounds", rounds(&lines));
    let traced: u64 = lines.iter().map(|line| line["bytes"].as_u64().unwrap()).sum();
    assert_eq!(traced, counts.bytes);
    // Its metadata has 0.86 MB.
    assert!(counts.bytes < 4 << 20, "{} bytes", counts.bytes);
    let summary = String::from_utf8(output.stderr).unwrap();
    assert!(summary.contains(&format!("{} requests (0 retries)", counts.requests)), "{summary}");
}

#[test]
fn of_a_paged_file_pages_of_metadata_are_fetched() {
    let path = require!(fixture("granule/granule_paged.h5"));
    let (_, counts) = compared(&["chunks", "--csv", "{}"], &path, 0);
    let beyond_first = counts.ranges.iter().skip(1);
    for range in beyond_first {
        let is_page = |at: u64| at.is_multiple_of(64 << 10) || at == counts.ranges[0].end;
        assert!(is_page(range.start), "{range:?}");
    }
    assert!(counts.bytes < 4 << 20, "{} bytes", counts.bytes);
}

#[test]
fn explain_predicts_the_requests_for_data() {
    let path = require!(fixture("granule/granule.h5"));
    let server = serve(&path, 0);
    let url = server.url(NAME);
    let explained = hyperslab(&["explain", "--json", "{}", "/gt2r/heights/h_ph", "::9000"], &url);
    let explained: Value = serde_json::from_slice(&explained.stdout).unwrap();
    let of = |request: &Value| request["start"].as_u64().unwrap()..request["end"].as_u64().unwrap();
    let predicted: Vec<_> = explained["requests"].as_array().unwrap().iter().map(of).collect();
    assert!(predicted.len() > 2 && explained["requests_made"] == predicted.len());
    let options = hyperslab_remote::RemoteOptions::default();
    let files = std::sync::Arc::new(hyperslab_remote::Files::new(options));
    let file = hyperslab::File::open_with(files, url).unwrap();
    let dataset = file.dataset("/gt2r/heights/h_ph").unwrap();
    dataset.chunk_map().unwrap();
    server.take_counts();
    let selection = hyperslab::Selection::parse("::9000", dataset.shape()).unwrap();
    let values: Vec<f64> = dataset.read(&selection).unwrap();
    let local = hyperslab::File::open(&path).unwrap().dataset("/gt2r/heights/h_ph").unwrap();
    assert_eq!(values, local.read::<f64>(&selection).unwrap());
    let mut made = server.take_counts().ranges;
    made.sort_by_key(|range| range.start);
    // Those within the first response take no request.
    let first = 256 << 10;
    let predicted: Vec<_> = predicted.into_iter().filter(|range| range.end > first).collect();
    assert_eq!(made, predicted);
}

#[test]
fn limits_end_a_command_before_the_request() {
    let path = require!(fixture("granule/granule.h5"));
    let server = serve(&path, 0);
    for (arguments, why) in [
        (["ls", "{}", "-r", "--max-requests", "3"], "3 requests were made, as many as allowed"),
        (["ls", "{}", "-r", "--max-transfer", "1KiB"], "1024 bytes were fetched"),
    ] {
        server.take_counts();
        let output = hyperslab(&arguments, &server.url(NAME));
        let error =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(why), "{error}");
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(server.counts().requests <= 3);
    }
}

#[test]
fn errors_of_servers_are_explained_without_secrets() {
    let cases: [(&[Option<Fault>], i32, &str); 3] = [
        (&[Some(Fault::Status(404)); 6], 2, "no such file"),
        (&[Some(Fault::Status(403)); 6], 1, "status 403"),
        (&[], 2, "not an HDF5 file"),
    ];
    for (faults, code, why) in cases {
        let server = RangeServer::start(vec![0; 100], Link::default());
        server.order(faults.iter().copied());
        let url = server.url("f.h5?X-Amz-Signature=secret");
        let output = hyperslab(&["ls", "{}"], &url.replace("http://", "http://user:password@"));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(why) && error.contains(&server.url("f.h5")), "{error}");
        assert!(!error.contains("secret") && !error.contains("password"), "{error}");
        assert_eq!(output.status.code(), Some(code), "{error}");
    }
    let unknown = hyperslab(&["ls", "ftp://host/f.h5"], "");
    let error = String::from_utf8(unknown.stderr).unwrap();
    assert!(error.contains("URLs of the scheme ftp:// are not supported"), "{error}");
}

/// Opens a served file with the library, and the counts of its requests, one after the other, begin.
fn open(path: &Path) -> (RangeServer, hyperslab::File) {
    let server = serve(path, 0);
    let files = std::sync::Arc::new(hyperslab_remote::Files::new(hyperslab_remote::RemoteOptions::default()));
    let file = hyperslab::File::open_with(files, server.url(NAME)).unwrap();
    (server, file)
}

#[test]
fn one_chunk_of_a_million_is_read_without_listing_the_others() {
    // The levels of each index: nodes of a B-tree; header, index block, super block, data block, page of an array.
    let indexes = [
        ("earliest", "btree_v1", 4),
        ("latest", "fixed_array", 2),
        ("latest", "extensible_array", 4),
        ("latest", "btree_v2", 5),
    ];
    for (file, dataset, levels) in indexes {
        let path = require!(fixture(&format!("many_chunks/{file}.h5")));
        let (server, file) = open(&path);
        let found = file.dataset(dataset).unwrap();
        let selection = hyperslab::Selection::parse("1001, 777", found.shape()).unwrap();
        let local = hyperslab::File::open(&path).unwrap().dataset(dataset).unwrap();
        assert_eq!(found.read::<i32>(&selection).unwrap(), local.read::<i32>(&selection).unwrap());
        let counts = server.counts();
        assert!(counts.requests <= levels + 4, "{dataset}: {} requests", counts.requests);
        assert!(counts.bytes < 1 << 20, "{dataset}: {} bytes", counts.bytes);
    }
}

#[test]
fn one_of_many_datasets_is_opened_without_listing_the_others() {
    // The levels of each group: nodes of the B-tree and of symbol tables; nodes of the B-tree and blocks of the heap.
    for (file, levels) in [("flat_earliest", 3), ("flat_latest", 6)] {
        let path = require!(fixture(&format!("many_datasets/{file}.h5")));
        let (server, file) = open(&path);
        let found = file.dataset("dataset 12345").unwrap();
        assert_eq!(
            found.read::<i32>(&hyperslab::Selection::parse("", found.shape()).unwrap()).unwrap(),
            [12345]
        );
        let counts = server.counts();
        assert!(counts.requests <= levels + 4, "{path:?}: {} requests", counts.requests);
        assert!(counts.bytes < 1 << 20, "{path:?}: {} bytes", counts.bytes);
    }
}

#[test]
fn a_file_with_metadata_in_its_first_page_takes_two_requests() {
    let path = require!(fixture("granule/granule_4mib_pages.h5"));
    let (listing, counts) = compared(&["chunks", "--csv", "{}"], &path, 0);
    assert_eq!(listing.lines().count(), 1 + 12_708, "a header and the chunks");
    assert!(counts.requests <= 2, "{} requests: {:?}", counts.requests, counts.ranges);
}

#[test]
fn a_file_with_metadata_in_its_first_page_of_8_mib_takes_two_requests() {
    let path = require!(fixture("granule/granule.h5"));
    let folder = tempfile::tempdir().unwrap();
    let paged = folder.path().join("paged.h5");
    let paged_name = paged.to_str().unwrap();
    let repacked = hyperslab(&["repack", "--page-size", "8MiB", "{}", paged_name], path.to_str().unwrap());
    assert_eq!(repacked.status.code(), Some(0), "{}", String::from_utf8_lossy(&repacked.stderr));
    let (listing, counts) = compared(&["chunks", "--csv", "{}"], &paged, 0);
    assert_eq!(listing.lines().count(), 1 + 12_708, "a header and the chunks");
    assert!(counts.requests <= 2, "{} requests: {:?}", counts.requests, counts.ranges);
    assert!(counts.bytes <= (8 << 20) + (256 << 10), "{} bytes", counts.bytes);
}

/// The rounds, requests and bytes of a command on a served file whose requests take 5 ms, after its output was compared.
fn traced(arguments: &[&str], path: &Path) -> (String, u64, Counts) {
    let (output, _) = compared(arguments, path, 0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.jsonl");
    let server = serve(path, 5);
    let arguments = [arguments, &["--request-log", file.to_str().unwrap()]].concat();
    assert_eq!(hyperslab(&arguments, &server.url(NAME)).status.code(), Some(0));
    (output, rounds(&trace(&file)), server.counts())
}

#[test]
fn the_chunks_of_912_datasets_are_located_in_few_rounds() {
    let path = require!(fixture("granule/many_datasets.h5"));
    let (listing, rounds, counts) = traced(&["chunks", "--csv", "{}"], &path);
    assert_eq!(listing.lines().count(), 1 + 24 * 30 + 888 * 2, "a header and the chunks");
    // The indexes have 1 level. Groups are 2 deep, each with a B-tree and symbol table nodes.
    assert!(rounds <= 1 + 6, "{rounds} rounds");
    // Its metadata has 2.9 MB.
    assert!(counts.bytes < 5_000_000, "{} bytes", counts.bytes);
    assert!(counts.requests < 912, "{} requests", counts.requests);
}

#[test]
fn a_check_locates_metadata_in_few_rounds() {
    // One more round reads the bytes that are unaccounted for, of which the second file has many. What only a check looks at
    // is read in blocks, of which there are more if the connection is slow: then fewer structures share a request.
    for (file, levels) in [("granule", 2), ("many_datasets", 1), ("appended", 2)] {
        let path = require!(fixture(&format!("granule/{file}.h5")));
        let (_, rounds, counts) = traced(&["check", "{}"], &path);
        assert!(rounds <= levels + 6 + 1 + 8, "{file}: {rounds} rounds");
        assert!(counts.bytes < path.metadata().unwrap().len(), "{file}: {} bytes", counts.bytes);
    }
}

#[test]
fn a_dataset_of_3000_chunks_with_a_scattered_index_is_read_in_few_requests() {
    let path = require!(fixture("granule/appended.h5"));
    let (server, file) = open(&path);
    let found = file.dataset("uas").unwrap();
    let index = found.chunk_map().unwrap();
    assert_eq!(index.len(), 3000);
    let located = server.take_counts();
    // The B-tree has 2 levels; the superblock, the group and the object header come with the first request.
    assert!(located.requests <= 60, "{} requests: {:?}", located.requests, located.ranges);
    assert!(located.bytes < 2 << 20, "{} bytes", located.bytes);
    let selection = hyperslab::Selection::parse("", found.shape()).unwrap();
    let predicted = found.explain(&selection).unwrap().requests_made;
    let local = hyperslab::File::open(&path).unwrap().dataset("uas").unwrap();
    assert_eq!(found.read::<f32>(&selection).unwrap(), local.read::<f32>(&selection).unwrap());
    let read = server.take_counts();
    assert!(read.requests <= predicted && predicted <= 8, "{} of {predicted} requests", read.requests);
    assert!(read.bytes < path.metadata().unwrap().len(), "{} bytes", read.bytes);
    let (_, rounds, _) = traced(&["digest", "--bare", "{}"], &path);
    assert!(rounds <= 2 + 4 + 2, "{rounds} rounds");
}

#[test]
fn a_small_budget_for_metadata_changes_requests_and_not_the_output() {
    let path = require!(fixture("granule/granule.h5"));
    let server = serve(&path, 0);
    let listed = |budget: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hyperslab"));
        command.args(["ls", "-r", "-v", &server.url(NAME)]).env("HYPERSLAB_METADATA_CACHE", budget);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        (output.stdout, server.take_counts().requests)
    };
    let (all, few) = listed("1GiB");
    let (same, many) = listed("64KiB");
    assert_eq!(same, all);
    assert!(many > 2 * few, "{many} requests, {few} with all metadata in memory");
}

#[test]
fn a_second_process_with_a_disk_cache_makes_one_conditional_request() {
    let path = require!(fixture("granule/granule.h5"));
    let folder = tempfile::tempdir().unwrap();
    let server = serve(&path, 0);
    let read = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hyperslab"));
        let url = server.url(NAME) + "?X-Amz-Signature=secret";
        command.args(arguments.iter().map(|argument| argument.replace("{}", &url)));
        let output = command.env("HYPERSLAB_DISK_CACHE", folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        (output.stdout, server.take_counts())
    };
    // A digest reads metadata, and all values of a dataset.
    for arguments in
        [&["digest", "{}"][..], &["chunks", "--csv", "{}"], &["doctor", "--json", "{}", "/gt1l/heights/h_ph"]]
    {
        let (first, made) = read(arguments);
        assert!(made.requests > 0);
        let (second, counts) = read(arguments);
        assert_eq!(second, first, "{arguments:?}");
        assert_eq!((counts.requests, counts.bytes), (1, 0), "{arguments:?}");
    }
    let mut names = String::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        names.push_str(&std::fs::read_to_string(entry.unwrap().path().join("state")).unwrap());
    }
    assert!(names.contains(&server.url(NAME)) && !names.contains("secret"), "{names}");
}

#[test]
fn the_price_of_a_command_is_computed_from_a_list() {
    let path = require!(fixture("granule/granule.h5"));
    let server = serve(&path, 0);
    let output = hyperslab(&["ls", "{}", "--prices", "aws-s3-us-east-1"], &server.url(NAME));
    let text = String::from_utf8(output.stderr).unwrap();
    let requests = server.counts().requests;
    let price = requests as f64 / 1000.0 * 0.0004;
    assert!(
        text.starts_with(&format!("{requests} requests, ")) && text.contains(&format!("USD {price:.6}: ")),
        "{text}"
    );
    let unknown = hyperslab(&["ls", "{}", "--prices", "none"], &server.url(NAME));
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_trace_says_why_each_request_was_made() {
    let path = require!(fixture("granule/granule.h5"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.jsonl");
    let server = serve(&path, 0);
    hyperslab(&["ls", "-r", "{}", "--request-log", file.to_str().unwrap()], &server.url(NAME));
    let lines = trace(&file);
    let mut reasons: Vec<_> = lines.iter().map(|line| line["reason"].as_str().unwrap().to_owned()).collect();
    reasons.sort();
    reasons.dedup();
    for expected in ["beginning of the file", "object header", "B-tree node"] {
        assert!(reasons.iter().any(|reason| reason.contains(expected)), "{expected}: {reasons:?}");
    }
    let of_one_round = |line: &Value| line["round"].as_u64() == Some(3);
    let mut in_round: Vec<_> =
        lines.iter().filter(|line| of_one_round(line)).map(|line| line["reason"].to_string()).collect();
    in_round.sort();
    in_round.dedup();
    assert!(in_round.len() > 1, "requests of a round have reasons of their own: {in_round:?}");
    assert!(
        lines.iter().any(|line| line["serves"].as_u64() > Some(1)),
        "some requests serve several structures"
    );
}

#[test]
fn a_proxy_of_the_environment_is_used() {
    let path = require!(fixture("filters/v200.h5"));
    let server = serve(&path, 0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperslab"));
    // The server answers for any host, as a proxy does.
    let output = command
        .args(["ls", "http://no-such-host.invalid/f.h5"])
        .env("http_proxy", server.url(""))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(server.counts().requests > 0);
}

#[test]
fn an_unknown_host_is_reported_soon() {
    let began = std::time::Instant::now();
    let output = hyperslab(&["ls", "http://no-such-host.invalid/f.h5"], "");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("http://no-such-host.invalid/f.h5") && error.contains("(tried 3 times)"),
        "{error}"
    );
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_bench_of_a_url_measures_a_copy_that_is_fetched_once() {
    let path = require!(fixture("filters/v200.h5"));
    let bytes = std::fs::read(&path).unwrap();
    let server = RangeServer::start(bytes.clone(), Link::default());
    let url = server.url("f.h5?X-Amz-Signature=secret");
    let dataset = "/0 shuffle deflate fletcher32";
    let arguments = ["bench", "{}", dataset, "--engine", "hyperslab", "--repeats", "1", "--json"];
    let output = hyperslab(&arguments, &url);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains(&format!("{} was fetched", server.url("f.h5"))), "{said}");
    let text = String::from_utf8(output.stdout).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["data"]["file"], server.url("f.h5"));
    assert!(document["notes"][0].as_str().unwrap().contains("a local copy of it is measured"), "{text}");
    let local = hyperslab(&arguments, path.to_str().unwrap());
    let local: Value = serde_json::from_slice(&local.stdout).unwrap();
    for same in ["shape", "element", "chunks", "filters", "stored_bytes"] {
        assert_eq!(document["data"][same], local["data"][same], "{same}");
    }
    assert_eq!(document["rows"].as_array().map(Vec::len), local["rows"].as_array().map(Vec::len));
    assert!(!text.contains("secret") && !said.contains("secret"), "{text}{said}");
    // Metadata is fetched before, to see whether the values are in this file.
    assert!(server.counts().bytes < 2 * bytes.len() as u64 + (1 << 20), "{:?}", server.counts());
    for (more, why) in [("--resume", "a copy of"), ("--dry-run", "")] {
        server.take_counts();
        let output = hyperslab(&["bench", "{}", dataset, "--engine", "hyperslab", more], &url);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(if why.is_empty() { 0 } else { 2 }), "{said}");
        assert!(said.contains(why) && !said.contains("was fetched"), "{said}");
    }
    let folder = require!(fixture("links_and_mappings"));
    let mapped = serve(&folder.join("rows_of_rows.h5"), 0);
    let listed = hyperslab(&["bench", "{}", "/d", "--engine", "hyperslab"], &mapped.url("rows_of_rows.h5"));
    let said = String::from_utf8(listed.stderr).unwrap();
    assert!(said.contains("are in other files, which are not copied"), "{said}");
    assert_eq!(listed.status.code(), Some(2));
}

#[test]
fn other_files_are_looked_for_beside_the_url() {
    let folder = require!(fixture("links_and_mappings"));
    let files = std::fs::read_dir(&folder).unwrap().map(|file| {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (format!("data/{name}"), std::fs::read(path).unwrap())
    });
    let server = RangeServer::start_folder(files, Link::default());
    // External links, virtual datasets over virtual datasets, and external raw data, of which one file is missing.
    for name in ["links.h5", "rows_of_rows.h5", "unlimited.h5", "external.h5"] {
        server.take_counts();
        let (url, path) = (server.url(&format!("data/{name}")), folder.join(name));
        let (remote, local) = (
            hyperslab(&["digest", "--bare", "{}"], &url),
            hyperslab(&["digest", "--bare", "{}"], path.to_str().unwrap()),
        );
        let text =
            |output: &Output, folder: &str| String::from_utf8_lossy(&output.stdout).replace(folder, "FOLDER");
        let (found, expected) = (text(&remote, &server.url("data")), text(&local, folder.to_str().unwrap()));
        // A name in a remote file is not looked for in the working directory, which errors do not say.
        assert_eq!(found, expected, "{name}");
        assert_eq!(remote.status.code(), local.status.code(), "{name}");
        assert!(server.counts().requests >= 1);
    }
}
