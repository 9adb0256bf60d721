//! The tools of older formats: hrepack and libhdf4 (HDF4), and NCO's ncks, which makes netCDF-4 of netCDF classic.

use super::shell_word;
use crate::pattern::shape_text;

/// hrepack's command line: the data set stays in HDF4, in chunks of this shape that are deflated.
pub fn hrepack(file: &str, path: &str, chunks: &[u64], level: u32) -> String {
    let name = path.trim_start_matches('/');
    let compressed = shell_word(&format!("{name}:GZIP {level}"));
    let chunked = shell_word(&format!("{name}:{}", shape_text(chunks)));
    format!("hrepack -i {} -o out.hdf -t {compressed} -c {chunked}", shell_word(file))
}

/// The call of libhdf4 after which its cache for a data set holds `chunks` chunks.
pub fn libhdf4_cache(chunks: u64) -> String {
    format!("SDsetchunkcache(sds_id, {chunks}, 0);")
}

/// ncks's command line: a netCDF-4 file with chunks of these lengths along dimensions of these names, deflated.
pub fn ncks(file: &str, chunks: &[(String, u64)], level: u32) -> String {
    let lengths =
        chunks.iter().map(|(name, len)| format!(" --cnk_dmn {}", shell_word(&format!("{name},{len}"))));
    format!("ncks -4 -L {level}{} {} out.nc", lengths.collect::<String>(), shell_word(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_gets_its_words() {
        assert_eq!(
            hrepack("in.hdf", "/Data Fields/EVI", &[10, 20], 4),
            "hrepack -i in.hdf -o out.hdf -t 'Data Fields/EVI:GZIP 4' -c 'Data Fields/EVI:10x20'"
        );
        assert_eq!(libhdf4_cache(24), "SDsetchunkcache(sds_id, 24, 0);");
        let chunks = [("time".to_owned(), 10), ("lat".to_owned(), 60)];
        assert_eq!(ncks("in.nc", &chunks, 4), "ncks -4 -L 4 --cnk_dmn time,10 --cnk_dmn lat,60 in.nc out.nc");
    }
}
