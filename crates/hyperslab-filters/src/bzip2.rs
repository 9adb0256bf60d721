//! Filter 307, "bzip2": one bzip2 stream; bytes after it are ignored. The only parameter is the level.

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};
use bzip2::{Action, Compress, Compression, Decompress, Status};

const NAME: &str = "bzip2";
/// The level if the parameters do not specify it.
const LEVEL: u32 = 9;

struct Bzip2 {
    level: Option<u32>,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    Ok(Box::new(Bzip2 { level: setup.parameters.first().copied() }))
}

impl Stage for Bzip2 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> String {
        self.level.map_or_else(|| NAME.to_string(), |level| format!("{NAME} {level}"))
    }

    /// A block of 900,000 bytes, in which five bytes may stand for 259, takes more than 16 bytes.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        stored_bytes.saturating_mul(900_000 / 5 * 259 / 16)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let mut stream = Decompress::new(false);
        let (mut from, mut to) = (0, 0);
        loop {
            let status = stream
                .decompress(&stored[from..], &mut out[to..])
                .map_err(|error| FilterError::corrupt(NAME, error.to_string()))?;
            let (read, written) = (stream.total_in() as usize, stream.total_out() as usize);
            match status {
                Status::StreamEnd => return Ok(written),
                Status::MemNeeded => return Err(FilterError::Memory { bytes: 4_000_000 }),
                // When the output is full, one more call is needed, in which the stream must end.
                _ if (read, written) != (from, to) => (from, to) = (read, written),
                _ if to == max => return Err(FilterError::TooLong { filter: NAME, max }),
                _ => return Err(FilterError::corrupt(NAME, "the stream is truncated")),
            }
        }
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        let level = self.level.unwrap_or(LEVEL);
        if !(1..=9).contains(&level) {
            return Err(FilterError::parameters(NAME, format!("level {level} is not from 1 to 9")));
        }
        let mut stream = Compress::new(Compression::new(level), 0);
        // The bound that the library's manual guarantees.
        let out = out.room(raw.len() + raw.len() / 100 + 600)?;
        loop {
            let (read, written) = (stream.total_in() as usize, stream.total_out() as usize);
            match stream.compress(&raw[read..], &mut out[written..], Action::Finish) {
                Ok(Status::StreamEnd) => return Ok(stream.total_out() as usize),
                Ok(Status::MemNeeded) => return Err(FilterError::Memory { bytes: 8_000_000 }),
                Ok(_) if (stream.total_in() as usize, stream.total_out() as usize) != (read, written) => {}
                Ok(_) => return Err(FilterError::TooLong { filter: NAME, max: out.len() }),
                Err(error) => return Err(FilterError::unsupported(NAME, error.to_string())),
            }
        }
    }
}
