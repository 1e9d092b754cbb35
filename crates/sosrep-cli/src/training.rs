//! A table to fit on: read whole, its columns chosen and encoded.

use arrow_array::Array;
use sosrep_table::{Batch, ColumnInfo, Encoding, Input, TableRecipe};

use crate::args::TableArgs;
use crate::failure::{Result, user};
use crate::plan;
use crate::progress::Phases;
use crate::reader::{self, Reader};
use crate::rows::{Parts, Rows, Split, find, find_all, read_options};

/// Columns named in words about their kind.
const NAMED: usize = 4;

/// The table.
pub(crate) struct TrainingTable {
    /// Its name.
    pub(crate) file: String,
    /// Rows in the file.
    pub(crate) rows_read: usize,
    /// The columns used, as found.
    pub(crate) columns: Vec<ColumnInfo>,
    /// Missing cells in each of them.
    pub(crate) missing: Vec<usize>,
    /// The rows kept.
    pub(crate) rows: Rows,
    /// How they were made.
    pub(crate) recipe: TableRecipe,
}

impl TrainingTable {
    /// Reads the table.
    pub(crate) fn read(
        input: &Input,
        args: &TableArgs,
        label: Option<&str>,
        phases: &mut Phases,
    ) -> Result<Self> {
        let options = read_options(!args.no_header, &[args.id.as_deref(), label], &[]);
        let mut source = reader::open(input.clone(), options)?;
        let file = source.name().to_string();
        let found = source.columns().to_vec();
        let parts = choose(&file, &found, args, label)?;
        let projection = parts.projection();
        source.project(&projection);

        let mut splits = Vec::new();
        let mut reader = Reader::start(source);
        while let Some(portion) = reader.next()? {
            phases.share("reading", portion.share);
            splits.push(parts.split(&portion.batch)?);
        }
        let columns: Vec<ColumnInfo> = parts.features.iter().map(|&j| found[j].clone()).collect();
        let mut table = Self {
            rows_read: splits.iter().map(|split| split.features.rows()).sum(),
            missing: missing(&splits, columns.len()),
            rows: Rows::default(),
            recipe: TableRecipe {
                encoding: encoding(&file, &columns, &splits, args)?,
                id: args.id.clone(),
                label: label.map(str::to_string),
                ignored: left_out(&found, &projection),
            },
            columns,
            file,
        };
        for split in splits {
            let (rows, _) = split.encode(&table.file, &table.recipe.encoding)?;
            table.rows.append(rows);
        }
        Ok(table)
    }

    /// Features of a row.
    pub(crate) fn width(&self) -> usize {
        self.recipe.encoding.width()
    }

    /// Rows left out for missing values.
    pub(crate) fn dropped(&self) -> usize {
        self.rows_read - self.rows.len()
    }

    /// "2 numbers (age, amount), 1 text (city)".
    pub(crate) fn kinds(&self) -> String {
        let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
        for column in &self.columns {
            let kind = column.kind.name();
            match kinds.iter_mut().find(|(name, _)| *name == kind) {
                Some((_, columns)) => columns.push(&column.name),
                None => kinds.push((kind, vec![&column.name])),
            }
        }
        let words = kinds.iter().map(|(kind, columns)| {
            let plural = if columns.len() == 1 { "" } else { "s" };
            let more = if columns.len() > NAMED { ", …" } else { "" };
            let named = columns[..columns.len().min(NAMED)].join(", ");
            format!("{} {kind}{plural} ({named}{more})", columns.len())
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Which columns are features, the id and the label.
fn choose(
    file: &str,
    found: &[ColumnInfo],
    args: &TableArgs,
    label: Option<&str>,
) -> Result<Parts> {
    let index = |flag: &str, name: &str| find(file, found, flag, name);
    let id = args.id.as_deref().map(|name| index("--id", name)).transpose()?;
    let label = label.map(|name| index("--label", name)).transpose()?;
    let dropped = find_all(file, found, "--drop", &args.drop)?;
    let wanted = find_all(file, found, "--columns", &args.columns)?;
    let is_feature = |j: &usize| {
        Some(*j) != id
            && Some(*j) != label
            && !dropped.contains(j)
            && (wanted.is_empty() || wanted.contains(j))
    };
    let features: Vec<usize> = (0..found.len()).filter(is_feature).collect();
    if features.is_empty() {
        return Err(user(format!(
            "{file} has no columns left to work with; name fewer in --drop, --id, --label or more \
             in --columns"
        )));
    }
    let parts = Parts { features, id, label };
    parts.check()?;
    Ok(parts)
}

fn left_out(found: &[ColumnInfo], projection: &[usize]) -> Vec<String> {
    let others = found.iter().enumerate().filter(|(j, _)| !projection.contains(j));
    others.map(|(_, column)| column.name.clone()).collect()
}

fn encoding(
    file: &str,
    columns: &[ColumnInfo],
    splits: &[Split],
    args: &TableArgs,
) -> Result<Encoding> {
    let batches: Vec<Batch> = splits.iter().map(|split| split.features.clone()).collect();
    Ok(Encoding::fit(file, columns, &batches, &plan::encode_options(args))?)
}

fn missing(splits: &[Split], width: usize) -> Vec<usize> {
    let nulls = |j: usize| splits.iter().map(|s| s.features.cells.column(j).null_count()).sum();
    (0..width).map(nulls).collect()
}
