//! What a fit needs of a table that lies in parts: gathered part by part in other processes, merged in one.
//!
//! ```text
//! driver        begin with the columns, and send the state to where the parts are
//! every part    add its rows, and send the state back: the survey and a sample, not the rows
//! driver        merge; if there is a next pass, send its state; in the end, fit
//! ```
//!
//! A state is bytes, and merging does not depend on an order. The first pass surveys the columns and
//! estimates how many distinct rows there are; the second brings those that the fit is based on.

use std::collections::{BTreeSet, HashMap};

use arrow_array::{Array, RecordBatch};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};
use sosrep::Points;
use sosrep::detector::TrainingSample;
use sosrep::reduce::DistinctSample;
use sosrep_table::{
    ColumnInfo, ColumnKind, EncodeOptions, Survey, TableRecipe, TableSample, big_integers,
    from_arrow,
};

use crate::detector::Detector;
use crate::encode::columns_of;
use crate::failure::{remedy, table_error, value_error};
use crate::model_file::with_recipe;
use crate::parameters;
use crate::table::GivenTable;
use crate::training::cells;
use crate::work::Caller;

/// Rows of the first pass: distinct rows are counted to within 6 %, and little is sent.
const FIRST: usize = 256;
/// What messages call the table: rows have no number in all of it.
const PARTS: &str = "the data frame (rows counted within their part)";

/// What is known of some parts of a table.
#[pyclass(module = "sosrep._core")]
pub(crate) struct Gathering {
    /// All columns of the table.
    names: Vec<String>,
    /// Another column, whose values make equal rows different ones.
    key: Option<String>,
    options: EncodeOptions,
    survey: Survey,
    /// Whether rows are surveyed in this pass.
    surveying: bool,
    sample: TableSample,
    /// Rows that a fit is based on.
    size: usize,
    seed: u64,
    /// Columns of numbers in which integers were found that no number holds.
    big: BTreeSet<String>,
}

/// The same for other processes.
#[derive(Serialize, Deserialize)]
struct State {
    names: Vec<String>,
    key: Option<String>,
    survey: Vec<u8>,
    surveying: bool,
    sample: Vec<u8>,
    size: u64,
    seed: u64,
    big: BTreeSet<String>,
}

#[pymethods]
impl Gathering {
    /// Of a table like this one, which has rows of no interest, for a fit with these parameters. The
    /// values of `key`, a column beside those, make equal rows different ones.
    #[new]
    #[pyo3(signature = (table, parameters, options, key=None))]
    fn new(
        table: &Bound<'_, GivenTable>,
        parameters: &Bound<'_, PyDict>,
        options: &Bound<'_, PyDict>,
        key: Option<String>,
    ) -> PyResult<Self> {
        let table = table.get();
        let (params, options) = (parameters::detector(parameters)?, parameters::encoding(options)?);
        let (columns, _) = cells(table, &options).map_err(table_error)?;
        let (size, seed) = (params.row_sample(columns.len()).size(), params.seed_value());
        let survey = Survey::new(&columns, &options);
        Ok(Self { names: table.names.clone(), ..Self::begin(survey, size, seed, key) })
    }

    /// What [`state`](Self::state) gave.
    #[staticmethod]
    fn of_state(bytes: &[u8]) -> PyResult<Self> {
        let damaged = || PyValueError::new_err("a part of the fit is damaged; fit again");
        let state: State = postcard::from_bytes(bytes).map_err(|_| damaged())?;
        let survey = Survey::from_bytes(&state.survey).map_err(table_error)?;
        let rows = DistinctSample::from_bytes(&state.sample).map_err(value_error)?;
        Ok(Self {
            names: state.names,
            options: survey.options().clone(),
            sample: keyed(TableSample::new(&survey, rows), state.key.is_some()),
            key: state.key,
            survey,
            surveying: state.surveying,
            size: usize::try_from(state.size).map_err(|_| damaged())?,
            seed: state.seed,
            big: state.big,
        })
    }

