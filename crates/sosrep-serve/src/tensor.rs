//! Tensors of the Open Inference Protocol, as JSON has them, to the columns of a table.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use sosrep_table::{ColumnInfo, ColumnKind};

use crate::problem::{Problem, Result};

/// From here on an integer may be no float: 2⁵³.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A tensor as it was sent.
#[derive(Debug, Deserialize)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    shape: Vec<u64>,
    datatype: String,
    data: Flat,
}

/// An element.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Missing,
    Number(f64),
    Text(Box<str>),
    Boolean(bool),
}

/// The elements one after another, whether they came nested or flat.
#[derive(Debug, Default)]
struct Flat(Vec<Cell>);

impl<'de> Deserialize<'de> for Flat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let mut flat = Self::default();
        deserializer.deserialize_seq(Gather(&mut flat.0))?;
        Ok(flat)
    }
}

/// Adds what it meets to the cells.
struct Gather<'a>(&'a mut Vec<Cell>);

impl<'de> serde::de::DeserializeSeed<'de> for Gather<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Gather<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of numbers, texts or booleans")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        while list.next_element_seed(Gather(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> std::result::Result<(), E> {
        self.0.push(Cell::Number(value));
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> std::result::Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> std::result::Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_bool<E: Error>(self, value: bool) -> std::result::Result<(), E> {
        self.0.push(Cell::Boolean(value));
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> std::result::Result<(), E> {
        self.0.push(Cell::Text(value.into()));
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> std::result::Result<(), E> {
        self.0.push(Cell::Missing);
        Ok(())
    }
}

/// The datatype in which a column of this kind is told of.
pub(crate) fn datatype(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Number => "FP64",
        ColumnKind::Boolean => "BOOL",
        _ => "BYTES",
    }
}

/// The table that the tensors are: one matrix with the columns of the model in their order, or a
/// tensor for each column by its name.
pub(crate) fn table(tensors: Vec<Tensor>, columns: &[ColumnInfo]) -> Result<RecordBatch> {
    tensors.iter().try_for_each(Tensor::check)?;
    let cells: Vec<(String, ArrayRef)> = match &tensors[..] {
        [matrix] if matrix.is_matrix(columns) => matrix.columns(columns)?,
        _ => {
            let column = |tensor: &Tensor| Ok((tensor.name.clone(), tensor.column()?));
            tensors.iter().map(column).collect::<Result<_>>()?
        }
    };
    if cells.iter().any(|(_, array)| array.is_empty()) {
        return Err(Problem::bad("the tensors have no rows; give at least one"));
    }
    RecordBatch::try_from_iter(cells).map_err(|_| {
        let detail = "the tensors differ in their number of rows; give each the same";
        Problem::bad(detail)
    })
}

impl Tensor {
    fn check(&self) -> Result<()> {
        let elements =
            self.shape.iter().try_fold(1_u64, |product, size| product.checked_mul(*size));
        let found = self.data.0.len();
        match elements == Some(found as u64) && !self.shape.is_empty() {
            true => Ok(()),
            false => Err(self.bad(format!("has the shape {:?} and {found} elements", self.shape))),
        }
    }

    /// Whether this is one tensor for all columns: it has them side by side, and is not named for one.
    fn is_matrix(&self, columns: &[ColumnInfo]) -> bool {
        self.shape.len() == 2 && !columns.iter().any(|column| column.name == self.name)
    }

    /// The columns of a matrix.
    fn columns(&self, columns: &[ColumnInfo]) -> Result<Vec<(String, ArrayRef)>> {
        let width = columns.len();
        if self.shape[1] != width as u64 {
            return Err(self.bad(format!(
                "has {} columns; give the {width} of the model, or a tensor a column",
                self.shape[1]
            )));
        }
        let text = |column: &&ColumnInfo| datatype(column.kind) == "BYTES";
        if let Some(column) = columns.iter().find(text).filter(|_| self.datatype != "BYTES") {
            let name = &column.name;
            return Err(self.bad(format!(
                "is of numbers, and column \"{name}\" is not; give a tensor a column"
            )));
        }
        let column = |(j, column): (usize, &ColumnInfo)| {
            let cells = self.data.0.iter().skip(j).step_by(width);
            Ok((column.name.clone(), self.array(cells)?))
        };
        columns.iter().enumerate().map(column).collect()
    }

    /// The only column.
    fn column(&self) -> Result<ArrayRef> {
        match self.shape[..] {
            [_] | [_, 1] => self.array(self.data.0.iter()),
            _ => Err(self.bad("is no column; give it the shape [rows] or [rows, 1]".to_string())),
        }
    }

