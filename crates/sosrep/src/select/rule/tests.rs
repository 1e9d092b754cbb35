use rand::RngExt;

use super::*;
use crate::random::generator;

const RULES: [Rule; 4] = [Rule::Minimum, Rule::Text, Rule::OnTheFly, Rule::Released];

/// The index chosen and which points were computed.
fn choose(rule: Rule, curve: &[f64]) -> (usize, Vec<bool>) {
    let mut computed = vec![false; curve.len()];
    let chosen = rule
        .choose(curve.len(), |i| {
            computed[i] = true;
            Ok(curve[i])
        })
        .unwrap();
    (chosen, computed)
}

/// The rules written out case by case, on a curve of fifteen points, the largest bandwidth first,
/// as the released program keeps it.
mod twin {
    /// Every value on the page, compared one by one.
    pub(super) fn text(a: &[f64; 15]) -> usize {
        for i in [3, 4, 5, 6, 7, 8, 9, 10, 11] {
            if a[i] < a[i - 1]
                && a[i] < a[i - 2]
                && a[i] < a[i - 3]
                && a[i] < a[i + 1]
                && a[i] < a[i + 2]
                && a[i] < a[i + 3]
            {
                return i;
            }
        }
        0
    }

    pub(super) fn on_the_fly(a: &[f64; 15]) -> usize {
        for i in 3..=11 {
            if a[i - 2] > a[i] && a[i - 1] > a[i] && a[i + 1] > a[i] && a[i + 2] > a[i] {
                return i;
            }
        }
        for i in 2..=12 {
            if a[i - 1] > a[i] && a[i + 1] > a[i] {
                return i;
            }
        }
        1
    }

    pub(super) fn released(a: &[f64; 15]) -> usize {
        let mut least = a[0];
        for v in a {
            if *v < least {
                least = *v;
            }
        }
        // Three copies of each end stand for the indices that are moved inside.
        let mut r = vec![a[0]; 3];
        r.extend(a);
        r.extend([a[14]; 3]);
        for v in &mut r {
            let log = (1.0 + *v + least.abs()).ln();
            let (below, part) = (log.floor(), log - log.floor());
            let even = below % 2.0 == 0.0;
            let down = log.is_infinite() || part < 0.5 || part == 0.5 && even;
            *v = if down { below } else { below + 1.0 };
        }
        for i in 3..18 {
            let others = [r[i - 3], r[i - 2], r[i - 1], r[i + 1], r[i + 2], r[i + 3]];
            if others.iter().all(|other| r[i] < *other) {
                return i - 3;
            }
        }
        (0..15).find(|i| a[*i] == least).unwrap()
    }
}

/// What the twin of a rule says.
fn by_twin(rule: Rule, curve: &[f64; 15]) -> usize {
    let mut reversed = *curve;
    reversed.reverse();
    for value in &mut reversed {
        if !value.is_finite() {
            *value = f64::INFINITY;
        }
    }
    14 - match rule {
        Rule::Text => twin::text(&reversed),
        Rule::OnTheFly => twin::on_the_fly(&reversed),
        _ => twin::released(&reversed),
    }
}

