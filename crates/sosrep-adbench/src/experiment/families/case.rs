//! What is measured: a kind of anomalies and one lever, moved from the base setting.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::generate::Wanted;
use crate::error::Result;
use crate::protocol::{Noise, Split, split_made};

/// A kind of anomalies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Local,
    Global,
    Clustered,
    Dependency,
}

impl Kind {
    pub(super) const ALL: [Self; 4] =
        [Self::Local, Self::Global, Self::Clustered, Self::Dependency];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Global => "global",
            Self::Clustered => "clustered",
            Self::Dependency => "dependency",
        }
    }
}

/// What differs from the base setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Lever {
    /// Nothing.
    Base,
    /// Columns that say nothing, as a share of the others.
    Irrelevant,
    /// The share of anomalies.
    Contamination,
    /// The number of rows.
    Rows,
    /// The number of columns, the irrelevant ones not counted.
    Columns,
}

impl Lever {
    /// Those that move something.
    pub(super) const MOVED: [Self; 4] =
        [Self::Irrelevant, Self::Contamination, Self::Rows, Self::Columns];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Irrelevant => "irrelevant columns",
            Self::Contamination => "contamination",
            Self::Rows => "rows",
            Self::Columns => "columns",
        }
    }

    /// Where it is moved to; the base setting has one more value of each.
    pub(super) fn values(self) -> &'static [f64] {
        match self {
            Self::Base => &[],
            Self::Irrelevant => &[0.1, 0.5, 1.0],
            Self::Contamination => &[0.01, 0.1, 0.2, 0.4],
            Self::Rows => &[100.0, 1_000.0, 10_000.0],
            Self::Columns => &[2.0, 50.0, 200.0, 500.0],
        }
    }

    /// A value as it is read.
    pub(super) fn shown(self, value: f64) -> String {
        match self {
            Self::Irrelevant | Self::Contamination => format!("{:.0} %", 100.0 * value),
            _ => format!("{value:.0}"),
        }
    }
}

/// The seeds of a setting, and of one that is large, which costs more and varies less.
const SEEDS: u64 = 3;
const SEEDS_OF_LARGE: u64 = 1;
/// From so many values on a setting is large.
const LARGE: usize = 400_000;

/// One split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Case {
    pub(super) kind: Kind,
    pub(super) lever: Lever,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) contamination: f64,
    pub(super) irrelevant: f64,
    pub(super) seed: u64,
}

impl Case {
    /// The base setting.
    pub(super) fn base(kind: Kind, seed: u64) -> Self {
        let (rows, columns, contamination, irrelevant) = (2_000, 10, 0.05, 0.0);
        Self { kind, lever: Lever::Base, rows, columns, contamination, irrelevant, seed }
    }

    /// The base setting with one lever moved.
    pub(super) fn moved(self, lever: Lever, value: f64) -> Self {
        let base = Self { lever, ..self };
        match lever {
            Lever::Base => base,
            Lever::Irrelevant => Self { irrelevant: value, ..base },
            Lever::Contamination => Self { contamination: value, ..base },
            Lever::Rows => Self { rows: value as usize, ..base },
            Lever::Columns => Self { columns: value as usize, ..base },
        }
    }

    /// Everything that is measured. The base setting is measured once and belongs to every lever.
    pub(super) fn all(first_seed: u64) -> Vec<Self> {
        let mut cases = Vec::new();
        for kind in Kind::ALL {
            let moved = |lever: Lever| {
                let base = Self::base(kind, first_seed);
                lever.values().iter().map(move |value| base.moved(lever, *value))
            };
            let settings = Lever::MOVED.into_iter().flat_map(moved);
            for setting in [Self::base(kind, first_seed)].into_iter().chain(settings) {
                let seeds = first_seed..first_seed + setting.seeds();
                cases.extend(seeds.map(|seed| Self { seed, ..setting }));
            }
        }
        cases
    }

    fn seeds(&self) -> u64 {
        if self.rows * self.columns < LARGE { SEEDS } else { SEEDS_OF_LARGE }
    }

    /// The value of a lever here.
    pub(super) fn value(&self, lever: Lever) -> Option<f64> {
        match lever {
            Lever::Base => None,
            Lever::Irrelevant => Some(self.irrelevant),
            Lever::Contamination => Some(self.contamination),
            Lever::Rows => Some(self.rows as f64),
            Lever::Columns => Some(self.columns as f64),
        }
    }

    /// Generates the rows and splits them.
    pub(super) fn split(&self) -> Result<Split> {
        let Self { kind, rows, columns, contamination, irrelevant, seed, .. } = *self;
        let anomalies = (contamination * rows as f64).round() as usize;
        let made = Wanted { kind, rows, columns, anomalies, seed }.make();
        split_made(made, &Noise { irrelevant_features: irrelevant, ..Noise::default() }, seed)
    }
}

/// As in `local anomalies, columns 50, seed 1`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} anomalies, ", self.kind.name())?;
        if let Some(value) = self.value(self.lever) {
            write!(f, "{} {}, ", self.lever.name(), self.lever.shown(value))?;
        }
        write!(f, "seed {}", self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_differs_from_the_base_in_its_lever_alone_and_none_comes_twice() {
        let cases = Case::all(1);
        for (place, case) in cases.iter().enumerate() {
            let base = Case::base(case.kind, case.seed);
            assert_eq!(case.lever == Lever::Base, *case == base);
            let differs = |lever: &Lever| case.value(*lever) != base.value(*lever);
            let moved: Vec<Lever> = Lever::MOVED.into_iter().filter(differs).collect();
            let expected = if case.lever == Lever::Base { vec![] } else { vec![case.lever] };
            assert_eq!(moved, expected, "{case}");
            assert!(!cases[..place].contains(case), "{case}");
        }
        // A base and fourteen moves; the two largest, 200 and 500 columns, with one seed.
        assert_eq!(cases.len(), 4 * (13 * 3 + 2));
    }

    #[test]
    fn a_split_has_the_rows_the_share_and_the_columns_asked_for() {
        let base = Case::base(Kind::Global, 2);
        for (lever, value, expected) in [
            (Lever::Rows, 100.0, (100, 5, 10)),
            (Lever::Contamination, 0.4, (2000, 800, 10)),
            (Lever::Irrelevant, 0.5, (2000, 100, 15)),
            (Lever::Columns, 2.0, (2000, 100, 2)),
        ] {
            let split = base.moved(lever, value).split().unwrap();
            let (train, test) = (&split.train, &split.test);
            let found = (
                train.rows.len() + test.rows.len(),
                train.anomalies() + test.anomalies(),
                split.columns,
            );
            assert_eq!(found, expected, "{lever:?}");
            assert_eq!(test.rows.len(), (3 * expected.0).div_ceil(10));
            assert!(train.values.iter().all(|x| (0.0..=1.0).contains(x)), "scaled to [0, 1]");
        }
        let few = Case { rows: 20, contamination: 0.05, ..base };
        assert!(matches!(few.split(), Err(crate::Error::TooFewRows { count: 1, .. })));
    }
}
