//! Every recipe with small data: what can be counted (decodes, bytes, sizes) is as published. Times are not looked at.

use super::{bench, has, has_libhdf5, json};
use hyperslab_testkit::scale;
use serde_json::Value;

/// A recipe's report, of data as much smaller.
struct Report(Value);

impl Report {
    fn of(recipe: &str, scale: &str) -> Self {
        let arguments = ["--recipe", recipe, "--scale", scale, "--json", "--repeats", "1"];
        let output = bench(&arguments).output().unwrap();
        let report = Self(json(&output));
        let not_run: Vec<&Value> =
            report.parts().flat_map(|part| part["not_run"].as_array().unwrap()).collect();
        assert_eq!(output.status.code(), Some(i32::from(!not_run.is_empty())), "{not_run:?}");
        assert_eq!(report.0["counts"]["differing"], Value::Array(Vec::new()));
        report
    }

    fn parts(&self) -> impl Iterator<Item = &Value> {
        self.0["parts"].as_array().unwrap().iter()
    }

    /// What was measured of a cell.
    fn cell(&self, name: &str, who: &str) -> &Value {
        let mut cells = self.parts().flat_map(|part| part["cells"].as_array().unwrap());
        let found = cells.find(|cell| cell["cell"] == name && cell["who"] == who);
        found.unwrap_or_else(|| panic!("no {name} by {who}"))
    }

    /// Chunks decoded, as counted; simulated where the library lets nobody count.
    fn decodes(&self, name: &str, who: &str) -> u64 {
        let cell = self.cell(name, who);
        cell["decodes"].as_u64().unwrap_or_else(|| cell["simulated"]["decodes"].as_u64().unwrap())
    }

    fn bytes(&self, name: &str, who: &str, what: &str) -> u64 {
        self.cell(name, who)[what].as_u64().unwrap()
    }

    /// The verdict on the effect that is told in these words.
    fn verdict(&self, words: &str) -> &str {
        let mut effects = self.parts().flat_map(|part| part["effects"].as_array().unwrap());
        let found = effects.find(|effect| effect["says"].as_str().unwrap().contains(words));
        found.unwrap_or_else(|| panic!("nothing says {words}"))["verdict"].as_str().unwrap()
    }
}

#[test]
fn compression_2015_decodes_as_often_as_published() {
    if !has_libhdf5() {
        return;
    }
    let report = Report::of("compression-2015", "0.01");
    let decodes = |cell: &str| report.decodes(cell, "libhdf5");
    assert_eq!(decodes("File_with_compression.h5, rows, 1 MiB"), 16_200);
    assert_eq!(decodes("File_with_compression.h5, rows, 3 MiB"), 15);
    assert_eq!(decodes("File_with_compression.h5, whole chunks, 1 MiB"), 15);
    assert_eq!(decodes("File_with_compression-small-chunk.h5, rows, 1 MiB"), 60);
    assert_eq!(report.decodes("File_with_compression.h5, rows, 1 MiB", "hyperslab"), 15);
    assert_eq!(report.verdict("touched 16,200 times"), "as-published");
    let ratio = report.bytes("File.h5", "libhdf5", "file_bytes") as f64
        / report.bytes("File_with_compression.h5", "libhdf5", "file_bytes") as f64;
    assert!((1.0..1.2).contains(&ratio), "values are made up to be 1.076 times smaller: {ratio}");
    let cache = &report.cell("File_with_compression.h5, rows, default cache", "libhdf5")["cache"];
    let holds_a_chunk =
        cache["settings"]["nbytes"].as_u64().unwrap() >= cache["chunk_bytes"].as_u64().unwrap();
    let expected = if holds_a_chunk { 15 } else { 16_200 };
    assert_eq!(decodes("File_with_compression.h5, rows, default cache"), expected);
    assert!(report.0["counts"]["compared"].as_u64().unwrap() > 0 || !report.is_counted());
}

impl Report {
    /// What libraries read from the file of unfiltered data is what the simulator says, and metadata, in so many cells
    /// of libhdf5.
    fn assert_bytes_are_simulated(&self, expected: usize) {
        let cells = self.parts().flat_map(|part| part["cells"].as_array().unwrap());
        let cells = cells.filter(|cell| cell["who"] == "libhdf5" && cell["simulated"].is_object());
        let compared = cells.map(|cell| {
            let read = cell["read_bytes"].as_u64().unwrap();
            let simulated = cell["simulated"]["driver_bytes"].as_u64().unwrap();
            assert!((simulated..simulated + simulated / 100 + 300_000).contains(&read), "{cell}");
        });
        assert_eq!(compared.count(), expected);
    }

