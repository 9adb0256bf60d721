//! What is measured: a dataset of the user's, or made-up values.

use super::values::{unique, wrong};
use crate::bench::Request;
use crate::facts::is_by_netcdf;
use crate::{Result, files, made_up};
use hyperslab::{Dataset, File};
use hyperslab_bench::matrix::Subject;
use hyperslab_engines::{Element, Format};
use hyperslab_measure::data::Synthetic;
use hyperslab_netcdf::Netcdf;
use hyperslab_storage::FilterRequest;
use std::path::Path;

/// What is stored.
pub(super) struct Stored {
    pub(super) subject: Subject,
    /// The type of what is written of it; none where that type is not written here.
    pub(super) element: Option<Element>,
    /// Bytes of one element in memory.
    pub(super) element_bytes: u64,
    /// The names of its dimensions.
    pub(super) dimensions: Vec<String>,
    /// The chunks and the pipeline of the file; none for made-up values.
    pub(super) as_is: Option<(Option<Vec<u64>>, Vec<FilterRequest>)>,
}

pub(super) fn subjects(request: &Request) -> Result<Vec<Stored>> {
    if let Some(text) = &request.synthetic {
        let dims = made_up::shape(text)?;
        let elements: Vec<Element> = match request.element.as_slice() {
            [] => vec!["<f4".parse().map_err(wrong)?],
            some => some.iter().map(|text| text.parse().map_err(wrong)).collect::<Result<_, _>>()?,
        };
        let made = |element: &Element| Stored {
            subject: Subject::Synthetic(Synthetic::with_ratio(&dims, *element, request.ratio, request.seed)),
            element: Some(*element),
            element_bytes: element.bytes(),
            dimensions: letters(dims.len()),
            as_is: None,
        };
        return Ok(elements.iter().map(made).collect());
    }
    let (Some(path), Some(name)) = (&request.file, &request.dataset) else {
        return Err(wrong("no file and dataset are named"));
    };
    let file = files::open(path)?;
    let dataset = hyperslab_netcdf::find_dataset(&file, name)?;
    if dataset.shape().contains(&0) {
        return Err(wrong(format!(
            "{}: {} has no elements, so there is nothing to read",
            files::shown(path),
            dataset.path()
        ))
        .hint("name a dataset with values; `hyperslab ls -r` lists all"));
    }
    let subject = Subject::Dataset {
        file: path.clone(),
        path: dataset.path().to_owned(),
        shape: dataset.shape().to_vec(),
        format: format(&file),
    };
    let element = match request.element.as_slice() {
        [] => Element::of(dataset.datatype()),
        [one] if Some(one.parse().map_err(wrong)?) == Element::of(dataset.datatype()) => {
            Element::of(dataset.datatype())
        }
        _ => return Err(wrong("the values of a file keep their type").hint("--type goes with --synthetic")),
    };
    let element_bytes = element.map_or(dataset.datatype().size.into(), |element| element.bytes());
    let chunks = dataset.chunk_shape().map(<[u64]>::to_vec);
    Ok(vec![Stored {
        subject,
        element,
        element_bytes,
        dimensions: dimensions(&file, &dataset),
        as_is: Some((chunks, pipeline_of(&dataset))),
    }])
}

/// The format of a file.
fn format(file: &File) -> Format {
    match file.format_name() {
        "HDF4" => Format::Hdf4,
        "netCDF CDF-5" => Format::Cdf5,
        _ if file.named_dimensions().is_some() => Format::Classic,
        _ => Format::Hdf5,
    }
}

/// The names of the dimensions in netCDF; letters where they have none, or share one.
fn dimensions(file: &File, dataset: &Dataset) -> Vec<String> {
    let letters = letters(dataset.shape().len());
    let Ok(netcdf) = Netcdf::open(file) else { return letters };
    let Some(variable) = netcdf.find_variable(dataset.path()) else { return letters };
    let names: Vec<String> =
        variable.dimensions.iter().map(|id| netcdf.dimension(*id).name.clone()).collect();
    if names.len() == letters.len() && unique(&names).len() == names.len() { names } else { letters }
}

/// What dimensions without names are called.
pub(super) fn letters(rank: usize) -> Vec<String> {
    let known = ["x", "y", "z", "t"].map(str::to_owned);
    known.into_iter().chain((4..).map(|axis| axis.to_string())).take(rank).collect()
}

/// The pipeline of a dataset, as it is written again.
pub(in crate::bench) fn pipeline_of(dataset: &Dataset) -> Vec<FilterRequest> {
    let stored = dataset.filters().iter();
    stored.map(|filter| FilterRequest::of_stored(filter.id, &filter.parameters)).collect()
}

/// True for a file that netCDF-C wrote.
pub(super) fn is_netcdf(path: &Path) -> bool {
    files::open(path).is_ok_and(|file| is_by_netcdf(&file))
}
