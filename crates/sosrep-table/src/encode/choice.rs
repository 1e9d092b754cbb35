//! What each column of a table becomes: a feature, an identifier, nothing. And every reason why
//! the choices of the user do not allow it, all at once.
//!
//! A column is taken for an identifier if
//! - it is text with another value in every row, of at least [`ENOUGH_ROWS`], half of which have one;
//! - it holds integers that all differ and is named like an identifier, or has no name;
//! - it holds integers beyond ±2⁵³ that all differ;
//! - it is the first and counts at least [`ENOUGH_ROWS`] rows, from 0 or 1, in any order.
//!
//! A column of text of which more than half of the rows have a rare value is left out: those values
//! are one category, so that it says little, and makes the values that are common look strange.
//!
//! Only where the user did not say what the column is, and not where nothing else is left.

use super::column::Cycle;
use super::fit::{kept_rows, kept_values};
use super::note::{IdentifierReason, Note};
use super::options::{Categories, ColumnUse, Dates, Missing};
use super::survey::{DateTally, Values};
use super::{ONEHOT_LIMIT, Survey};
use crate::batch::ColumnKind;
use crate::error::{ColumnProblem, Error, FileProblem, Place, Result};

/// Rows from which on values that all differ, or follow each other, are no coincidence.
const ENOUGH_ROWS: u64 = 20;

/// What a column is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A feature.
    Feature,
    /// It names the rows.
    Identifier(IdentifierReason),
    /// Nothing.
    Unused,
}

/// What the columns of a table are used for.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The part of each column that was surveyed.
    pub parts: Vec<Part>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl Choice {
    /// The features, as indices of columns.
    pub fn features(&self) -> Vec<usize> {
        self.places(|part| *part == Part::Feature)
    }

    /// The columns that name rows, the most telling first: text, then numbers, then row numbers.
    pub fn identifiers(&self) -> Vec<usize> {
        let mut found = self.places(|part| matches!(part, Part::Identifier(_)));
        found.sort_by_key(|&column| match self.parts[column] {
            Part::Identifier(IdentifierReason::DifferentTexts) => 0,
            Part::Identifier(IdentifierReason::RowNumbers) => 2,
            _ => 1,
        });
        found
    }

    /// The columns that are not used at all.
    pub fn unused(&self) -> Vec<usize> {
        self.places(|part| *part == Part::Unused)
    }

    fn places(&self, is: impl Fn(&Part) -> bool) -> Vec<usize> {
        (0..self.parts.len()).filter(|&column| is(&self.parts[column])).collect()
    }
}

impl Survey {
    /// What the columns are used for.
    ///
    /// # Errors
    /// Every problem, see [`Error::Problems`]: missing values, text or dates that are to be an error;
    /// infinite or unreadable cells, unless they may be missing; too many values for one-hot encoding;
    /// nothing to learn from.
    pub fn choose(&self, file: &str) -> Result<Choice> {
        let columns = self.columns().len();
        if self.rows == 0 || columns == 0 {
            let problem = FileProblem::NothingToFit { rows: self.rows, columns };
            return Err(Error::file(file, problem));
        }
        let (parts, mut notes) = self.parts();
        let mut problems = Vec::new();
        for column in (0..columns).filter(|&column| parts[column] == Part::Feature) {
            self.check(file, column, &mut problems);
            self.remark(column, &mut notes);
        }
        problems.extend(self.no_row_left(file, &parts));
        notes.sort_by_key(|note| self.columns().iter().position(|c| c.name == note.column()));
        let choice = Choice { parts, notes };
        if problems.is_empty() && choice.features().is_empty() {
            let left_out = self.columns().iter().map(|column| column.name.clone()).collect();
            let way_back = choice.notes.iter().find_map(Note::use_as);
            problems.push(Error::file(file, FileProblem::NoFeature { left_out, way_back }));
        }
        match Error::of_problems(problems) {
            Some(error) => Err(error),
            None => Ok(choice),
        }
    }

    /// The parts of the columns, with notes on those that are no features.
    fn parts(&self) -> (Vec<Part>, Vec<Note>) {
        let mut parts: Vec<Part> = (0..self.columns().len()).map(|j| self.part(j)).collect();
        if !parts.contains(&Part::Feature) {
            for (column, part) in parts.iter_mut().enumerate() {
                if *part == Part::Unused && self.rare_rows(column).is_some() {
                    *part = Part::Feature;
                }
            }
        }
        if !parts.contains(&Part::Feature)
            && let Some(numbers) =
                parts.iter().position(|p| *p == Part::Identifier(IdentifierReason::RowNumbers))
        {
            parts[numbers] = Part::Feature;
        }
        let notes = (0..parts.len()).filter_map(|j| self.why_not(j, parts[j])).collect();
        (parts, notes)
    }

