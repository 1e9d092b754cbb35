//! Remedies in the words of the command line: the options that apply them, quoted for a shell.

use sosrep_table::{Categories, ColumnUse, Dates, Remedy};

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
        Remedy::AddNames => "add a line of names".to_string(),
        Remedy::NoHeader => "use --no-header".to_string(),
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
            let option = match use_as {
                ColumnUse::Category => "--category",
                ColumnUse::Number => "--number",
                ColumnUse::Date => "--date",
                ColumnUse::Ignore => "--ignore",
            };
            format!("use it with {option} {}", shell_word(name))
        }
        _ => "correct the table".to_string(),
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
    fn names_are_quoted_where_a_shell_would_take_them_apart() {
        for (name, word) in [("city", "city"), ("signup date", "'signup date'"), ("", "''")] {
            assert_eq!(shell_word(name), word);
        }
        let drop = words(&Remedy::DropColumn("it's".to_string()));
        assert_eq!(drop, r"leave the column out with --ignore 'it'\''s'");
    }
}
