//! Storages by accesses: a row for each storage, the best first, a column for each access by each library, then what
//! each costs to keep and to write. The terminal shows it as a table, the page colours it by column.

use hyperslab_bench::document::Document;
use hyperslab_bench::document::names::Names;
use hyperslab_bench::document::value::extrapolated;
use hyperslab_bench::document::verdict::{self, Choice, ReadTime, Verdict};
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Column, HeatCell, HeatMap, HeatRow, Table};
use hyperslab_units::size;

/// The cells, before they are shown.
pub struct Matrix<'a> {
    document: &'a Document,
    names: &'a Names,
    /// The accesses of each library, in their order.
    columns: Vec<(&'a Verdict, &'a str)>,
}

/// A column that is not an access.
struct Price {
    title: &'static str,
    of: fn(&Choice) -> Option<f64>,
    text: fn(f64) -> String,
}

const PRICES: [Price; 2] = [
    Price {
        title: "size",
        of: |choice| choice.stored_bytes.map(|bytes| bytes as f64),
        text: |bytes| size::bytes(bytes as u64),
    },
    Price { title: "write", of: |choice| choice.write_seconds, text: seconds_text },
];

impl<'a> Matrix<'a> {
    /// None where there is nothing to choose from.
    pub fn of(document: &'a Document, names: &'a Names) -> Option<Self> {
        let first = document.verdicts.first()?;
        if first.choices.is_empty() {
            return None;
        }
        let mut columns: Vec<(&Verdict, &str)> = Vec::new();
        for verdict in &document.verdicts {
            for read in verdict.choices.iter().flat_map(|choice| &choice.reads) {
                let column = (verdict, read.read_as.as_str());
                if !columns
                    .iter()
                    .any(|(known, read_as)| std::ptr::eq(*known, verdict) && *read_as == column.1)
                {
                    columns.push(column);
                }
            }
        }
        Some(Self { document, names, columns })
    }

    /// The first library's verdict orders the rows; storages that only others read come after.
    fn rows(&self) -> Vec<(&'a Verdict, &'a Choice)> {
        let mut rows: Vec<(&Verdict, &Choice)> = Vec::new();
        for verdict in &self.document.verdicts {
            for choice in &verdict.choices {
                if !rows.iter().any(|(_, known)| known.stored_as == choice.stored_as) {
                    rows.push((verdict, choice));
                }
            }
        }
        rows
    }

    fn read(verdict: &'a Verdict, stored_as: &str, read_as: &str) -> Option<(&'a Choice, &'a ReadTime)> {
        let choice = verdict.choices.iter().find(|choice| choice.stored_as == stored_as)?;
        Some((choice, choice.reads.iter().find(|read| read.read_as == read_as)?))
    }

    fn time(read: &ReadTime) -> String {
        if read.is_extrapolated { extrapolated(read.seconds) } else { seconds_text(read.seconds) }
    }

    /// For the terminal.
    pub fn table(&self) -> Table {
        let mut columns = vec![Column::new("stored as", Align::Left)];
        let is_many = self.document.verdicts.len() > 1;
        for (verdict, read_as) in &self.columns {
            let access = verdict::access(&self.document.head, read_as);
            let title = if is_many { format!("{}: {access}", verdict.engine) } else { access };
            columns.push(Column::new(title, Align::Right));
        }
        columns.extend(PRICES.map(|price| Column::new(price.title, Align::Right)));
        columns.push(Column::new("", Align::Left));
        let rows = self.rows().into_iter().map(|(verdict, choice)| {
            let reads = self.columns.iter().map(|(verdict, read_as)| {
                Self::read(verdict, &choice.stored_as, read_as)
                    .map(|(_, read)| Self::time(read))
                    .unwrap_or_default()
            });
            let prices = PRICES.iter().map(|price| (price.of)(choice).map(price.text).unwrap_or_default());
            let mark = verdict::mark(verdict, choice);
            std::iter::once(choice.stored_as.clone())
                .chain(reads)
                .chain(prices)
                .chain([mark])
                .collect::<Vec<_>>()
        });
        Table::new("Storages", columns).rows(rows)
    }

