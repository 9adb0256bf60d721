//! Several indexes as one, along a dimension: what the files say about a variable must agree, or the values would be
//! decoded wrongly.
//!
//! A chunk of Zarr begins at a multiple of the chunk shape. Therefore each file but the last must end with a whole chunk;
//! where that is not so, as for the coordinate of a dimension of days in files of a month, values of up to 1 MiB are joined
//! to one chunk without filters. Times that count from another date in each file (`times.rs`) are joined so, too. Variables
//! without the dimension must have the same values in all files.

use crate::chunks::Chunks;
use crate::model::{Array, Index};
use crate::times;
use crate::values::{JOINED_BYTES_MAX, Values};
use hyperslab::{Error, Result};

/// Attributes that say how values are to be understood.
const DECODING: &[&str] = &[
    "scale_factor",
    "add_offset",
    "_FillValue",
    "missing_value",
    "_Unsigned",
    "valid_min",
    "valid_max",
    "valid_range",
    "units",
    "calendar",
];

impl Index {
    /// Combines indexes of files, in this order, along a dimension. They must have been built for it
    /// ([`BuildOptions::concat`](crate::BuildOptions::concat)). Attributes that do not say how values are decoded are those
    /// of the first file.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](hyperslab::ErrorKind::Invalid) with the file, the variable, and what differs.
    pub fn concat(dimension: &str, indexes: impl IntoIterator<Item = Index>) -> Result<Index> {
        let mut indexes = indexes.into_iter();
        let mut joined = indexes.next().ok_or_else(|| Error::invalid("there is nothing to combine"))?;
        if !joined.arrays.iter().any(|array| array.dimensions.iter().any(|name| name == dimension)) {
            let what = format!("no variable has the dimension {dimension:?}");
            return Err(Error::invalid(what).in_file(&joined.files[0]));
        }
        let mut arrays: Vec<Joined> =
            joined.arrays.drain(..).map(|first| Joined::new(first, dimension)).collect();
        for mut next in indexes {
            let file = next.files.first().cloned().unwrap_or_default();
            let first_file = &joined.files[0];
            if let Some(array) =
                arrays.iter().find(|known| !next.arrays.iter().any(|array| array.path == known.array.path))
            {
                let what = format!("it is in {first_file}, but not here");
                return Err(Error::invalid(what).at_object(format!("/{}", array.array.path)).in_file(file));
            }
            let known: Vec<&Array> = arrays.iter().map(|known| &known.array).collect();
            let converted = times::convert(&mut next.arrays, &known, dimension).map_err(|(path, what)| {
                Error::invalid(what).at_object(format!("/{path}")).in_file(file.clone())
            })?;
            for mut array in next.arrays {
                array.chunks.set_file(joined.files.len());
                let path = format!("/{}", array.path);
                let known = arrays.iter_mut().find(|known| known.array.path == array.path);
                let known = known.ok_or_else(|| format!("it is not in {first_file}"));
                known
                    .and_then(|known| {
                        let is_converted = converted.contains(&array.path);
                        known.append(array, first_file, is_converted)
                    })
                    .map_err(|what| Error::invalid(what).at_object(path).in_file(file.clone()))?;
            }
            for omitted in next.omitted {
                if !joined.omitted.contains(&omitted) {
                    joined.omitted.push(omitted);
                }
            }
            joined.files.push(file);
        }
        for array in arrays {
            let path = format!("/{}", array.array.path);
            let array = array.finish().map_err(|what| Error::invalid(what).at_object(path))?;
            joined.arrays.push(array);
        }
        Ok(joined)
    }
}

/// An array of several files.
struct Joined {
    array: Array,
    /// The axis of the dimension, if the array has it.
    axis: Option<usize>,
    /// Length along that axis and values, file by file.
    parts: Vec<(u64, Values)>,
    /// The number of the file that ends within a chunk although another one follows.
    partial: Option<usize>,
}

impl Joined {
    fn new(mut array: Array, dimension: &str) -> Self {
        let axis = array.dimensions.iter().position(|name| name == dimension);
        let len = axis.map_or(0, |axis| array.shape[axis]);
        let values = std::mem::take(&mut array.values);
        Self { array, axis, parts: vec![(len, values)], partial: None }
    }

