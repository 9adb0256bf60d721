//! `days since 2000-01-01`: what one is worth and where zero lies, as the CF conventions (section 4.4) say it.

/// Units of time in a calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeUnits {
    pub calendar: Calendar,
    /// Nanoseconds of one.
    pub nanoseconds: i128,
    /// The date that is zero, in nanoseconds from a day that each calendar has one of.
    pub origin: i128,
}

/// A calendar of the CF conventions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Calendar {
    /// Gregorian from 1582-10-15 on, Julian before.
    Standard,
    ProlepticGregorian,
    Julian,
    NoLeap,
    AllLeap,
    Days360,
}

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;
/// The first date of the Gregorian calendar.
const GREGORIAN: (i64, i64, i64) = (1582, 10, 15);
const MONTHS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl TimeUnits {
    /// `None` for what is no such text, and for what readers disagree about: months, years, time zones, years before 1.
    pub fn parse(units: &str, calendar: Option<&str>) -> Option<Self> {
        let calendar = Calendar::parse(calendar.unwrap_or("standard"))?;
        let (unit, date) = units.split_once(" since ")?;
        let nanoseconds = match unit.trim().to_lowercase().as_str() {
            "nanosecond" | "nanoseconds" => 1,
            "microsecond" | "microseconds" | "microsec" | "microsecs" => 1_000,
            "millisecond" | "milliseconds" | "millisec" | "millisecs" | "msec" | "msecs" | "ms" => 1_000_000,
            "second" | "seconds" | "sec" | "secs" | "s" => SECOND,
            "minute" | "minutes" | "min" | "mins" => 60 * SECOND,
            "hour" | "hours" | "hr" | "hrs" | "h" => 3_600 * SECOND,
            "day" | "days" | "d" => DAY,
            _ => return None,
        };
        let date = date.trim();
        let (date, clock) = date.split_once([' ', 'T']).unwrap_or((date, ""));
        let [year, month, day] = numbers(date, '-')?;
        let origin = i128::from(calendar.days(year, month, day)?) * DAY + clock_nanoseconds(clock)?;
        Some(Self { calendar, nanoseconds, origin })
    }
}

/// Three numbers without signs.
fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let number = |part: &str| match part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() <= 6 {
        true => part.parse().ok(),
        false => None,
    };
    let numbers: Option<Vec<i64>> = text.split(separator).map(number).collect();
    numbers?.try_into().ok()
}

/// `12:30:00.5 UTC`, of which the end may be missing.
fn clock_nanoseconds(text: &str) -> Option<i128> {
    const DIGITS: usize = 9;
    let text = text.trim();
    let text = ["UTC", "GMT", "Z", "+00:00", "+0000", "+0:00"]
        .iter()
        .find_map(|zone| text.strip_suffix(zone))
        .unwrap_or(text)
        .trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let missing = match whole.matches(':').count() {
        _ if whole.is_empty() => "0:0:0",
        0 => ":0:0",
        1 => ":0",
        _ => "",
    };
    let [hours, minutes, seconds] = numbers(&format!("{whole}{missing}"), ':')?;
    let has_seconds = missing.is_empty();
    let is_fraction = fraction.len() <= DIGITS && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if hours > 23 || minutes > 59 || seconds > 59 || !is_fraction || (!fraction.is_empty() && !has_seconds) {
        return None;
    }
    let fraction: i128 = format!("{fraction:0<DIGITS$}").parse().ok()?;
    Some(i128::from((hours * 60 + minutes) * 60 + seconds) * SECOND + fraction)
}

impl Calendar {
    fn parse(name: &str) -> Option<Self> {
        Some(match name.to_lowercase().as_str() {
            "standard" | "gregorian" => Self::Standard,
            "proleptic_gregorian" => Self::ProlepticGregorian,
            "julian" => Self::Julian,
            "noleap" | "365_day" => Self::NoLeap,
            "all_leap" | "366_day" => Self::AllLeap,
            "360_day" => Self::Days360,
            _ => return None,
        })
    }

