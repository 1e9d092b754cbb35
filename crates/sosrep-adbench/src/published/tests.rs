//! Laws of the claims: a verdict follows the runs, and without runs there is none.

use super::*;
use crate::run::Status;
use crate::statistics::tests::{copied, done, ended};

/// The first verdict on the claim that has these words.
fn verdict(words: &str, runs: &[Run], gradients: &[NegativeShares]) -> Verdict {
    let claim = claims().iter().find(|claim| claim.text.contains(words)).unwrap();
    claim.verdicts(&Evidence { runs, gradients }).remove(0)
}

fn agreement(words: &str, runs: &[Run]) -> Agreement {
    verdict(words, runs, &[]).agreement
}

/// Ours and three others on one data set.
fn field(ours: f64, duplicates: usize) -> Vec<Run> {
    let others = [("IForest", 0.8), ("KNN", 0.6), ("LOF", 0.5)];
    let run = |(method, auc)| copied(done(method, "6_cardio", 1, auc), duplicates);
    others.into_iter().chain([(PAPER, ours)]).map(run).collect()
}

#[test]
fn without_runs_nothing_is_measured() {
    let evidence = Evidence { runs: &[], gradients: &[] };
    for claim in claims() {
        for verdict in claim.verdicts(&evidence) {
            assert_eq!(verdict.agreement, Agreement::NotMeasured, "{}", claim.text);
        }
    }
    // Alone on the board is no place either.
    let alone = [done(PAPER, "6_cardio", 1, 0.9)];
    assert_eq!(agreement("by mean AUC-ROC", &alone), Agreement::NotMeasured);
    let failed = [ended(PAPER, "6_cardio", Status::Failed), done("KNN", "6_cardio", 1, 0.9)];
    assert_eq!(agreement("by mean rank", &failed), Agreement::NotMeasured);
}

#[test]
fn a_place_decides_and_is_told() {
    for words in ["by mean AUC-ROC", "by mean rank"] {
        for (ours, place, agrees) in [(0.9, 1, true), (0.7, 2, true), (0.55, 3, false)] {
            let verdict = verdict(words, &field(ours, 1), &[]);
            assert_eq!(verdict.agreement == Agreement::Agrees, agrees, "{}", verdict.sentence);
            assert!(verdict.sentence.contains(&format!("number {place} of 4")), "{verdict:?}");
        }
    }
}

#[test]
fn our_two_configurations_do_not_compete() {
    let mut runs = field(0.7, 1);
    runs.push(done(DEFAULT, "6_cardio", 1, 0.75));
    let claim = claims()[0].verdicts(&Evidence { runs: &runs, gradients: &[] });
    assert!(claim.iter().all(|verdict| verdict.sentence.contains("number 2 of 4")), "{claim:?}");
}

#[test]
fn the_figures_with_copied_anomalies_decide() {
    let cases = [
        ("has the best mean", 0.81, 0.79),
        ("is 0.716", 0.72, 0.75),
        ("leads by 4 points", 0.84, 0.83),
    ];
    for (words, agrees, differs) in cases {
        assert_eq!(agreement(words, &field(agrees, 5)), Agreement::Agrees, "{words}");
        assert_eq!(agreement(words, &field(differs, 5)), Agreement::DoesNotAgree, "{words}");
        assert_eq!(agreement(words, &field(agrees, 1)), Agreement::NotMeasured, "{words}");
    }
    let behind = verdict("leads by 4 points", &field(0.7, 5), &[]).sentence;
    assert!(behind.starts_with("It is 10.0 points behind IForest, on 1 data set"), "{behind}");
}

#[test]
fn a_loss_is_relative_to_the_mean_without_copies() {
    let mut runs = field(0.8, 1);
    runs.extend(field(0.79, 6));
    let verdict = verdict("loses less than 2 %", &runs, &[]);
    assert_eq!(verdict.agreement, Agreement::Agrees);
    assert!(verdict.sentence.contains("falls by 1.2 %"), "{}", verdict.sentence);
    runs.truncate(4);
    runs.extend(field(0.7, 6));
    assert_eq!(agreement("loses less than 2 %", &runs), Agreement::DoesNotAgree);

    // The baselines have lost nothing, then a sixth.
    let words = "median loss of unsupervised";
    assert_eq!(agreement(words, &runs), Agreement::DoesNotAgree);
    let others = |run: &mut Run| {
        run.auc_roc = run.auc_roc.filter(|_| run.duplicates == 6).map(|v| v * 0.83).or(run.auc_roc);
    };
    runs.iter_mut().for_each(others);
    assert_eq!(agreement(words, &runs), Agreement::Agrees);
}

#[test]
fn minutes_are_those_of_one_run_of_each_data_set() {
    let hours = |seconds| Run { fit_seconds: Some(seconds), ..done(PAPER, "6_cardio", 1, 0.5) };
    let second = Run { seed: 2, ..hours(600.0) };
    let verdict = verdict("186 minutes", &[hours(1800.0), second], &[]);
    assert!(verdict.sentence.contains("takes 20.02 minutes"), "{}", verdict.sentence);
    assert_eq!(verdict.agreement, Agreement::Agrees);
    assert_eq!(agreement("186 minutes", &[hours(20_000.0)]), Agreement::DoesNotAgree);
}

#[test]
fn gradients_are_judged_by_their_worst_data_set_and_by_shuttle() {
    let shares = |data_set: &str, natural, standard| NegativeShares {
        data_set: data_set.to_string(),
        start: 0.01,
        natural,
        standard,
    };
    let good = [shares("6_cardio", 0.01, 0.3), shares("32_shuttle", 0.01, 0.7)];
    let bad = [shares("6_cardio", 0.2, 0.3), shares("32_shuttle", 0.01, 0.1)];
    for words in ["keeps the share", "about 70 %"] {
        assert_eq!(verdict(words, &[], &good).agreement, Agreement::Agrees);
        assert_eq!(verdict(words, &[], &bad).agreement, Agreement::DoesNotAgree);
    }
    assert!(verdict("keeps the share", &[], &bad).sentence.contains("6_cardio"));
    assert_eq!(verdict("about 70 %", &[], &good[..1]).agreement, Agreement::NotMeasured);
}

#[test]
fn a_few_data_sets_are_not_none_and_not_half() {
    let names = ["4_breastw", "6_cardio", "14_glass", "47_yeast"];
    let runs = |behind: usize| -> Vec<Run> {
        let of = |(i, name): (usize, &&str)| {
            let gaussian = if i < behind { 0.6 } else { 0.79 };
            let values = [0.8, 0.78, gaussian];
            let pairs = KERNELS.iter().zip(values);
            pairs.map(|(method, auc)| done(method, name, 1, auc)).collect::<Vec<Run>>()
        };
        names.iter().enumerate().flat_map(of).collect()
    };
    let outcome = |behind| agreement("Gaussian kernel underperforms", &runs(behind));
    assert_eq!(outcome(0), Agreement::DoesNotAgree);
    assert_eq!(outcome(1), Agreement::Agrees);
    assert_eq!(outcome(2), Agreement::DoesNotAgree);
}

#[test]
fn a_data_set_that_is_missing_is_in_the_sentence() {
    let mut runs = field(0.7, 1);
    runs.push(done("KNN", "14_glass", 1, 0.5));
    let sentence = verdict("by mean AUC-ROC", &runs, &[]).sentence;
    assert!(sentence.contains("on 1 of 2 data sets;"), "{sentence}");
}
