//! What the doctor and `hyperslab advise` recommend, followed: files with a known fault are mended by the very lines that it prints, with the tools
//! that the lines name, and asked about again; well-made files are left alone.

#[path = "advice/advise.rs"]
mod advise;
#[path = "advice/faults.rs"]
mod faults;
#[path = "advice/lines.rs"]
mod lines;
#[path = "advice/noise.rs"]
mod noise;
#[path = "commands/run.rs"]
mod run;
