"""The estimators are scikit-learn's, by its own checks and in its company."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_outlier_detector
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sosrep import KDE, SobolevDensity, SobolevDetector

from .common import (
    KERNELS,
    KERNELS_WITH_INTEGRAL,
    assert_same_bits,
    every_estimator,
    normal_rows,
)

ESTIMATORS = [
    SobolevDensity(),
    SobolevDetector(),
    KDE(),
    SobolevDetector(contamination=0.1),
    *(SobolevDensity(kernel=kernel) for kernel in KERNELS[1:]),
    *(SobolevDetector(kernel=kernel) for kernel in KERNELS[1:]),
    *(KDE(kernel=kernel) for kernel in KERNELS_WITH_INTEGRAL[1:]),
]


# Checks of scikit-learn that do not apply skip themselves; none is expected to fail.
@parametrize_with_checks(ESTIMATORS)
def test_the_checks_of_scikit_learn_pass(estimator: Any, check: Any) -> None:
    check(estimator)


@every_estimator
def test_a_pipeline_is_the_estimator_on_transformed_rows(make: Any) -> None:
    rows, new = 100.0 + normal_rows(60, 3), 100.0 + normal_rows(10, 3, seed=1)
    pipeline = make_pipeline(StandardScaler(), make()).fit(rows)
    scaler = StandardScaler().fit(rows)
    alone = make().fit(scaler.transform(rows))
    assert_same_bits(pipeline.score_samples(new), alone.score_samples(scaler.transform(new)))


@pytest.mark.parametrize("estimator", [SobolevDensity("sdo"), KDE("gaussian")], ids=repr)
def test_a_grid_search_finds_the_bandwidth_of_greatest_likelihood(estimator: Any) -> None:
    rows = normal_rows(90, 2)
    bandwidths = [0.02, 0.3, 5.0]
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(estimator, {"bandwidth": bandwidths}, cv=folds).fit(rows)
    by_hand = [
        np.mean(
            [
                clone(estimator)
                .set_params(bandwidth=bandwidth)
                .fit(rows[train])
                .score_samples(rows[test])
                .sum()
                for train, test in folds.split(rows)
            ]
        )
        for bandwidth in bandwidths
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_hand, rtol=1e-12)
    assert search.best_params_["bandwidth"] == bandwidths[int(np.argmax(by_hand))]


def test_a_grid_search_reaches_into_a_pipeline() -> None:
    pipeline = Pipeline([("scale", StandardScaler()), ("density", SobolevDensity("sdo"))])
    search = GridSearchCV(pipeline, {"density__bandwidth": [0.02, 0.3]}, cv=3)
    search.fit(1e6 * normal_rows(60, 2))
    assert search.best_estimator_["density"].bandwidth == 0.3


def test_cross_validation_scores_held_out_rows() -> None:
    rows = normal_rows(60, 2)
    folds = KFold(3)
    scores = cross_val_score(SobolevDensity(), rows, cv=folds)
    expected = [SobolevDensity().fit(rows[a]).score(rows[b]) for a, b in folds.split(rows)]
    np.testing.assert_array_equal(scores, expected)


def test_names_survive_a_column_transformer() -> None:
    frame = load_iris(as_frame=True).data
    scaling = ColumnTransformer(
        [("standard", StandardScaler(), list(frame.columns[:2]))],
        remainder=MinMaxScaler(),
        verbose_feature_names_out=False,
    )
    pipeline = make_pipeline(scaling, SobolevDetector()).set_output(transform="pandas").fit(frame)
    assert list(pipeline[-1].feature_names_in_) == list(frame.columns)
    assert set(pipeline.predict(frame)) == {1, -1}


@every_estimator
def test_a_clone_has_the_parameters_and_no_fit(make: Any) -> None:
    fitted = make(n_jobs=2).fit(normal_rows(20, 2))
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not copy.__sklearn_is_fitted__()
    assert_same_bits(
        copy.fit(normal_rows(20, 2)).score_samples(normal_rows(5, 2)),
        fitted.score_samples(normal_rows(5, 2)),
    )


@pytest.mark.parametrize("estimator", [SobolevDensity(), SobolevDetector(), KDE()], ids=repr)
def test_other_processes_give_the_same_bits(estimator: Any) -> None:
    rows, new = normal_rows(60, 3), normal_rows(40, 3, seed=1)
    estimator = clone(estimator).fit(rows)
    parts = joblib.Parallel(n_jobs=2)(
        joblib.delayed(estimator.score_samples)(part) for part in np.array_split(new, 4)
    )
    assert_same_bits(np.concatenate(parts), estimator.score_samples(new))


def test_weights_are_routed_through_a_pipeline() -> None:
    rows, weights = normal_rows(40, 2), np.random.default_rng(0).uniform(size=40)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        density = SobolevDensity().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler, density).fit(rows, sample_weight=weights)
    scaled = StandardScaler().fit_transform(rows)
    alone = SobolevDensity().fit(scaled, sample_weight=weights)
    assert_same_bits(pipeline.score_samples(rows), alone.score_samples(scaled))


def test_a_detector_calls_itself_one() -> None:
    assert is_outlier_detector(SobolevDetector())
    assert not is_outlier_detector(SobolevDensity())