    fn array<'a>(&self, cells: impl Iterator<Item = &'a Cell>) -> Result<ArrayRef> {
        Ok(match self.datatype.as_str() {
            "BOOL" => {
                Arc::new(cells.map(|cell| self.boolean(cell)).collect::<Result<BooleanArray>>()?)
            }
            "BYTES" => {
                Arc::new(cells.map(|cell| self.text(cell)).collect::<Result<StringArray>>()?)
            }
            kind if is_number(kind) => {
                Arc::new(cells.map(|cell| self.number(cell)).collect::<Result<Float64Array>>()?)
            }
            _ => return Err(self.bad("has a datatype that is not known".to_string())),
        })
    }

    fn boolean(&self, cell: &Cell) -> Result<Option<bool>> {
        match cell {
            Cell::Missing => Ok(None),
            Cell::Boolean(value) => Ok(Some(*value)),
            Cell::Number(value) if *value == 0.0 || *value == 1.0 => Ok(Some(*value == 1.0)),
            _ => Err(self.wrong()),
        }
    }

    fn text<'a>(&self, cell: &'a Cell) -> Result<Option<&'a str>> {
        match cell {
            Cell::Missing => Ok(None),
            Cell::Text(value) => Ok(Some(value.as_ref())),
            _ => Err(self.wrong()),
        }
    }

    fn number(&self, cell: &Cell) -> Result<Option<f64>> {
        let whole = !self.datatype.starts_with(['F', 'B']);
        match cell {
            Cell::Missing => Ok(None),
            Cell::Number(value) if whole && value.abs() > EXACT => {
                let what = "has an integer beyond 2^53, which would be rounded; send it as BYTES";
                Err(self.bad(what.to_string()))
            }
            Cell::Number(value) => Ok(Some(*value)),
            _ => Err(self.wrong()),
        }
    }

    fn wrong(&self) -> Problem {
        self.bad(format!("has an element that is not {}", self.datatype))
    }

    fn bad(&self, what: String) -> Problem {
        Problem::bad(format!("the tensor \"{}\" {what}", self.name))
    }
}

fn is_number(kind: &str) -> bool {
    let kinds = ["FP16", "FP32", "FP64", "BF16", "INT8", "INT16", "INT32", "INT64"];
    kinds.contains(&kind) || ["UINT8", "UINT16", "UINT32", "UINT64"].contains(&kind)
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;

    use super::*;

    fn tensors(json: &str) -> Vec<Tensor> {
        serde_json::from_str(json).unwrap()
    }

    fn numbers(names: &[&str]) -> Vec<ColumnInfo> {
        let column = |name: &&str| ColumnInfo { name: name.to_string(), kind: ColumnKind::Number };
        names.iter().map(column).collect()
    }

    #[test]
    fn nested_and_flat_matrices_and_columns_are_the_same_table() {
        let forms = [
            r#"[{"name":"in","shape":[2,2],"datatype":"FP64","data":[1,2,3,4.5]}]"#,
            r#"[{"name":"in","shape":[2,2],"datatype":"FP32","data":[[1,2],[3,4.5]]}]"#,
            r#"[{"name":"x","shape":[2],"datatype":"INT8","data":[1,3]},
                {"name":"y","shape":[2,1],"datatype":"FP64","data":[[2],[4.5]]}]"#,
        ];
        for form in forms {
            let table = table(tensors(form), &numbers(&["x", "y"])).unwrap();
            let column = |j| table.column(j).as_primitive::<Float64Type>().values().to_vec();
            assert_eq!((column(0), column(1)), (vec![1.0, 3.0], vec![2.0, 4.5]), "{form}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_tensor_names_it() {
        let cases = [
            (r#"[{"name":"x","shape":[3],"datatype":"FP64","data":[1]}]"#, "shape [3] and 1"),
            (r#"[{"name":"x","shape":[],"datatype":"FP64","data":[1]}]"#, "shape []"),
            (r#"[{"name":"x","shape":[1],"datatype":"FP64","data":["a"]}]"#, "not FP64"),
            (r#"[{"name":"x","shape":[1],"datatype":"INT64","data":[9007199254740994]}]"#, "2^53"),
            (r#"[{"name":"x","shape":[1],"datatype":"COMPLEX","data":[1]}]"#, "datatype"),
            (r#"[{"name":"in","shape":[1,3],"datatype":"FP64","data":[1,2,3]}]"#, "3 columns"),
            (
                r#"[{"name":"x","shape":[18446744073709551615,2],"datatype":"FP64","data":[1]}]"#,
                "shape",
            ),
        ];
        for (form, said) in cases {
            let problem = table(tensors(form), &numbers(&["x", "y"])).unwrap_err();
            assert!(problem.detail().contains(said), "{form}: {}", problem.detail());
            assert!(problem.detail().starts_with("the tensor \""), "{}", problem.detail());
        }
    }
}
