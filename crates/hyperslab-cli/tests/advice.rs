//! What the doctor and `hyperslab advise` recommend, followed: files are mended by the very lines that they print, with the
//! tools that the lines name, and asked about again; well-made files are left alone.

#[path = "advice/advise.rs"]
mod advise;
#[path = "advice/archive.rs"]
mod archive;
#[path = "advice/bounds.rs"]
mod bounds;
#[path = "advice/cloud.rs"]
mod cloud;
#[path = "advice/faults.rs"]
mod faults;
#[path = "advice/lines.rs"]
mod lines;
#[path = "advice/noise.rs"]
mod noise;
#[path = "advice/quality.rs"]
mod quality;
#[path = "advice/questions.rs"]
mod questions;
#[path = "commands/run.rs"]
mod run;
#[path = "advice/stores.rs"]
mod stores;
