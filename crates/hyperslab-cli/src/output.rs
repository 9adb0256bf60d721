//! Tables for the terminal: columns as wide as their widest cell, separated by two spaces, without trailing spaces.

pub(crate) use hyperslab_report::Align;

/// A line of a table: cells, or text that spans all columns.
pub(crate) enum Line {
    Cells(Vec<String>),
    Text(String),
}

/// Wider cells do not widen their column; they shift the following cells to the right.
const WIDTH_MAX: usize = 60;

/// The table as text. Columns without any cell are omitted. If a row has fewer cells than there are columns, its last
/// cell extends across the remaining columns.
pub(crate) fn table(head: &[(&str, Align)], lines: &[Line]) -> String {
    table_of_width(head, lines, WIDTH_MAX)
}

/// The same with columns of up to `width_max` characters.
pub(crate) fn table_of_width(head: &[(&str, Align)], lines: &[Line], width_max: usize) -> String {
    let rows =
        || lines.iter().filter_map(|line| if let Line::Cells(cells) = line { Some(cells) } else { None });
    let widths: Vec<Option<usize>> = head
        .iter()
        .enumerate()
        .map(|(column, (title, _))| {
            let runs_on = |cells: &[String]| cells.len() < head.len() && column + 1 == cells.len();
            let own = || rows().filter(|cells| !runs_on(cells)).filter_map(|cells| cells.get(column));
            let widest = own().map(|cell| width(cell)).filter(|&width| width <= width_max).max();
            let any = own().any(|cell| !cell.is_empty());
            (any || column == 0).then(|| widest.unwrap_or(0).max(width(title)))
        })
        .collect();
    let mut text = String::new();
    if rows().any(|cells| cells.len() == head.len()) {
        push_row(&mut text, head, &widths, head.iter().map(|(title, _)| *title));
    }
    for line in lines {
        match line {
            Line::Cells(cells) => push_row(&mut text, head, &widths, cells.iter().map(String::as_str)),
            Line::Text(line) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

fn push_row<'a>(
    text: &mut String,
    head: &[(&str, Align)],
    widths: &[Option<usize>],
    cells: impl Iterator<Item = &'a str>,
) {
    let start = text.len();
    let cells: Vec<&str> = cells.collect();
    let runs_on = cells.len() < head.len();
    for (column, ((cell, (_, align)), column_width)) in cells.iter().zip(head).zip(widths).enumerate() {
        let column_width = match *column_width {
            Some(column_width) => column_width,
            None if runs_on && column + 1 == cells.len() => 0,
            None => continue,
        };
        if text.len() > start {
            text.push_str("  ");
        }
        let padding = " ".repeat(column_width.saturating_sub(width(cell)));
        match align {
            Align::Left | Align::Command => text.extend([*cell, &padding]),
            Align::Right => text.extend([&padding, *cell]),
        }
    }
    text.truncate(start + text[start..].trim_end().len());
    text.push('\n');
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_empty_ones_vanish() {
        let head = [("name", Align::Left), ("none", Align::Left), ("size", Align::Right)];
        let row = |name: &str, size: &str| Line::Cells(vec![name.into(), String::new(), size.into()]);
        let long = "x".repeat(70);
        let on = Line::Cells(vec!["b".into(), "runs on and on".into()]);
        let lines = [row("a", "1"), Line::Text("  note".into()), on, row("longer", "100"), row(&long, "5")];
        let text = table(&head, &lines);
        assert_eq!(
            text,
            format!(
                "name    size\na          1\n  note\nb       runs on and on\nlonger   100\n{long}     5\n"
            )
        );
    }
}
