//! Columns of numbers that need no more memory than their numbers require.

use super::grid::ChunkNumber;

/// The numbers of chunks, ascending once a map is finished.
#[derive(Debug, Clone)]
pub(super) enum Numbers {
    /// 0, 1, 2, … up to the number of rows.
    Dense,
    /// Any, of 64 bits.
    Narrow(Vec<u64>),
    /// Any.
    Wide(Vec<ChunkNumber>),
}

impl Numbers {
    /// Appends the number of row `row`, which is the last.
    pub(super) fn push(&mut self, row: usize, number: ChunkNumber) {
        match (&mut *self, u64::try_from(number)) {
            (Self::Dense, _) if number == row as ChunkNumber => {}
            (Self::Dense, Ok(number)) => *self = Self::Narrow((0..row as u64).chain([number]).collect()),
            (Self::Dense, Err(_)) => {
                *self = Self::Wide((0..row as ChunkNumber).chain([number]).collect());
            }
            (Self::Narrow(numbers), Ok(number)) => numbers.push(number),
            (Self::Narrow(numbers), Err(_)) => {
                let before = std::mem::take(numbers).into_iter().map(ChunkNumber::from);
                *self = Self::Wide(before.chain([number]).collect());
            }
            (Self::Wide(numbers), _) => numbers.push(number),
        }
    }

    /// The number of a row.
    #[inline]
    pub(super) fn get(&self, row: usize) -> ChunkNumber {
        match self {
            Self::Dense => row as ChunkNumber,
            Self::Narrow(numbers) => numbers[row].into(),
            Self::Wide(numbers) => numbers[row],
        }
    }

    /// The row of a number, of `rows` that ascend.
    #[inline]
    pub(super) fn find(&self, number: ChunkNumber, rows: usize) -> Option<usize> {
        match self {
            Self::Dense => usize::try_from(number).ok().filter(|&row| row < rows),
            Self::Narrow(numbers) => numbers.binary_search(&u64::try_from(number).ok()?).ok(),
            Self::Wide(numbers) => numbers.binary_search(&number).ok(),
        }
    }

    /// Reorders the rows.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        match self {
            Self::Dense => {}
            Self::Narrow(numbers) => *numbers = picked(numbers, order),
            Self::Wide(numbers) => *numbers = picked(numbers, order),
        }
    }

    /// Back to no column where the numbers turned out to be those of the rows.
    pub(super) fn compact(&mut self, rows: usize) {
        let is_dense = (0..rows).all(|row| self.get(row) == row as ChunkNumber);
        match self {
            _ if is_dense => *self = Self::Dense,
            Self::Dense => {}
            Self::Narrow(numbers) => numbers.shrink_to_fit(),
            Self::Wide(numbers) => numbers.shrink_to_fit(),
        }
    }

    /// Bytes of memory that the column takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Dense => 0,
            Self::Narrow(numbers) => size_of_val(numbers.as_slice()),
            Self::Wide(numbers) => size_of_val(numbers.as_slice()),
        }
    }
}

/// A column of numbers of 64 bits, most of which are small or alike.
#[derive(Debug, Clone)]
pub(super) enum Compact {
    /// The same number in each row.
    Same(u64),
    /// Numbers of 32 bits.
    Narrow(Vec<u32>),
    /// Any.
    Wide(Vec<u64>),
}

impl Compact {
    /// Appends the number of row `row`, which is the last.
    pub(super) fn push(&mut self, row: usize, number: u64) {
        if row == 0 {
            *self = Self::Same(number);
            return;
        }
        match (&mut *self, u32::try_from(number)) {
            (Self::Same(same), _) if *same == number => {}
            (Self::Same(same), narrow) => {
                *self = match (u32::try_from(*same), narrow) {
                    (Ok(same), Ok(number)) => Self::Narrow([vec![same; row], vec![number]].concat()),
                    _ => Self::Wide([vec![*same; row], vec![number]].concat()),
                };
            }
            (Self::Narrow(numbers), Ok(number)) => numbers.push(number),
            (Self::Narrow(numbers), Err(_)) => {
                let before = std::mem::take(numbers).into_iter().map(u64::from);
                *self = Self::Wide(before.chain([number]).collect());
            }
            (Self::Wide(numbers), _) => numbers.push(number),
        }
    }