    /// This state for another process.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        // What was surveyed before stays here.
        let empty;
        let survey = if self.surveying {
            &self.survey
        } else {
            empty = Survey::new(self.survey.columns(), &self.options);
            &empty
        };
        let state = State {
            names: self.names.clone(),
            key: self.key.clone(),
            survey: survey.to_bytes(),
            surveying: self.surveying,
            sample: self.sample.rows().to_bytes(),
            size: self.size as u64,
            seed: self.seed,
            big: self.big.clone(),
        };
        let bytes = postcard::to_allocvec(&state);
        let bytes = bytes.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Adds the rows of a table with these columns, in any order, each counted once unless there are
    /// weights.
    #[pyo3(signature = (table, weights=None))]
    fn add(
        &mut self,
        py: Python<'_>,
        table: &Bound<'_, GivenTable>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let table = table.get();
        let weights = weights.map(|weights| weights.as_array().to_vec());
        let invalid = |weight: &&f64| !weight.is_finite() || **weight < 0.0;
        if let Some(weight) = weights.iter().flatten().find(invalid) {
            let words = format!("a weight is {weight}; weights must be finite and not negative");
            return Err(PyValueError::new_err(words));
        }
        if weights.as_ref().is_some_and(|weights| weights.len() != table.rows()) {
            return Err(PyValueError::new_err("there must be one weight for each row"));
        }
        py.detach(|| self.add_rows(table, weights.as_deref()))
    }

    /// Adds what was gathered of other parts.
    fn merge(&mut self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let other = Self::of_state(state)?;
        if self.surveying != other.surveying {
            return Err(PyValueError::new_err("a part is of another pass; fit again"));
        }
        self.big.extend(other.big);
        if !self.big.is_empty() {
            return Ok(());
        }
        py.detach(|| {
            if self.surveying {
                self.survey.merge(&other.survey)?;
            }
            self.sample.merge(other.sample.rows())
        })
        .map_err(table_error)
    }

    /// What to gather of all parts once more; `None` if all is known.
    fn next_pass(&self) -> PyResult<Option<Self>> {
        if !self.big.is_empty() {
            let kind = |info: &ColumnInfo| match self.big.contains(&info.name) {
                true => ColumnInfo { kind: ColumnKind::BigInteger, ..info.clone() },
                false => info.clone(),
            };
            let columns: Vec<ColumnInfo> = self.survey.columns().iter().map(kind).collect();
            let survey = Survey::new(&columns, &self.options);
            let begin = Self::begin(survey, self.size, self.seed, self.key.clone());
            return Ok(Some(Self { names: self.names.clone(), ..begin }));
        }
        if self.surveying {
            // What is wrong with a column is known now.
            self.survey.choose(PARTS).map_err(table_error)?;
        }
        Ok(self.sample.next_pass(self.size).map(|sample| Self {
            names: self.names.clone(),
            key: self.key.clone(),
            options: self.options.clone(),
            survey: self.survey.clone(),
            surveying: false,
            sample,
            size: self.size,
            seed: self.seed,
            big: BTreeSet::new(),
        }))
    }

    /// Rows gathered in this pass.
    #[getter]
    fn rows(&self) -> u64 {
        self.sample.rows().rows()
    }

