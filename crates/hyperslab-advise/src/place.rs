//! Where the file will lie: what a request and a byte cost there, in seconds and in money.
//!
//! | place | latency | bandwidth of a connection | connections | requests | bytes read | bytes kept |
//! |---|---|---|---|---|---|---|
//! | `local` | 0 | in the page cache: part of the calibrated terms | | free | free | free |
//! | `hdd` | 8 ms | 150 MB/s | 1 | free | free | free |
//! | `s3` | 40 ms | 80 MB/s | 8 | $0.0004 a thousand | $0.09 a GB | $0.023 a GB and month |
//! | `gs` | 50 ms | 70 MB/s | 8 | $0.0004 a thousand | $0.12 a GB | $0.020 a GB and month |
//! | `az` | 40 ms | 60 MB/s | 8 | $0.0005 a thousand | $0.087 a GB | $0.018 a GB and month |
//!
//! The prices are the list prices of a first region for reads from outside its cloud; inside it, bytes are usually free:
//! `s3,egress=0` says so. Latency and bandwidth are what a virtual machine in the same region commonly sees.

use crate::error::AdviseError;
use hyperslab_doctor::forecast::Link;

/// A place, by what requests and bytes cost there.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// As the user wrote it.
    pub name: String,
    /// The way to it. Without latency, and with infinite bandwidth, for files in the page cache.
    pub link: Link,
    /// Dollars for keeping 10⁹ bytes for a month.
    pub price_of_storage: f64,
}

const GIGABYTE: f64 = 1e9;

impl Place {
    /// A local disk whose file is in the page cache.
    pub fn local() -> Self {
        Self { name: "local".to_owned(), link: Link::default(), price_of_storage: 0.0 }
    }

    /// A place by its name, or by its numbers: `latency=40ms,bandwidth=80MB,connections=8,price=0.0004,egress=0.09`. Numbers
    /// may follow a name: `s3,egress=0`.
    ///
    /// # Errors
    /// [`AdviseError::Place`] for an unknown name and for a number that is negative or not one.
    pub fn parse(text: &str) -> Result<Self, AdviseError> {
        let wrong = |problem: String| AdviseError::Place { text: text.to_owned(), problem };
        let mut place = Self { name: text.trim().to_owned(), ..Self::local() };
        for (position, part) in text.split(',').map(str::trim).enumerate() {
            let Some((key, value)) = part.split_once('=') else {
                if position > 0 {
                    return Err(wrong(format!("{part:?} is not a name and a number, such as latency=40ms")));
                }
                let named = Self::named(part).ok_or_else(|| {
                    wrong("the places are local, hdd, s3, gs, az, or numbers such as latency=40ms".to_owned())
                })?;
                place = Self { name: place.name, ..named };
                continue;
            };
            let number = |value: &str| -> Result<f64, AdviseError> {
                let number: Option<f64> = value.trim().parse().ok();
                let valid = number.filter(|number| number.is_finite() && *number >= 0.0);
                valid.ok_or_else(|| wrong(format!("{key}={value:?} is not a number of 0 or more")))
            };
            match key.trim() {
                "latency" => {
                    let value = value.trim();
                    place.link.latency_seconds = match (value.strip_suffix("ms"), value.strip_suffix('s')) {
                        (Some(milliseconds), _) => number(milliseconds)? / 1e3,
                        (None, Some(seconds)) => number(seconds)?,
                        (None, None) => {
                            return Err(wrong(format!("latency={value:?} lacks a unit, ms or s")));
                        }
                    };
                }
                "bandwidth" => {
                    let value = value.trim().trim_end_matches("/s");
                    let bytes =
                        hyperslab_units::parse_bytes(value).map_err(|error| wrong(error.to_string()))?;
                    if bytes == 0 {
                        return Err(wrong("bandwidth must be greater than 0".to_owned()));
                    }
                    place.link.bytes_per_second = bytes as f64;
                }
                "connections" => {
                    let count: Option<u64> = value.trim().parse().ok();
                    place.link.connections = count.filter(|count| *count > 0).ok_or_else(|| {
                        wrong(format!("connections={value:?} is not a number of 1 or more"))
                    })?;
                }
                "price" => place.link.price_per_thousand = number(value)?,
                "egress" => place.link.price_per_gigabyte = number(value)?,
                "storage" => place.price_of_storage = number(value)?,
                _ => {
                    return Err(wrong(format!(
                        "{key:?} is not one of latency, bandwidth, connections, price, egress, storage"
                    )));
                }
            }
        }
        Ok(place)
    }

