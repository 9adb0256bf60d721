//! The studies that Unidata published on its blog: precipitation of 1,560 months on a grid of 128x256 floats, along an unlimited
//! dimension, read by horizontal slices and by time series. What was published as best is found, or beaten, in the counts of the
//! simulator.

use super::{advice, question};
use hyperslab_advise::{Advice, Pipeline, SizeBound, Trial, Trials, UsualRead, advise};
use hyperslab_doctor::{DatasetFacts, FilterFact};

const SHAPE: [u64; 3] = [1560, 128, 256];
const BYTES: u64 = 1560 * 128 * 256 * 4;

fn rain(chunk: &[u64], filters: Vec<FilterFact>, stored_bytes: u64) -> DatasetFacts {
    DatasetFacts::contiguous("/pr", &SHAPE, "<f4", 4).unlimited().in_chunks(chunk, filters, stored_bytes)
}

fn horizontal() -> UsualRead {
    UsualRead::requested(&[1, 128, 256], 1.0)
}

fn series() -> UsualRead {
    UsualRead::requested(&[1560, 1, 1], 1.0)
}

/// Chunks of a dataset in the recommended storage.
fn chunks(told: &Advice) -> u64 {
    let storage = &told.recommendations[0].storage;
    let chunk = storage.chunk.as_ref().expect("an unlimited dimension needs chunks");
    told.shape.iter().zip(chunk).map(|(dim, chunk)| dim.div_ceil(*chunk)).product()
}

/// *Large-Enough Cache Very Important When Reading Compressed NetCDF-4/HDF5 Data*: chunks of 8 MiB, deflated, are decoded again
/// for each slice, unless the cache is as large. Published: 46 times as fast with 16 MB.
#[test]
fn compressed_slices_are_decoded_once_in_other_chunks_or_with_a_larger_cache() {
    let facts = rain(&[64, 128, 256], vec![FilterFact::gzip(1)], 185_543_248);
    let question = question(&facts, vec![horizontal()], &["libhdf5-1.8"]);
    let told = advice(&question);
    assert_eq!(told.present.reads[0][0].decodes, 1560, "each slice decodes a chunk of 64");
    let all = &told.recommendations[0].storage;
    assert_eq!(all.reads[0][0].decodes, chunks(&told), "each once, in the default cache: {all:?}");
    let [cache] = &told.caches[..] else { panic!("{:?}", told.caches) };
    assert_eq!(cache.nbytes, 8 << 20, "as large as a chunk; 16 MB were published");
    assert!(cache.seconds / cache.seconds_then > 20.0, "{cache:?}");
    assert_eq!(cache.line, "h5py.File(path, rdcc_nbytes=8388608, rdcc_nslots=521)");
}

/// *Smaller Chunk Sizes For Unlimited Dimension*: 4 to 64 slices of quarters of the grid, not compressed; the more slices, the
/// slower are slices, and the faster series.
#[test]
fn no_published_shape_serves_slices_and_series_better() {
    let ask = |facts: &DatasetFacts| -> Advice {
        let mut question = question(facts, vec![horizontal(), series()], &["libhdf5-1.8"]);
        question.size_bound = SizeBound::TimesPresent(1.05);
        advise(&question, &mut Incompressible).unwrap().unwrap()
    };
    let told = ask(&rain(&[4, 64, 128], Vec::new(), BYTES));
    let best = &told.recommendations[0].storage;
    for slices in [4, 8, 16, 32, 64] {
        let stored = BYTES / 1560 * 1560u64.next_multiple_of(slices);
        let published = ask(&rain(&[slices, 64, 128], Vec::new(), stored)).present;
        assert!(best.seconds[0] <= published.seconds[0], "{slices} slices: {best:?} {published:?}");
        assert!(best.requests <= published.requests, "{slices} slices: {best:?} {published:?}");
    }
}

/// *File Size and Chunking in NetCDF-4 on AR-4 Data File*: chunks of 1,024 steps waste 64 MB of 1,560, the best 0.16 MB.
#[test]
fn no_bytes_are_wasted_behind_the_end() {
    for reads in [vec![horizontal()], vec![series()], vec![horizontal(), series()]] {
        let facts = rain(&[1024, 16, 128], Vec::new(), 2 * 1024 * BYTES / 1560);
        let mut question = question(&facts, reads, &[]);
        question.size_bound = SizeBound::None;
        let told = advise(&question, &mut Incompressible).unwrap().unwrap();
        let storage = &told.recommendations[0].storage;
        assert!(storage.stored_bytes < BYTES + BYTES / 50, "{storage:?}");
    }
}

/// *NetCDF-4 AR-4 Timeseries Reads and Cache Sizes*: chunks of 256x128x128, 16 MiB, for series: larger caches were slower. In
/// other chunks no cache needs to be set.
#[test]
fn series_need_no_larger_cache_in_other_chunks() {
    let facts = rain(&[256, 128, 128], Vec::new(), 1792 * BYTES / 1560);
    let question = question(&facts, vec![series()], &["libhdf5-1.8", "netcdf-4.9"]);
    let told = advise(&question, &mut Incompressible).unwrap().unwrap();
    let all = &told.recommendations[0].storage;
    for (reader, now) in all.reads.iter().zip(&told.present.reads) {
        let (then, now) = (&reader[0], &now[0]);
        assert!(then.bytes <= BYTES + BYTES / 20, "read about once: {then:?}");
        assert!(then.bytes <= now.bytes && then.requests < now.requests, "{then:?}, now {now:?}");
    }
}

/// Values that no filter makes smaller.
struct Incompressible;

impl Trials for Incompressible {
    fn measure(&mut self, _: &[u64], pipelines: &[Pipeline]) -> Vec<Option<Trial>> {
        let trial = Trial {
            decoded_bytes: 1000,
            encoded_bytes: 1001,
            encode_seconds: 2e-5,
            fast_encode_seconds: None,
            decode_seconds: 2e-6,
            largest_error: 0.0,
            inflate_factor: None,
            library: None,
        };
        vec![Some(trial); pipelines.len()]
    }
}
