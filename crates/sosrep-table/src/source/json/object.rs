//! One object: its keys become columns, its values the text of cells.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::cell::EXACT_INTEGERS;
use crate::error::{Place, RowProblem};

/// The keys met so far, in the order of their first appearance.
#[derive(Debug, Default)]
pub(super) struct Keys {
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// Whether the columns are known and no key may be added.
    closed: bool,
}

impl Keys {
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Takes no more keys.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// The column of a key; `None` if it is new and may not be. `expected` is where it would be if
    /// the objects had the same keys in the same order, as they mostly have.
    fn place(&mut self, key: &str, expected: usize) -> Option<usize> {
        if self.names.get(expected).is_some_and(|name| name == key) {
            return Some(expected);
        }
        let known = self.places.get(key).copied();
        if known.is_some() || self.closed {
            return known;
        }
        self.names.push(key.to_string());
        self.places.insert(key.to_string(), self.names.len() - 1);
        Some(self.names.len() - 1)
    }
}

/// A value of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    /// Null, or no such key.
    Missing,
    /// A number that is a float, which is what most cells are.
    Number(f64),
    /// A boolean, text, or an integer beyond ±2⁵³, as text.
    Text(String),
    /// An array or an object.
    Nested {
        /// Which of the two.
        found: &'static str,
        /// As JSON.
        text: String,
    },
}

/// A row.
#[derive(Debug)]
pub(super) struct Row {
    /// The line it starts on.
    pub(super) line: u64,
    /// Its length in the file.
    pub(super) bytes: usize,
    /// The values by column; columns beyond the end are missing.
    pub(super) cells: Vec<Cell>,
}

impl Row {
    /// The value in a column.
    pub(super) fn cell(&self, column: usize) -> &Cell {
        self.cells.get(column).unwrap_or(&Cell::Missing)
    }

    pub(super) fn place(&self) -> Place {
        Place::Line(self.line)
    }
}

/// Reads an object into cells; what is wrong with it beyond its syntax goes to `problem`.
pub(super) struct Object<'a> {
    pub(super) keys: &'a mut Keys,
    pub(super) problem: &'a mut Option<RowProblem>,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = Vec<Cell>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Cell>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Vec<Cell>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Cell>, A::Error> {
        let mut cells: Vec<Option<Cell>> = Vec::with_capacity(self.keys.names.len());
        let mut expected = 0;
        while let Some(key) = map.next_key_seed(Key { keys: self.keys, expected })? {
            let place = match key {
                Ok(place) => place,
                Err(key) => {
                    *self.problem = Some(RowProblem::NewKey { key });
                    return Err(A::Error::custom("new key"));
                }
            };
            expected = place + 1;
            if cells.len() <= place {
                cells.resize(place + 1, None);
            }
            if cells[place].is_some() {
                let key = self.keys.names[place].clone();
                *self.problem = Some(RowProblem::SameKey { key });
                return Err(A::Error::custom("same key"));
            }
            cells[place] = Some(map.next_value_seed(Value)?);
        }
        Ok(cells.into_iter().map(|cell| cell.unwrap_or(Cell::Missing)).collect())
    }
}

/// Reads a key: its column, or the key itself if it is new and may not be.
struct Key<'a> {
    keys: &'a mut Keys,
    expected: usize,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Result<usize, String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Result<usize, String>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.keys.place(key, self.expected).ok_or_else(|| key.to_string()))
    }
}

/// Reads a value.
struct Value;

impl<'de> DeserializeSeed<'de> for Value {
    type Value = Cell;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cell, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Cell, E> {
        Ok(Cell::Missing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Cell, E> {
        Ok(Cell::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Cell, E> {
        let exact = value <= EXACT_INTEGERS as u64;
        Ok(if exact { Cell::Number(value as f64) } else { Cell::Text(value.to_string()) })
    }

    fn visit_i64<E>(self, value: i64) -> Result<Cell, E> {
        let exact = value.unsigned_abs() <= EXACT_INTEGERS as u64;
        Ok(if exact { Cell::Number(value as f64) } else { Cell::Text(value.to_string()) })
    }

    fn visit_f64<E>(self, value: f64) -> Result<Cell, E> {
        Ok(Cell::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Cell, E> {
        Ok(Cell::Text(value.to_string()))
    }

    fn visit_string<E>(self, value: String) -> Result<Cell, E> {
        Ok(Cell::Text(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Cell, A::Error> {
        let object = serde_json::Value::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Cell::Nested { found: "object", text: object.to_string() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<Cell, A::Error> {
        let array = serde_json::Value::deserialize(SeqAccessDeserializer::new(values))?;
        Ok(Cell::Nested { found: "array", text: array.to_string() })
    }
}
