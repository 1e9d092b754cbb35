use super::*;

const GRID: usize = 15;

/// A curve whose divergence by held-out rows is `held_out`, and the reverse by test rows.
fn lines(held_out: [f64; GRID]) -> Vec<CurveLine> {
    let line = |(i, bandwidth): (usize, f64)| CurveLine {
        data_set: "14_glass".to_string(),
        protocol: Protocol::Authors,
        duplicates: 5,
        seed: 3,
        kernel: "sdo".to_string(),
        bandwidth,
        held_out: Some(held_out[i]),
        test: Some(held_out[GRID - 1 - i]),
        // Best at the fourth bandwidth.
        auc_roc: Some(1.0 - 0.01 * (i as f64 - 3.0).abs()),
        average_precision: Some(0.1 * i as f64),
        fitted_rows: 7,
        seconds: 1.0,
        message: String::new(),
    };
    curve::grid().into_iter().enumerate().map(line).collect()
}

fn chosen(found: &[Reading], judge: Judge, rule: &str) -> usize {
    let mut of_rule =
        found.iter().filter(|reading| (reading.judge, &*reading.rule) == (judge, rule));
    let bandwidth = of_rule.next().unwrap().bandwidth;
    curve::grid().iter().position(|other| *other == bandwidth).unwrap()
}

#[test]
fn every_rule_reads_the_curve_of_each_kind_of_rows() {
    let rising: [f64; GRID] = std::array::from_fn(|i| i as f64);
    let found = readings(&lines(rising));
    assert_eq!(found.len(), 2 * Rule::NAMES.len() + 2);
    for (rule, held_out, test) in [("minimum", 0, 14), ("text", 14, 14), ("on-the-fly", 13, 13)] {
        assert_eq!(chosen(&found, Judge::HeldOut, rule), held_out, "{rule}");
        assert_eq!(chosen(&found, Judge::Test, rule), test, "{rule}");
    }
    assert_eq!(chosen(&found, Judge::Test, "fixed"), 6, "0.518 is nearest to 0.52");
    assert_eq!(chosen(&found, Judge::Test, "hindsight"), 3);
    let best = found.iter().find(|reading| reading.rule == "hindsight").unwrap();
    assert_eq!((best.auc_roc, best.seed, best.duplicates), (1.0, 3, 5));
}

#[test]
fn a_curve_with_a_gap_is_not_read_and_a_later_line_replaces_an_earlier_one() {
    let flat = lines([0.0; GRID]);
    assert_eq!(readings(&flat[1..]), []);
    let mut twice = flat.clone();
    let worse = |line| CurveLine { auc_roc: Some(0.5), ..line };
    twice.extend(lines([1.0; GRID]).into_iter().map(worse));
    assert!(readings(&twice).iter().all(|reading| reading.auc_roc == 0.5));
}
