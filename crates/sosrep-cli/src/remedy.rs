//! Remedies in the words of the command line: the options that apply them, quoted for a shell.

use sosrep_table::{Categories, Remedy};

/// What to do, as an option where there is one.
pub(crate) fn words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::CorrectCell => "correct the cell, leave it empty".to_string(),
        Remedy::FillCell => "fill it in".to_string(),
        Remedy::DropRow => "leave the row out".to_string(),
        Remedy::DropColumn(name) => {
            format!("leave the column out with --drop {}", shell_word(name))
        }
        Remedy::ConvertColumn => "convert the column to numbers, booleans or text".to_string(),
        Remedy::ConvertDate => {
            "convert the column to a number first (seconds or the day of the week, say)".to_string()
        }
        Remedy::DecimalPoint => "write numbers with a decimal point instead of a comma".to_string(),
        Remedy::NameId(name) => format!("name it as the id with --id {}", shell_word(name)),
        Remedy::RenameColumn => "rename one of them".to_string(),
        Remedy::MatchColumns => {
            "add, rename or leave out (--drop) columns until they match".to_string()
        }
        Remedy::AddNames => "add a line of names".to_string(),
        Remedy::NoHeader => "use --no-header".to_string(),
        Remedy::ChooseMissing(sosrep_table::Missing::Impute) => {
            "fill in missing values with --missing impute".to_string()
        }
        Remedy::ChooseMissing(how) => {
            format!("leave such rows out with --missing {}", how.name())
        }
        Remedy::RefitMissing => "fit the model with --missing drop or --missing impute".to_string(),
        Remedy::ChooseCategories(choices) => {
            let option = |choice: &Categories| format!("--categories {}", choice.name());
            let options: Vec<String> = choices.iter().map(option).collect();
            format!("encode text with {}", options.join(" or "))
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
        assert_eq!(drop, r"leave the column out with --drop 'it'\''s'");
    }
}