    /// False where the library lets nobody count.
    fn is_counted(&self) -> bool {
        self.parts()
            .flat_map(|part| part["cells"].as_array().unwrap())
            .any(|cell| cell["who"] == "libhdf5" && cell["decodes"].is_u64())
    }
}

/// The quicker ones first: the others take a minute each.
const UNIDATA: [fn(); 4] = [
    unidata_compressed_decodes_each_chunk_once_in_a_cache_that_holds_one,
    unidata_series_reads_whole_chunks_from_the_size_of_one_on,
    unidata_unlimited_reads_whole_chunks_where_they_fit,
    unidata_sizes_are_padding_and_index,
];

#[test]
fn files_of_unidata_are_read_as_published() {
    if !has_libhdf5() {
        return;
    }
    for check in &UNIDATA[..scale().of(1).min(UNIDATA.len())] {
        check();
    }
}

fn unidata_compressed_decodes_each_chunk_once_in_a_cache_that_holds_one() {
    let report = Report::of("unidata-compressed", "0.03125");
    assert_eq!(report.decodes("deflated, 1 MiB", "libhdf5"), 1560);
    assert_eq!(report.decodes("deflated, 16 MB", "libhdf5"), 25);
    assert_eq!(report.decodes("deflated, 1 MiB", "hyperslab"), 25);
    if has("netcdf", "netCDF4") {
        assert_eq!(report.decodes("deflated, 1 MiB", "netcdf"), 1560);
        assert_eq!(report.decodes("deflated, 16 MB", "netcdf"), 25);
        let classic = report.bytes("classic", "netcdf", "file_bytes");
        let padded = report.bytes("uncompressed", "netcdf", "file_bytes");
        let ratio = padded as f64 / classic as f64;
        assert!((1.02..1.04).contains(&ratio), "25 chunks of 64 months for 1,560: {ratio}");
    }
}

fn unidata_unlimited_reads_whole_chunks_where_they_fit() {
    let report = Report::of("unidata-unlimited", "0.03125");
    let read =
        |months: u64| report.bytes(&format!("chunks of {months}x64x128, months"), "libhdf5", "read_bytes");
    let all = 1560 * 128 * 8 * 4;
    assert!(read(8) < all + all / 10, "8 chunks fit, a month touches 4");
    assert!(read(32) > 20 * all, "1 chunk fits, a month touches 4");
    report.assert_bytes_are_simulated(5 * 2);
}

fn unidata_sizes_are_padding_and_index() {
    let report = Report::of("unidata-sizes", "0.03125");
    if has("netcdf", "netCDF4") {
        for says in [
            "1024x128x256 cost 64 MB",
            "1024 months cost as much",
            "256x128x256 cost 31 MB",
            "256 months cost as much",
            "The smallest chunks",
            "Where nothing is padded",
        ] {
            assert_eq!(report.verdict(says), "as-published", "{says}");
        }
    }
    let cells = report.parts().flat_map(|part| part["cells"].as_array().unwrap());
    assert_eq!(cells.filter(|cell| cell["who"] == "libhdf5").count(), 45);
}

fn unidata_series_reads_whole_chunks_from_the_size_of_one_on() {
    let report = Report::of("unidata-series", "0.03125");
    let chunks = |cell: &str| report.bytes(cell, "libhdf5", "read_bytes") / (256 * 128 * 4 * 4);
    assert_eq!(chunks("series, 16 MiB"), 7 * 1_000, "7 chunks are read for each series");
    assert_eq!(chunks("series, 32 MiB"), 7 * 1_000);
    assert!(chunks("series, 128 MiB") < 7 * 1_000 / 3, "7 chunks fit");
    assert_eq!(chunks("months, 16 MiB"), 2 * 300, "a month touches 2 chunks");
    assert_eq!(chunks("months, 32 MiB"), 2 * 2, "2 chunks fit: all 300 months lie in 2 chunks each");
    report.assert_bytes_are_simulated(14);
}

