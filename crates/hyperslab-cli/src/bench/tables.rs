//! A table as text for the terminal, and in Markdown; the report crate renders the same in HTML.

use crate::output::{Line, table_of_width};
use hyperslab_report::{Align, Table};

/// Wider tables are told row by row.
const WIDTH_MAX: usize = 180;

/// The table for a terminal: aligned columns, or, where these are too wide, a block of lines for each row.
pub(super) fn text(table: &Table) -> String {
    let widest = |column: usize| table.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let width: usize = (0..table.columns.len()).map(|column| widest(column) + 2).sum();
    if width > WIDTH_MAX {
        return blocks(table);
    }
    let head: Vec<(&str, Align)> =
        table.columns.iter().map(|column| (column.title.as_str(), column.align)).collect();
    let lines: Vec<Line> = table.rows.iter().cloned().map(Line::Cells).collect();
    table_of_width(&head, &lines, WIDTH_MAX)
}

/// Each row as lines of title and value.
fn blocks(table: &Table) -> String {
    let longest = table.columns.iter().map(|column| column.title.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for row in &table.rows {
        for (column, cell) in table.columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            text += &format!("  {:longest$}  {cell}\n", column.title);
        }
        text.push('\n');
    }
    text
}

/// The table in Markdown.
pub(super) fn markdown(table: &Table) -> String {
    let line = |cells: &mut dyn Iterator<Item = &String>| {
        let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let edges = table.columns.iter().map(|column| if column.align == Align::Right { "---:" } else { "---" });
    let mut text = line(&mut table.columns.iter().map(|column| &column.title));
    text += &format!("|{}|\n", edges.collect::<Vec<_>>().join("|"));
    table.rows.iter().for_each(|row| text += &line(&mut row.iter()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_report::Column;

    #[test]
    fn the_same_table_in_three_forms() {
        let columns = vec![Column::new("name", Align::Left), Column::new("size", Align::Right)];
        let table = |name: &str| Table::new("t", columns.clone()).row([name, "5"]);
        assert_eq!(text(&table("a|b")), "name  size\na|b      5\n");
        assert_eq!(markdown(&table("a|b")), "| name | size |\n|---|---:|\n| a\\|b | 5 |\n");
        let long = "x".repeat(200);
        assert_eq!(text(&table(&long)), format!("  name  {long}\n  size  5\n\n"));
    }
}
