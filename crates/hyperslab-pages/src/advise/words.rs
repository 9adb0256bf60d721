//! What is said of advice, in sentences.

use hyperslab_advise::{Recommendation, WhyNot};
use hyperslab_doctor::predict::seconds_text;
use hyperslab_doctor::{list_text, ratio_text};
use hyperslab_units::count_text;

/// A range of shares that ends here has no end.
const EVERYTHING: f64 = 0.9999;

/// How a dataset fares in common chunks, beside its own.
pub fn slower_text(slower: f64) -> String {
    match slower {
        slower if slower < 1.005 => "all reads as fast as in chunks of its own".to_owned(),
        slower if slower < 2.0 => {
            format!("all reads {:.0} % slower than in chunks of its own", (slower - 1.0) * 100.0)
        }
        slower => format!("all reads take {} as long as in chunks of its own", ratio_text(slower)),
    }
}

/// How soon repacking pays back.
pub fn payback(one: &Recommendation) -> Option<String> {
    let payback = one.payback?;
    let times = match payback.reads {
        1 => "the first time".to_owned(),
        times => format!("after {} times", count_text(times)),
    };
    Some(format!(
        "repacking takes about {} and saves {} each time that the dataset is read: it pays back {times}",
        seconds_text(payback.repack_seconds),
        seconds_text(payback.saved_seconds)
    ))
}

/// For which shares of the reads the recommendation holds, in a line; empty if for all.
pub fn sensitivity(one: &Recommendation) -> String {
    let ranges = one.sensitivity.iter().filter_map(|range| {
        let percent = |share: f64| format!("{} %", (share * 1000.0).round() / 10.0);
        let is_bounded = (range.from > 0.0, range.to < EVERYTHING);
        let what = match is_bounded {
            (false, false) => return None,
            (true, false) => format!("at least {}", percent(range.from)),
            (false, true) => format!("at most {}", percent(range.to)),
            (true, true) => format!("{} to {}", percent(range.from), percent(range.to)),
        };
        Some(format!("the share of {} is {what}", range.read))
    });
    let ranges: Vec<String> = ranges.collect();
    if ranges.is_empty() { String::new() } else { format!("holds as long as {}\n", list_text(&ranges)) }
}

/// Why a storage is not recommended.
pub fn why_not(why: &WhyNot) -> String {
    match why {
        WhyNot::TooLarge { faster } => {
            format!("{} as fast, but larger than allowed (--size-bound)", ratio_text(*faster))
        }
        WhyNot::SmallerButSlower { bytes, slower } => {
            format!(
                "{:.0} % of the bytes, but all reads together take {} as long",
                bytes * 100.0,
                ratio_text(*slower)
            )
        }
        WhyNot::SlowsAnother { best_for, faster, slows, slower } => format!(
            "{best_for} {} as fast, but {slows} take {} as long",
            ratio_text(*faster),
            ratio_text(*slower)
        ),
        WhyNot::Unreadable { reader, faster } => {
            format!("{} as fast for those that can read it, but {reader} cannot", ratio_text(*faster))
        }
        WhyNot::SlowsReader { faster, reader, slower } => format!(
            "{} as fast on average over the readers, but {reader} takes {} as long as now",
            ratio_text(*faster),
            ratio_text(*slower)
        ),
        WhyNot::AboutAsGood { slower } if *slower < 1.1 => "about as good".to_owned(),
        WhyNot::AboutAsGood { slower } => format!("the next best: {} as long", ratio_text(*slower)),
    }
}
