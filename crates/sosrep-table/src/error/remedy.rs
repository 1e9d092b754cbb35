//! What a user can do about a problem, as data: each interface words it by what it offers.

use super::words::joined;
use super::{ColumnProblem, Error, FileProblem};
use crate::encode::{Categories, ColumnUse, Dates, Missing};

/// Something to do about a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Correct the cell, or leave it empty.
    CorrectCell,
    /// Fill in the missing value.
    FillCell,
    /// Leave the row out of the table.
    DropRow,
    /// Leave the column out.
    DropColumn(String),
    /// Convert the column to numbers, booleans or text.
    ConvertColumn,
    /// Write numbers with a decimal point instead of a comma.
    DecimalPoint,
    /// Add, rename or leave out columns until they are those of the model.
    MatchColumns,
    /// Add a line of column names.
    AddNames,
    /// Read the table as one without a line of names.
    NoHeader,
    /// Choose what is done about missing values.
    ChooseMissing(Missing),
    /// Fit the model anew, with a choice of what is done about missing values.
    RefitMissing,
    /// Choose one of these encodings of text.
    ChooseCategories(&'static [Categories]),
    /// Choose what is done about dates.
    ChooseDates(Dates),
    /// Say what the column is.
    UseColumn(String, ColumnUse),
}

impl Error {
    /// What the user can do, the most obvious first; empty where the message itself says so.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::File { problem, .. } => of_file(problem),
            Self::Column { column, problem, .. } => of_column(column, problem),
            Self::Problems(problems) => problems.iter().flat_map(Self::remedies).collect(),
            _ => Vec::new(),
        }
    }

    /// The problem and its remedies in one sentence, the remedies in the words given; several
    /// problems on a line each.
    pub fn sentence(&self, words: impl Fn(&Remedy) -> String) -> String {
        let one = |error: &Self| joined(error, error.remedies().iter().map(&words));
        match self {
            Self::Problems(problems) => problems.iter().map(one).collect::<Vec<_>>().join("\n"),
            error => one(error),
        }
    }

    /// Every problem with its remedies: this one, or those it is made of.
    pub fn problems(&self) -> &[Self] {
        match self {
            Self::Problems(problems) => problems,
            error => std::slice::from_ref(error),
        }
    }
}

fn of_file(problem: &FileProblem) -> Vec<Remedy> {
    match problem {
        FileProblem::NoRowLeft { column, .. } => {
            vec![Remedy::ChooseMissing(Missing::Auto), Remedy::DropColumn(column.clone())]
        }
        FileProblem::NoFeature { way_back, .. } => {
            let use_as = |(name, use_as)| Remedy::UseColumn(name, use_as);
            way_back.clone().map(use_as).into_iter().collect()
        }
        FileProblem::WrongColumns { .. } => vec![Remedy::MatchColumns],
        _ => Vec::new(),
    }
}

fn of_column(column: &str, problem: &ColumnProblem) -> Vec<Remedy> {
    use ColumnProblem::*;
    let mut remedies = match problem {
        NotUtf8 { .. } => return Vec::new(),
        MissingInTraining { .. } => {
            let ways = [Missing::Auto, Missing::Drop, Missing::Impute];
            return ways.map(Remedy::ChooseMissing).to_vec();
        }
        MissingInScoring => return vec![Remedy::FillCell, Remedy::DropRow, Remedy::RefitMissing],
        NotNumber { .. } | NotBoolean { .. } | NotDate { .. } | Infinite { .. } => {
            vec![Remedy::CorrectCell]
        }
        Type { .. } => vec![Remedy::ConvertColumn],
        Date { .. } => [Dates::Auto, Dates::Parts].map(Remedy::ChooseDates).to_vec(),
        Text { value, .. } => {
            let decimal = has_decimal_comma(value).then_some(Remedy::DecimalPoint);
            let ways = &[Categories::Auto, Categories::Onehot, Categories::Frequency];
            decimal.into_iter().chain([Remedy::ChooseCategories(ways)]).collect()
        }
        TooManyValues { .. } => {
            vec![Remedy::ChooseCategories(&[Categories::Auto, Categories::Frequency])]
        }
        NeitherOfTwo { .. } => return vec![Remedy::CorrectCell, Remedy::DropRow],
        AllMissing => Vec::new(),
    };
    remedies.push(Remedy::DropColumn(column.to_string()));
    remedies
}

/// Whether this is a number such as 2,895, which is text because of its comma.
fn has_decimal_comma(value: &str) -> bool {
    value.matches(',').count() == 1 && value.replace(',', ".").trim().parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_commas_are_recognised() {
        assert!(has_decimal_comma("2,895") && has_decimal_comma("-0,5e3"));
        assert!(!has_decimal_comma("1,2,3") && !has_decimal_comma("Bern, BE"));
    }

    /// The crate speaks to several interfaces: none of its words is an option of the program.
    #[test]
    fn no_source_of_this_crate_names_an_option() {
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let option = text.match_indices("--").find(|(i, _)| {
                    text[i + 2..].starts_with(|next: char| next.is_ascii_lowercase())
                });
                assert_eq!(option, None, "{}", path.display());
            }
        }
    }
}
