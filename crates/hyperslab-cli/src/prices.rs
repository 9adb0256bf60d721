//! What requests to stores cost: `--prices`.

use crate::failure::Failure;
use hyperslab_remote::Traffic;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The price lists of this program.
const LISTS: &str = include_str!("prices.toml");

/// The prices of one store.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriceList {
    /// US dollars for 1,000 requests.
    requests_1000: f64,
    /// US dollars for 2³⁰ bytes.
    transfer_gib: f64,
    /// Where the prices were published.
    source: String,
    /// When they were read there.
    date: String,
    /// What was not found there, and where it was found instead.
    unconfirmed: Option<String>,
}

impl PriceList {
    /// The price list of this name; or that in a file, which has one table as those in `prices.toml`.
    ///
    /// # Errors
    /// If there is no such list, or if the file is not a list.
    pub fn find(name: &str) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::wrong_request(format!("--prices {name}: {what}"));
        if !name.ends_with(".toml") {
            let mut lists = parse(LISTS).map_err(wrong)?;
            let names = lists.keys().cloned().collect::<Vec<_>>().join(", ");
            let unknown =
                || wrong("unknown price list".into()).hint(format!("known are {names}, and files FILE.toml"));
            return lists.remove(name).ok_or_else(unknown);
        }
        let text = std::fs::read_to_string(name).map_err(|error| wrong(error.to_string()))?;
        let mut lists = parse(&text).map_err(wrong)?;
        match lists.pop_first() {
            Some((_, list)) if lists.is_empty() => Ok(list),
            _ => Err(wrong("a file must contain one price list".into())),
        }
    }

    /// The cost of requests, in a sentence.
    pub fn sentence(&self, traffic: &Traffic) -> String {
        let requests = traffic.requests as f64 / 1000.0 * self.requests_1000;
        let transfer = traffic.bytes as f64 / f64::from(1 << 30) * self.transfer_gib;
        let unconfirmed =
            self.unconfirmed.as_ref().map_or(String::new(), |what| format!("; not confirmed: {what}"));
        format!(
            "USD {:.6}: {:.6} for requests and {:.6} for transfer, by prices as of {} ({}){unconfirmed}",
            requests + transfer,
            requests,
            transfer,
            self.date,
            self.source
        )
    }
}

fn parse(text: &str) -> Result<BTreeMap<String, PriceList>, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_of_requests_and_of_transfer() {
        let list = PriceList::find("aws-s3-us-east-1-internet").unwrap();
        let mut traffic = Traffic::default();
        (traffic.requests, traffic.bytes) = (2000, 1 << 29);
        let sentence = list.sentence(&traffic);
        assert!(
            sentence.starts_with("USD 0.045800: 0.000800 for requests and 0.045000 for transfer"),
            "{sentence}"
        );
        assert!(sentence.contains("by prices as of 2026-"), "{sentence}");
        assert!(sentence.contains("not confirmed: the price of transfer"), "{sentence}");
        let confirmed = PriceList::find("gcs-us-east1").unwrap().sentence(&traffic);
        assert!(!confirmed.contains("not confirmed"), "{confirmed}");
    }

    #[test]
    fn lists_are_found_by_name_or_in_a_file() {
        for name in parse(LISTS).unwrap().keys() {
            assert!(PriceList::find(name).unwrap().source.starts_with("https://"), "{name}");
        }
        let unknown = PriceList::find("none").unwrap_err();
        assert!(unknown.hint.unwrap().contains("aws-s3-us-east-1, "));
        let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
        let name = file.path().to_str().unwrap();
        let own = "[own]\nrequests_1000 = 1.0\ntransfer_gib = 2.0\nsource = \"x\"\ndate = \"y\"\n";
        std::fs::write(name, own).unwrap();
        assert_eq!(PriceList::find(name).unwrap().transfer_gib, 2.0);
        for wrong in ["", "[own]\nrequests_1000 = 1.0\n", &format!("{own}{}", own.replace("own", "other"))] {
            std::fs::write(name, wrong).unwrap();
            assert!(PriceList::find(name).is_err(), "{wrong}");
        }
    }
}
