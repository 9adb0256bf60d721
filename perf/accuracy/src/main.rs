//! `hyperslab-accuracy`: how far the seconds that `hyperslab doctor` predicts are from those that libhdf5 takes.
//!
//! ```text
//! cargo build --release -p hyperslab-cli -p hyperslab-accuracy
//! scripts/measure predictions --cells 150
//! ```
//!
//! A cell is a dataset (shape, chunks, type, filters, values), a read that is swept over it, and a chunk cache, all drawn
//! from a seed. The dataset is written by libhdf5, its seconds are predicted by the command, and then it is swept by
//! libhdf5 in processes of their own, in processor time of the thread; the least of two counts. On
//! shared machines, calls of libhdf5 take up to 1.8 times as long for seconds at a time. So the same small reads are timed before
//! and after each sweep: a cell is even if they took within 20 % of their median over all cells.

mod cell;
mod sweep;
mod verdict;

use cell::Cell;
use clap::Parser;
use hyperslab_engines::library::{Found, find_all};
use hyperslab_storage::pattern::shape_text;
use std::path::{Path, PathBuf};
use std::process::Command;
use verdict::Measured;

type Failure = Box<dyn std::error::Error>;

#[derive(Parser)]
#[command(about = "Compares the seconds that `hyperslab doctor` predicts with those that libhdf5 takes")]
struct Args {
    /// The command whose predictions are tried.
    #[arg(long, default_value = "target/dist/hyperslab")]
    command: PathBuf,
    /// Cells to draw.
    #[arg(long, default_value_t = 150)]
    cells: u64,
    /// Other seeds draw other cells.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The libhdf5 to measure; the first that is found if none is given.
    #[arg(long)]
    libhdf5: Option<PathBuf>,
    /// Predicts as where no program of the user has a libhdf5: by constants, scaled to this machine.
    #[arg(long)]
    without_library: bool,
    /// Writes all cells, one JSON document a line.
    #[arg(long)]
    json: Option<PathBuf>,
}

fn main() {
    let done = if std::env::args().nth(1).as_deref() == Some(sweep::WORKER) {
        sweep::serve()
    } else {
        run(&Args::parse())
    };
    if let Err(error) = done {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    let library = match &args.libhdf5 {
        Some(path) => Found { path: path.canonicalize()?, origin: "as given".to_owned(), plugins: None },
        None => find_all().hdf5.into_iter().next().ok_or("there is no libhdf5; name one by --libhdf5")?,
    };
    println!("libhdf5: {} ({})", library.path.display(), library.origin);
    let folder = tempfile::Builder::new().prefix("hyperslab-accuracy-").tempdir_in(memory_folder())?;
    let probe = folder.path().join("probe.h5");
    sweep::write_probe(&library, &probe)?;
    let mut measured = Vec::new();
    for number in 0..args.cells {
        let cell = Cell::draw(args.seed, number)?;
        let file = folder.path().join(format!("{number}.h5"));
        sweep::write(&library, &file, &cell)?;
        let predicted = predict(args, &library, &file, &cell)?;
        let sweeps = sweep::measure(&library, &file, &probe, &cell)?;
        std::fs::remove_file(&file)?;
        println!(
            "{number:>4}  {:>9.2} ms predicted {:>9.2} ms measured  {:>5.2}  {cell}",
            predicted * 1e3,
            sweeps.seconds * 1e3,
            predicted / sweeps.seconds,
        );
        measured.push(Measured { number, cell, predicted, sweeps });
    }
    if let Some(path) = &args.json {
        let lines: Result<Vec<String>, _> = measured.iter().map(serde_json::to_string).collect();
        std::fs::write(path, lines?.join("\n") + "\n")?;
    }
    verdict::print(&measured);
    Ok(())
}

/// A folder in memory if the system has one: what is predicted are reads from the page cache.
fn memory_folder() -> PathBuf {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() }
}

/// What the command predicts for this read under this cache.
fn predict(args: &Args, library: &Found, file: &Path, cell: &Cell) -> Result<f64, Failure> {
    let cache = cell.cache;
    let mut command = Command::new(&args.command);
    command
        .arg("doctor")
        .args([file.as_os_str(), sweep::DATASET.as_ref()])
        .args(["--read", &shape_text(&cell.read), "--json"])
        .args(["--cache", &format!("{},{},{}", cache.nbytes, cache.nslots, cache.w0)]);
    if args.without_library {
        // No Python is found, whose libhdf5 would be measured.
        command.env("PATH", "").env_remove("VIRTUAL_ENV").env_remove("CONDA_PREFIX");
    } else {
        command.arg("--libhdf5").arg(&library.path);
    }
    let output = command.output()?;
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|_| {
        format!("{} doctor: {}", args.command.display(), String::from_utf8_lossy(&output.stderr))
    })?;
    let seconds = &document["datasets"][0]["reads"][0]["profiles"][0]["predicted_seconds"];
    seconds.as_f64().ok_or_else(|| "the doctor predicted nothing".into())
}
