//! One column of an encoding: its name, and the numbers that its cells become.
//!
//! `fill` replaces a missing cell. It is there when missing cells are imputed, and for numbers and
//! dates that have `gaps`: then a second number says whether the cell is missing. One-hot values are
//! few and strictly ascending, to be found by binary search; shares may be of very many values, to be
//! found by their hash, and are sorted when stored.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize, Serializer};
use sosrep::SourceColumn;

use super::options::Missing;
use super::{KEPT_VALUES, ONEHOT_LIMIT};
use crate::batch::ColumnKind;
use crate::date::DayOrder;
use crate::notation::Notation;

/// A column of the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    pub(super) name: String,
    #[serde(rename = "how")]
    pub(super) encoder: ColumnEncoder,
}

/// How cells become numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum ColumnEncoder {
    /// As they are; texts in the notation, if there is one.
    Number {
        fill: Option<f64>,
        gaps: bool,
        range: Option<NumberRange>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notation: Option<Notation>,
    },
    /// 0 or 1.
    Boolean { fill: Option<bool> },
    /// Text of two values, the first is 0, the second 1.
    Pair { values: [String; 2], fill: Option<bool> },
    /// A number per value, 1 for the one the cell has and 0 for the others.
    Category(Category),
    /// The share of the training rows with the value; `fill` is the share to fill in.
    Frequency {
        #[serde(serialize_with = "in_order")]
        shares: HashMap<String, f64>,
        fill: Option<f64>,
    },
    /// Days since 1970-01-01, or cosine and sine of cycles.
    Date(Dated),
}

/// What is known of the numbers of the training table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NumberRange {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) integers: bool,
}

/// The values of a category, in the order of its numbers: those listed, the other ones, a missing one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Category {
    pub(super) values: Vec<String>,
    /// Whether there is a number for all other values; without, they are zeros.
    pub(super) other: bool,
    /// Whether the training table had other values.
    pub(super) pooled: bool,
    /// Whether there is a number for missing cells.
    pub(super) missing: bool,
    /// Whether cells are true or false.
    pub(super) boolean: bool,
    /// The index of the value that replaces a missing one.
    pub(super) fill: Option<usize>,
}

/// How dates become numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dated {
    pub(super) order: DayOrder,
    /// Whether a date had a time.
    pub(super) times: bool,
    /// Whether these are times of day, without dates.
    #[serde(default)]
    pub(super) clock: bool,
    /// The cycles in place of the days.
    pub(super) cycles: Option<Vec<Cycle>>,
    pub(super) fill: Option<f64>,
    pub(super) gaps: bool,
}

/// A part of a date that comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Cycle {
    Hour,
    Weekday,
    Month,
}

impl Cycle {
    pub(super) const ALL: [Self; 3] = [Self::Hour, Self::Weekday, Self::Month];

    fn name(self) -> &'static str {
        ["hour", "weekday", "month"][self as usize]
    }

    /// Its length, in the units of [`cycles`](crate::date::cycles).
    pub(super) fn period(self) -> f64 {
        [24.0, 7.0, 12.0][self as usize]
    }
}

/// What a number of an encoded row says about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Meaning {
    /// Its value.
    Number,
    /// 1 for true, 0 for false; of text with two values, 1 for the second of them.
    Boolean,
    /// 1 if the cell has a certain value, else 0.
    Membership,
    /// The share of the training rows with the cell's value.
    Share,
    /// Days since 1970-01-01.
    Date,
    /// The cosine or sine of a part of a date that comes again.
    Cycle,
    /// 1 if the cell is missing, else 0.
    Missing,
}

impl Meaning {
    /// A few words for a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Boolean => "true or false",
            Self::Membership => "yes or no",
            Self::Share => "share of rows",
            Self::Date => "days since 1970",
            Self::Cycle => "cycle",
            Self::Missing => "missing or not",
        }
    }
}

