//! A trace that was written: the lines of a folder, or of one of its files.

use crate::record::{Line, Process, TracedDataset, TracedPattern, VERSION};
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// The lines of one or several processes.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The processes, each with the datasets that it used.
    pub processes: Vec<(Process, Vec<TracedDataset>)>,
    /// All patterns.
    pub patterns: Vec<TracedPattern>,
}

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file system's reason.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// A line that is none of a trace.
    #[error("{}: line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Nothing was read or written.
    #[error("{}: it has no line of a trace", path.display())]
    Empty {
        /// The folder or file.
        path: PathBuf,
    },
}

impl Trace {
    /// Reads the files `*.jsonl` of a folder, or a file.
    ///
    /// # Errors
    /// A file that cannot be read, a line that is none of a trace, no line at all.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |error| TraceError::Unreadable { path, error }
        };
        let mut files = Vec::new();
        if path.is_dir() {
            for entry in std::fs::read_dir(path).map_err(unreadable(path))? {
                let file = entry.map_err(unreadable(path))?.path();
                if file.extension().is_some_and(|extension| extension == "jsonl") {
                    files.push(file);
                }
            }
            files.sort();
        } else {
            files.push(path.to_owned());
        }
        let mut trace = Self::default();
        for file in &files {
            let lines = std::fs::File::open(file).map_err(unreadable(file))?;
            for (number, line) in std::io::BufReader::new(lines).lines().enumerate() {
                let line = line.map_err(unreadable(file))?;
                if !line.trim().is_empty() {
                    let wrong = |problem| TraceError::Line { path: file.clone(), line: number + 1, problem };
                    trace.add(&line).map_err(wrong)?;
                }
            }
        }
        if trace.processes.is_empty() && trace.patterns.is_empty() {
            return Err(TraceError::Empty { path: path.to_owned() });
        }
        Ok(trace)
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        match serde_json::from_str(line) {
            Ok(Line::Process(process)) if process.hyperslab_trace > VERSION => Err(format!(
                "a trace of version {}, and this hyperslab knows {VERSION}",
                process.hyperslab_trace
            )),
            Ok(Line::Process(process)) => {
                self.processes.push((process, Vec::new()));
                Ok(())
            }
            Ok(Line::Dataset(dataset)) => match self.processes.last_mut() {
                Some((_, datasets)) => {
                    datasets.push(*dataset);
                    Ok(())
                }
                None => Err("a dataset without a process before it".to_owned()),
            },
            Ok(Line::Pattern(pattern)) => {
                self.patterns.push(pattern);
                Ok(())
            }
            // What is wrong with a pattern says more than that the line is none of three things.
            Err(_) => Err(serde_json::from_str::<TracedPattern>(line)
                .map_or_else(|error| error.to_string(), |_| String::new())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_a_file_are_read_and_wrong_lines_named() {
        let folder = tempfile::tempdir().unwrap();
        let process = |pid: u32| {
            format!(
                r#"{{"hyperslab_trace":1,"pid":{pid},"program":["a"],"started":1.0,"seconds":2.0,"ended":true,"libhdf5":[]}}"#
            )
        };
        let pattern = r#"{"dataset":"/t","shape":[1,2],"count":3}"#;
        for pid in [1, 2] {
            std::fs::write(
                folder.path().join(format!("{pid}.jsonl")),
                format!("{}\n{pattern}\n", process(pid)),
            )
            .unwrap();
        }
        std::fs::write(folder.path().join("report.html"), "<html>").unwrap();
        let trace = Trace::read(folder.path()).unwrap();
        assert_eq!((trace.processes.len(), trace.patterns.len()), (2, 2));
        assert_eq!(Trace::read(&folder.path().join("2.jsonl")).unwrap().processes[0].0.pid, 2);
        let wrong = folder.path().join("wrong.jsonl");
        std::fs::write(&wrong, "{\"dataset\": \"/t\"}\n").unwrap();
        let error = Trace::read(&wrong).unwrap_err().to_string();
        assert!(error.ends_with("wrong.jsonl: line 1: missing field `shape` at line 1 column 17"), "{error}");
        let newer = process(1).replace(":1,\"pid", ":2,\"pid");
        std::fs::write(&wrong, newer).unwrap();
        assert!(Trace::read(&wrong).unwrap_err().to_string().contains("version 2"));
    }
}
