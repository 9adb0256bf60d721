//! What the command line asks for, as matrices; what cannot be is refused by the name of its option.

use super::arguments::{BenchArgs, Unlimited};
use super::engines;
use super::model::document::unique;
use crate::failure::{self, Failure};
use hyperslab::Dataset;
use hyperslab_bench::data::Synthetic;
use hyperslab_bench::library::Family;
use hyperslab_bench::matrix::{Matrix, Subject, WriteStrategy};
use hyperslab_bench::study::{
    Access, AllocTime, BlockWalk, Element, FillTime, FilterSpec, Format, Libver, Records, Storage,
};
use hyperslab_doctor::DoctorError;
use hyperslab_doctor::pattern::{BlockDim, BlockShape, parse_order, shape_text};
use hyperslab_doctor::simulate::CacheSettings;
use hyperslab_doctor::simulate::parse_cache;
use hyperslab_netcdf::Netcdf;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Dimensions of which all orders are tried; more would be more than a hundred.
const ORDERS_RANK_MAX: usize = 4;

fn wrong(error: impl std::fmt::Display) -> Failure {
    Failure::wrong_request(error.to_string())
}

/// What is to be measured.
pub(super) struct Asked {
    /// One for each type of element; a user's dataset has one.
    pub(super) matrices: Vec<Matrix>,
    /// How much each access counts, by its words, where that is not 1.
    pub(super) weights: Vec<(String, f64)>,
    /// Libraries that would take part, had they been found.
    pub(super) missing: Vec<Family>,
    /// What was decided without being asked, in sentences.
    pub(super) notes: Vec<String>,
}

