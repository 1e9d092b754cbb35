//! A table to fit on: its columns chosen, its rows read and encoded.
//!
//! What becomes of the columns is decided by all rows, and medians are learnt from those that the fit
//! is based on ([`TableSample`]). Where only a fit is wanted, the others are not kept, and the table may be
//! longer than memory; where a row may hold much of it, it is read a second time to count such rows.
//! Rows that are left out for missing values take no place in the sample.

use sosrep::detector::TrainingSample;
use sosrep::{DetectorParams, Points};
use sosrep_scoring::{Parts, Rows, Unscored, others, read_options};
use sosrep_table::{
    Batch, ColumnInfo, EncodedSample, Input, Missing, ReadOptions, Source, Survey, TableRecipe,
    TableSample,
};

use crate::args::TableArgs;
use crate::columns::{check_parts, find, find_all, find_kept};
use crate::failure::{Result, user};
use crate::progress::Phases;
use crate::reader::{self, Reader};
use crate::{plan, remedy};

/// Columns named in a sentence about their kind.
const NAMED: usize = 4;

/// Which of the usable rows are kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    All,
    /// Those the fit is based on.
    Sample,
}

/// The table.
pub(crate) struct TrainingTable {
    /// Its name.
    pub(crate) file: String,
    /// Rows left out for missing values.
    pub(crate) dropped: usize,
    /// The other rows of the file.
    pub(crate) usable: usize,
    /// The columns used, as found.
    pub(crate) columns: Vec<ColumnInfo>,
    /// Missing cells in each of them.
    pub(crate) missing: Vec<usize>,
    /// The usable rows, where all rows are kept.
    pub(crate) rows: Rows,
    /// The rows that a fit is based on.
    sample: EncodedSample,
    /// The rows left out, where all rows are kept.
    pub(crate) unscored: Unscored,
    /// Columns that are kept beside the results.
    pub(crate) kept: Vec<ColumnInfo>,
    /// How they were made.
    pub(crate) recipe: TableRecipe,
    /// Columns of the file that were left out as asked for.
    pub(crate) not_read: Vec<String>,
    /// What the reader must know of the columns, in sentences.
    pub(crate) notes: Vec<String>,
}

impl TrainingTable {
    /// Reads the table that a detector with these parameters is to be fitted to. The columns named
    /// `beside` are kept for the table of results.
    pub(crate) fn read(
        input: &Input,
        args: &TableArgs,
        label: Option<&str>,
        beside: &[String],
        params: &DetectorParams,
        keep: Keep,
        phases: &mut Phases,
    ) -> Result<Self> {
        let mut options = plan::encode_options(args);
        let texts = args.id.iter().map(String::as_str).chain(label);
        let mut read = read_options(!args.no_header, texts, &[]);
        read.kinds = options.kinds();
        let mut source = reader::open(input.clone(), read.clone())?;
        let file = source.name().to_string();
        let found = source.columns().to_vec();
        let mut notes = remedy::header_notes(&*source);
        options.columns = plan::column_uses(&file, &found, args)?;
        let mut parts = choose(&file, &found, args, label)?;
        parts.kept = find_kept(&file, &found, beside)?;
        let projection = parts.projection();
        source.project(&projection);
        let kept_columns = source.carry(&parts.kept);

        let candidates: Vec<ColumnInfo> =
            parts.features.iter().map(|&j| found[j].clone()).collect();
        let mut survey = Survey::new(&candidates, &options);
        let mut sample = TableSample::new(&survey, params.row_sample(candidates.len()));
        let (mut all, mut unscored) = (Vec::new(), Unscored::default());
        let mut reader = Reader::start(source);
        while let Some(portion) = reader.next()? {
            phases.share("reading", portion.share);
            let split = parts.split(&portion.batch)?;
            survey.add(&file, &split.features)?;
            sample.add(&split.features, None);
            if keep == Keep::Sample {
                continue;
            }
            let usable = match (options.missing, split.features.complete_rows()) {
                (Missing::Drop, Some(complete)) => {
                    unscored.append(split.unscored(&others(&complete, split.features.rows()))?);
                    portion.batch.take(&complete)?
                }
                _ => portion.batch,
            };
            all.push(usable);
        }
        let choice = survey.choose(&file).map_err(remedy::refusal)?;
        while let Some(mut next) = sample.next_pass(sample.rows().size()) {
            match keep {
                Keep::All => add_again(&mut next, &parts, &all)?,
                Keep::Sample => {
                    let mut source = again(&file, input, &read)?;
                    source.project(&projection);
                    read_again(&mut next, &parts, source)?;
                }
            }
            sample = next;
        }
        let size = |width| params.row_sample(width).size();
        let sample = sample.encoded(&file, &survey, &choice, size)?;
        let encoding = sample.encoding.clone();
        let mut rows = Rows::default();
        for batch in all {
            let chosen = parts.split(&batch)?.chosen(&choice)?;
            let (encoded, others, _) = chosen.encode(&file, &encoding)?;
            rows.append(encoded);
            unscored.append(others);
        }
        notes.extend(choice.notes.iter().map(|note| note.sentence(remedy::words)));
        let features = choice.features();
        let recipe = TableRecipe {
            ids: parts.ids.iter().map(|&j| found[j].name.clone()).collect(),
            label: label.map(str::to_string),
            ..TableRecipe::new(encoding)
        };
        Ok(Self {
            dropped: (survey.rows - survey.usable()) as usize,
            usable: survey.usable() as usize,
            missing: features.iter().map(|&column| survey.missing[column] as usize).collect(),
            rows,
            sample,
            unscored,
            kept: kept_columns,
            not_read: left_out(&found, &projection),
            notes,
            columns: features.iter().map(|&column| candidates[column].clone()).collect(),
            recipe: recipe.of_table(&found, &survey, &choice),
            file,
        })
    }

