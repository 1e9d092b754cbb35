//! The Python module `sosrep._core`: the models of [`sosrep`] for numpy arrays and Arrow frames.
//!
//! Thin on purpose: what a parameter means is the core's business, what an estimator looks like is
//! that of the Python files beside it. What is here, and only here, is the border: arrays and
//! frames come in (`matrix`, `frame`, `table`) and are encoded (`training`, `encode`; in parts, `gathering`), parameters come in (`parameters`), work runs without
//! Python's lock and can be interrupted (`work`), errors and reports go out (`failure`, `report`).

mod assessment;
mod cells;
mod density;
mod detector;
mod encode;
mod failure;
mod frame;
mod gathering;
mod kde;
mod matrix;
mod model_file;
mod parameters;
mod report;
mod table;
mod training;
mod work;

use pyo3::prelude::*;

/// Compiled parts of sosrep.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::assessment::largest_discovery;
    #[pymodule_export]
    use crate::density::Density;
    #[pymodule_export]
    use crate::detector::Detector;
    #[pymodule_export]
    use crate::failure::NotFinite;
    #[pymodule_export]
    use crate::frame::read_frame;
    #[pymodule_export]
    use crate::gathering::Gathering;
    #[pymodule_export]
    use crate::kde::Kde;
    #[pymodule_export]
    use crate::matrix::all_finite;
    #[pymodule_export]
    use crate::parameters::{check_encoding, parameters};
    #[pymodule_export]
    use crate::table::GivenTable;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