    /// The number of a row.
    #[inline]
    pub(super) fn get(&self, row: usize) -> u64 {
        match self {
            Self::Same(same) => *same,
            Self::Narrow(numbers) => numbers[row].into(),
            Self::Wide(numbers) => numbers[row],
        }
    }

    /// The sum of `rows` numbers, or the largest number of 64 bits.
    pub(super) fn sum(&self, rows: usize) -> u64 {
        match self {
            Self::Same(same) => same.saturating_mul(rows as u64),
            Self::Narrow(numbers) => numbers.iter().map(|&number| u64::from(number)).sum(),
            Self::Wide(numbers) => numbers.iter().fold(0, |sum, &number| sum.saturating_add(number)),
        }
    }

    /// Reorders the rows.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        match self {
            Self::Same(_) => {}
            Self::Narrow(numbers) => *numbers = picked(numbers, order),
            Self::Wide(numbers) => *numbers = picked(numbers, order),
        }
    }

    /// Gives back the memory that no row needs.
    pub(super) fn compact(&mut self) {
        match self {
            Self::Same(_) => {}
            Self::Narrow(numbers) => numbers.shrink_to_fit(),
            Self::Wide(numbers) => numbers.shrink_to_fit(),
        }
    }

    /// Bytes of memory that the column takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Same(_) => 0,
            Self::Narrow(numbers) => size_of_val(numbers.as_slice()),
            Self::Wide(numbers) => size_of_val(numbers.as_slice()),
        }
    }
}

/// The rows of a column in this order.
fn picked<T: Copy>(column: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|&row| column[row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_what_was_pushed_at_any_width() {
        let wide = ChunkNumber::from(u64::MAX) + 5;
        for pushed in [
            vec![0, 1, 2],
            vec![0, 1, 3, 9],
            vec![5],
            vec![0, 1, wide],
            vec![0, 7, wide, wide + 1],
            vec![wide],
        ] {
            let mut numbers = Numbers::Dense;
            pushed.iter().enumerate().for_each(|(row, &number)| numbers.push(row, number));
            let kept: Vec<_> = (0..pushed.len()).map(|row| numbers.get(row)).collect();
            assert_eq!(kept, pushed);
            for (row, &number) in pushed.iter().enumerate() {
                assert_eq!(numbers.find(number, pushed.len()), Some(row));
                assert_eq!(numbers.find(number + 100, pushed.len()), None);
            }
        }
    }

    #[test]
    fn numbers_in_any_order_may_turn_out_to_be_dense() {
        let mut numbers = Numbers::Dense;
        [0, 2, 1].into_iter().enumerate().for_each(|(row, number)| numbers.push(row, number));
        numbers.reorder(&[0, 2, 1]);
        numbers.compact(3);
        assert!(matches!(numbers, Numbers::Dense));
        assert_eq!(numbers.find(3, 3), None);
    }

    #[test]
    fn compact_columns_widen_as_they_must() {
        let large = u64::from(u32::MAX) + 1;
        for (pushed, bytes) in [
            (vec![7, 7, 7], 0),
            (vec![7, 8], 8),
            (vec![7, 8, large], 24),
            (vec![large, 8], 16),
            (vec![large, large], 0),
        ] {
            let mut column = Compact::Same(0);
            pushed.iter().enumerate().for_each(|(row, &number)| column.push(row, number));
            let kept: Vec<_> = (0..pushed.len()).map(|row| column.get(row)).collect();
            assert_eq!(
                (kept, column.bytes(), column.sum(pushed.len())),
                (pushed.clone(), bytes, pushed.iter().sum())
            );
            let backwards: Vec<usize> = (0..pushed.len()).rev().collect();
            column.reorder(&backwards);
            assert_eq!(column.get(0), *pushed.last().unwrap());
        }
    }
}