    fn named(name: &str) -> Option<Self> {
        let place = |latency_seconds: f64, bytes_per_second: f64, connections: u64| {
            let link = Link { latency_seconds, bytes_per_second, connections, ..Link::default() };
            Self { name: name.to_owned(), link, ..Self::local() }
        };
        let store = |place: Self, prices: [f64; 3]| {
            let [price_per_thousand, price_per_gigabyte, price_of_storage] = prices;
            let link = Link { price_per_thousand, price_per_gigabyte, ..place.link };
            Self { link, price_of_storage, ..place }
        };
        Some(match name {
            "local" => Self::local(),
            "hdd" => place(0.008, 150e6, 1),
            "s3" => store(place(0.040, 80e6, 8), [0.0004, 0.09, 0.023]),
            "gs" => store(place(0.050, 70e6, 8), [0.0004, 0.12, 0.020]),
            "az" => store(place(0.040, 60e6, 8), [0.0005, 0.087, 0.018]),
            _ => return None,
        })
    }

    /// True for a store that answers several requests at a time, each after a while.
    pub fn is_store(&self) -> bool {
        self.link.latency_seconds > 0.0 && self.link.connections > 1
    }

    /// Seconds that so many requests take beyond those of a file in the page cache, if `at_a_time` of them overlap.
    pub fn seconds(&self, requests: f64, bytes: f64, at_a_time: u64) -> f64 {
        let overlap = (at_a_time.max(1) as f64).min(requests.max(1.0));
        (requests * self.link.latency_seconds + bytes / self.link.bytes_per_second) / overlap
    }

    /// Dollars a month for keeping so many bytes.
    pub fn price_a_month(&self, bytes: f64) -> f64 {
        bytes / GIGABYTE * self.price_of_storage
    }

    /// Dollars that so many requests cost.
    pub fn price(&self, requests: f64, bytes: f64) -> f64 {
        self.link.dollars(requests, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_overlap_only_where_there_are_several() {
        let place = Place::parse("latency=100ms,bandwidth=10MB/s,connections=4").unwrap();
        assert_eq!(place.seconds(1.0, 0.0, 4), 0.1);
        assert_eq!(place.seconds(8.0, 0.0, 4), 0.2);
        assert_eq!(place.seconds(8.0, 10e6, 1), 1.8);
        assert_eq!(Place::local().seconds(1e6, 1e12, 1), 0.0);
        assert!(place.is_store() && Place::parse("gs").unwrap().is_store());
        assert!(!Place::local().is_store() && !Place::parse("hdd").unwrap().is_store());
    }

    #[test]
    fn prices_are_of_requests_and_bytes() {
        let place = Place::parse("s3").unwrap();
        assert!((place.price(10_000.0, 2e9) - (0.004 + 0.18)).abs() < 1e-12);
        let inside = Place::parse("s3,egress=0").unwrap();
        assert!((inside.price(10_000.0, 2e9) - 0.004).abs() < 1e-12 && inside.link.latency_seconds == 0.040);
        assert!((place.price_a_month(2e9) - 0.046).abs() < 1e-12);
        assert_eq!(Place::parse("hdd,storage=0.01").unwrap().price_a_month(1e9), 0.01);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, says) in [
            ("moon", "local, hdd"),
            ("s3,gs", "not a name and a number"),
            ("latency=4", "lacks a unit"),
            ("latency=-1ms", "0 or more"),
            ("bandwidth=0", "greater than 0"),
            ("connections=0", "1 or more"),
            ("colour=3", "not one of"),
        ] {
            let error = Place::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