    /// Adds the array of the next file, or says what differs from `first_file`. Values that were converted are not those of its
    /// chunks.
    fn append(
        &mut self,
        next: Array,
        first_file: &str,
        is_converted: bool,
    ) -> std::result::Result<(), String> {
        let differ = |what: &str, here: String, there: String| {
            Err(format!("{what} {here} here, but {there} in {first_file}"))
        };
        let known = &self.array;
        if next.dimensions != known.dimensions {
            return differ(
                "its dimensions are",
                format!("{:?}", next.dimensions),
                format!("{:?}", known.dimensions),
            );
        }
        let across = |shape: &[u64]| -> Vec<u64> {
            shape
                .iter()
                .enumerate()
                .filter(|(axis, _)| Some(*axis) != self.axis)
                .map(|(_, len)| *len)
                .collect()
        };
        if across(&next.shape) != across(&known.shape) {
            return differ("its shape is", format!("{:?}", next.shape), format!("{:?}", known.shape));
        }
        if next.data_type != known.data_type {
            return differ(
                "its type is",
                next.data_type.json().to_string(),
                known.data_type.json().to_string(),
            );
        }
        for name in DECODING {
            let (here, there) = (next.attribute(name), known.attribute(name));
            if here != there {
                let text = |value: Option<&str>| value.unwrap_or("missing").to_owned();
                return differ(&format!("its attribute {name} is"), text(here), text(there));
            }
        }
        let Some(axis) = self.axis else { return self.same_values(&next, first_file) };
        let is_joinable = |values: &Values| matches!(values, Values::Known(_));
        let can_join = is_joinable(&next.values) && self.parts.iter().all(|(_, values)| is_joinable(values));
        if is_converted {
            self.partial = Some(self.parts.len());
            if !can_join {
                return Err(
                    "its times are in other units, and there are too many to be joined to one chunk".into()
                );
            }
        }
        let mut storage = |what: &str, here: String, there: String| -> std::result::Result<(), String> {
            // All values in one chunk have no chunks, filters or fill values that could differ.
            self.partial = Some(self.parts.len());
            if can_join { Ok(()) } else { differ(what, here, there) }
        };
        let last_len = self.parts.last().map_or(0, |(len, _)| *len);
        if next.chunk_shape != known.chunk_shape {
            storage("its chunks are", format!("{:?}", next.chunk_shape), format!("{:?}", known.chunk_shape))?;
        } else if next.codecs != known.codecs {
            storage("its filters are", format!("{:?}", next.codecs), format!("{:?}", known.codecs))?;
        } else if next.fill_value != known.fill_value {
            let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
            storage("its fill value is", text(&next.fill_value), text(&known.fill_value))?;
        } else if !last_len.is_multiple_of(known.chunk_shape[axis]) {
            self.partial = Some(self.parts.len());
            if !can_join {
                return Err(format!(
                    "the file before it ends with a part of a chunk: {last_len} is not a multiple of {} along {}",
                    known.chunk_shape[axis], known.dimensions[axis]
                ));
            }
        }
        self.array.chunks.append(axis, next.chunks);
        self.array.shape[axis] += next.shape[axis];
        self.parts.push((next.shape[axis], next.values));
        Ok(())
    }

    /// Checks an array without the dimension: the index refers to the first file only.
    fn same_values(&self, next: &Array, first_file: &str) -> std::result::Result<(), String> {
        let is_same = match (&self.parts[0].1, &next.values) {
            (Values::Unknown, Values::Unknown) => {
                let at = vec![0; next.shape.len()];
                self.array.chunks.get(&at) == next.chunks.get(&at)
            }
            (known, found) => known == found,
        };
        if is_same { Ok(()) } else { Err(format!("its values are not those in {first_file}")) }
    }

    fn finish(mut self) -> std::result::Result<Array, String> {
        let (Some(axis), Some(_)) = (self.axis, self.partial) else { return Ok(self.array) };
        let bytes: usize = self.parts.iter().map(|(_, values)| values.len()).sum();
        if bytes as u64 > JOINED_BYTES_MAX {
            return Err(
                "its files end with a part of a chunk, and it is too large to be joined to one chunk".into(),
            );
        }
        let outer: u64 = self.array.shape[..axis].iter().product();
        let mut joined = Vec::with_capacity(bytes);
        for row in 0..outer as usize {
            for (_, values) in &self.parts {
                let Values::Known(values) = values else { return Err("its values are not known".into()) };
                let row_bytes = values.len() / outer as usize;
                joined.extend_from_slice(&values[row * row_bytes..(row + 1) * row_bytes]);
            }
        }
        self.array.chunk_shape = self.array.shape.iter().map(|&len| len.max(1)).collect();
        (self.array.codecs, self.array.fill_value) = (Vec::new(), None);
        let mut chunks = Chunks::new(self.array.counts());
        if !joined.is_empty() {
            chunks.set_inline(&vec![0; self.array.shape.len()], joined.into());
        }
        self.array.chunks = chunks;
        Ok(self.array)
    }
}
