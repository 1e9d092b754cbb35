//! Tables for the tests, the same in every run, and readings of the tables that come out.

use std::fmt::Write;

/// Rows of the tables made here.
pub(crate) const ROWS: usize = 80;
/// The columns of [`numbers`].
pub(crate) const NAMES: [&str; 3] = ["length", "weight", "age"];

/// Numbers in [0, 1): a linear congruential generator.
pub(crate) struct Uniform(pub(crate) u64);

impl Uniform {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Whether a row is one of the four that stand out.
pub(crate) fn is_odd(row: usize) -> bool {
    row % 20 == 19
}

/// Rows of three numbers of three digits, so that every format holds them exactly.
pub(crate) fn numbers() -> Vec<[f64; 3]> {
    let mut uniform = Uniform(7);
    let row = |row: usize| {
        let size: f64 = (0..4).map(|_| uniform.next()).sum();
        let plain =
            [size + uniform.next(), 10.0 * size + 3.0 * uniform.next(), 100.0 * uniform.next()];
        let far = if is_odd(row) { plain.map(|x| 3.0 * x + 9.0) } else { plain };
        far.map(|x| (x * 1000.0).round() / 1000.0)
    };
    (0..ROWS).map(row).collect()
}

/// The numbers with this between them.
pub(crate) fn separated(separator: &str) -> String {
    let mut text = NAMES.join(separator) + "\n";
    for row in numbers() {
        writeln!(text, "{}", row.map(|x| x.to_string()).join(separator)).unwrap();
    }
    text
}

/// The numbers as CSV.
pub(crate) fn plain() -> String {
    separated(",")
}

/// The numbers as CSV with more columns before or after, made from the row's number.
pub(crate) fn with_columns(columns: &[(&str, &dyn Fn(usize) -> String)]) -> String {
    let mut lines = plain().lines().map(str::to_string).collect::<Vec<_>>();
    for (name, cell) in columns {
        write!(lines[0], ",{name}").unwrap();
        for (row, line) in lines[1..].iter_mut().enumerate() {
            write!(line, ",{}", cell(row)).unwrap();
        }
    }
    lines.join("\n") + "\n"
}

/// The numbers with a name, and a label of four anomalies.
pub(crate) fn labelled() -> String {
    with_columns(&[("name", &|row| format!("r{row}")), ("known", &|row| label(row).to_string())])
}

fn label(row: usize) -> &'static str {
    if is_odd(row) { "odd" } else { "usual" }
}

/// The numbers with a city of three and a membership.
pub(crate) fn mixed() -> String {
    let city = |row: usize| ["oslo", "rome", "lima"][row % 3].to_string();
    with_columns(&[("city", &city), ("member", &|row| (row.is_multiple_of(2)).to_string())])
}

/// The numbers as objects on lines, each with the digits of the CSV file.
pub(crate) fn json_lines() -> String {
    let table = plain();
    let names = header(&table);
    let object = |line: &str| {
        let pairs = names.iter().zip(line.split(','));
        let pairs: Vec<String> = pairs.map(|(name, cell)| format!("\"{name}\":{cell}")).collect();
        format!("{{{}}}\n", pairs.join(","))
    };
    table.lines().skip(1).map(object).collect()
}

/// The same objects as an array.
pub(crate) fn json() -> String {
    format!("[{}]", json_lines().trim_end().replace('\n', ",\n"))
}

/// The table with some cells emptied: pairs of row and column, from 0.
pub(crate) fn emptied(table: &str, cells: &[(usize, usize)]) -> String {
    replaced(table, cells, "")
}

/// The table with some cells replaced: pairs of row and column, from 0.
pub(crate) fn replaced(table: &str, cells: &[(usize, usize)], value: &str) -> String {
    let mut rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    for &(row, column) in cells {
        rows[row + 1][column] = value;
    }
    rows.iter().map(|row| row.join(",") + "\n").collect()
}

/// The table with its columns in this order.
pub(crate) fn reordered(table: &str, names: &[&str]) -> String {
    let columns: Vec<Vec<&str>> = names.iter().map(|name| column_with_name(table, name)).collect();
    let line = |row: usize| columns.iter().map(|column| column[row]).collect::<Vec<_>>().join(",");
    (0..columns[0].len()).map(|row| line(row) + "\n").collect()
}

fn column_with_name<'a>(table: &'a str, name: &str) -> Vec<&'a str> {
    let place = header(table).iter().position(|other| *other == name);
    let place = place.unwrap_or_else(|| panic!("no column {name} in {:?}", header(table)));
    table.lines().map(|line| line.split(',').nth(place).unwrap()).collect()
}

/// The names of a CSV table without quotes.
pub(crate) fn header(table: &str) -> Vec<&str> {
    table.lines().next().unwrap_or_default().split(',').collect()
}

/// The cells of a column of a CSV table without quotes before it.
pub(crate) fn column<'a>(table: &'a str, name: &str) -> Vec<&'a str> {
    column_with_name(table, name).split_off(1)
}
