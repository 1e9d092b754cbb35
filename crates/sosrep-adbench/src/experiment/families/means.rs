//! Means of AUC over seeds and settings, one a method: what tables, sentences and figures show.
//!
//! A mean is first over the seeds of a setting, then over settings, so that one with fewer seeds
//! counts as much as the others. A method has a mean only where it has all results that it is over.

use super::case::{Case, Kind, Lever};
use super::{METHOD, Row};
use crate::statistics::mean;

/// Differences below are none.
const EQUAL: f64 = 0.0005;

/// One value a method, in the order of [`Means::methods`].
pub(super) type Values = Vec<Option<f64>>;

/// The results of every case.
pub(super) struct Means {
    /// Those with any result, ours first.
    pub(super) methods: Vec<String>,
    cases: Vec<(Case, Values)>,
}

impl Means {
    /// None without a result of ours.
    pub(super) fn new(rows: &[Row]) -> Option<Self> {
        let ours = METHOD.name().to_string();
        rows.iter().find(|row| row.auc_roc.is_some() && row.method == ours)?;
        let mut methods = vec![ours];
        let mut cases: Vec<(Case, Values)> = Vec::new();
        for row in rows {
            if row.auc_roc.is_some() && !methods.contains(&row.method) {
                methods.push(row.method.clone());
            }
            if !cases.iter().any(|(case, _)| *case == row.case()) {
                cases.push((row.case(), Vec::new()));
            }
        }
        for (case, values) in &mut cases {
            let value = |method: &String| {
                let is_this = |row: &&Row| row.method == *method && row.case() == *case;
                rows.iter().filter(is_this).find_map(|row| row.auc_roc)
            };
            *values = methods.iter().map(value).collect();
        }
        Some(Self { methods, cases })
    }

    /// The cases of which every method has a result, and how many others there are.
    pub(super) fn common(&self) -> (Self, usize) {
        let whole = |(_, values): &&(Case, Values)| values.iter().all(Option::is_some);
        let cases: Vec<_> = self.cases.iter().filter(whole).cloned().collect();
        let others = self.cases.len() - cases.len();
        (Self { methods: self.methods.clone(), cases }, others)
    }

    pub(super) fn len(&self) -> usize {
        self.cases.len()
    }

    /// One of every setting, its seed aside.
    pub(super) fn settings(&self) -> Vec<Case> {
        let mut settings: Vec<Case> = Vec::new();
        for (case, _) in &self.cases {
            if !settings.iter().any(|setting| same_setting(setting, case)) {
                settings.push(*case);
            }
        }
        settings
    }

    /// The means of one setting.
    pub(super) fn of_setting(&self, setting: &Case) -> Values {
        let seeds: Vec<&Values> = self
            .cases
            .iter()
            .filter(|(case, _)| same_setting(case, setting))
            .map(|(_, values)| values)
            .collect();
        self.over(&seeds)
    }

    /// The means of some settings.
    pub(super) fn of(&self, keeps: impl Fn(&Case) -> bool) -> Values {
        let settings = self.settings().into_iter().filter(|setting| keeps(setting));
        let values: Vec<Values> = settings.map(|setting| self.of_setting(&setting)).collect();
        self.over(&values.iter().collect::<Vec<_>>())
    }

    pub(super) fn of_kind(&self, kind: Kind) -> Values {
        self.of(|case| case.kind == kind)
    }

    /// The values of a lever, rising, and the means over all kinds at each.
    pub(super) fn of_lever(&self, lever: Lever) -> Vec<(f64, Values)> {
        let belongs = |case: &Case| case.lever == lever || case.lever == Lever::Base;
        let settings = self.settings().into_iter().filter(belongs);
        let mut places: Vec<f64> = settings.filter_map(|case| case.value(lever)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let at =
            |place: f64| (place, self.of(|case| belongs(case) && case.value(lever) == Some(place)));
        places.into_iter().map(at).collect()
    }

    /// The mean of every method that has all values.
    fn over(&self, values: &[&Values]) -> Values {
        let of = |method: usize| {
            let all: Option<Vec<f64>> = values.iter().map(|values| values[method]).collect();
            mean(&all?)
        };
        (0..self.methods.len()).map(of).collect()
    }

    /// How ours stands among some values; none if it has none, or nobody else has.
    pub(super) fn standing(&self, values: &Values) -> Option<Standing> {
        let ours = (*values.first()?)?;
        let others = self.methods.iter().zip(values).skip(1);
        let known = others.filter_map(|(name, value)| Some((name.clone(), (*value)?)));
        let (other, best) = known.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Standing { ours, other, best })
    }
}

fn same_setting(one: &Case, other: &Case) -> bool {
    Case { seed: 0, ..*one } == Case { seed: 0, ..*other }
}

/// Ours beside the best of the others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standing {
    pub(super) ours: f64,
    pub(super) other: String,
    pub(super) best: f64,
}

impl Standing {
    /// Whether nobody is ahead.
    pub(super) fn is_first(&self) -> bool {
        self.best < self.ours + EQUAL
    }
}
