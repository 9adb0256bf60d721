//! The matrix that the command line asks for.

use super::arguments::BenchArgs;
use super::document::unique;
use super::engines;
use crate::failure::{self, Failure};
use hyperslab::Dataset;
use hyperslab_bench::data::Synthetic;
use hyperslab_bench::library::Family;
use hyperslab_bench::matrix::{Matrix, Subject, WriteStrategy};
use hyperslab_bench::study::{
    Access, AllocTime, BlockWalk, Element, FillTime, FilterSpec, Format, Libver, Records, Storage,
};
use hyperslab_doctor::pattern::{BlockShape, parse_order};
use hyperslab_doctor::simulate::CacheSettings;
use hyperslab_doctor::simulate::parse_cache;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Dimensions of which all orders are tried; more would be more than a hundred.
const ORDERS_RANK_MAX: usize = 4;

fn wrong(error: impl std::fmt::Display) -> Failure {
    Failure::wrong_request(error.to_string())
}

/// One matrix for each type of element, a user's dataset has one; and the libraries that are missing from them.
pub(super) fn matrices(args: &BenchArgs) -> Result<(Vec<Matrix>, Vec<Family>), Failure> {
    let subjects = subjects(args)?;
    let formats = formats(args)?;
    let written = if stores_as_is(args) && args.file.is_some() { &[][..] } else { &formats };
    let chosen = engines::choose(args, written, args.file.as_deref().is_some_and(is_netcdf))?;
    let caches = list(&args.cache, None, cache)?;
    let page_buffers = list(&args.page_buffer, None, |text| size(text).map(Some))?;
    let records = Records {
        fields: (!args.fields.is_empty()).then(|| args.fields.clone()),
        memory: word("layout of records", "as-stored, struct, columns")(&args.memory)?,
    };
    let mut found = Vec::new();
    for Asked { subject, element, element_bytes } in subjects {
        let shape = subject.shape().to_vec();
        let accesses = accesses(args, &shape, element_bytes)?;
        let strategies = strategies(args, &shape, element_bytes)?;
        found.push(Matrix {
            storages: storages(args, &subject, element, &formats)?,
            accesses,
            caches: caches.clone(),
            records: records.clone(),
            page_buffers: page_buffers.clone(),
            engines: chosen.readers.clone(),
            writers: chosen.writers.clone(),
            strategies,
            write_repeats: args.write_repeats,
            repeats: args.repeats,
            seconds_max: args.max_seconds,
            reads_max: args.reads,
            cold: args.cold,
            subject,
        });
    }
    Ok((found, chosen.missing))
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

fn size(text: &str) -> Result<u64, Failure> {
    hyperslab::parse_bytes(text).map_err(wrong)
}

/// `None` is the library's own default.
fn cache(text: &str) -> Result<Option<CacheSettings>, Failure> {
    match text {
        "default" => Ok(None),
        text => parse_cache(text).map(Some).map_err(wrong),
    }
}

fn block(text: &str, shape: &[u64]) -> Result<Vec<u64>, Failure> {
    let block: BlockShape = text.parse().map_err(wrong)?;
    block.resolve(shape).ok_or_else(|| {
        wrong(format!("the block {text} has {} dimensions, the dataset {}", block.dims().len(), shape.len()))
    })
}

/// What is stored.
struct Asked {
    subject: Subject,
    /// The type of what is written of it; none where that type is not written here.
    element: Option<Element>,
    /// Bytes of one element in memory.
    element_bytes: u64,
}

fn subjects(args: &BenchArgs) -> Result<Vec<Asked>, Failure> {
    if let Some(shape) = &args.synthetic {
        let shape: BlockShape = shape.parse().map_err(wrong)?;
        let dims: Option<Vec<u64>> = shape
            .dims()
            .iter()
            .map(|dim| match dim {
                hyperslab_doctor::pattern::BlockDim::Elements(count) => Some(*count),
                hyperslab_doctor::pattern::BlockDim::Whole => None,
            })
            .collect();
        let dims = dims.ok_or_else(|| wrong("made-up values need numbers for all dimensions"))?;
        let elements: Vec<Element> = match args.element.as_slice() {
            [] => vec!["<f4".parse().map_err(wrong)?],
            some => some.iter().map(|text| text.parse().map_err(wrong)).collect::<Result<_, _>>()?,
        };
        let made = |element: &Element| Asked {
            subject: Subject::Synthetic(Synthetic::with_ratio(&dims, *element, args.ratio, args.seed)),
            element: Some(*element),
            element_bytes: element.bytes(),
        };
        return Ok(elements.iter().map(made).collect());
    }
    let (Some(path), Some(name)) = (&args.file, &args.dataset) else {
        return Err(wrong("no file and dataset are named"));
    };
    let dataset = failure::open(path)?.dataset(name)?;
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
    Ok(vec![Asked { subject, element, element_bytes }])
}

/// The type of a dataset, if it is one that is written here.
fn element_of(dataset: &Dataset) -> Option<Element> {
    Element::of(dataset.datatype())
}

/// Orders of the dimensions; that of the dataset where none is given.
fn orders(texts: &[String], rank: usize) -> Result<Vec<Vec<usize>>, Failure> {
    let mut orders = Vec::new();
    for text in texts {
        match text.as_str() {
            "all" if rank > ORDERS_RANK_MAX => {
                return Err(wrong(format!("all orders of {rank} dimensions are too many; name some")));
            }
            "all" => orders.extend(permutations(rank)),
            text => orders.push(parse_order(text).map_err(wrong)?),
        }
    }
    if orders.is_empty() {
        orders.push((0..rank).collect());
    }
    Ok(orders)
}

/// Every block in every order behind every cache.
fn strategies(args: &BenchArgs, shape: &[u64], element_bytes: u64) -> Result<Vec<WriteStrategy>, Failure> {
    let caches = list(&args.write_cache, None, cache)?;
    let mut found = Vec::new();
    for text in list(&args.write, None, |text| Ok(Some(text.to_owned())))? {
        for order in orders(&args.write_order, shape.len())? {
            let block = text.as_ref().map(|text| buffer(text, shape, &order, element_bytes)).transpose()?;
            let walk = BlockWalk::Sweep { order: order.clone() };
            Access { walk, ..Access::sweep(vec![1; shape.len()]) }.check(shape).map_err(wrong)?;
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
            wrong(format!("{axis:?} is not an axis to move along"))
                .hint("there are: 0, 1, ..., diagonal, all")
        }),
    }
}

