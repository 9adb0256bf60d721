//! What the doctor finds in a file: `cargo run --release -p hyperslab-apps --example doctor -- FILE`.

use hyperslab_apps::doctor::{Request, findings, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).ok_or("name an HDF5 file")?;
    let answer = run(file.as_ref(), &Request::default())?;
    for finding in findings(&answer.report) {
        println!("{}: {}", finding.code, finding.message);
    }
    Ok(())
}