    fn part(&self, column: usize) -> Part {
        let info = &self.columns()[column];
        let said = self.options.said(&info.name);
        let tally = &self.tallies[column].values;
        if said == Some(ColumnUse::Ignore) {
            return Part::Unused;
        }
        // A column without values is an error where a missing value is.
        if tally.is_empty() && self.options.missing != Missing::Error {
            return Part::Unused;
        }
        if said.is_none()
            && let Some(reason) = self.identifier(column)
        {
            return Part::Identifier(reason);
        }
        match tally {
            Values::Date(dates) => match self.options.dates_of(&info.name) {
                Dates::Ignore => Part::Unused,
                Dates::Parts if varying_cycles(dates).is_empty() => Part::Unused,
                _ => Part::Feature,
            },
            _ if self.rare_rows(column).is_some() => Part::Unused,
            _ => Part::Feature,
        }
    }

    /// Rows of a column of text that have a rare value, if they are most and the user did not say
    /// that it is used.
    fn rare_rows(&self, column: usize) -> Option<u64> {
        let name = &self.columns()[column].name;
        let rows = self.usable();
        match &self.tallies[column].values {
            Values::Text(texts)
                if rows >= ENOUGH_ROWS
                    && self.options.said(name).is_none()
                    && self.options.categories == Categories::Auto
                    && self.notation(column).is_none() =>
            {
                let rare = texts.present() - kept_rows(texts.frequencies(), rows);
                (2 * rare > rows).then_some(rare)
            }
            _ => None,
        }
    }

    fn identifier(&self, column: usize) -> Option<IdentifierReason> {
        let info = &self.columns()[column];
        let rows = self.usable();
        match &self.tallies[column].values {
            Values::Number(numbers) if numbers.present > 1 && numbers.all_differ() => {
                Some(IdentifierReason::DifferentIntegers)
            }
            Values::Number(numbers)
                if rows >= ENOUGH_ROWS && numbers.counts_rows(rows, self.rows) =>
            {
                Some(IdentifierReason::RowNumbers)
            }
            Values::Text(_) if self.notation(column).is_some() => None,
            Values::Text(texts) if texts.all_differ() && texts.present() > 1 => {
                if info.kind == ColumnKind::BigInteger {
                    return Some(IdentifierReason::BigIntegers);
                }
                let most = texts.present() >= ENOUGH_ROWS && 2 * texts.present() >= rows;
                let named = looks_like_id(&info.name);
                (most || named).then_some(IdentifierReason::DifferentTexts)
            }
            _ => None,
        }
    }

    /// The note on a column that is not a feature.
    fn why_not(&self, column: usize, part: Part) -> Option<Note> {
        let info = &self.columns()[column];
        let column_name = info.name.clone();
        match part {
            Part::Feature => None,
            Part::Identifier(reason) => Some(Note::Identifier { column: column_name, reason }),
            Part::Unused if self.options.said(&info.name) == Some(ColumnUse::Ignore) => None,
            Part::Unused if self.tallies[column].values.is_empty() => {
                Some(Note::Empty { column: column_name })
            }
            Part::Unused if matches!(self.tallies[column].values, Values::Text(_)) => {
                let (rare, rows) = (self.rare_rows(column)?, self.usable());
                Some(Note::MostlyRare { column: column_name, rare, rows })
            }
            Part::Unused if self.options.dates_of(&info.name) == Dates::Parts => {
                Some(Note::NoCycle { column: column_name })
            }
            Part::Unused => Some(Note::DatesLeftOut { column: column_name }),
        }
    }

    /// Adds what is wrong with a feature.
    fn check(&self, file: &str, column: usize, problems: &mut Vec<Error>) {
        let name = &self.columns()[column].name;
        let tally = &self.tallies[column];
        let mut add = |place: Option<Place>, problem| {
            problems.push(Error::column(file, place, name, problem));
        };
        let missing = self.missing[column];
        if self.options.missing != Missing::Auto {
            if let Some((place, problem)) = &tally.unreadable.first {
                add(Some(*place), problem.clone());
            } else if self.options.missing == Missing::Error && missing > 0 {
                let in_table = self.missing.iter().sum();
                let problem = if missing == self.rows {
                    ColumnProblem::AllMissing
                } else {
                    ColumnProblem::MissingInTraining { in_column: missing, in_table }
                };
                let place = tally.first_missing.filter(|_| missing < self.rows);
                add(place, problem);
            }
        }
        if missing == self.rows {
            return;
        }
        match &tally.values {
            Values::Number(numbers) if self.options.missing != Missing::Auto => {
                if let Some((place, value)) = numbers.infinite.first {
                    add(Some(place), ColumnProblem::Infinite { value });
                }
            }
            Values::Text(texts) if self.notation(column).is_none() => {
                let distinct = texts.values() as usize;
                match self.options.categories_of(name) {
                    Categories::Error => {
                        if let Some((place, value)) = texts.first() {
                            let value = value.clone();
                            add(Some(*place), ColumnProblem::Text { value, distinct });
                        }
                    }
                    Categories::Onehot if distinct > ONEHOT_LIMIT => {
                        add(None, ColumnProblem::TooManyValues { distinct, limit: ONEHOT_LIMIT });
                    }
                    _ => {}
                }
            }
            Values::Date(dates) => {
                let first = dates.first.clone();
                let unreadable = dates.reading().unreadable.first.clone();
                if self.options.dates_of(name) == Dates::Error {
                    if let Some((place, value)) = first {
                        add(Some(place), ColumnProblem::Date { value });
                    }
                } else if self.options.missing != Missing::Auto
                    && let Some((place, problem)) = unreadable
                {
                    add(Some(place), problem);
                }
            }
            _ => {}
        }
    }