#[test]
fn page_buffer_2022_reads_a_page_once_where_all_fit() {
    if !has_libhdf5() {
        return;
    }
    let report = Report::of("page-buffer-2022", "0.1");
    let pages = |cell: &str, what: &str| {
        let buffer = &report.cell(cell, "libhdf5")["page_buffer"];
        buffer["metadata"][what].as_u64().unwrap() + buffer["raw"][what].as_u64().unwrap()
    };
    assert_eq!(pages("8 MiB pages, buffer of 8 MiB", "misses"), 1);
    assert_eq!(report.verdict("one page is read"), "as-published");
    assert_eq!(pages("4 MiB pages, buffer of 8 MiB", "misses"), 2);
    assert_eq!(pages("4 MiB pages, buffer of 16 MiB", "misses"), 2);
    let thrashing = pages("4 MiB pages, buffer of 4 MiB", "misses");
    assert!(thrashing > 50, "headers and indexes lie in two pages: {thrashing}");
    assert_eq!(pages("4 MiB pages, buffer of 4 MiB", "evictions"), thrashing - 1);
    for who in ["libhdf5", "hyperslab"] {
        let objects = &report.cell("original, no page buffer", who)["objects"];
        assert_eq!(
            (objects["groups"].as_u64(), objects["datasets"].as_u64()),
            (Some(17), Some(100)),
            "{who}"
        );
    }
}

#[test]
fn hdf4_2000_reads_what_it_is_asked_for() {
    if !has_libhdf5() {
        return;
    }
    let report = Report::of("hdf4-2000", "0.1");
    let mut whose = vec!["libhdf5", "hyperslab"];
    if has("hdf4", "pyhdf") {
        whose.push("hdf4");
    }
    for who in whose {
        assert_eq!(report.bytes("read 1000x1000", who, "bytes"), 100 * 100 * 4, "{who}");
        assert_eq!(report.bytes("read every second element of 1000x1000", who, "bytes"), 50 * 50 * 4);
        assert_eq!(report.bytes("100x100 moved along the diagonal", who, "blocks"), 10);
        assert_eq!(report.bytes("read two fields", who, "bytes"), 100_000 * (4 + 12));
        assert_eq!(report.cell("read 1000 datasets", who)["objects"]["datasets"], 100);
    }
    assert_eq!(report.bytes("write 8000 KB in 1-D", "libhdf5", "bytes"), 800_000);
}

#[test]
fn reports_make_a_page() {
    if !has_libhdf5() {
        return;
    }
    let arguments = ["--recipe", "hdf4-2000", "--scale", "0.01", "--json", "--repeats", "1"];
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bench(&arguments).output().unwrap().stdout).unwrap();
    let page = bench(&["--render", file.path().to_str().unwrap()]).output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains("## hdf4-2000") && page.contains("| effect | published |"), "{page}");
    let refused = bench(&["--render", "/nowhere.json"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn recipes_are_listed_described_and_refused() {
    let listed = bench(&["--recipe", "list"]).output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    assert!(text.contains("compression-2015") && text.contains("The HDF Group, 2015"), "{text}");
    let all = json(&bench(&["--recipe", "list", "--json"]).output().unwrap());
    for recipe in all["recipes"].as_array().unwrap() {
        let name = recipe["name"].as_str().unwrap();
        let page = bench(&["--recipe", name, "--about"]).output().unwrap();
        let page = String::from_utf8(page.stdout).unwrap();
        assert!(page.starts_with(&format!("# {name}\n")), "{page}");
        assert!(page.contains("## What is run") && page.contains("## With `--scale`"), "{page}");
    }
    for (arguments, says) in [
        (&["--recipe", "compression-2014"][..], "there are: compression-2015"),
        (&["--recipe", "compression-2015", "--scale", "0"], "between 0 and 1"),
        (&["--scale", "0.5", "--synthetic", "10"], "--recipe"),
        (&["--recipe", "compression-2015", "file.h5", "/d"], "cannot be used with"),
    ] {
        let output = bench(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
}

#[test]
fn without_a_library_what_it_would_measure_is_said_not_to_run() {
    let mut command = bench(&["--recipe", "compression-2015", "--scale", "0.01", "--json", "--repeats", "1"]);
    let output = command.args(["--libhdf5", "/nowhere/libhdf5.so"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report = Report(json(&output));
    let not_run = &report.0["parts"][0]["not_run"][0];
    assert!(not_run["why"].as_str().unwrap().contains("/nowhere/libhdf5.so"), "{not_run}");
    assert_eq!(report.verdict("touched 16,200 times"), "not-run");
}
