//! What is not worth a reader's minute is not reported, and the same file has the same findings each time.

use super::faults::report;
use hyperslab_testkit::files::{corpus, fixture};
use hyperslab_testkit::{require, scale};
use serde_json::Value;

/// Files of the corpus that programs wrote for use, chosen by what they are and by their features in its manifest: the usual
/// output of models, instruments and tools, none made to test a reader's limits.
const WELL_MADE: [&str; 30] = [
    // Maps and fields in whole-field or few chunks, deflated.
    "pypi-pvlib/pvlib/data/Altitude.h5",
    "wradlib+wradlib-data/data/hdf5/polar_rhi_dBZ_bonn.h5",
    "wradlib+wradlib-data/data/hdf5/belgium.comp.hdf",
    "wradlib+wradlib-data/data/hdf5/knmi_polar_volume.h5",
    "wradlib+wradlib-data/data/hdf5/SAFNWC_MSG3_CT___201304290415_BEL_________.h5",
    "wradlib+wradlib-data/data/misc/msf_cband_v1.nc",
    "wradlib+wradlib-data/data/misc/msf_cband_v2.nc",
    "openradar+open-radar-data/data/T_PAGZ35_C_ENMI_20170421090837.hdf",
    "Unidata+netcdf4-python/test/20171025_2056.Cloud_Top_Height.nc",
    // Model output by netCDF-C: one field a chunk.
    "NCAS-CMS+pyfive/tests/data/noy_AERmonZ_UKESM1-0-LL_piControl_r1i1p1f2_gnz_200001-200012.nc",
    "SciTools+iris-sample-data/iris_sample_data/sample_data/toa_brightness_stereographic.nc",
    "fsspec+kerchunk/tests/air.nc",
    "fsspec+kerchunk/tests/air_linked.nc",
    // Satellite swaths and profiles.
    "deb-libncarg-data/usr/share/ncarg/data/hdf/MLS-Aura_L2GP-IWC_v02-21-c02_2007d210.he5",
    "nasa+harmony-trajectory-subsetter/tests/data/ATL03_indexbegin_start_end_FVs.h5",
    "rouault+gdal/autotest/gdrivers/data/hdf5/hdfeos_sample_swath.h5",
    // Time series of instruments: shuffled and deflated chunks of some tens of kilobytes.
    "losc-tutorial+LOSC_Event_tutorial/L-L1_LOSC_4_V1-1167559920-32.hdf5",
    "losc-tutorial+LOSC_Event_tutorial/L-L1_LOSC_4_V2-1135136334-32.hdf5",
    // Sparse matrices and counts: long one-dimensional columns, deflated.
    "scverse+scanpy/tests/_data/visium_data/2.1.0/raw_probe_bc_matrix.h5",
    "scverse+scanpy/tests/_data/10x_data/3.0.0/filtered_feature_bc_matrix.h5",
    "open2c+cooler/tests/data/toy.symm.upper.2.cool",
    "open2c+cooler/tests/data/toy.asymm.2.cool",
    // Neurophysiology: small contiguous data and attributes.
    "NeurodataWithoutBorders+pynwb/tests/back_compat/2.1.0_nwbfile_with_extension.nwb",
    "NeurodataWithoutBorders+pynwb/tests/back_compat/2.2.0_subject_no_age__reference.nwb",
    // Weights of a model, reflections, trajectories, tables.
    "JetBrains+KotlinDL/examples/src/main/resources/models/lstm/weights.h5",
    "nexusformat+exampledata/DLS/reflections/hdf5/thaumatin_integrated.nxs",
    "pypi-mdanalysistests/MDAnalysisTests/data/cu.h5md",
    "PyTables+PyTables/tables/tests/indexes_2_0.h5",
    // Filters of plug-ins, in chunks of one field.
    "silx-kit+hdf5plugin/test/blosc.h5",
    "HDFGroup+hdf5_plugins/testfiles/h5ex_d_nplz4.h5",
];

/// Code, severity and place of each finding.
fn told(report: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |place: &str, findings: &Value| {
        let findings = findings.as_array().unwrap().iter();
        let told = findings.map(|found| (text(&found["code"]), text(&found["severity"]), place.to_owned()));
        told.collect::<Vec<_>>()
    };
    let mut all = of("/", &report["findings"]);
    for dataset in report["datasets"].as_array().unwrap() {
        all.extend(of(dataset["path"].as_str().unwrap(), &dataset["findings"]));
    }
    all
}

#[test]
fn in_well_made_files_nothing_is_above_low() {
    let corpus = require!(corpus());
    for name in WELL_MADE {
        let report = report(&corpus.join(name), &[]);
        let above: Vec<_> = told(&report).into_iter().filter(|(_, severity, _)| severity != "low").collect();
        assert!(above.is_empty(), "{name}: {above:?}");
    }
}

#[test]
fn a_bad_file_has_the_same_findings_each_time() {
    let file = require!(fixture("case_study/cris.h5"));
    let first = told(&report(&file, &[]));
    assert!(first.iter().any(|(code, severity, _)| code == "cache-smaller-than-chunk" && severity == "high"));
    // All levels of deflate take about as long on data that hardly compresses.
    assert!(first.iter().all(|(code, ..)| code != "deflate-level-too-high"), "{first:?}");
    for _ in 0..scale().of(4) {
        assert_eq!(told(&report(&file, &[])), first);
    }
}
