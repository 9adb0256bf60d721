//! The way to a store: what a request and a byte cost, in seconds and in money.

/// A link to an object store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Seconds until the first byte of a response.
    pub latency_seconds: f64,
    /// Bytes a second of one connection; infinite if it does not matter.
    pub bytes_per_second: f64,
    /// Connections whose bandwidths add up.
    pub connections: u64,
    /// Dollars for a thousand requests.
    pub price_per_thousand: f64,
    /// Dollars for 10⁹ bytes.
    pub price_per_gigabyte: f64,
}

impl Default for Link {
    /// A link that costs nothing.
    fn default() -> Self {
        Self {
            latency_seconds: 0.0,
            bytes_per_second: f64::INFINITY,
            connections: 1,
            price_per_thousand: 0.0,
            price_per_gigabyte: 0.0,
        }
    }
}

impl Link {
    /// Dollars for so many requests and bytes.
    pub fn dollars(&self, requests: f64, bytes: f64) -> f64 {
        requests / 1e3 * self.price_per_thousand + bytes / 1e9 * self.price_per_gigabyte
    }
}