    /// For the page.
    pub fn heat_map(&self) -> HeatMap {
        let rows = self.rows();
        let group = |verdict: &Verdict| verdict::library(verdict);
        let reads = self
            .columns
            .iter()
            .map(|(verdict, read_as)| (group(verdict), verdict::access(&self.document.head, read_as)));
        let prices = PRICES.iter().map(|price| ("the file".to_owned(), price.title.to_owned()));
        let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
        let best_reads: Vec<f64> = self
            .columns
            .iter()
            .map(|(verdict, read_as)| {
                least(
                    &mut verdict
                        .choices
                        .iter()
                        .flat_map(|choice| &choice.reads)
                        .filter_map(|read| (read.read_as == *read_as).then_some(read.seconds)),
                )
            })
            .collect();
        let best_prices =
            PRICES.each_ref().map(|price| least(&mut rows.iter().filter_map(|row| (price.of)(row.1))));
        let row = |(verdict, choice): &(&'a Verdict, &'a Choice)| {
            let reads = self.columns.iter().zip(&best_reads).map(|((verdict, read_as), best)| {
                let (own, read) = Self::read(verdict, &choice.stored_as, read_as)?;
                let cache = verdict::cache(self.names, own);
                let with = if cache.is_empty() { String::new() } else { format!("\nchunk cache {cache}") };
                Some(HeatCell {
                    times: times(read.seconds, *best),
                    text: Self::time(read),
                    detail: format!(
                        "{}, {}\nread {read_as}: {}{with}",
                        group(verdict),
                        own.name(),
                        Self::time(read)
                    ),
                })
            });
            let prices = PRICES.iter().zip(best_prices).map(|(price, best)| {
                let value = (price.of)(choice)?;
                let text = (price.text)(value);
                let detail = format!("{}: {} {text}", choice.name(), price.title);
                Some(HeatCell { times: times(value, best), text, detail })
            });
            let mark = verdict::mark(verdict, choice);
            HeatRow {
                name: choice.name().to_owned(),
                note: mark.clone(),
                cells: reads.chain(prices).collect(),
                is_best: mark.starts_with("best"),
                is_base: choice.is_as_is,
            }
        };
        HeatMap {
            title: "Time to read each storage, its size, and the time to write it".to_owned(),
            corner: "stored as".to_owned(),
            rows: rows.iter().map(row).collect(),
            columns: reads.chain(prices).collect(),
            compares: "times the best of its column:".to_owned(),
        }
    }
}

fn times(value: f64, best: f64) -> Option<f64> {
    (best > 0.0).then(|| value / best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_bench::document::testing::{row, stored};
    use hyperslab_bench::document::{Head, Measured};
    use hyperslab_bench::matrix::Rows;

    #[test]
    fn the_best_row_is_first_and_columns_have_their_own_best() {
        let rows = [
            row("a", 4.0, None),
            stored("chunks 4x4 gzip=1", 1.5, 2.0, 10),
            stored("chunks 4x4 none", 1.0, 1.0, 40),
        ];
        let rows: Vec<Measured> = rows.map(|row| Measured { row, command: String::new() }).into();
        let mut document = Document { rows, ..Document::empty(Head::default(), Rows::default()) };
        document.judge();
        let names = document.names();
        let map = Matrix::of(&document, &names).unwrap().heat_map();
        let notes: Vec<&str> = map.rows.iter().map(|row| row.note.as_str()).collect();
        assert_eq!(notes, ["best", "not beaten", "the file as it is"]);
        let times =
            |place: usize| map.rows.iter().map(|row| row.cells[place].as_ref()?.times).collect::<Vec<_>>();
        assert_eq!(times(0), [Some(1.0), Some(1.5), Some(4.0)]);
        assert_eq!(times(1), [Some(4.0), Some(1.0), None], "size");
        let table = Matrix::of(&document, &names).unwrap().table();
        assert_eq!(table.rows[0][0], "chunks 4x4 none");
        assert!(table.columns.iter().any(|column| column.title.contains("read 1x717")));
    }
}
