"""Scores of the training rows, and assessments: scores, p-values and labels from one pass."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.testing import assert_array_equal

from sosrep import SobolevDetector

from .common import assert_same_bits, every_kernel, normal_rows

ROWS = normal_rows(200, 3)
NEW = 2.0 * normal_rows(50, 3, seed=1)


@every_kernel
def test_there_is_a_training_score_and_p_value_for_each_row(kernel: str) -> None:
    fitted = SobolevDetector(kernel).fit(ROWS)
    scores, p_values = fitted.training_scores_, fitted.training_p_values_
    assert scores.shape == p_values.shape == (200,)
    assert scores.dtype == p_values.dtype == np.float64
    assert np.isfinite(scores).all()
    assert (p_values >= 1 / 201).all() and (p_values <= 1).all()


@every_kernel
def test_p_values_follow_the_training_scores(kernel: str) -> None:
    fitted = SobolevDetector(kernel).fit(ROWS)
    by_score = np.argsort(fitted.training_scores_)
    assert (np.diff(fitted.training_p_values_[by_score]) >= 0).all()


@every_kernel
def test_fit_predict_flags_the_share_that_was_asked_for(kernel: str) -> None:
    labels = SobolevDetector(kernel, contamination=0.05).fit_predict(ROWS)
    assert (labels == -1).sum() == 10 and (labels == 1).sum() == 190


def test_fit_predict_is_the_labels_of_the_training_scores() -> None:
    detector = SobolevDetector()
    labels = detector.fit_predict(ROWS)
    np.testing.assert_array_equal(labels == -1, detector.training_scores_ < detector.offset_)
    assert set(labels) == {1, -1}


def test_fit_predict_takes_weights() -> None:
    weights = np.random.default_rng(0).integers(1, 4, size=len(ROWS)).astype(float)
    labels = SobolevDetector().fit_predict(ROWS, sample_weight=weights)
    fitted = SobolevDetector().fit(ROWS, sample_weight=weights)
    np.testing.assert_array_equal(labels == -1, fitted.training_scores_ < fitted.offset_)


def test_a_second_fit_replaces_the_training_scores() -> None:
    detector = SobolevDetector().fit(ROWS)
    detector.fit(NEW)
    assert_same_bits(detector.training_scores_, SobolevDetector().fit(NEW).training_scores_)


def test_the_order_of_the_rows_is_that_of_the_training_scores() -> None:
    order = np.random.default_rng(0).permutation(len(ROWS))
    scores = SobolevDetector().fit(ROWS).training_scores_
    assert_same_bits(SobolevDetector().fit(ROWS[order]).training_scores_, scores[order])


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_keeps_the_training_scores(protocol: int) -> None:
    fitted = SobolevDetector().fit(ROWS)
    copied = pickle.loads(pickle.dumps(fitted, protocol))
    assert_same_bits(copied.training_scores_, fitted.training_scores_)
    assert_same_bits(copied.training_p_values_, fitted.training_p_values_)


@every_kernel
@pytest.mark.parametrize("contamination", ["auto", 0.1])
def test_an_assessment_is_the_score_the_p_value_and_the_label(
    kernel: str, contamination: Any
) -> None:
    fitted = SobolevDetector(kernel, contamination=contamination).fit(ROWS)
    assessment = fitted.assess(NEW)
    assert_same_bits(assessment.anomaly_score, -fitted.score_samples(NEW))
    assert_same_bits(assessment.p_value, fitted.p_value(NEW))
    assert_same_bits(assessment.is_anomaly, fitted.predict(NEW) == -1)


def test_an_assessment_checks_its_rows() -> None:
    fitted = SobolevDetector().fit(ROWS)
    with pytest.raises(ValueError, match="X has 2 features"):
        fitted.assess(NEW[:, :2])
    with pytest.raises(ValueError, match="not fitted yet"):
        SobolevDetector().assess(NEW)


def test_a_false_discovery_rate_is_the_procedure_of_scipy() -> None:
    random = np.random.default_rng(3)
    detector = SobolevDetector().fit(random.normal(size=(400, 3)))
    new = np.vstack([random.normal(size=(40, 3)), random.normal(6.0, 1.0, size=(10, 3))])
    p_values = detector.p_value(new)
    for rate in (0.02, 0.1, 0.5):
        found = detector.assess(new, fdr=rate)
        assert_array_equal(found.is_anomaly, scipy.stats.false_discovery_control(p_values) <= rate)
        assert_array_equal(found.p_value, p_values)
    assert found.is_anomaly[40:].all()
    with pytest.raises(ValueError, match="fdr is 1; it must be above 0 and below 1"):
        detector.assess(new, fdr=1.0)


def test_rows_without_a_score_are_no_discoveries() -> None:
    random = np.random.default_rng(4)
    detector = SobolevDetector().fit(random.normal(size=(300, 2)))
    new = np.array([[0.0, 0.0], [np.nan, 0.0], [9.0, 9.0], [-9.0, 9.0]])
    assert detector.assess(new, fdr=0.1).is_anomaly.tolist() == [False, False, True, True]
