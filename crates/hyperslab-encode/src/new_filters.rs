//! The filters of a dataset in the new file, with their complete parameters.

use hyperslab::Datatype;
use hyperslab::datatypes::Class;
use hyperslab::filters::filter_element;
use hyperslab::storage::{Fill, FillValue};
use hyperslab_filters::{
    Element, FilterError, FilterSpec, Pipeline, Scratch, Target, asked, client_data, is_computed_by_plugin,
};
use hyperslab_format::message::Filter;
use hyperslab_storage::FilterRequest;
use hyperslab_storage::filter::number::{BIT_GROOM, FLETCHER32, NBIT, SCALEOFFSET, SPERR, SZ, SZ3, ZFP};

/// Bit 0 of a filter's flags: chunks on which the filter fails are stored without it.
const OPTIONAL: u16 = 1;
/// The kinds of scaling of `H5Pset_scaleoffset`: floats by decimal digits, integers.
const DECIMAL: u32 = 0;
const INTEGER: u32 = 2;

/// The dataset that filters are for.
pub struct FilteredDataset<'a> {
    /// The datatype in the file.
    pub datatype: &'a Datatype,
    /// The shape of a chunk in elements.
    pub chunk: &'a [u64],
    /// The fill value.
    pub fill: &'a FillValue,
}

impl FilteredDataset<'_> {
    /// The filters that are asked for.
    ///
    /// # Errors
    ///
    /// A filter that cannot be applied to such a dataset, or that cannot be written here.
    pub fn requested(&self, requests: &[FilterRequest]) -> Result<Vec<Filter>, FilterError> {
        let element = filter_element(self.datatype);
        let filters = requests.iter().map(|request| {
            known_client_data(request.id)?;
            let mut asked = request.parameters.clone();
            if request.id == SCALEOFFSET {
                asked = scaling(asked, self.datatype)?;
            }
            // As libhdf5's own functions set them: only a checksum is never left out.
            let flags = if request.id == FLETCHER32 { 0 } else { OPTIONAL };
            let entry = hyperslab_filters::table().iter().find(|entry| entry.id == request.id);
            let name = entry.filter(|_| request.id > u16::from(u8::MAX)).map(|entry| entry.name.into());
            let parameters = self.client_data(&element, request.id, &asked)?;
            Ok(Filter { id: request.id, name, flags, parameters })
        });
        self.checked(filters.collect::<Result<_, FilterError>>()?)
    }

    /// The present filters for another chunk shape.
    ///
    /// # Errors
    ///
    /// As [`Self::requested`]; and filters that would round values that they have rounded before.
    pub fn kept(&self, filters: &[Filter]) -> Result<Vec<Filter>, FilterError> {
        let element = filter_element(self.datatype);
        let filters = filters.iter().map(|filter| {
            let asked = asked(filter.id, &filter.parameters);
            if let Some(name) = rounds_again(filter.id, &asked, self.datatype) {
                let what =
                    "in other chunks it would round the values again, for which it must be named".into();
                return Err(FilterError::Inapplicable { filter: name, what });
            }
            known_client_data(filter.id)?;
            let parameters = self.client_data(&element, filter.id, &asked)?;
            Ok(Filter { parameters, ..filter.clone() })
        });
        self.checked(filters.collect::<Result<_, FilterError>>()?)
    }

    fn client_data(&self, element: &Element, id: u16, asked: &[u32]) -> Result<Vec<u32>, FilterError> {
        let zeros = vec![0; element.size as usize];
        let fill = match &self.fill.value {
            Fill::Undefined => None,
            Fill::Default => Some(&zeros[..]),
            Fill::User(value) => Some(&value[..]),
        };
        client_data(id, asked, &Target { element, chunk: self.chunk, fill })
    }

    /// Encodes a chunk of zeros, with filters that must not be left out: a filter without an encoder would otherwise be
    /// skipped without a word.
    fn checked(&self, filters: Vec<Filter>) -> Result<Vec<Filter>, FilterError> {
        const TRIAL_BYTES_MAX: u64 = 1 << 20;
        let size = u64::from(self.datatype.size);
        let bytes = self.chunk.iter().fold(size, |bytes: u64, dim| bytes.saturating_mul(*dim));
        let specs: Vec<_> =
            filters.iter().map(|filter| FilterSpec { optional: false, ..spec(filter) }).collect();
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let pipeline = Pipeline::new(&specs, size as usize, bytes)?;
        if bytes as u64 <= TRIAL_BYTES_MAX {
            match pipeline.encode(&vec![0; bytes], &mut Scratch::new()) {
                // Chunks of a few bytes are stored without the filter.
                Ok(_) | Err(FilterError::Incompressible { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filters)
    }
}

/// A filter of a file for [`Pipeline`].
pub fn spec(filter: &Filter) -> FilterSpec<'_> {
    FilterSpec { id: filter.id, optional: filter.is_optional(), parameters: &filter.parameters }
}

/// The kind of scaling, and the number of decimal places or of bits. Integers keep all bits that they need; to how many places
/// floats are rounded, only the user knows.
fn scaling(asked: Vec<u32>, datatype: &Datatype) -> Result<Vec<u32>, FilterError> {
    let is_float = matches!(datatype.class, Class::Float(_));
    match asked[..] {
        [] if is_float => {
            let what = "it rounds floats to decimal places, and their number is not given; `scaleoffset=2` keeps two";
            Err(FilterError::Inapplicable { filter: "scaleoffset", what: what.into() })
        }
        [] => Ok(vec![INTEGER, 0]),
        [factor] => Ok(vec![if is_float { DECIMAL } else { INTEGER }, factor]),
        _ => Ok(asked),
    }
}

/// A plug-in that is given client data that it does not expect may end the process.
fn known_client_data(id: u16) -> Result<(), FilterError> {
    if !is_computed_by_plugin(id) {
        return Ok(());
    }
    let what = format!(
        "the plug-in of filter {id} computes its parameters in code that needs libhdf5; h5repack and h5py can apply it"
    );
    Err(FilterError::Inapplicable { filter: "plug-in", what })
}

/// The name of a filter that rounds values to others in a chunk of another shape, although it has rounded them before.
fn rounds_again(id: u16, asked: &[u32], datatype: &Datatype) -> Option<&'static str> {
    const ZFP_REVERSIBLE: u32 = 5;
    match id {
        // What is the least value of a chunk is where it begins to count.
        SCALEOFFSET if matches!(datatype.class, Class::Float(_)) => Some("scaleoffset"),
        SZ => Some("sz"),
        SZ3 => Some("sz3"),
        SPERR => Some("sperr"),
        ZFP if asked.first() != Some(&ZFP_REVERSIBLE) => Some("zfp"),
        // It clears bits at even places, and sets them at odd ones.
        BIT_GROOM => Some("bitgroom"),
        _ => None,
    }
}

/// Filters that do not always restore the bytes that they were given.
pub fn is_lossy(filters: &[Filter], datatype: &Datatype) -> bool {
    /// Besides those with a name: Granular BitRound, FCIDECOMP, and others that may round.
    const ROUNDING: [u16; 9] = [ZFP, SZ, BIT_GROOM, 32023, SZ3, SPERR, 32018, 32012, 32019];
    filters.iter().any(|filter| match filter.id {
        NBIT => true,
        SCALEOFFSET => {
            matches!(datatype.class, Class::Float(_))
                || filter.parameters.get(1).is_some_and(|&bits| bits > 0)
        }
        id => ROUNDING.contains(&id),
    })
}
