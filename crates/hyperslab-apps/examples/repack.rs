//! Rewrites a file with other filters: `cargo run --release -p hyperslab-apps --example repack -- IN OUT`.

use hyperslab_apps::Error;
use hyperslab_apps::repack::{Quiet, Repack, RepackOutcome, Request};
use hyperslab_apps::runner::{Settings, Silent};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [input, output]: [_; 2] =
        Vec::from_iter(std::env::args_os().skip(1)).try_into().map_err(|_| "IN OUT")?;
    let filters = vec!["shuffle+gzip=4".to_owned()];
    let request =
        Request { inputs: vec![input.into()], output: Some(output.into()), filters, ..Request::default() };
    Repack::new(&request, 1)?.run(
        &Settings::default(),
        &Silent,
        &Quiet,
        |document, ending| match ending {
            RepackOutcome::Failed(error) => Err(error),
            _ => {
                println!("{} is written and verified", document.output);
                Ok::<_, Error>(())
            }
        },
    )?;
    Ok(())
}
