//! Parameters of estimators: from a dictionary of Python's to those of the core.
//!
//! Names, defaults and domains are the core's, which [`parameters`] shows to Python; a value of
//! the wrong type is a `TypeError`, one outside its domain a `ValueError`, both with the sentence
//! the core would say.

use std::collections::HashMap;
use std::str::FromStr;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use sosrep::detector::{PrepareOptions, Threshold};
use sosrep::parameter::Parameter;
use sosrep::select::SelectOptions;
use sosrep::solve::SolveOptions;
use sosrep::{Bandwidth, DensityParams, DetectorParams, KernelKind, kde};
use sosrep_table::{Categories, ColumnUse, Dates, EncodeOptions, Missing};

use crate::failure::{value_error, wrong_type, wrong_value};

/// What a kernel density estimate is made with.
pub(crate) struct ParsedKdeParams {
    pub(crate) kernel: KernelKind,
    pub(crate) bandwidth: f64,
}

/// The parameters of each model, and of the encoding of tables, as (name, default in JSON, domain).
#[pyfunction]
pub(crate) fn parameters(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (model, parameters) in [
        ("Density", DensityParams::new().parameters()),
        ("Detector", DetectorParams::new().parameters()),
        ("Kde", kde::parameters()),
    ] {
        let each = parameters.iter().map(|p| (p.name, p.value.to_string(), p.domain));
        dict.set_item(model, each.collect::<Vec<_>>())?;
    }
    dict.set_item("Encoding", encoding_parameters())?;
    Ok(dict)
}

pub(crate) fn density(given: &Bound<'_, PyDict>) -> PyResult<DensityParams> {
    let given = Given { dict: given, known: DensityParams::new().parameters() };
    given.check_names()?;
    Ok(DensityParams::new()
        .kernel(given.choice("kernel")?)
        .bandwidth(given.bandwidth()?)
        .solve(given.solve_options()?)
        .memory(given.whole("memory")?)
        .seed(given.seed()?))
}

pub(crate) fn detector(given: &Bound<'_, PyDict>) -> PyResult<DetectorParams> {
    let given = Given { dict: given, known: DetectorParams::new().parameters() };
    given.check_names()?;
    let prepare = PrepareOptions::new()
        .scaling(given.choice("scaling")?)
        .clip(given.optional("clip", Given::number)?)
        .whitening(given.number("whitening")?);
    let params = DetectorParams::new()
        .kernel(given.choice("kernel")?)
        .bandwidth(given.bandwidth()?)
        .threshold(given.word_or_number("contamination", Threshold::Contamination)?)
        .trim(given.number("trim")?)
        .repeats(given.choice("repeats")?)
        .prepare(prepare)
        .solve(given.solve_options()?)
        .memory(given.whole("memory")?)
        .max_rows(given.optional("max_rows", Given::whole)?)
        .max_support(given.optional("max_support", Given::whole)?)
        .seed(given.seed()?);
    Ok(params)
}

/// How cells of a table become numbers.
pub(crate) fn encoding(given: &Bound<'_, PyDict>) -> PyResult<EncodeOptions> {
    Ok(EncodeOptions {
        missing: table_choice(given, "missing")?,
        categories: table_choice(given, "categories")?,
        dates: table_choice(given, "dates")?,
        columns: column_uses(&given.as_any().get_item("columns")?)?,
    })
}

/// An error unless the options are among the words there are.
#[pyfunction]
pub(crate) fn check_encoding(options: &Bound<'_, PyDict>) -> PyResult<()> {
    encoding(options).map(|_| ())
}

/// The options of an encoding as (name, default in JSON, domain).
fn encoding_parameters() -> Vec<(&'static str, String, String)> {
    let words = |names: &[(&str, &str)]| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("one of {}", names.join(", "))
    };
    let auto = || "\"auto\"".to_string();
    vec![
        ("missing", auto(), words(&Missing::NAMES)),
        ("categories", auto(), words(&Categories::NAMES)),
        ("dates", auto(), words(&Dates::NAMES)),
        ("columns", "null".to_string(), COLUMNS.to_string()),
    ]
}

/// What may be said of columns.
const COLUMNS: &str = "none, or a dictionary of column names to category, number, date or ignore";

/// One of several words of the table crate.
fn table_choice<T: FromStr>(given: &Bound<'_, PyDict>, name: &str) -> PyResult<T> {
    let value = given.as_any().get_item(name)?;
    let known = encoding_parameters().into_iter().find(|(known, _, _)| *known == name);
    let domain = known.map(|(_, _, domain)| domain).unwrap_or_default();
    let Ok(text) = value.cast::<PyString>() else {
        return Err(wrong_type(name, &value, &domain));
    };
    text.to_string().parse().map_err(|_| wrong_value(name, &value, &domain))
}

