//! The most by which values may change.

/// The most by which values may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorBound {
    /// By so much.
    Absolute(Tolerance),
    /// By such a share of each value.
    Relative(Tolerance),
}

impl ErrorBound {
    /// True if an error keeps the bound, as the bound counts errors.
    pub fn is_kept(self, error: f64) -> bool {
        error <= self.tolerance().error()
    }

    /// How far a value is changed, as the bound counts. `None` if it became or was infinite or NaN, and where a share of zero
    /// would be needed.
    pub fn error(self, value: f64, changed: f64) -> Option<f64> {
        let difference = (value - changed).abs();
        let error = match self {
            _ if difference == 0.0 => 0.0,
            Self::Absolute(_) => difference,
            Self::Relative(_) => difference / value.abs(),
        };
        error.is_finite().then_some(error)
    }

    /// The bound as a number: a difference, or a share.
    pub fn tolerance(self) -> Tolerance {
        match self {
            Self::Absolute(tolerance) | Self::Relative(tolerance) => tolerance,
        }
    }
}

/// As it is written: `0.01`, `0.1%`.
impl std::fmt::Display for ErrorBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absolute(tolerance) => write!(f, "{}", tolerance.error()),
            // The share is a hundredth of what was written; the last digits may differ.
            Self::Relative(tolerance) => write!(f, "{}%", (tolerance.error() * 1e14).round() / 1e12),
        }
    }
}

impl std::str::FromStr for ErrorBound {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.trim().parse().ok().and_then(Tolerance::new);
        match text.trim().strip_suffix('%') {
            None => number(text)
                .map(Self::Absolute)
                .ok_or("it is neither a positive number nor a percentage, such as 0.1%"),
            Some(percent) => {
                let share = number(percent).and_then(|percent| Tolerance::new(percent.error() / 100.0));
                let share = share.filter(|share| share.error() < 1.0);
                share.map(Self::Relative).ok_or("it is not a percentage above 0 % and below 100 %")
            }
        }
    }
}

/// The largest error that a filter may cause: a positive, finite number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tolerance(u64);

impl Tolerance {
    /// `None` for what is not positive and finite.
    pub fn new(error: f64) -> Option<Self> {
        // The bits of positive numbers are in their order.
        (error.is_finite() && error > 0.0).then(|| Self(error.to_bits()))
    }

    /// The error.
    pub fn error(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// The low and the high bits of the number.
    pub(crate) fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    /// The decimal places to which values can be rounded: to a multiple of 10^-digits at most, which changes them by half of it.
    pub(crate) fn rounded_digits(self) -> i32 {
        (0.5 / self.error()).log10().ceil() as i32
    }

    /// The decimal digits with which scaleoffset keeps the bound. It rounds to half a digit, but takes values less than a
    /// digit from the fill value for that value.
    pub(crate) fn digits(self) -> i32 {
        -self.error().log10().floor() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_numbers_or_shares_of_values() {
        let bound = |text: &str| text.parse::<ErrorBound>();
        assert_eq!(bound("0.01").unwrap(), ErrorBound::Absolute(Tolerance::new(0.01).unwrap()));
        assert_eq!(bound(" 50 % ").unwrap(), ErrorBound::Relative(Tolerance::new(0.5).unwrap()));
        for text in ["0.01", "50%", "0.1%", "0.23%", "0.0007%"] {
            assert_eq!(bound(text).unwrap().to_string(), text);
        }
        for text in ["", "%", "0", "-1", "0%", "100%", "-1%", "inf", "nan%", "x%"] {
            assert!(bound(text).is_err(), "{text}");
        }
        let (absolute, relative) = (bound("0.5").unwrap(), bound("10%").unwrap());
        let keeps = |bound: ErrorBound, value, changed| {
            bound.error(value, changed).is_some_and(|error| bound.is_kept(error))
        };
        assert!(keeps(absolute, 1000.0, 1000.5) && !keeps(absolute, 1.0, 2.0));
        assert!(keeps(relative, -1000.0, -1100.0) && !keeps(relative, 1.0, 1.2) && keeps(relative, 0.0, 0.0));
        // A share of nothing is nothing.
        assert!(!keeps(relative, 0.0, 1e-300));
        assert!(!keeps(relative, 1.0, f64::NAN) && !keeps(relative, 1.0, f64::INFINITY));
    }
}