    /// Adds what the user should know of a feature.
    fn remark(&self, column: usize, notes: &mut Vec<Note>) {
        let info = &self.columns()[column];
        let name = || info.name.clone();
        let tally = &self.tallies[column];
        if let Some((first, problem)) = &tally.unreadable.first {
            let (cells, first, problem) = (tally.unreadable.cells, *first, problem.clone());
            notes.push(Note::Unreadable { column: name(), cells, first, problem });
        }
        match &tally.values {
            Values::Number(numbers) => {
                if let Some((first, _)) = numbers.infinite.first {
                    let cells = numbers.infinite.cells;
                    notes.push(Note::Infinite { column: name(), cells, first });
                }
            }
            Values::Boolean(_) => {}
            Values::Text(texts) => {
                if let Some(notation) = self.notation(column) {
                    let example = texts.notations().map_or("", |(_, example)| example);
                    let value = notation.number(example).unwrap_or_default();
                    let example = example.to_string();
                    notes.push(Note::WrittenNumbers { column: name(), example, value });
                    return;
                }
                if info.kind == ColumnKind::BigInteger {
                    notes.push(Note::BigIntegers { column: name() });
                }
                if self.options.categories_of(&info.name) == Categories::Auto {
                    let counts = texts.counts(Vec::new);
                    let kept = kept_values(&counts, self.usable()).len() as u64;
                    let pooled = texts.values() - kept;
                    if pooled > 0 && texts.is_exact() && !self.is_pair(column) {
                        let values = Some(pooled);
                        notes.push(Note::Pooled { column: name(), values, kept });
                    }
                }
            }
            Values::Date(dates) => {
                if let Some((first, problem)) = &dates.reading().unreadable.first {
                    let cells = dates.reading().unreadable.cells;
                    let (first, problem) = (*first, problem.clone());
                    notes.push(Note::Unreadable { column: name(), cells, first, problem });
                }
                if dates.is_ambiguous() {
                    notes.push(Note::DayOrMonthFirst { column: name() });
                }
                if self.options.dates_of(&info.name) == Dates::Auto {
                    notes.push(match dates.are_times() {
                        true => Note::TimesAsNumbers { column: name() },
                        false => Note::DatesAsDays { column: name() },
                    });
                }
            }
        }
    }

    /// Whether a column of text has exactly two values, and every cell has one or gets one.
    pub(super) fn is_pair(&self, column: usize) -> bool {
        let filled = self.options.missing == Missing::Impute || self.gaps(column) == 0;
        match &self.tallies[column].values {
            Values::Text(texts) => filled && texts.values() == 2,
            _ => false,
        }
    }

    /// The problem that no row is complete, though the others are to be left out.
    fn no_row_left(&self, file: &str, parts: &[Part]) -> Option<Error> {
        if self.options.missing != Missing::Drop || self.complete > 0 {
            return None;
        }
        // The first of the columns that lack most.
        let worst = (0..parts.len()).rev().max_by_key(|&column| self.missing[column])?;
        let problem = FileProblem::NoRowLeft {
            rows: self.rows,
            column: self.columns()[worst].name.clone(),
            in_column: self.missing[worst],
        };
        Some(Error::file(file, problem))
    }
}

/// The cycles of which a column of dates has more than one part.
pub(super) fn varying_cycles(dates: &DateTally) -> Vec<Cycle> {
    let varying = Cycle::ALL.into_iter().zip(dates.reading().varying());
    varying.filter(|(_, varies)| *varies).map(|(cycle, _)| cycle).collect()
}

/// Whether a column is named like an identifier: the last of its words is one of a few, or it is a
/// name given for want of one.
pub(super) fn looks_like_id(name: &str) -> bool {
    const WORDS: [&str; 13] = [
        "id", "ids", "index", "idx", "key", "no", "nr", "number", "uuid", "guid", "rownames",
        "rowname", "row",
    ];
    let words = words(name);
    let last = words.last().map(String::as_str).unwrap_or_default();
    WORDS.contains(&last) || words.first().is_some_and(|first| first == "unnamed")
}

/// The words of a name in lower case: parted by anything but letters and digits, and where a capital
/// follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (small && character.is_uppercase()) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        small = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_known_by_the_last_word_of_their_names() {
        for name in [
            "id",
            "ID",
            "Id",
            "passenger_id",
            "PassengerId",
            "customerID",
            "index",
            "order no",
            "Nr.",
            "key",
            "rownames",
            "Unnamed: 0",
            "unnamed_1",
            "user-uuid",
        ] {
            assert!(looks_like_id(name), "{name}");
        }
        for name in ["", "width", "identity", "paid", "idle", "keyboard", "volcano", "id_count"] {
            assert!(!looks_like_id(name), "{name}");
        }
    }
}