/// Monotone, flat, with one dip, noisy, with steps of one size, with values that are no numbers.
fn hand_made() -> Vec<[f64; 15]> {
    let from = |f: fn(f64) -> f64| std::array::from_fn(|i| f(i as f64));
    let nan = f64::NAN;
    vec![
        from(|i| i),
        from(|i| -i),
        from(|_| 2.0),
        from(|_| -2.0),
        from(|i| (i - 7.0).powi(2) * 30.0 - 100.0),
        from(|i| (i - 13.0).powi(2) * 30.0 - 100.0),
        from(|i| (i - 12.0).powi(2) * 30.0 - 100.0),
        from(|i| (i - 1.0).powi(2) * 30.0 - 100.0),
        from(|i| (i % 2.0) * 1e3 - i),
        from(|i| (i % 3.0) * 1e3 - i),
        from(|i| if i < 5.0 { -1e6 } else { 0.0 }),
        from(|i| (i / 4.0).floor()),
        [9.0, 8.0, 7.0, 6.0, 5.0, 6.0, 7.0, 6.5, 8.0, 6.9, 7.5, 8.0, 8.5, 9.0, 9.5],
        [0.0, 5.0, 4.0, 3.0, 1.0, 3.0, 4.0, 5.0, 4.0, 3.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        [nan; 15],
        [nan, 5.0, 4.0, 3.0, nan, 3.0, 4.0, 5.0, 4.0, 3.0, 2.0, 3.0, nan, 5.0, nan],
        [nan, nan, nan, nan, nan, 7.0, 3.0, 1.0, 4.0, 9.0, nan, nan, nan, nan, nan],
        [f64::NEG_INFINITY, 1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 2.0, 1.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    ]
}

#[test]
fn every_rule_chooses_what_its_twin_chooses() {
    let mut rng = generator(5);
    let mut curves = hand_made();
    for size in [1.0_f64, 5.0, 20.0] {
        for _ in 0..2000 {
            // Few values so that there are ties, of any size so that rounded logarithms differ.
            let value = |v: i32| f64::from(v).signum() * size.powi(v.abs());
            let curve = std::array::from_fn(|_| match rng.random_range(-6..=7) {
                7 => f64::NAN,
                v => value(v),
            });
            curves.push(curve);
        }
    }
    for curve in curves {
        for rule in [Rule::Text, Rule::OnTheFly, Rule::Released] {
            assert_eq!(choose(rule, &curve).0, by_twin(rule, &curve), "{rule:?} {curve:?}");
        }
    }
}

#[test]
fn rules_differ_where_they_are_said_to() {
    // A dip below two neighbours on each side, and not below the third.
    let dip = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 1.0, 2.0, 3.0, 4.0, 5.0, 2.9, 3.0, 4.0, 2.8];
    assert_eq!([Rule::Text, Rule::OnTheFly].map(|rule| choose(rule, &dip).0), [6, 11]);
    // Falling all the way: nothing is stable.
    let falling: Vec<f64> = (0..15).map(|i| -f64::from(i)).collect();
    assert_eq!(RULES.map(|rule| choose(rule, &falling).0), [14, 14, 13, 14]);
    let rising: Vec<f64> = (0..15).map(f64::from).collect();
    assert_eq!(RULES.map(|rule| choose(rule, &rising).0), [0, 14, 13, 0]);
}

#[test]
fn a_curve_known_as_a_whole_is_read_the_same_and_one_without_points_not_at_all() {
    for rule in RULES {
        let curve = [4.0, 3.0, 1.0, 3.0, 4.0, 2.0, 5.0, 6.0];
        assert_eq!(rule.read(&curve), Some(choose(rule, &curve).0));
        assert_eq!(rule.read(&[]), None);
    }
}

#[test]
fn a_few_points_are_enough_for_every_rule() {
    for rule in RULES {
        assert_eq!(rule.read(&[3.0]), Some(0));
        assert_eq!(rule.read(&[3.0, 2.0]), Some(1));
        assert_eq!(rule.read(&[f64::NAN]), Some(0));
    }
    assert_eq!(Rule::OnTheFly.read(&[1.0, 2.0, 3.0]), Some(1));
}

#[test]
fn small_bandwidths_are_not_computed_without_need() {
    let curve = [0.0, 5.0, 4.0, 3.0, 1.0, 3.0, 4.0, 5.0, 4.0, 3.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let computed = |rule| choose(rule, &curve).1.iter().position(|computed| *computed);
    assert_eq!([Rule::Text, Rule::OnTheFly].map(computed), [Some(7), Some(8)]);
}

#[test]
fn rules_are_known_by_their_names() {
    for ((name, _), rule) in Rule::NAMES.into_iter().zip(RULES) {
        assert_eq!(name.parse(), Ok(rule));
        assert_eq!(serde_json::to_value(rule).unwrap(), name);
    }
    assert!("stable".parse::<Rule>().unwrap_err().to_string().contains("on-the-fly"));
}
