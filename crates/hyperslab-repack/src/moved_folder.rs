//! References to other files, when the new file lies in another folder.
//!
//! External links and the sources of virtual datasets are searched for from the folder of the file that names them. A
//! relative name that leads to a file is changed so that it leads to the same file from the new folder. Files of external
//! raw data are searched for from the working directory of the program that reads, so that no name is right for all.

use hyperslab_encode::RepackError;
use hyperslab_format::virtual_mapping::VirtualMapping;
use hyperslab_format::{Encoder, Name, Widths};
use hyperslab_tree::source_tree::SourceTree;
use hyperslab_write::{LinkTargetSpec, ObjectSpec, StorageSpec};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The folders of the source and of the new file, both absolute and without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedFolder {
    /// The folder of the source.
    pub from: PathBuf,
    /// The folder of the new file.
    pub to: PathBuf,
    /// Files that are written to the new folder and below it as well: relative names of those stay right.
    pub also_written: BTreeSet<PathBuf>,
}

/// The name of the file itself, in mappings of virtual datasets.
const SAME_FILE: &[u8] = b".";

impl MovedFolder {
    /// Changes the names in a tree.
    ///
    /// # Errors
    ///
    /// [`RepackError::Unsupported`] for external raw data with a relative name.
    pub(crate) fn apply(&self, source: &mut SourceTree) -> Result<(), RepackError> {
        if self.from == self.to {
            return Ok(());
        }
        for (object, (_, path)) in source.tree.objects.iter_mut().zip(&source.sources.objects) {
            match &mut object.spec {
                ObjectSpec::Group(group) => {
                    for link in &mut group.links {
                        if let LinkTargetSpec::External(target) = &mut link.target {
                            self.rename(&mut target.file);
                        }
                    }
                }
                ObjectSpec::Dataset(dataset) => match &dataset.storage {
                    StorageSpec::External(segments) => {
                        let relative = segments.iter().find(|segment| {
                            segment.file.as_str().is_some_and(|name| !Path::new(name).is_absolute())
                        });
                        if let Some(segment) = relative {
                            let what = format!(
                                "its data is in {}, which may not be found from another folder; write the new file \
                                 beside the old one, or take the data in with `--contiguous {path}`",
                                segment.file
                            );
                            return Err(RepackError::Unsupported { object: path.to_string(), what });
                        }
                    }
                    StorageSpec::Virtual(item) => {
                        let value = &mut source.tree.heap[item.0 as usize];
                        let mut mappings =
                            VirtualMapping::parse_all(value.bytes.to_vec().into(), Widths::default())
                                .map_err(hyperslab::hdf5::format_error)?;
                        for mapping in &mut mappings {
                            if mapping.source_file.as_bytes() != SAME_FILE {
                                self.rename(&mut mapping.source_file);
                            }
                        }
                        let mut out = Encoder::new("virtual dataset mapping", Widths::default());
                        VirtualMapping::encode_all(&mappings, &mut out);
                        value.bytes = out.finish()?.into();
                    }
                    _ => {}
                },
                ObjectSpec::Datatype(_) => {}
            }
        }
        Ok(())
    }

    fn rename(&self, name: &mut Name) {
        let Some(text) = name.as_str() else { return };
        if let Some(new) = self.renamed(Path::new(text), |path| path.exists()) {
            *name = new.as_str().into();
        }
    }

    /// The new name; `None` if the old one stays right, or dangles.
    fn renamed(&self, name: &Path, exists: impl Fn(&Path) -> bool) -> Option<String> {
        if name.is_absolute() || self.also_written.contains(&normalized(&self.to.join(name))) {
            return None;
        }
        // Of a pattern, only the folder can be looked up.
        let is_pattern = name.to_str().is_some_and(|name| name.contains('%'));
        let old = self.from.join(name);
        let known = if is_pattern { old.parent()? } else { &old };
        if !exists(known) {
            return None;
        }
        relative(&normalized(&old), &self.to).to_str().map(str::to_owned)
    }
}

/// Without `.` and `..`, as far as the text says.
fn normalized(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts
}

/// The path that leads from a folder to a file, both absolute.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let (file, folder): (Vec<_>, Vec<_>) = (file.components().collect(), folder.components().collect());
    let shared = file.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let up = folder[shared..].iter().map(|_| Component::ParentDir);
    up.chain(file[shared..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_names_lead_to_the_same_file() {
        let moved = MovedFolder {
            from: "/data/in".into(),
            to: "/data/out/deep".into(),
            also_written: BTreeSet::from(["/data/out/deep/b.h5".into()]),
        };
        let renamed =
            |name: &str| moved.renamed(Path::new(name), |path| path != Path::new("/data/in/absent.h5"));
        assert_eq!(renamed("a.h5").as_deref(), Some("../../in/a.h5"));
        assert_eq!(renamed("../a.h5").as_deref(), Some("../../a.h5"));
        assert_eq!(renamed("part-%b.h5").as_deref(), Some("../../in/part-%b.h5"));
        assert_eq!(renamed("b.h5"), None, "it is written as well");
        assert_eq!((renamed("/x/a.h5"), renamed("absent.h5")), (None, None));
    }
}