fn accesses(args: &BenchArgs, shape: &[u64], element_bytes: u64) -> Result<Vec<Access>, Failure> {
    let rank = shape.len();
    let orders = orders(&args.order, rank)?;
    let steps = list(&args.stride, vec![1; rank], |text| block(text, &vec![u64::MAX; rank]))?;
    let walks: Vec<BlockWalk> = if let Some(count) = args.random {
        vec![BlockWalk::Random { count, seed: args.seed }]
    } else if let Some(along) = &args.moved {
        moved(along, rank)?
    } else {
        orders.into_iter().map(|order| BlockWalk::Sweep { order }).collect()
    };
    let row_major: Vec<usize> = (0..rank).collect();
    let mut found = Vec::new();
    for text in list(&args.read, None, |text| Ok(Some(text.to_owned())))? {
        for step in &steps {
            for walk in &walks {
                let order = if let BlockWalk::Sweep { order } = walk { order } else { &row_major };
                let block = match &text {
                    Some(text) => buffer(text, shape, order, element_bytes)?,
                    None => Access::whole(shape).block,
                };
                let access = Access { block, step: step.clone(), walk: walk.clone() };
                access.check(shape).map_err(wrong)?;
                found.push(access);
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
    lists.iter().all(|list| list.is_empty()) && !args.unlimited && args.fill_value.is_none()
}

/// True for a file that netCDF-C wrote.
fn is_netcdf(path: &Path) -> bool {
    let mark = |file: hyperslab::File| file.root()?.attributes().find("_NCProperties");
    hyperslab::File::open(path).and_then(mark).is_ok_and(|found| found.is_some())
}

/// The product of everything that is decided at creation; the user's file as it is where nothing is asked for.
fn storages(
    args: &BenchArgs,
    subject: &Subject,
    element: Option<Element>,
    formats: &[Format],
) -> Result<Vec<Option<Storage>>, Failure> {
    let nothing = stores_as_is(args);
    let is_dataset = matches!(subject, Subject::Dataset { .. });
    if nothing && is_dataset {
        return Ok(vec![None]);
    }
    let shape = subject.shape();
    let element = element.ok_or_else(|| {
        wrong("only datasets of numbers, of strings of fixed length and of records of them are rewritten")
            .hint("without --chunks, --filter and the other options of storage, the file is read as it is")
    })?;
    let plain = Storage {
        unlimited: args.unlimited,
        fill_value: args.fill_value,
        ..Storage::plain(shape.to_vec(), element)
    };
    let (mut as_is, mut found) = (false, Vec::new());
    let texts: Vec<&str> = match args.chunks.as_slice() {
        [] => vec![DEFAULT_CHUNKS],
        some => some.iter().map(String::as_str).collect(),
    };
    for text in texts {
        match text {
            "as-is" if is_dataset => as_is = true,
            "contiguous" | "default" => found.push(plain.clone()),
            text => found.push(Storage { chunks: Some(chunk_shape(text, shape, element)?), ..plain.clone() }),
        }
    }
    let pipelines = list(&args.filter, Vec::new(), |text| FilterSpec::parse_pipeline(text).map_err(wrong))?;
    vary(&mut found, &pipelines, |storage, filters| storage.filters.clone_from(filters));
    vary(&mut found, formats, |storage, format| {
        storage.format = *format;
        let is_table = *format == Format::Hdf4 && matches!(element, Element::Record(_));
        if format.is_classic() || is_table {
            // They have neither; what differs in them alone is written once.
            (storage.chunks, storage.filters) = (None, Vec::new());
        }
    });
    let mut found = unique(&found);
    let pages = list(&args.page_size, None, |text| size(text).map(Some))?;
    vary(&mut found, &pages, |storage, bytes| storage.page_bytes = *bytes);
    let libvers = list(&args.libver, Libver::default(), word("version", "default, earliest, latest"))?;
    vary(&mut found, &libvers, |storage, libver| storage.libver = *libver);
    let times = list(&args.fill_time, FillTime::default(), word("fill time", "if-set, alloc, never"))?;
    vary(&mut found, &times, |storage, time| storage.fill_time = *time);
    let known = "default, early, late, incremental";
    let times = list(&args.alloc_time, AllocTime::default(), word("allocation time", known))?;
    vary(&mut found, &times, |storage, time| storage.alloc_time = *time);
    found.iter().try_for_each(|storage| storage.check().map_err(wrong))?;
    Ok(as_is.then_some(None).into_iter().chain(found.into_iter().map(Some)).collect())
}

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

fn chunk_shape(text: &str, shape: &[u64], element: Element) -> Result<Vec<u64>, Failure> {
    let row_major: Vec<usize> = (0..shape.len()).collect();
    buffer(text, shape, &row_major, element.bytes())
}

/// A shape, or a number of bytes: then the dimensions that move fastest whole, as far as they fit.
fn buffer(text: &str, shape: &[u64], order: &[usize], element_bytes: u64) -> Result<Vec<u64>, Failure> {
    let is_bytes = text.ends_with(|last: char| last.is_ascii_alphabetic());
    if !is_bytes {
        return block(text, shape);
    }
    let mut room = (size(text)? / element_bytes.max(1)).max(1);
    let mut taken = vec![1; shape.len()];
    for &axis in order.iter().rev() {
        // An order that is not a permutation is refused where it is checked.
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
        let element = "<f4".parse().unwrap();
        let chunk = |text| chunk_shape(text, &[1460, 361, 720], element).unwrap();
        assert_eq!(chunk("1MiB"), [1, 361, 720]);
        assert_eq!(chunk("4KiB"), [1, 1, 720]);
        assert_eq!(chunk("1KiB"), [1, 1, 256]);
        assert_eq!(chunk("1GiB"), [1032, 361, 720]);
        assert_eq!(chunk("365x25x25"), [365, 25, 25]);
    }

    #[test]
    fn a_buffer_fills_the_fastest_dimensions_of_its_order_first() {
        let buffer = |text, order: &[usize]| buffer(text, &[1460, 361, 720], order, 4).unwrap();
        assert_eq!(buffer("4KiB", &[2, 1, 0]), [1024, 1, 1]);
        assert_eq!(buffer("1MiB", &[2, 1, 0]), [1460, 179, 1]);
        assert_eq!(buffer("2x3x4", &[2, 1, 0]), [2, 3, 4]);
    }
}