    /// Days from the first of January of the year 0 to a date; `None` if the calendar has no such date.
    fn days(self, year: i64, month: i64, day: i64) -> Option<i64> {
        if self == Self::Standard {
            const JULIAN_END: (i64, i64, i64) = (1582, 10, 4);
            let date = (year, month, day);
            if date >= GREGORIAN {
                return Self::ProlepticGregorian.days(year, month, day);
            }
            // The two dates follow each other.
            let start = Self::ProlepticGregorian.days(GREGORIAN.0, GREGORIAN.1, GREGORIAN.2)?;
            let shift = start - 1 - Self::Julian.days(JULIAN_END.0, JULIAN_END.1, JULIAN_END.2)?;
            return Self::Julian
                .days(year, month, day)
                .filter(|_| date <= JULIAN_END)
                .map(|days| days + shift);
        }
        // Readers disagree about whether calendars with Julian years have a year 0.
        let first = i64::from(self == Self::Julian);
        if year < first || !(1..=12).contains(&month) || day < 1 {
            return None;
        }
        if self == Self::Days360 {
            return (day <= 30).then_some(360 * year + 30 * (month - 1) + day - 1);
        }
        // Leap years from the year 0 to the one before.
        let multiples = |of: i64| (year + of - 1) / of;
        let (is_leap, leaps) = match self {
            Self::NoLeap => (false, 0),
            Self::AllLeap => (true, year),
            Self::Julian => (year % 4 == 0, multiples(4)),
            _ => {
                let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                (is_leap, multiples(4) - multiples(100) + multiples(400))
            }
        };
        let length = |at: usize| MONTHS[at] + i64::from(at == 1 && is_leap);
        let at = (month - 1) as usize;
        let before: i64 = (0..at).map(length).sum();
        (day <= length(at)).then_some(365 * year + leaps + before + day - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_between_dates_are_those_of_cftime() {
        let between = |calendar: &str, from: &str, to: &str| {
            let origin =
                |date| TimeUnits::parse(&format!("days since {date}"), Some(calendar)).unwrap().origin;
            (origin(to) - origin(from)) / DAY
        };
        for (calendar, days) in [
            ("standard", 730_121),
            ("gregorian", 730_121),
            ("proleptic_gregorian", 730_119),
            ("julian", 730_134),
            ("noleap", 729_635),
            ("365_day", 729_635),
            ("all_leap", 731_634),
            ("360_day", 719_640),
        ] {
            assert_eq!(between(calendar, "0001-01-01", "2000-01-01"), days, "{calendar}");
        }
        assert_eq!(between("standard", "1582-10-04", "1582-10-15"), 1);
        assert_eq!(between("standard", "1900-02-28", "1900-03-01"), 1);
        assert_eq!(between("julian", "1900-02-28", "1900-03-01"), 2);
        assert_eq!(between("standard", "2000-2-28", "2000-3-1"), 2);
    }

    #[test]
    fn units_have_a_word_and_a_date() {
        let parse = |units| TimeUnits::parse(units, None);
        let hour = parse("hours since 2000-01-01 01:30:00.25").unwrap();
        let day = parse("Days since 2000-01-01").unwrap();
        assert_eq!((hour.nanoseconds, day.nanoseconds), (3_600 * SECOND, DAY));
        assert_eq!(hour.origin - day.origin, 5_400 * SECOND + SECOND / 4);
        for same in [
            "d since 2000-1-1T00:00Z",
            "day since 2000-01-01 00:00:00.0 UTC",
            "days since 2000-01-01 0:0:0 +00:00",
        ] {
            assert_eq!(parse(same), Some(day), "{same}");
        }
        for unknown in [
            "",
            "K",
            "months since 2000-01-01",
            "days since -1-01-01",
            "days since 0000-01-01",
            "days since 2000-01",
            "days since 2000-02-30",
            "days since 2000-13-01",
            "days since 1582-10-10",
            "days since 2000-01-01 24:00",
            "days since 2000-01-01 00:00 +01:00",
            "days since 2000-01-01 1.5",
            "days since 99999999999999999999-01-01",
        ] {
            assert_eq!(parse(unknown), None, "{unknown}");
        }
        assert_eq!(TimeUnits::parse("days since 2000-01-01", Some("none")), None);
    }
}
