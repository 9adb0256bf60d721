//! Serves a file over HTTP like a distant store, and prints the counts of each client when a line is entered.
//!
//! ```text
//! cargo run -p hyperslab-testkit --example serve -- FILE [MILLISECONDS [BYTES_PER_SECOND]]
//! ```

use hyperslab_testkit::{Link, RangeServer};
use std::time::Duration;

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("a file");
    let mut number = |default: u64| args.next().map_or(default, |text| text.parse().expect("a number"));
    let latency = Duration::from_millis(number(40));
    let link = Link { latency, bytes_per_second: Some(number(80_000_000)) };
    let server = RangeServer::start(std::fs::read(&path).expect("the file can be read"), link);
    println!("{}", server.url("file.h5"));
    for line in std::io::stdin().lines() {
        line.expect("the terminal can be read");
        let counts = server.take_counts();
        println!(
            "{} requests, {} bytes, at most {} in flight, {} connections",
            counts.requests, counts.bytes, counts.in_flight_max, counts.connections
        );
    }
}