fn column_uses(value: &Bound<'_, PyAny>) -> PyResult<HashMap<String, ColumnUse>> {
    if value.is_none() {
        return Ok(HashMap::new());
    }
    let words: HashMap<String, String> =
        value.extract().map_err(|_| wrong_type("columns", value, COLUMNS))?;
    let column_use = |(name, word): (String, String)| {
        let column_use = match word.as_str() {
            "category" => ColumnUse::Category,
            "number" => ColumnUse::Number,
            "date" => ColumnUse::Date,
            "ignore" => ColumnUse::Ignore,
            _ => return Err(wrong_value("columns", value, COLUMNS)),
        };
        Ok((name, column_use))
    };
    words.into_iter().map(column_use).collect()
}

pub(crate) fn kde(given: &Bound<'_, PyDict>) -> PyResult<ParsedKdeParams> {
    let given = Given { dict: given, known: kde::parameters() };
    given.check_names()?;
    Ok(ParsedKdeParams { kernel: given.choice("kernel")?, bandwidth: given.number("bandwidth")? })
}

/// What Python gave, and what the core knows of it.
struct Given<'a, 'py> {
    dict: &'a Bound<'py, PyDict>,
    known: Vec<Parameter>,
}

impl<'py> Given<'_, 'py> {
    /// An error unless the dictionary holds the parameters of the core, no more and no less.
    fn check_names(&self) -> PyResult<()> {
        let mut names: Vec<String> = self.dict.keys().extract()?;
        let mut known: Vec<&str> = self.known.iter().map(|parameter| parameter.name).collect();
        names.sort();
        known.sort_unstable();
        if names == known {
            return Ok(());
        }
        let message = format!("the parameters are {names:?}; they must be {known:?}");
        Err(pyo3::exceptions::PyTypeError::new_err(message))
    }

    fn domain(&self, name: &str) -> &'static str {
        let known = self.known.iter().find(|parameter| parameter.name == name);
        known.map_or("a parameter of the model", |parameter| parameter.domain)
    }

    fn value(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.dict.as_any().get_item(name)
    }

    fn wrong_value(&self, name: &str) -> PyResult<PyErr> {
        Ok(wrong_value(name, &self.value(name)?, self.domain(name)))
    }

    /// A number, also one of numpy's; not a boolean, and not text that looks like one.
    fn number(&self, name: &str) -> PyResult<f64> {
        let value = self.value(name)?;
        let number = value.extract::<f64>().ok().filter(|_| !value.is_instance_of::<PyBool>());
        number.ok_or_else(|| wrong_type(name, &value, self.domain(name)))
    }

    /// A whole number that is not negative.
    fn whole(&self, name: &str) -> PyResult<usize> {
        let value = self.value(name)?;
        let index = value.call_method0("__index__");
        match index {
            Ok(index) if !value.is_instance_of::<PyBool>() && index.is_instance_of::<PyInt>() => {
                index.extract().map_err(|_| wrong_value(name, &value, self.domain(name)))
            }
            _ => Err(wrong_type(name, &value, self.domain(name))),
        }
    }

    fn optional<T>(
        &self,
        name: &str,
        read: impl Fn(&Self, &str) -> PyResult<T>,
    ) -> PyResult<Option<T>> {
        if self.value(name)?.is_none() { Ok(None) } else { read(self, name).map(Some) }
    }

    /// One of several words.
    fn choice<T: FromStr<Err = sosrep::Error>>(&self, name: &str) -> PyResult<T> {
        let value = self.value(name)?;
        match value.cast::<PyString>() {
            Ok(text) => match text.to_string().parse() {
                Ok(choice) => Ok(choice),
                Err(_) => Err(self.wrong_value(name)?),
            },
            Err(_) => Err(wrong_type(name, &value, self.domain(name))),
        }
    }

    /// What the core reads from text, or a number.
    fn word_or_number<T: FromStr<Err = sosrep::Error>>(
        &self,
        name: &str,
        from_number: impl Fn(f64) -> T,
    ) -> PyResult<T> {
        let is_text = self.value(name)?.is_instance_of::<PyString>();
        if is_text { self.choice(name) } else { self.number(name).map(from_number) }
    }

    fn seed(&self) -> PyResult<u64> {
        self.value("seed")?.extract()
    }

    fn bandwidth(&self) -> PyResult<Bandwidth> {
        match self.word_or_number("bandwidth", Bandwidth::Fixed)? {
            Bandwidth::Select(options) => Ok(Bandwidth::Select(self.select_options(options)?)),
            other => {
                // Not needed, but wrong all the same if they are wrong.
                self.select_options(SelectOptions::paper())?;
                Ok(other)
            }
        }
    }

    fn select_options(&self, options: SelectOptions) -> PyResult<SelectOptions> {
        let grid = self.optional("grid", Self::numbers)?.unwrap_or_else(|| options.grid.clone());
        let options = options.grid(grid).holdout(self.number("holdout")?).seed(self.seed()?);
        options.check().map_err(value_error)?;
        Ok(options)
    }

    fn numbers(&self, name: &str) -> PyResult<Vec<f64>> {
        let value = self.value(name)?;
        value.extract().map_err(|_| wrong_type(name, &value, self.domain(name)))
    }

    fn solve_options(&self) -> PyResult<SolveOptions> {
        Ok(SolveOptions::new()
            .tolerance(self.number("tolerance")?)
            .max_iterations(self.whole("max_iterations")?))
    }
}
