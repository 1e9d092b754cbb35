//! A table before it is text: rounded for the reader, at full precision for a file.

use sosrep_report::article::Table;

/// What stands for a value that is not there.
const NOTHING: &str = "–";

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Words.
    Text(String),
    /// A number and the decimals a reader sees.
    Number(Option<f64>, usize),
    /// A number with its decimals, and how many things it stands for: fewer than the others do.
    Partial(f64, usize, usize),
    /// A number of things.
    Count(usize),
    /// So many of so many.
    Of(usize, usize),
}

impl Value {
    /// Words.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An AUC-ROC or an average precision.
    pub(super) fn score(value: Option<f64>) -> Self {
        Self::Number(value, 3)
    }

    /// As the reader sees it.
    fn rounded(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(None, _) => NOTHING.to_string(),
            Self::Number(Some(value), decimals) => format!("{value:.decimals$}").replace('-', "−"),
            Self::Partial(value, decimals, count) => {
                format!("{} ({count})", Self::Number(Some(*value), *decimals).rounded())
            }
            Self::Count(count) => count.to_string(),
            Self::Of(part, whole) => format!("{part} of {whole}"),
        }
    }

    /// As it stands in a file.
    fn exact(&self) -> String {
        match self {
            Self::Number(value, _) => value.map(|value| value.to_string()).unwrap_or_default(),
            Self::Partial(value, _, _) => value.to_string(),
            Self::Of(part, _) => part.to_string(),
            other => other.rounded(),
        }
    }
}

/// Rows of cells under a header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sheet {
    header: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Sheet {
    pub(super) fn new<S: ToString>(header: impl IntoIterator<Item = S>) -> Self {
        Self { header: header.into_iter().map(|name| name.to_string()).collect(), rows: Vec::new() }
    }

    pub(super) fn push(&mut self, row: Vec<Value>) {
        self.rows.push(row);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// For a reader.
    pub(super) fn rounded(&self) -> Table {
        self.table(Value::rounded)
    }

    /// For a file.
    pub(super) fn exact(&self) -> Table {
        self.table(Value::exact)
    }

    fn table(&self, text: fn(&Value) -> String) -> Table {
        let is_number = |column: usize| {
            self.rows.iter().all(|row| !matches!(row.get(column), Some(Value::Text(_))))
        };
        Table {
            header: self.header.clone(),
            rows: self.rows.iter().map(|row| row.iter().map(text).collect()).collect(),
            numeric: (0..self.header.len()).map(is_number).collect(),
        }
    }
}