    /// The parameters of a fit to these rows, with what their features stand for.
    pub(crate) fn params(&self, params: DetectorParams) -> DetectorParams {
        params.columns(self.recipe.encoding.source_columns())
    }

    /// What a fit is based on.
    pub(crate) fn sample(&self) -> Result<TrainingSample<'_>> {
        let EncodedSample { values, copies, table_rows, .. } = &self.sample;
        let points = Points::new(values, self.width())?;
        Ok(TrainingSample { points, copies, table_rows: *table_rows })
    }

    /// Features of a row.
    pub(crate) fn width(&self) -> usize {
        self.recipe.encoding.width()
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
    let ids = find_all(file, found, "--id", &args.id)?;
    let label = label.map(|name| index("--label", name)).transpose()?;
    let dropped = find_all(file, found, "--ignore", &args.ignore)?;
    let wanted = find_all(file, found, "--columns", &args.columns)?;
    let is_feature = |j: &usize| {
        !ids.contains(j)
            && Some(*j) != label
            && !dropped.contains(j)
            && (wanted.is_empty() || wanted.contains(j))
    };
    let features: Vec<usize> = (0..found.len()).filter(is_feature).collect();
    if features.is_empty() {
        return Err(user(format!(
            "{file} has no columns left to work with; name fewer in --ignore, --id, --label or more \
             in --columns"
        )));
    }
    let parts = Parts { features, ids, label, kept: Vec::new() };
    check_parts(&parts)?;
    Ok(parts)
}

fn left_out(found: &[ColumnInfo], projection: &[usize]) -> Vec<String> {
    let others = found.iter().enumerate().filter(|(j, _)| !projection.contains(j));
    others.map(|(_, column)| column.name.clone()).collect()
}

/// Offers rows that are in memory once more.
fn add_again(sample: &mut TableSample, parts: &Parts, batches: &[Batch]) -> Result<()> {
    for batch in batches {
        sample.add(&parts.split(batch)?.features, None);
    }
    Ok(())
}

/// Offers the rows of a table once more.
fn read_again(sample: &mut TableSample, parts: &Parts, source: Box<dyn Source>) -> Result<()> {
    let parts = Parts { kept: Vec::new(), ..parts.clone() };
    let mut reader = Reader::start(source);
    while let Some(portion) = reader.next()? {
        sample.add(&parts.split(&portion.batch)?.features, None);
    }
    Ok(())
}

/// Opens the table once more.
fn again(file: &str, input: &Input, read: &ReadOptions) -> Result<Box<dyn Source>> {
    if let Input::Stdin = input {
        return Err(user(format!(
            "{file}: one row occurs so often that it must be counted while the table is read a second \
             time; write the table to a file and give that, or raise --memory"
        )));
    }
    reader::open(input.clone(), read.clone())
}