    /// The detector, and notes on the table.
    #[pyo3(signature = (parameters, *, n_jobs=None, progress=None))]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        parameters: &Bound<'py, PyDict>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Detector, Vec<String>)> {
        let params = parameters::detector(parameters)?;
        let choice = self.survey.choose(PARTS).map_err(table_error)?;
        let size = |width| params.row_sample(width).size();
        let sample = self.sample.clone().encoded(PARTS, &self.survey, &choice, size);
        let sample = sample.map_err(table_error)?;
        let found: Vec<ColumnInfo> = self.names.iter().map(|name| info(name)).collect();
        let recipe = TableRecipe::new(sample.encoding.clone());
        let recipe = recipe.of_table(&found, &self.survey, &choice);
        let params = params.columns(recipe.encoding.source_columns());
        let detector = Caller::new(py, n_jobs, progress)?.run(|handle| {
            let training = TrainingSample {
                points: Points::new(&sample.values, recipe.encoding.width())?,
                copies: &sample.copies,
                table_rows: sample.table_rows,
            };
            let monitor = &mut |progress: &_| handle.report(progress);
            params.fit_sample_monitored(&training, monitor)
        })?;
        let notes = choice.notes.iter().map(|note| note.sentence(remedy)).collect();
        Ok((Detector::new_of(with_recipe(detector, &recipe)?), notes))
    }
}

impl Gathering {
    /// The first pass, with an empty survey.
    fn begin(survey: Survey, size: usize, seed: u64, key: Option<String>) -> Self {
        let sample = TableSample::new(&survey, DistinctSample::new(size.min(FIRST), seed));
        Self {
            names: Vec::new(),
            sample: keyed(sample, key.is_some()),
            key,
            options: survey.options().clone(),
            survey,
            surveying: true,
            size,
            seed,
            big: BTreeSet::new(),
        }
    }

    fn add_rows(&mut self, table: &GivenTable, weights: Option<&[f64]>) -> PyResult<()> {
        let columns = self.survey.columns();
        let kinds = columns.iter().map(|column| (column.name.clone(), column.kind));
        // Text, so that it is exact.
        let key = self.key.iter().map(|key| (key.clone(), ColumnKind::Text));
        let kinds: HashMap<String, ColumnKind> = kinds.chain(key).collect();
        let place = |name: &String| {
            let found = table.names.iter().position(|found| found == name);
            found.ok_or_else(|| {
                let found = columns_of(table).into_iter().map(|column| column.name);
                PyValueError::new_err(format!(
                    "a part of the data frame has no column {name:?}; its columns are {:?}",
                    found.collect::<Vec<_>>()
                ))
            })
        };
        let names = columns.iter().map(|column| &column.name).chain(&self.key);
        let places = names.map(place).collect::<PyResult<Vec<usize>>>()?;
        let mut before = 0;
        for batch in &table.batches {
            let given = batch.project(&places).expect("the places are those of columns");
            let rows = before..before + batch.num_rows();
            before = rows.end;
            self.add_batch(&given, &kinds, weights.map(|weights| &weights[rows]))?;
        }
        Ok(())
    }

    fn add_batch(
        &mut self,
        given: &RecordBatch,
        kinds: &HashMap<String, ColumnKind>,
        weights: Option<&[f64]>,
    ) -> PyResult<()> {
        let big = big_integers(given).into_keys();
        self.big.extend(big.filter(|name| {
            let said = self.options.columns.contains_key(name);
            kinds.get(name) == Some(&ColumnKind::Number) && !said
        }));
        if !self.big.is_empty() {
            return Ok(());
        }
        let (_, batch) = from_arrow(PARTS, given, kinds, self.survey.rows).map_err(table_error)?;
        let columns: Vec<usize> = (0..self.survey.columns().len()).collect();
        if let Some(key) = &self.key
            && batch.cells.column(columns.len()).null_count() > 0
        {
            let words = format!("the row key {key:?} is missing in some rows; every row needs one");
            return Err(PyValueError::new_err(words));
        }
        if self.surveying {
            let features = batch.project(&columns).expect("the columns come first");
            self.survey.add(PARTS, &features).map_err(table_error)?;
        }
        self.sample.add(&batch, weights);
        Ok(())
    }
}

fn keyed(sample: TableSample, keyed: bool) -> TableSample {
    if keyed { sample.keyed() } else { sample }
}

/// A column of a kind that does not matter.
fn info(name: &str) -> ColumnInfo {
    ColumnInfo { name: name.to_string(), kind: ColumnKind::Text }
}
