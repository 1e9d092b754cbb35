//! Remedies in the words of the command line: the options that apply them, quoted for a shell.

use sosrep_table::{Categories, ColumnProblem, ColumnUse, Dates, Error, Remedy, Source};

use crate::failure::{Failure, user};

/// What to do, as an option where there is one.
pub(crate) fn words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::CorrectCell => "correct the cell, leave it empty".to_string(),
        Remedy::FillCell => "fill it in".to_string(),
        Remedy::DropRow => "leave the row out".to_string(),
        Remedy::DropColumn(name) => {
            format!("leave the column out with --ignore {}", shell_word(name))
        }
        Remedy::ConvertColumn => "convert the column to numbers, booleans or text".to_string(),
        Remedy::DecimalPoint => "write numbers with a decimal point instead of a comma".to_string(),
        Remedy::MatchColumns => {
            "add, rename or leave out (--ignore) columns until they match".to_string()
        }
        Remedy::AddNames => "add a line of names above it".to_string(),
        Remedy::NoHeader => "confirm it with --no-header".to_string(),
        Remedy::ChooseMissing(sosrep_table::Missing::Impute) => {
            "fill in missing values with --missing impute".to_string()
        }
        Remedy::ChooseMissing(sosrep_table::Missing::Drop) => {
            "leave such rows out with --missing drop".to_string()
        }
        Remedy::ChooseMissing(how) => {
            format!("count it as missing with --missing {}", how.name())
        }
        Remedy::RefitMissing => {
            "fit the model to a table with missing values, or with --missing impute".to_string()
        }
        Remedy::ChooseCategories(choices) => {
            let option = |choice: &Categories| format!("--categories {}", choice.name());
            let options: Vec<String> = choices.iter().map(option).collect();
            format!("encode text with {}", options.join(" or "))
        }
        Remedy::ChooseDates(Dates::Auto) => "use the days with --dates auto".to_string(),
        Remedy::ChooseDates(Dates::Parts) => {
            "use hour, weekday and month with --dates parts".to_string()
        }
        Remedy::ChooseDates(how) => format!("leave dates out with --dates {}", how.name()),
        Remedy::UseColumn(name, use_as) => {
            format!("use it with {} {}", flag(*use_as), shell_word(name))
        }
        _ => "correct the table".to_string(),
    }
}

/// What was decided about the names of columns, in sentences.
pub(crate) fn header_notes(source: &dyn Source) -> Vec<String> {
    source.header_notes().iter().map(|note| note.sentence(words)).collect()
}

/// What is wrong with a table to fit to, and the command that would work if options are enough.
pub(crate) fn refusal(error: Error) -> Failure {
    let typed: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match command(&error, &typed) {
        Some(command) => user(format!("{}\nthis would work: {command}", error.sentence(words))),
        None => error.into(),
    }
}

/// The words typed, with the options that each of the problems needs; `None` if one needs more.
fn command(error: &Error, typed: &[String]) -> Option<String> {
    let mut options: Vec<(&str, String)> = Vec::new();
    for problem in error.problems() {
        let (flag, value) = option(problem)?;
        match options.iter_mut().find(|(known, _)| *known == flag) {
            Some((_, known)) if known.split(',').any(|one| one == value) => {}
            Some((_, known)) if !value.contains(',') => known.push_str(&format!(",{value}")),
            _ => options.push((flag, value)),
        }
    }
    let mut kept = Vec::new();
    let mut typed = typed.iter();
    while let Some(word) = typed.next() {
        let flag = word.split_once('=').map_or(word.as_str(), |(flag, _)| flag);
        let replaced = POLICIES.contains(&flag) && options.iter().any(|(new, _)| *new == flag);
        match (replaced, word.contains('=')) {
            (false, _) => kept.push(shell_word(word)),
            (true, true) => {}
            (true, false) => {
                typed.next();
            }
        }
    }
    let options =
        options.into_iter().flat_map(|(flag, value)| [flag.to_string(), shell_word(&value)]);
    let words = ["sosrep".to_string()].into_iter().chain(kept).chain(options);
    Some(words.collect::<Vec<_>>().join(" "))
}

/// Options of which the last value counts.
const POLICIES: [&str; 3] = ["--missing", "--categories", "--dates"];

/// The option that does away with a problem.
fn option(problem: &Error) -> Option<(&'static str, String)> {
    use ColumnProblem::{AllMissing, Infinite, NotBoolean, NotDate, NotNumber};
    let auto = || "auto".to_string();
    if let Error::Column {
        problem:
            Infinite { .. } | NotNumber { .. } | NotBoolean { .. } | NotDate { .. } | AllMissing,
        ..
    } = problem
    {
        return Some(("--missing", auto()));
    }
    problem.remedies().into_iter().find_map(|remedy| match remedy {
        Remedy::ChooseMissing(how) => Some(("--missing", how.name().to_string())),
        Remedy::ChooseCategories(ways) => {
            ways.first().map(|how| ("--categories", how.name().to_string()))
        }
        Remedy::ChooseDates(how) => Some(("--dates", how.name().to_string())),
        Remedy::UseColumn(name, use_as) => Some((flag(use_as), name)),
        Remedy::DropColumn(name) => Some(("--ignore", name)),
        _ => None,
    })
}

/// The option that says what a column is.
fn flag(use_as: ColumnUse) -> &'static str {
    match use_as {
        ColumnUse::Category => "--category",
        ColumnUse::Number => "--number",
        ColumnUse::Date => "--date",
        ColumnUse::Ignore => "--ignore",
    }
}

/// A word as it is typed in a shell.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=,:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_would_work_has_an_option_for_every_problem() {
        let column = |column: &str, problem| Error::Column {
            file: "d.csv".to_string(),
            place: None,
            column: column.to_string(),
            problem,
        };
        let text = |name| column(name, ColumnProblem::Text { value: "x".to_string(), distinct: 2 });
        let problems = Error::Problems(vec![
            text("a"),
            text("b"),
            column("c", ColumnProblem::Infinite { value: f64::INFINITY }),
            column("d e", ColumnProblem::Type { found: "Binary".to_string() }),
            column("f", ColumnProblem::Type { found: "Binary".to_string() }),
        ]);
        let typed = "detect d.csv --categories=error --missing drop --top 3".split(' ');
        let typed: Vec<String> = typed.map(str::to_string).collect();
        assert_eq!(
            command(&problems, &typed).unwrap(),
            "sosrep detect d.csv --top 3 --categories auto --missing auto --ignore 'd e,f'"
        );
    }

    #[test]
    fn names_are_quoted_where_a_shell_would_take_them_apart() {
        for (name, word) in [("city", "city"), ("signup date", "'signup date'"), ("", "''")] {
            assert_eq!(shell_word(name), word);
        }
        let drop = words(&Remedy::DropColumn("it's".to_string()));
        assert_eq!(drop, r"leave the column out with --ignore 'it'\''s'");
    }
}
