//! `hyperslab index`: where every chunk of a file lies, in the format of another reader. The formats are in
//! `hyperslab-index`; this module opens the file, names it for readers, and gives the output its name.

use crate::args::{IndexArgs, IndexFormat};
use crate::failure::{self, Failure, one_line};
use crate::location;
use hyperslab::io::Location;
use hyperslab_index::{Index, write_dmrpp, write_kerchunk};
use hyperslab_netcdf::Netcdf;
use std::io::{self, Write};
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &IndexArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let file = location::open(&args.file)?;
    let url = match &args.url {
        Some(url) => url.clone(),
        // Without the signature that a URL may contain.
        None if Location::from(args.file.clone()).is_url() => file.name(),
        None => absolute(&args.file)?,
    };
    let mut text = Vec::new();
    let omitted = match args.format {
        IndexFormat::Kerchunk => {
            let index = Index::build(&file)?;
            write_kerchunk(&index, &url, &mut text)?;
            index.omitted
        }
        IndexFormat::Dmrpp => {
            let name = args.file.file_name().map(|name| name.to_string_lossy().into_owned());
            write_dmrpp(&Netcdf::open(&file)?, &name.unwrap_or_default(), &url, &mut text)?
        }
    };
    text.push(b'\n');
    match &args.output {
        Some(path) => write_file(path, &text)?,
        None => out.write_all(&text)?,
    }
    for omitted in &omitted {
        writeln!(err, "left out: {}: {}", one_line(&omitted.path), one_line(&omitted.reason))?;
    }
    Ok(if args.strict && !omitted.is_empty() { failure::FOUND } else { failure::DONE })
}

/// The path that readers open, wherever they run on this computer.
fn absolute(path: &Path) -> Result<String, Failure> {
    let absolute = std::path::absolute(path)?;
    absolute.into_os_string().into_string().map_err(|path| {
        let message = format!("{}: the path is not UTF-8", path.display());
        Failure::wrong_request(message).hint("name the file for readers with --url")
    })
}

/// Writes a file that has its name only when it is complete.
fn write_file(path: &Path, text: &[u8]) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::unreadable(format!("{}: {error}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
