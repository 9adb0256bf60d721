//! What is said of an archive, in sentences.

use hyperslab_apps::archive::{Rank, Summary};
use hyperslab_doctor::list_text;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};

/// What was examined, and what all of it would save.
pub fn headline(summary: &Summary) -> Vec<String> {
    let total = &summary.total;
    let mut first = format!(
        "{}, {}; {} examined",
        counted_text(summary.files, "file"),
        bytes_text(summary.file_bytes),
        counted_text(total.datasets, "dataset")
    );
    if summary.datasets_not_examined > 0 {
        first.push_str(&format!(
            ", {} smaller or without chunks to choose",
            count_text(summary.datasets_not_examined)
        ));
    }
    if summary.unreadable > 0 {
        first.push_str(&format!(
            "; {} not readable, or not completely",
            counted_text(summary.unreadable, "file")
        ));
    }
    let mut lines = vec![first];
    if total.rewritten == 0 {
        let verdict = if total.datasets == 0 { "nothing to rank" } else { "all of them are stored well" };
        lines.push(verdict.to_owned());
        return lines;
    }
    lines.push(format!(
        "repacking {} would {}, and the reads would {}; it takes about {}",
        counted_text(total.rewritten, "dataset"),
        change("save", total.saved(Rank::Bytes), |bytes| bytes_text(bytes as u64), total.bytes as f64),
        change("be shorter by", total.saved(Rank::Seconds), seconds_text, total.seconds),
        seconds_text(total.repack_seconds)
    ));
    if total.dollars_a_month + total.dollars > 0.0 {
        lines.push(format!(
            "at {}: {} → {} a month, and {} → {} each time that everything is read",
            summary.asked.place,
            dollars_text(total.dollars_a_month),
            dollars_text(total.dollars_a_month_then),
            dollars_text(total.dollars),
            dollars_text(total.dollars_then)
        ));
    }
    let reads = if summary.asked.reads.is_empty() {
        "the usual reads of each dataset".to_owned()
    } else {
        format!("the reads {}", list_text(&summary.asked.reads))
    };
    lines.push(format!(
        "seconds are those of reading everything once, on average over {reads} and over {}",
        list_text(&summary.asked.readers)
    ));
    lines
}

/// `$12.50`; of less than a cent two digits that say something, `$0.00031`.
pub fn dollars_text(dollars: f64) -> String {
    if dollars <= 0.0 || dollars >= 0.01 {
        return format!("${dollars:.2}");
    }
    let digits = (1.0 - dollars.log10().floor()).clamp(2.0, 12.0) as usize;
    format!("${dollars:.digits$}")
}

/// `save 3 MiB of 12 MiB (25 %)`, or `take 1 MiB more`.
fn change(less: &str, saved: f64, text: impl Fn(f64) -> String, of: f64) -> String {
    if saved < 0.0 {
        return format!("take {} more", text(-saved));
    }
    format!("{less} {} of {} ({:.0} %)", text(saved), text(of), 100.0 * saved / of.max(f64::MIN_POSITIVE))
}

/// What the rankings are by.
pub fn rank_text(rank: Rank) -> &'static str {
    match rank {
        Rank::Seconds => "seconds",
        Rank::Bytes => "bytes",
        Rank::Dollars => "dollars",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_prices_are_not_nothing() {
        let texts = [0.0, 12.5, 0.01, 0.000_314, 1e-9].map(dollars_text);
        assert_eq!(texts, ["$0.00", "$12.50", "$0.01", "$0.00031", "$0.0000000010"]);
    }
}
