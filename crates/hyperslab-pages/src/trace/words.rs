//! Words for what a trace says.

use hyperslab_apps::trace::{Cure, Traced};
use hyperslab_storage::pattern::shape_text;
use hyperslab_trace::{Order, TracedPattern};
use hyperslab_units::{count_text, counted_text};

/// What saves less than this share of the whole run is not told of.
const SAVED_SHARE_MIN: f64 = 0.01;

/// `12.3 s`, `45 ms`.
pub fn seconds_text(seconds: f64) -> String {
    if seconds >= 1.0 { format!("{seconds:.1} s") } else { format!("{:.0} ms", seconds * 1e3) }
}

/// The block and the order of reads that are alike, as options of the doctor where these have words for it: `--read 1x1x1x717`.
pub fn pattern_text(pattern: &TracedPattern) -> String {
    let shape = shape_text(&pattern.shape);
    let block = match (&pattern.step, pattern.irregular) {
        _ if pattern.write => format!("--write {shape}"),
        (_, true) => "elements here and there".to_owned(),
        (Some(step), _) => format!("--read {shape} --stride {}", shape_text(step)),
        (None, _) => format!("--read {shape}"),
    };
    let order = match &pattern.order {
        None => String::new(),
        Some(Order::Sweep(order)) => {
            let order: Vec<String> = order.iter().map(usize::to_string).collect();
            format!(" --order {}", order.join(","))
        }
        Some(Order::Named(name)) if name == "repeat" => " (the same block)".to_owned(),
        Some(Order::Named(_)) => format!(" --random {}", pattern.count),
    };
    format!("{block}{order}")
}

/// What a cure brings: `a chunk cache of 46 MiB decodes 1 chunk instead of 16,200: about 0.5 s instead of 98 min`.
pub fn cure_text(traced: &Traced, cure: &Cure) -> String {
    format!(
        "{} decodes {} instead of {}: about {} instead of {}",
        cure.text(),
        counted_text(cure.decodes, "chunk"),
        count_text(traced.reads.decodes.unwrap_or(0)),
        seconds_text(cure.seconds),
        seconds_text(traced.reads.seconds)
    )
}

/// The datasets with a cure that saves a part of the whole run that counts.
pub fn cured(answer: &hyperslab_apps::trace::Answer) -> impl Iterator<Item = (&Traced, &Cure)> {
    let all = answer.datasets.iter().filter_map(|traced| Some((traced, traced.cure.as_ref()?)));
    all.filter(|(traced, cure)| traced.reads.seconds - cure.seconds >= SAVED_SHARE_MIN * answer.seconds)
}
