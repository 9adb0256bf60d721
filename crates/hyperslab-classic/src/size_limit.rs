//! How large a variable may be: the format has no field for the size of a larger one, which only the last one does not need
//! (`NC_check_vlens` of netCDF-C).

use crate::{Header, Version};

impl Version {
    /// The most bytes of a variable, or of a record of one, that is not the last of its kind; `None` if there is no limit that
    /// a file could exceed.
    pub fn variable_bytes_max(self) -> Option<u64> {
        match self {
            Self::Classic => Some(i32::MAX as u64 - 3),
            Self::Offset64 => Some(u64::from(u32::MAX) - 3),
            Self::Data64 => None,
        }
    }
}

impl Header {
    /// The numbers of the variables that are larger than the version allows. netCDF-C does not open such a file, although
    /// every value has its place.
    pub fn too_large(&self) -> Vec<usize> {
        let Some(max) = self.version.variable_bytes_max() else { return Vec::new() };
        let is_record = |number: &usize| self.variables[*number].is_record(&self.dimensions);
        let numbers = || 0..self.variables.len();
        let last = [false, true].map(|records| numbers().rfind(|number| is_record(number) == records));
        let may_be_large = |number: &usize| match is_record(number) {
            true => last[1] == Some(*number),
            // Records would lie too far behind it.
            false => last[0] == Some(*number) && last[1].is_none(),
        };
        let is_large = |number: &usize| {
            self.padded_bytes(*number).is_some_and(|padded| padded > max) && !may_be_large(number)
        };
        numbers().filter(is_large).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Build;
    use crate::{Header, Kind, Version};

    #[test]
    fn only_the_last_variable_of_fixed_size_or_with_records_may_be_large() {
        let header = |version, dimensions: &[&[u64]]| {
            let mut build = Build::new(version, 1);
            build.dimensions = vec![("time", 0), ("x", 1 << 30), ("y", 8)];
            let names = ["a", "b", "c"];
            let mut begin = 1000;
            for (name, dimensions) in names.into_iter().zip(dimensions) {
                build.variable(name, dimensions, Kind::Double, begin);
                begin += 1 << 34;
            }
            Header::parse(&build.bytes(), u64::MAX).unwrap().too_large()
        };
        assert_eq!(header(Version::Offset64, &[&[2], &[1]]), []);
        assert_eq!(header(Version::Offset64, &[&[1], &[2]]), [0]);
        assert_eq!(header(Version::Offset64, &[&[1], &[0, 2]]), [0], "records follow it");
        assert_eq!(header(Version::Offset64, &[&[0, 1], &[2]]), [], "the last one with records");
        assert_eq!(header(Version::Offset64, &[&[0, 1], &[0, 2]]), [0]);
        assert_eq!(header(Version::Data64, &[&[1], &[2]]), []);
    }
}