impl Column {
    /// The source columns that the column makes: one, or two for each cycle of a date.
    pub(super) fn sources(&self) -> Vec<Source> {
        let number = |gaps| if gaps { SourceColumn::NumberOrMissing } else { SourceColumn::Number };
        let source = match &self.encoder {
            ColumnEncoder::Number { gaps, .. } => number(*gaps),
            ColumnEncoder::Category(category) => SourceColumn::Category(category.width()),
            ColumnEncoder::Date(Dated { cycles: Some(cycles), gaps, .. }) => {
                let both = |&cycle: &Cycle| {
                    [Wave::Cosine, Wave::Sine].map(|wave| Source {
                        name: format!("{} {} {}", self.name, cycle.name(), wave.name()),
                        source: number(*gaps),
                        wave: Some((cycle, wave)),
                    })
                };
                return cycles.iter().flat_map(both).collect();
            }
            ColumnEncoder::Date(Dated { gaps, .. }) => number(*gaps),
            _ => SourceColumn::Number,
        };
        vec![Source { name: self.name.clone(), source, wave: None }]
    }

    /// Names of the numbers a cell becomes.
    pub(super) fn feature_names(&self) -> Vec<String> {
        let of_source = |Source { name, source, .. }| match (&self.encoder, source) {
            (ColumnEncoder::Category(category), _) => {
                category.labels().map(|label| format!("{name}={label}")).collect()
            }
            (_, SourceColumn::NumberOrMissing) => vec![name.clone(), format!("{name}={MISSING}")],
            _ => vec![name],
        };
        self.sources().into_iter().flat_map(of_source).collect()
    }
}

/// A source column that a column makes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) source: SourceColumn,
    /// The wave of a cycle.
    pub(super) wave: Option<(Cycle, Wave)>,
}

/// A coordinate on the circle of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wave {
    Cosine,
    Sine,
}

impl Wave {
    fn name(self) -> &'static str {
        ["cos", "sin"][self as usize]
    }
}

/// What the number for missing cells is called; the brackets tell it from a value.
const MISSING: &str = "(missing)";
/// What the number for all other values is called.
const OTHER: &str = "(other)";

impl Category {
    /// Numbers a cell becomes.
    fn width(&self) -> usize {
        self.values.len() + usize::from(self.other) + usize::from(self.missing)
    }

    /// The number that is 1 for a missing cell.
    pub(super) fn missing_index(&self) -> Option<usize> {
        self.missing.then(|| self.width() - 1)
    }

    /// The number that is 1 for another value.
    pub(super) fn other_index(&self) -> Option<usize> {
        self.other.then_some(self.values.len())
    }

    /// The number that is 1 for a text.
    pub(super) fn index(&self, text: &str) -> Option<usize> {
        self.values.binary_search_by(|value| value.as_str().cmp(text)).ok()
    }

    fn labels(&self) -> impl Iterator<Item = &str> {
        let others = [(self.other, OTHER), (self.missing, MISSING)].into_iter();
        let others = others.filter(|(there, _)| *there).map(|(_, label)| label);
        self.values.iter().map(String::as_str).chain(others)
    }
}

impl ColumnEncoder {
    /// Numbers a cell becomes.
    pub(super) fn width(&self) -> usize {
        let number = |gaps: &bool| 1 + usize::from(*gaps);
        match self {
            Self::Number { gaps, .. } => number(gaps),
            Self::Category(category) => category.width(),
            Self::Date(Dated { cycles, gaps, .. }) => {
                number(gaps) * cycles.as_ref().map_or(1, |cycles| 2 * cycles.len())
            }
            _ => 1,
        }
    }

    /// What the first of the numbers means, and every other if they do not say what is missing.
    pub(super) fn meaning(&self) -> Meaning {
        match self {
            Self::Number { .. } => Meaning::Number,
            Self::Boolean { .. } | Self::Pair { .. } => Meaning::Boolean,
            Self::Category(_) => Meaning::Membership,
            Self::Frequency { .. } => Meaning::Share,
            Self::Date(Dated { cycles: Some(_), .. }) => Meaning::Cycle,
            Self::Date(_) => Meaning::Date,
        }
    }