/// Reads the command line, and the file that it names.
pub(super) fn asked(args: &BenchArgs) -> Result<Asked, Failure> {
    check_libraries(args)?;
    let subjects = subjects(args)?;
    let formats = formats(args)?;
    let written = if stores_as_is(args) && args.file.is_some() { &[][..] } else { &formats };
    let chosen = engines::choose(args, written, args.file.as_deref().is_some_and(is_netcdf))?;
    let caches = list(&args.cache, None, |text| cache("--cache", text))?;
    let page_buffers = list(&args.page_buffer, None, |text| size("--page-buffer", text).map(Some))?;
    let records = Records {
        fields: (!args.fields.is_empty()).then(|| args.fields.clone()),
        memory: word("layout of records", "as-stored, struct, columns")(&args.memory)?,
    };
    let (mut matrices, mut weights, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for stored in subjects {
        let shape = stored.subject.shape().to_vec();
        let weighted = accesses(args, &shape, &stored)?;
        let strategies = strategies(args, &shape, &stored)?;
        let storages = storages(args, &stored, &formats, &mut notes)?;
        let is_other = |weighted: &&(Access, f64)| weighted.1 != 1.0;
        weights
            .extend(weighted.iter().filter(is_other).map(|(access, weight)| (access.to_string(), *weight)));
        matrices.push(Matrix {
            storages,
            accesses: weighted.into_iter().map(|(access, _)| access).collect(),
            caches: caches.clone(),
            records: records.clone(),
            page_buffers: page_buffers.clone(),
            engines: chosen.readers.clone(),
            writers: chosen.writers.clone(),
            strategies,
            write_repeats: args.write_repeats,
            repeats: args.repeats,
            seconds_max: args.cell_seconds,
            reads_max: args.reads,
            cold: args.cold,
            subject: stored.subject,
        });
    }
    Ok(Asked { matrices, weights, missing: chosen.missing, notes })
}

/// A library that is named has to be there: without it, the answer would be to another question.
fn check_libraries(args: &BenchArgs) -> Result<(), Failure> {
    for (option, paths) in [("--libhdf5", &args.libhdf5), ("--netcdf", &args.netcdf), ("--hdf4", &args.hdf4)]
    {
        if let Some(path) = paths.iter().find(|path| !path.is_file()) {
            return Err(wrong(format!("{option} {}: there is no such file", path.display()))
                .hint("--list shows the libraries that are found, and where"));
        }
    }
    Ok(())
}

/// The values of an option that may be repeated, or one where it is not given.
fn list<T>(
    texts: &[String],
    absent: T,
    parse: impl Fn(&str) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    match texts {
        [] => Ok(vec![absent]),
        some => some.iter().map(|text| parse(text)).collect(),
    }
}

/// A name of a value that is a kebab-case word in JSON, too.
fn word<T: DeserializeOwned>(what: &str, known: &str) -> impl Fn(&str) -> Result<T, Failure> {
    move |text| {
        let value = serde_json::Value::String(text.to_owned());
        serde_json::from_value(value)
            .map_err(|_| wrong(format!("{text:?} is not a {what}; there are {known}")))
    }
}

fn size(option: &str, text: &str) -> Result<u64, Failure> {
    hyperslab::parse_bytes(text).map_err(|error| wrong(format!("{option} {text}: {error}")))
}

/// `None` is the library's own default.
fn cache(option: &str, text: &str) -> Result<Option<CacheSettings>, Failure> {
    match text {
        "default" => Ok(None),
        text => parse_cache(text).map(Some).map_err(|error| wrong(format!("{option}: {error}"))),
    }
}

/// A shape with as many dimensions as the data has, at least one element in each.
fn parsed(option: &str, text: &str, rank: usize) -> Result<BlockShape, Failure> {
    let fail = |problem: &str| wrong(format!("{option} {text}: {problem}"));
    if text.split([',', 'x']).any(|part| part.trim() == "0") {
        return Err(fail("each dimension is at least 1"));
    }
    let block: BlockShape = text.parse().map_err(|error| match error {
        DoctorError::ReadShape { problem, .. } => fail(&problem),
        other => fail(&other.to_string()),
    })?;
    let own = block.dims().len();
    if own == rank {
        Ok(block)
    } else {
        Err(fail(&format!("it has {own} dimensions, the dataset has {rank}")))
    }
}

fn block(option: &str, text: &str, shape: &[u64]) -> Result<Vec<u64>, Failure> {
    Ok(parsed(option, text, shape.len())?.resolve(shape).unwrap_or_default())
}

/// What is stored.
struct Stored {
    subject: Subject,
    /// The type of what is written of it; none where that type is not written here.
    element: Option<Element>,
    /// Bytes of one element in memory.
    element_bytes: u64,
    /// The names of its dimensions.
    dimensions: Vec<String>,
    /// The chunks and the pipeline of the file; none for made-up values.
    as_is: Option<(Option<Vec<u64>>, Vec<FilterSpec>)>,
}

fn subjects(args: &BenchArgs) -> Result<Vec<Stored>, Failure> {
    if let Some(text) = &args.synthetic {
        let shape = parsed("--synthetic", text, text.split([',', 'x']).count())?;
        let whole = |dim: &BlockDim| if let BlockDim::Elements(count) = dim { Some(*count) } else { None };
        let dims: Option<Vec<u64>> = shape.dims().iter().map(whole).collect();
        let dims = dims.ok_or_else(|| wrong(format!("--synthetic {text}: each dimension is a number")))?;
        let elements: Vec<Element> = match args.element.as_slice() {
            [] => vec!["<f4".parse().map_err(wrong)?],
            some => some.iter().map(|text| text.parse().map_err(wrong)).collect::<Result<_, _>>()?,
        };
        let made = |element: &Element| Stored {
            subject: Subject::Synthetic(Synthetic::with_ratio(&dims, *element, args.ratio, args.seed)),
            element: Some(*element),
            element_bytes: element.bytes(),
            dimensions: letters(dims.len()),
            as_is: None,
        };
        return Ok(elements.iter().map(made).collect());
    }
    let (Some(path), Some(name)) = (&args.file, &args.dataset) else {
        return Err(wrong("no file and dataset are named"));
    };
    let file = failure::open(path)?;
    let dataset = file.dataset(name)?;
    if dataset.shape().contains(&0) {
        return Err(wrong(format!(
            "{}: {} has no elements, so there is nothing to read",
            path.display(),
            dataset.path()
        ))
        .hint("name a dataset with values; `hyperslab ls -r` lists all"));
    }
    let subject = Subject::Dataset {
        file: path.clone(),
        path: dataset.path().to_owned(),
        shape: dataset.shape().to_vec(),
    };
    let element = match args.element.as_slice() {
        [] => element_of(&dataset),
        [one] if Some(one.parse().map_err(wrong)?) == element_of(&dataset) => element_of(&dataset),
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

/// The names of the dimensions in netCDF; letters where they have none, or share one.
fn dimensions(file: &hyperslab::File, dataset: &Dataset) -> Vec<String> {
    let letters = letters(dataset.shape().len());
    let Ok(netcdf) = Netcdf::open(file) else { return letters };
    let Some(variable) = netcdf.find_variable(dataset.path()) else { return letters };
    let names: Vec<String> =
        variable.dimensions.iter().map(|id| netcdf.dimension(*id).name.clone()).collect();
    if names.len() == letters.len() && unique(&names).len() == names.len() { names } else { letters }
}

/// What dimensions without names are called.
fn letters(rank: usize) -> Vec<String> {
    let known = ["x", "y", "z", "t"].map(str::to_owned);
    known.into_iter().chain((4..).map(|axis| axis.to_string())).take(rank).collect()
}

/// The pipeline of a dataset, as it is written again.
pub(super) fn pipeline_of(dataset: &Dataset) -> Vec<FilterSpec> {
    let spec = |filter: &hyperslab_format::message::Filter| {
        let parameter = |place: usize| filter.parameters.get(place).copied().unwrap_or(0);
        match filter.id {
            1 => FilterSpec::Gzip(parameter(0)),
            2 => FilterSpec::Shuffle,
            3 => FilterSpec::Fletcher32,
            4 => FilterSpec::Szip {
                nearest_neighbour: parameter(0) & SZIP_NEAREST_NEIGHBOUR != 0,
                pixels: parameter(1),
            },
            5 => FilterSpec::Nbit,
            6 => FilterSpec::ScaleOffset(parameter(1).cast_signed()),
            id => FilterSpec::Other { id, parameters: filter.parameters.clone() },
        }
    };
    dataset.filters().iter().map(spec).collect()
}

/// The bit of szip's first parameter that means nearest-neighbour coding (`H5_SZIP_NN_OPTION_MASK`).
const SZIP_NEAREST_NEIGHBOUR: u32 = 32;

/// The type of a dataset, if it is one that is written here.
fn element_of(dataset: &Dataset) -> Option<Element> {
    Element::of(dataset.datatype())
}

/// Orders of the dimensions, by their names or numbers; that of the dataset where none is given.
fn orders(option: &str, texts: &[String], names: &[String]) -> Result<Vec<Vec<usize>>, Failure> {
    let rank = names.len();
    let mut orders = Vec::new();
    for text in texts {
        match text.as_str() {
            "all" if rank > ORDERS_RANK_MAX => {
                return Err(wrong(format!(
                    "{option} all: all orders of {rank} dimensions are too many; name some"
                )));
            }
            "all" => orders.extend(permutations(rank)),
            text => orders.push(order(option, text, names)?),
        }
    }
    if orders.is_empty() {
        orders.push((0..rank).collect());
    }
    Ok(orders)
}

fn order(option: &str, text: &str, names: &[String]) -> Result<Vec<usize>, Failure> {
    let fail = |problem: String| {
        wrong(format!("{option} {text}: {problem}")).hint(format!(
            "the dimensions are {}, or 0 to {}",
            names.join(", "),
            names.len().max(1) - 1
        ))
    };
    let named = text.split(',').map(|part| names.iter().position(|name| name == part.trim()));
    let order = match named.collect::<Option<Vec<usize>>>() {
        Some(named) => named,
        None => parse_order(text).map_err(|error| match error {
            DoctorError::Order { problem, .. } => fail(problem),
            other => fail(other.to_string()),
        })?,
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..names.len()).collect::<Vec<_>>() {
        return Err(fail("it does not name each dimension once".to_owned()));
    }
    Ok(order)
}

/// Every block in every order behind every cache.
fn strategies(args: &BenchArgs, shape: &[u64], stored: &Stored) -> Result<Vec<WriteStrategy>, Failure> {
    let caches = list(&args.write_cache, None, |text| cache("--write-cache", text))?;
    let mut found = Vec::new();
    for text in list(&args.write, None, |text| Ok(Some(text.to_owned())))? {
        for order in orders("--write-order", &args.write_order, &stored.dimensions)? {
            let buffer = |text: &String| buffer("--write", text, shape, &order, stored.element_bytes);
            let block = text.as_ref().map(buffer).transpose()?;
            let order = (!args.write_order.is_empty()).then_some(order);
            found.extend(caches.iter().map(|&cache| WriteStrategy {
                block: block.clone(),
                order: order.clone(),
                cache,
            }));
        }
    }
    Ok(found)
}

/// Along one axis, along the diagonal, or along all of them.
fn moved(along: &str, rank: usize) -> Result<Vec<BlockWalk>, Failure> {
    match along {
        "all" => Ok((0..rank).map(|axis| BlockWalk::Along { axis }).chain([BlockWalk::Diagonal]).collect()),
        "diagonal" => Ok(vec![BlockWalk::Diagonal]),
        axis => axis.parse().map(|axis| vec![BlockWalk::Along { axis }]).map_err(|_| {
            wrong(format!("--moved={axis}: not an axis")).hint("there are: 0, 1, ..., diagonal, all")
        }),
    }
}

/// `1x720@3`: the shape, and how much its reads count.
fn weighted(text: &str) -> Result<(String, f64), Failure> {
    let Some((shape, weight)) = text.split_once('@') else { return Ok((text.to_owned(), 1.0)) };
    let number = weight.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
    let number = number
        .ok_or_else(|| wrong(format!("--read {text}: the weight {weight:?} is not a number above 0")))?;
    Ok((shape.to_owned(), number))
}

fn accesses(args: &BenchArgs, shape: &[u64], stored: &Stored) -> Result<Vec<(Access, f64)>, Failure> {
    let rank = shape.len();
    let orders = orders("--order", &args.order, &stored.dimensions)?;
    let steps = list(&args.stride, vec![1; rank], |text| block("--stride", text, &vec![u64::MAX; rank]))?;
    let walks: Vec<BlockWalk> = if let Some(count) = args.random {
        vec![BlockWalk::Random { count, seed: args.seed }]
    } else if let Some(along) = &args.moved {
        moved(along, rank)?
    } else {
        orders.into_iter().map(|order| BlockWalk::Sweep { order }).collect()
    };
    let row_major: Vec<usize> = (0..rank).collect();
    let mut found = Vec::new();
    for read in list(&args.read, None, |text| weighted(text).map(Some))? {
        let (text, weight) = read.map_or((None, 1.0), |(text, weight)| (Some(text), weight));
        for step in &steps {
            for walk in &walks {
                let order = if let BlockWalk::Sweep { order } = walk { order } else { &row_major };
                let block = match &text {
                    Some(text) => buffer("--read", text, shape, order, stored.element_bytes)?,
                    None => Access::whole(shape).block,
                };
                let access = Access { block, step: step.clone(), walk: walk.clone() };
                access.check(shape).map_err(wrong)?;
                found.push((access, weight));
            }
        }
    }
    Ok(found)
}

/// All orders of so many dimensions, the row-major one first.
fn permutations(rank: usize) -> Vec<Vec<usize>> {
    let longer = |shorter: Vec<usize>| -> Vec<Vec<usize>> {
        let others = (0..rank).filter(|axis| !shorter.contains(axis));
        others.map(|axis| [shorter.as_slice(), &[axis]].concat()).collect()
    };
    (0..rank).fold(vec![Vec::new()], |orders, _| orders.into_iter().flat_map(longer).collect())
}

/// The formats of what is written.
fn formats(args: &BenchArgs) -> Result<Vec<Format>, Failure> {
    list(&args.format, Format::Hdf5, word("format", "hdf5, netcdf4, classic, cdf5, hdf4"))
}

/// True where nothing is asked for that is decided at creation.
fn stores_as_is(args: &BenchArgs) -> bool {
    let lists = [
        &args.format,
        &args.chunks,
        &args.filter,
        &args.page_size,
        &args.libver,
        &args.fill_time,
        &args.alloc_time,
    ];
    lists.iter().all(|list| list.is_empty()) && args.unlimited.is_none() && args.fill_value.is_none()
}

/// True for a file that netCDF-C wrote.
fn is_netcdf(path: &Path) -> bool {
    let mark = |file: hyperslab::File| file.root()?.attributes().find("_NCProperties");
    hyperslab::File::open(path).and_then(mark).is_ok_and(|found| found.is_some())
}

/// The product of everything that is decided at creation, after the user's file as it is, with which they are compared;
/// that alone where nothing is asked for.
fn storages(
    args: &BenchArgs,
    stored: &Stored,
    formats: &[Format],
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Storage>>, Failure> {
    let is_dataset = stored.as_is.is_some();
    if stores_as_is(args) && is_dataset {
        return Ok(vec![None]);
    }
    let shape = stored.subject.shape();
    let element = stored.element.ok_or_else(|| {
        wrong("only datasets of numbers, of strings of fixed length and of records of them are rewritten")
            .hint("without --chunks, --filter and the other options of storage, the file is read as it is")
    })?;
    let plain = Storage { fill_value: args.fill_value, ..Storage::plain(shape.to_vec(), element) };
    let plains: Vec<Storage> = match args.unlimited {
        None => vec![plain],
        Some(Unlimited::All) => vec![Storage { unlimited: true, ..plain }],
        Some(Unlimited::Both) => vec![plain.clone(), Storage { unlimited: true, ..plain }],
    };
    let mut found = Vec::new();
    for plain in &plains {
        for chunks in chunk_shapes(args, stored, plain.unlimited, notes)? {
            found.push(Storage { chunks, ..plain.clone() });
        }
    }
    // Dimensions that may grow need chunks; in one matrix with fixed ones, what cannot be is left out.
    if args.unlimited == Some(Unlimited::Both) {
        found.retain(|storage| !storage.unlimited || storage.chunks.is_some() || formats != [Format::Hdf5]);
    }
    let own = stored.as_is.as_ref().map_or_else(Vec::new, |(_, filters)| filters.clone());
    let pipelines = list(&args.filter, own, |text| {
        FilterSpec::parse_pipeline(text).map_err(|error| wrong(format!("--filter {text}: {error}")))
    })?;
    let is_asked = !args.filter.is_empty();
    vary(&mut found, &pipelines, |storage, filters| {
        // The file's own pipeline stays where there are chunks for it.
        if is_asked || storage.chunks.is_some() {
            storage.filters.clone_from(filters);
        }
    });
    vary(&mut found, formats, |storage, format| {
        storage.format = *format;
        let is_table = *format == Format::Hdf4 && matches!(element, Element::Record(_));
        if format.is_classic() || is_table {
            // They have neither; what differs in them alone is written once.
            (storage.chunks, storage.filters) = (None, Vec::new());
        }
    });
    let mut found = unique(&found);
    let pages = list(&args.page_size, None, |text| size("--page-size", text).map(Some))?;
    vary(&mut found, &pages, |storage, bytes| storage.page_bytes = *bytes);
    let libvers = list(&args.libver, Libver::default(), word("version", "default, earliest, latest"))?;
    vary(&mut found, &libvers, |storage, libver| storage.libver = *libver);
    let times = list(&args.fill_time, FillTime::default(), word("fill time", "if-set, alloc, never"))?;
    vary(&mut found, &times, |storage, time| storage.fill_time = *time);
    let known = "default, early, late, incremental";
    let times = list(&args.alloc_time, AllocTime::default(), word("allocation time", known))?;
    vary(&mut found, &times, |storage, time| storage.alloc_time = *time);
    found.iter().try_for_each(|storage| storage.check().map_err(wrong))?;
    let is_named = args.chunks.iter().any(|text| text == AS_IS);
    let as_is = is_dataset && (is_named || !args.no_baseline);
    Ok(as_is.then_some(None).into_iter().chain(found.into_iter().map(Some)).collect())
}

/// The chunks that are asked for; those of the file where none are.
fn chunk_shapes(
    args: &BenchArgs,
    stored: &Stored,
    is_unlimited: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Vec<u64>>>, Failure> {
    let shape = stored.subject.shape();
    let element_bytes = stored.element.map_or(stored.element_bytes, |element| element.bytes());
    let default = || chunk_shape(DEFAULT_CHUNKS, shape, element_bytes, is_unlimited).map(Some);
    let texts = args.chunks.iter().filter(|text| !(stored.as_is.is_some() && *text == AS_IS));
    let of = |text: &String| match text.as_str() {
        "contiguous" | "default" => Ok(None),
        text => chunk_shape(text, shape, element_bytes, is_unlimited).map(Some),
    };
    if !args.chunks.is_empty() {
        return texts.map(of).collect();
    }
    let needs_chunks = is_unlimited || args.filter.iter().any(|text| text != "none");
    let Some((own, _)) = &stored.as_is else { return Ok(vec![default()?]) };
    Ok(vec![match own {
        Some(own) => {
            let clipped: Vec<u64> = own.iter().zip(shape).map(|(chunk, dim)| (*chunk).min(*dim)).collect();
            if clipped != *own && !is_unlimited {
                let (own, taken) = (shape_text(own), shape_text(&clipped));
                notes.push(format!(
                    "the chunks of the file, {own}, reach beyond its extent: {taken} was taken"
                ));
            }
            Some(if is_unlimited { own.clone() } else { clipped })
        }
        None if needs_chunks => {
            let taken = default()?;
            let text = taken.as_ref().map(|chunks| shape_text(chunks)).unwrap_or_default();
            notes.push(format!(
                "the file has no chunks, which are needed here: {text} was taken; --chunks names others"
            ));
            taken
        }
        None => None,
    }])
}

/// Names the storage of the file.
const AS_IS: &str = "as-is";

/// Chunks of what is written where nothing is said of them.
const DEFAULT_CHUNKS: &str = "1MiB";

/// Multiplies the storages by the values of one property.
fn vary<T>(found: &mut Vec<Storage>, values: &[T], set: impl Fn(&mut Storage, &T)) {
    let varied = found.iter().flat_map(|storage| {
        values.iter().map(|value| {
            let mut storage = storage.clone();
            set(&mut storage, value);
            storage
        })
    });
    *found = varied.collect();
}

/// Chunks inside the extent; where it may grow, as they are named.
fn chunk_shape(
    text: &str,
    shape: &[u64],
    element_bytes: u64,
    is_unlimited: bool,
) -> Result<Vec<u64>, Failure> {
    let row_major: Vec<usize> = (0..shape.len()).collect();
    let taken = buffer("--chunks", text, shape, &row_major, element_bytes)?;
    if is_bytes(text) {
        return Ok(taken);
    }
    let named = parsed("--chunks", text, shape.len())?;
    let asked = named.dims().iter().zip(&taken).map(|(dim, taken)| match dim {
        BlockDim::Elements(count) => *count,
        BlockDim::Whole => *taken,
    });
    let asked: Vec<u64> = asked.collect();
    if asked != taken && !is_unlimited {
        let extent = shape_text(shape);
        return Err(wrong(format!("--chunks {text}: a chunk is larger than the extent, {extent}"))
            .hint("libhdf5 takes such chunks only where dimensions may grow: --unlimited"));
    }
    Ok(asked)
}

/// True for `1MiB`, false for `1x720`.
fn is_bytes(text: &str) -> bool {
    text.ends_with(|last: char| last.is_ascii_alphabetic())
}

/// A shape, or a number of bytes: then the dimensions that move fastest whole, as far as they fit.
fn buffer(
    option: &str,
    text: &str,
    shape: &[u64],
    order: &[usize],
    element_bytes: u64,
) -> Result<Vec<u64>, Failure> {
    if !is_bytes(text) {
        return block(option, text, shape);
    }
    let mut room = (size(option, text)? / element_bytes.max(1)).max(1);
    let mut taken = vec![1; shape.len()];
    for &axis in order.iter().rev() {
        // An order is a permutation of the dimensions.
        let (Some(dim), Some(taken)) = (shape.get(axis), taken.get_mut(axis)) else { continue };
        *taken = (*dim).min(room).max(1);
        room = (room / *taken).max(1);
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_of_three_dimensions_are_six() {
        let orders = permutations(3);
        assert_eq!(orders.len(), 6);
        assert_eq!((&orders[0], &orders[5]), (&vec![0, 1, 2], &vec![2, 1, 0]));
        assert_eq!(permutations(1), [[0]]);
    }

    #[test]
    fn chunks_of_so_many_bytes_take_the_last_dimensions_whole() {
        let chunk = |text| chunk_shape(text, &[1460, 361, 720], 4, false).unwrap();
        assert_eq!(chunk("1MiB"), [1, 361, 720]);
        assert_eq!(chunk("4KiB"), [1, 1, 720]);
        assert_eq!(chunk("1KiB"), [1, 1, 256]);
        assert_eq!(chunk("1GiB"), [1032, 361, 720]);
        assert_eq!(chunk("365x25x25"), [365, 25, 25]);
    }

    #[test]
    fn chunks_beyond_the_extent_are_for_what_may_grow() {
        let refused = chunk_shape("2000x1x1", &[1460, 361, 720], 4, false).unwrap_err();
        assert!(refused.message.starts_with("--chunks 2000x1x1: a chunk is larger"), "{refused:?}");
        assert_eq!(chunk_shape("2000x1x:", &[1460, 361, 720], 4, true).unwrap(), [2000, 1, 720]);
        assert!(
            block("--stride", "0,1,1", &[9, 9, 9]).unwrap_err().message.starts_with("--stride 0,1,1: each")
        );
    }

    #[test]
    fn orders_are_named_or_numbered() {
        let names = letters(3);
        let order = |text| order("--order", text, &names);
        assert_eq!((order("z,x,y").unwrap(), order("2,0,1").unwrap()), (vec![2, 0, 1], vec![2, 0, 1]));
        for text in ["x,y", "x,y,y", "a,b,c", "0,1"] {
            let refused = order(text).unwrap_err();
            assert!(refused.message.starts_with("--order") && refused.hint.is_some(), "{refused:?}");
        }
    }

    #[test]
    fn a_read_may_have_a_weight() {
        assert_eq!(weighted("1x720@2.5").unwrap(), ("1x720".to_owned(), 2.5));
        assert_eq!(weighted("1x720").unwrap().1, 1.0);
        for text in ["1@0", "1@-1", "1@", "1@inf"] {
            assert!(weighted(text).unwrap_err().message.contains("is not a number above 0"), "{text}");
        }
    }

    #[test]
    fn a_buffer_fills_the_fastest_dimensions_of_its_order_first() {
        let buffer = |text, order: &[usize]| buffer("--read", text, &[1460, 361, 720], order, 4).unwrap();
        assert_eq!(buffer("4KiB", &[2, 1, 0]), [1024, 1, 1]);
        assert_eq!(buffer("1MiB", &[2, 1, 0]), [1460, 179, 1]);
        assert_eq!(buffer("2x3x4", &[2, 1, 0]), [2, 3, 4]);
    }
}
