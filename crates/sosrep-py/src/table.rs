//! Tables as Python gives them: Arrow streams of data frames, or columns one by one.
//!
//! Columns come one by one where there is no Arrow: from arrays, and from pandas without pyarrow.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::DataType;
use numpy::PyReadonlyArray1;
use numpy::datetime::{Datetime, units::Microseconds};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3_arrow::PyTable;

/// NaT of numpy.
const NOT_A_TIME: i64 = i64::MIN;

/// A table in memory.
#[pyclass(frozen, name = "Table", module = "sosrep._core")]
pub(crate) struct GivenTable {
    /// Names of all columns.
    pub(crate) names: Vec<String>,
    /// Columns of numbers that are meant as categories.
    pub(crate) numbered_categories: Vec<String>,
    /// The rows.
    pub(crate) batches: Vec<RecordBatch>,
}

/// A column: floats with NaN for what is missing, times with NaT, lists with None.
#[derive(FromPyObject)]
enum GivenColumn<'py> {
    Double(PyReadonlyArray1<'py, f64>),
    Single(PyReadonlyArray1<'py, f32>),
    Integer(PyReadonlyArray1<'py, i64>),
    Unsigned(PyReadonlyArray1<'py, u64>),
    Boolean(PyReadonlyArray1<'py, bool>),
    Time(PyReadonlyArray1<'py, Datetime<Microseconds>>),
    Booleans(Vec<Option<bool>>),
    Text(Vec<Option<String>>),
}

#[pymethods]
impl GivenTable {
    /// Reads an object with an Arrow stream, or a list of pairs of a name and a column.
    #[new]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        match data.cast::<PyList>() {
            Ok(columns) => Self::of_columns(columns.extract()?),
            Err(_) => Ok(Self::of_stream(data.extract()?)),
        }
    }

    /// Names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Number of rows.
    #[getter]
    pub(crate) fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The same rows under other names, one for each column.
    fn renamed(&self, names: Vec<String>) -> PyResult<Self> {
        if names.len() != self.names.len() {
            let (given, found) = (names.len(), self.names.len());
            return Err(PyValueError::new_err(format!("{given} names for {found} columns")));
        }
        let new_name = |old: &String| {
            let place = self.names.iter().position(|name| name == old);
            place.map_or_else(|| old.clone(), |place| names[place].clone())
        };
        let renamed = |batch: &RecordBatch| {
            let columns = names.iter().zip(batch.columns());
            let columns = columns.map(|(name, array)| (name, array.clone(), true));
            RecordBatch::try_from_iter_with_nullable(columns)
        };
        let batches = self.batches.iter().map(renamed).collect::<Result<_, _>>();
        Ok(Self {
            numbered_categories: self.numbered_categories.iter().map(new_name).collect(),
            batches: batches.map_err(|error| PyValueError::new_err(error.to_string()))?,
            names,
        })
    }
}

impl GivenTable {
    fn of_stream(table: PyTable) -> Self {
        let (batches, schema) = table.into_inner();
        let fields = schema.fields().iter();
        let categories = fields.clone().filter(|field| is_numbered_category(field.data_type()));
        Self {
            numbered_categories: categories.map(|field| field.name().clone()).collect(),
            names: fields.map(|field| field.name().clone()).collect(),
            batches,
        }
    }

    fn of_columns(columns: Vec<(String, GivenColumn)>) -> PyResult<Self> {
        let names = columns.iter().map(|(name, _)| name.clone()).collect();
        let arrays = columns.into_iter().map(|(name, column)| (name, column.array(), true));
        let batch = RecordBatch::try_from_iter_with_nullable(arrays)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { names, numbered_categories: Vec::new(), batches: vec![batch] })
    }
}

impl GivenColumn<'_> {
    fn array(self) -> ArrayRef {
        match self {
            Self::Double(values) => {
                Arc::new(values.as_array().iter().copied().collect::<Float64Array>())
            }
            Self::Single(values) => {
                Arc::new(values.as_array().iter().copied().collect::<Float32Array>())
            }
            Self::Integer(values) => {
                Arc::new(values.as_array().iter().copied().collect::<Int64Array>())
            }
            Self::Unsigned(values) => {
                Arc::new(values.as_array().iter().copied().collect::<UInt64Array>())
            }
            Self::Boolean(values) => Arc::new(
                values.as_array().iter().map(|&value| Some(value)).collect::<BooleanArray>(),
            ),
            Self::Time(values) => {
                let time = |&time: &Datetime<Microseconds>| {
                    Some(i64::from(time)).filter(|&time| time != NOT_A_TIME)
                };
                Arc::new(values.as_array().iter().map(time).collect::<TimestampMicrosecondArray>())
            }
            Self::Booleans(values) => Arc::new(BooleanArray::from(values)),
            Self::Text(values) => Arc::new(StringArray::from(values)),
        }
    }
}

/// Whether the values of a dictionary are numbers: a pandas category of numbers.
fn is_numbered_category(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Dictionary(_, values) if values.is_numeric())
}