    /// Whether a number beside each says that it is missing.
    fn has_gaps(&self) -> bool {
        matches!(self, Self::Number { gaps: true, .. } | Self::Date(Dated { gaps: true, .. }))
    }

    /// What each of the numbers means.
    pub(super) fn meanings(&self) -> Vec<Meaning> {
        let missing = |index: usize| self.has_gaps() && index % 2 == 1;
        let meaning = |index| if missing(index) { Meaning::Missing } else { self.meaning() };
        (0..self.width()).map(meaning).collect()
    }

    /// What the cells are.
    pub(super) fn kind(&self) -> ColumnKind {
        match self {
            Self::Number { notation: Some(_), .. } => ColumnKind::Text,
            Self::Number { .. } => ColumnKind::Number,
            Self::Boolean { .. } | Self::Category(Category { boolean: true, .. }) => {
                ColumnKind::Boolean
            }
            Self::Date(_) => ColumnKind::Date,
            Self::Pair { .. } | Self::Category(_) | Self::Frequency { .. } => ColumnKind::Text,
        }
    }

    /// What no fit would give, with this choice for missing cells; `None` if all is well.
    pub(super) fn fault(&self, missing: Missing) -> Option<&'static str> {
        let is_share = |share: &f64| *share > 0.0 && *share <= 1.0;
        let imputes = missing == Missing::Impute;
        let auto = missing == Missing::Auto;
        // Of numbers and dates: one that fills a gap, or one that is imputed.
        let number = |fill: &Option<f64>, gaps: &bool| {
            let agrees = fill.is_some() == (*gaps || imputes) && (auto || !gaps);
            let finite = fill.is_none_or(f64::is_finite);
            (agrees, vec![(!finite, "fills in a number that is not finite")])
        };
        let (agrees, mut faults) = match self {
            Self::Number { fill, gaps, range, .. } => {
                let (agrees, mut faults) = number(fill, gaps);
                let valid = |range: &NumberRange| range.low <= range.high;
                faults.push((!range.as_ref().is_none_or(valid), "has a range without numbers"));
                (agrees, faults)
            }
            Self::Boolean { fill } => (fill.is_some() == imputes, Vec::new()),
            Self::Pair { values, fill } => {
                let faults = vec![(values[0] >= values[1], "has values out of order")];
                (fill.is_some() == imputes, faults)
            }
            Self::Category(category) => {
                let Category { values, fill, .. } = category;
                let limit = if category.other { KEPT_VALUES } else { ONEHOT_LIMIT };
                let faults = vec![
                    (category.width() == 0, "has no values"),
                    (values.len() > limit, "has too many values"),
                    (!values.is_sorted_by(|a, b| a < b), "has values out of order"),
                    (
                        fill.is_some_and(|fill| fill >= category.width()),
                        "fills in an unknown value",
                    ),
                    (category.boolean && values != &["false", "true"], "has other values"),
                ];
                (fill.is_some() == imputes && (auto || !category.missing), faults)
            }
            Self::Frequency { shares, fill } => {
                let valid = shares.values().chain(fill).all(is_share);
                let faults = vec![
                    (shares.is_empty(), "has no values"),
                    (!valid, "has a share outside (0, 1]"),
                ];
                (auto || fill.is_some() == imputes, faults)
            }
            Self::Date(Dated { cycles, fill, gaps, .. }) => {
                let (agrees, mut faults) = number(fill, gaps);
                let ordered = |cycles: &Vec<Cycle>| {
                    !cycles.is_empty() && cycles.is_sorted_by(|a, b| (*a as u8) < (*b as u8))
                };
                faults.push((!cycles.as_ref().is_none_or(ordered), "has cycles out of order"));
                (agrees, faults)
            }
        };
        faults.push((!agrees, "and the missing values disagree"));
        faults.into_iter().find(|(wrong, _)| *wrong).map(|(_, fault)| fault)
    }
}

/// Writes the shares in the order of their values, so that equal models are equal files.
fn in_order<S: Serializer>(
    shares: &HashMap<String, f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    shares.iter().collect::<BTreeMap<_, _>>().serialize(serializer)
}
