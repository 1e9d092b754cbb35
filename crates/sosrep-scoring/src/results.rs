//! Tables of results: what names the rows, what was found, and columns of the input beside it.
//!
//! ```text
//! row  id …  label  │ what was found │ unscored │ columns that are kept
//! ```
//!
//! Every row of the input is a line, in the order of the input. A row that cannot be scored has
//! nothing found, and the reason in the column `unscored`.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array,
    new_null_array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::concat::{concat, concat_batches};
use arrow_select::take::take_record_batch;
use sosrep::detector::Assessment;
use sosrep_table::ColumnInfo;

use crate::error::Result;
use crate::rows::{Names, Unscored};

/// The columns of a table of results.
#[derive(Debug, Clone)]
pub struct ResultColumns {
    schema: SchemaRef,
    ids: usize,
    with_label: bool,
    /// The columns of what was found.
    found: std::ops::Range<usize>,
}

impl ResultColumns {
    /// A table with these id columns and, perhaps, the label before `found`, and those that are kept
    /// at its end.
    pub fn new(ids: &[String], with_label: bool, found: Vec<Field>, kept: &[ColumnInfo]) -> Self {
        let own = ["row", "label", "unscored"].map(str::to_string);
        let mut taken: HashSet<String> = own.into_iter().collect();
        taken.extend(found.iter().map(|field| field.name().clone()));
        let mut fields = vec![Field::new("row", DataType::UInt64, false)];
        for name in ids {
            // One id has a name that programs can rely on.
            let name = if ids.len() == 1 { "id" } else { name };
            fields.push(Field::new(distinct(name, &mut taken), DataType::Utf8, true));
        }
        if with_label {
            fields.push(Field::new("label", DataType::Utf8, true));
        }
        let found_at = fields.len()..fields.len() + found.len();
        fields.extend(found);
        fields.push(Field::new("unscored", DataType::Utf8, true));
        for column in kept {
            let name = distinct(&column.name, &mut taken);
            fields.push(Field::new(name, column.kind.data_type(), true));
        }
        Self { schema: Arc::new(Schema::new(fields)), ids: ids.len(), with_label, found: found_at }
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The rows as a table, in the order of the file; `found` is of the rows that have a score.
    ///
    /// # Errors
    /// Arrays that are not of these columns.
    pub fn batch(
        &self,
        scored: &Names,
        found: Vec<ArrayRef>,
        unscored: &Unscored,
    ) -> Result<RecordBatch> {
        let no_reason = new_null_array(&DataType::Utf8, scored.len());
        let scored = self.part(scored, found, no_reason)?;
        if unscored.is_empty() {
            return Ok(scored);
        }
        let kinds = self.schema.fields()[self.found.clone()].iter();
        let nothing = kinds.map(|field| new_null_array(field.data_type(), unscored.len()));
        let reasons = Arc::new(StringArray::from_iter_values(&unscored.reasons));
        let unscored = self.part(&unscored.names, nothing.collect(), reasons)?;
        in_order(&concat_batches(&self.schema, [&scored, &unscored])?)
    }

    fn part(&self, names: &Names, found: Vec<ArrayRef>, reasons: ArrayRef) -> Result<RecordBatch> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(names.numbers.clone()))];
        for j in 0..self.ids {
            // A table to be scored may lack the ids of the training table.
            columns.push(match names.ids.get(j) {
                Some(ids) => Arc::new(StringArray::from_iter(ids)),
                None => new_null_array(&DataType::Utf8, names.len()),
            });
        }
        if self.with_label {
            let labels = names.labels.clone().unwrap_or_else(|| vec![None; names.len()]);
            columns.push(Arc::new(StringArray::from(labels)));
        }
        columns.extend(found);
        columns.push(reasons);
        let kept = self.schema.fields().len() - columns.len();
        for j in 0..kept {
            let pieces: Vec<&dyn Array> =
                names.kept.iter().map(|piece| piece.column(j).as_ref()).collect();
            let kind = self.schema.field(columns.len()).data_type();
            columns.push(match pieces[..] {
                [] => new_null_array(kind, names.len()),
                _ => concat(&pieces)?,
            });
        }
        Ok(RecordBatch::try_new(self.schema(), columns)?)
    }
}

/// A name that is not taken, and is from now on.
fn distinct(name: &str, taken: &mut HashSet<String>) -> String {
    let mut name = name.to_string();
    while !taken.insert(name.clone()) {
        name.insert_str(0, "input_");
    }
    name
}

/// The rows by their number, which is their first column.
fn in_order(table: &RecordBatch) -> Result<RecordBatch> {
    use arrow_array::cast::AsArray;
    let numbers = table.column(0).as_primitive::<arrow_array::types::UInt64Type>();
    let mut order: Vec<u64> = (0..table.num_rows() as u64).collect();
    order.sort_by_key(|&row| numbers.value(row as usize));
    Ok(take_record_batch(table, &UInt64Array::from(order))?)
}

/// What was found of rows that were scored.
#[derive(Debug, Clone, Copy)]
pub struct ScoreColumns {
    /// The place of the row among all by its score.
    pub rank: bool,
    /// Reasons in words.
    pub reasons: bool,
}

impl ScoreColumns {
    /// Their names and types.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = vec![
            Field::new("anomaly_score", DataType::Float64, true),
            Field::new("p_value", DataType::Float64, true),
            Field::new("is_anomaly", DataType::Boolean, true),
        ];
        if self.rank {
            fields.push(Field::new("rank", DataType::UInt64, true));
        }
        if self.reasons {
            fields.push(Field::new("reasons", DataType::Utf8, true));
        }
        fields
    }

    /// The columns of those fields. `ranking` and `reasons` are read where their columns were asked
    /// for: the rows by their score, and words for the rows that were explained.
    pub fn arrays(
        &self,
        found: &Assessment,
        ranking: &[usize],
        reasons: Vec<Option<String>>,
    ) -> Vec<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(Float64Array::from(found.scores.clone())),
            Arc::new(Float64Array::from(found.p_values.clone())),
            Arc::new(BooleanArray::from(found.is_anomaly.clone())),
        ];
        if self.rank {
            columns.push(Arc::new(UInt64Array::from(ranks(ranking))));
        }
        if self.reasons {
            columns.push(Arc::new(StringArray::from(reasons)));
        }
        columns
    }
}

/// The place of every row in a ranking, from 1.
pub fn ranks(ranking: &[usize]) -> Vec<u64> {
    let mut ranks = vec![0; ranking.len()];
    for (place, &row) in ranking.iter().enumerate() {
        ranks[row] = place as u64 + 1;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_ranking_has_rank_one() {
        assert_eq!(ranks(&[1, 2, 0]), [3, 1, 2]);
    }

    #[test]
    fn columns_of_the_input_give_way_to_those_of_the_results() {
        let kept = ["x", "p_value", "row", "input_row"].map(|name| ColumnInfo {
            name: name.to_string(),
            kind: sosrep_table::ColumnKind::Text,
        });
        let found = ScoreColumns { rank: false, reasons: false }.fields();
        let ids = ["row".to_string(), "x".to_string()];
        let columns = ResultColumns::new(&ids, false, found, &kept).schema();
        let names: Vec<&str> = columns.fields().iter().map(|field| field.name().as_str()).collect();
        let expected = [
            "row",
            "input_row",
            "x",
            "anomaly_score",
            "p_value",
            "is_anomaly",
            "unscored",
            "input_x",
            "input_p_value",
            "input_input_row",
            "input_input_input_row",
        ];
        assert_eq!(names, expected);
    }
}
