//! `hyperslab explain`.

use super::{ended, run, tour, without_places};
use hyperslab_testkit::require;
use serde_json::{Value, json};

#[test]
fn the_plan_of_a_chunked_read() {
    let tour = require!(tour());
    let mut explained = run(&["explain", "{}", "/measured/temperature", "0, :, 3"], &tour);
    explained.out = without_places(&explained.out);
    let expected = "\
/measured/temperature -> [1, 10, 1], 40 bytes
chunked: 2 chunks, 2 decodes; 1 requests, N bytes fetched
decode: gzip 4 -> shuffle
GET N..N
    chunk [0, 0, 0]  N..N  5 elements -> [0:1, 0:5, 0:1]
    chunk [0, 1, 0]  N..N  5 elements -> [0:1, 5:10, 0:1]
";
    assert_eq!(explained, ended(0, expected, ""));
}

#[test]
fn a_selection_may_begin_with_a_minus_or_be_left_out() {
    let tour = require!(tour());
    let last = run(&["explain", "{}", "/measured/time", "-1"], &tour);
    assert!(
        last.out.starts_with("/measured/time -> [1], 8 bytes\ncontiguous; 1 requests, 8 bytes"),
        "{last:?}"
    );
    let all = run(&["explain", "{}", "/measured/time"], &tour);
    assert!(all.out.starts_with("/measured/time -> [12], 96 bytes\n"), "{all:?}");
}

#[test]
fn the_same_plan_as_json() {
    let tour = require!(tour());
    let explained = run(&["explain", "--json", "{}", "/unwritten", "0, :15"], &tour);
    assert_eq!((explained.code, explained.err.as_str()), (0, ""));
    let document: Value = serde_json::from_str(&explained.out).unwrap();
    assert_eq!((&document["shape"], &document["result_bytes"]), (&json!([1, 15]), &json!(120)));
    assert_eq!((&document["chunks_touched"], &document["chunks_missing"]), (&json!(2), &json!(2)));
    assert_eq!((&document["decodes"], &document["requests"]), (&json!(0), &json!([])));
    assert_eq!(document["missing"][1]["lands"], "[0:1, 10:15]");
    assert_eq!(document["missing"][1]["start"], Value::Null);
}
