"""The detector among PyOD's."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyod.models.knn import KNN
from pyod.models.lscp import LSCP
from pyod.utils.data import generate_data
from pyod.utils.utility import standardizer
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from sosrep import SobolevDetector
from sosrep.pyod import SOSREP

from .common import KERNELS, assert_same_bits

X_TRAIN, X_TEST, Y_TRAIN, Y_TEST = generate_data(
    n_train=200, n_test=100, n_features=3, contamination=0.1, random_state=42
)
#: What PyOD asks of each of its own models.
LEAST_ROC = 0.8


@pytest.fixture(params=KERNELS)
def model(request: pytest.FixtureRequest) -> SOSREP:
    return SOSREP(contamination=0.1, kernel=request.param).fit(X_TRAIN)


# PyOD's pattern ---------------------------------------------------------------------------------


def test_a_fit_leaves_what_pyod_promises(model: SOSREP) -> None:
    assert model.decision_scores_.shape == model.labels_.shape == (200,)
    assert model.threshold_ == np.percentile(model.decision_scores_, 90)
    np.testing.assert_array_equal(model.labels_, model.decision_scores_ > model.threshold_)
    assert model.labels_.sum() == 20
    for name in ("_mu", "_sigma", "_classes"):
        assert getattr(model, name) is not None


def test_the_training_scores_are_those_of_the_detector(model: SOSREP) -> None:
    detector = SobolevDetector(model.kernel, contamination=0.1).fit(X_TRAIN)
    assert_same_bits(model.decision_scores_, -detector.training_scores_)
    np.testing.assert_array_equal(model.labels_, detector.training_scores_ < detector.offset_)


def test_anomalies_are_found(model: SOSREP) -> None:
    assert roc_auc_score(Y_TRAIN, model.decision_scores_) >= LEAST_ROC
    assert roc_auc_score(Y_TEST, model.decision_function(X_TEST)) >= LEAST_ROC


def test_labels_are_zero_and_one(model: SOSREP) -> None:
    labels = model.predict(X_TEST)
    np.testing.assert_array_equal(labels, model.decision_function(X_TEST) > model.threshold_)
    assert labels.shape == Y_TEST.shape and set(labels) == {0, 1}


@pytest.mark.parametrize("method", ["linear", "unify"])
def test_probabilities_are_between_zero_and_one(model: SOSREP, method: str) -> None:
    probability = model.predict_proba(X_TEST, method=method)
    assert probability.shape == (100, 2)
    assert (probability >= 0).all() and (probability <= 1).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    order = np.argsort(model.decision_function(X_TEST))
    assert (np.diff(probability[order, 1]) >= 0).all()


def test_an_unknown_kind_of_probability_is_refused(model: SOSREP) -> None:
    with pytest.raises(ValueError, match="something"):
        model.predict_proba(X_TEST, method="something")


def test_confidence_is_between_zero_and_one(model: SOSREP) -> None:
    labels, confidence = model.predict(X_TEST, return_confidence=True)
    np.testing.assert_array_equal(labels, model.predict(X_TEST))
    np.testing.assert_array_equal(confidence, model.predict_confidence(X_TEST))
    assert confidence.shape == (100,) and (confidence >= 0).all() and (confidence <= 1).all()


@pytest.mark.filterwarnings("ignore:The cost of rejection")
def test_rejection_leaves_three_kinds_of_label(model: SOSREP) -> None:
    assert set(model.predict_with_rejection(X_TEST)) <= {-2, 0, 1}


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_fit_predict_gives_the_labels_of_the_fit(model: SOSREP) -> None:
    np.testing.assert_array_equal(clone(model).fit_predict(X_TRAIN), model.labels_)


def test_ranks_follow_the_scores(model: SOSREP) -> None:
    ranks = model._predict_rank(X_TEST)
    scores = model.decision_function(X_TEST)
    expected = [(model.decision_scores_ < score).sum() for score in scores]
    np.testing.assert_array_equal(ranks, expected)
    normalized = model._predict_rank(X_TEST, normalized=True)
    np.testing.assert_allclose(normalized, ranks / ranks.max())


def test_a_clone_has_the_parameters_and_no_fit(model: SOSREP) -> None:
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "detector_")
    assert_same_bits(copy.fit(X_TRAIN).decision_scores_, model.decision_scores_)


def test_a_pickle_gives_the_same_bits(model: SOSREP) -> None:
    copy = pickle.loads(pickle.dumps(model))
    assert_same_bits(copy.decision_function(X_TEST), model.decision_function(X_TEST))
    assert_same_bits(copy.predict(X_TEST), model.predict(X_TEST))


def test_a_model_without_a_fit_says_so() -> None:
    for use in (SOSREP().decision_function, SOSREP().predict, SOSREP().p_value, SOSREP().explain):
        with pytest.raises(NotFittedError):
            use(X_TEST)


# The same detector ------------------------------------------------------------------------------


def test_scores_are_those_of_the_detector_with_the_other_sign(model: SOSREP) -> None:
    detector = SobolevDetector(model.kernel, contamination=0.1).fit(X_TRAIN)
    assert_same_bits(model.decision_function(X_TEST), -detector.score_samples(X_TEST))
    # 1 and -1 here are 0 and 1 there.
    np.testing.assert_array_equal(model.predict(X_TEST), (1 - detector.predict(X_TEST)) // 2)
    assert model.threshold_ == pytest.approx(-detector.offset_, rel=1e-12)


def test_reasons_and_p_values_are_those_of_the_detector() -> None:
    model = SOSREP().fit(X_TRAIN)
    detector = SobolevDetector(contamination=0.1).fit(X_TRAIN)
    assert_same_bits(model.explain(X_TEST[:9]), detector.explain(X_TEST[:9]))
    assert_same_bits(model.p_value(X_TEST), detector.p_value(X_TEST))
    pd.testing.assert_frame_equal(
        model.explain(X_TEST[:9], as_frame=True), detector.explain(X_TEST[:9], as_frame=True)
    )


def test_the_parameters_are_those_of_the_detector() -> None:
    of_detector = inspect.signature(SobolevDetector).parameters
    of_model = inspect.signature(SOSREP).parameters
    assert next(iter(of_model)) == "contamination"
    assert of_model["contamination"].default == 0.1
    assert set(of_model) == set(of_detector)
    for name in set(of_detector) - {"contamination"}:
        assert of_model[name].default == of_detector[name].default, name


def test_parameters_reach_the_detector() -> None:
    given = {"contamination": 0.2, "kernel": "sdo", "bandwidth": 0.7, "trim": 0.1, "n_jobs": 1}
    model = SOSREP().set_params(**given).fit(X_TRAIN)
    assert model.detector_.get_params() == SobolevDetector(**given).get_params()
    assert model.detector_.bandwidth_ == 0.7


def test_a_frame_keeps_its_names() -> None:
    frame = pd.DataFrame(X_TRAIN, columns=["a", "b", "c"])
    model = SOSREP().fit(frame)
    assert_same_bits(model.decision_scores_, SOSREP().fit(X_TRAIN).decision_scores_)
    assert set(model.explain(frame[:2], as_frame=True)["feature"]) == {"a", "b", "c"}


# Thresholds -------------------------------------------------------------------------------------


class AboveTheMean:
    """A thresholder with the interface of PyThresh."""

    def fit(self, scores: Any) -> AboveTheMean:
        self.thresh_ = float(np.mean(scores))
        self.labels_ = self.predict(scores)
        return self

    def predict(self, scores: Any) -> Any:
        return (scores > self.thresh_).astype(int)


def test_a_thresholder_decides_from_the_scores() -> None:
    model = SOSREP(contamination=AboveTheMean()).fit(X_TRAIN)
    np.testing.assert_array_equal(
        model.labels_, model.decision_scores_ > model.decision_scores_.mean()
    )
    scores = model.decision_function(X_TEST)
    np.testing.assert_array_equal(model.predict(X_TEST), scores > model.decision_scores_.mean())


def test_a_contamination_that_is_none_is_refused() -> None:
    for contamination in (0.0, 0.6, -1.0):
        with pytest.raises(ValueError, match="contamination"):
            SOSREP(contamination=contamination)
    with pytest.raises((TypeError, ValueError), match="contamination is 'some'"):
        SOSREP(contamination="some").fit(X_TRAIN)


# Ensembles --------------------------------------------------------------------------------------

# PyOD does not depend on the packages that its ensembles need.


def test_an_average_with_another_model_finds_anomalies() -> None:
    pytest.importorskip("combo")
    from pyod.models.combination import average

    models = [SOSREP().fit(X_TRAIN), KNN().fit(X_TRAIN)]
    train = np.column_stack([model.decision_scores_ for model in models])
    test = np.column_stack([model.decision_function(X_TEST) for model in models])
    _, standard = standardizer(train, test)
    np.testing.assert_allclose(average(standard), standard.mean(axis=1))
    assert roc_auc_score(Y_TEST, average(standard)) >= LEAST_ROC


def test_bags_of_features_find_anomalies() -> None:
    pytest.importorskip("combo")
    from pyod.models.feature_bagging import FeatureBagging

    ensemble = FeatureBagging(base_estimator=SOSREP(), n_estimators=4, random_state=0).fit(X_TRAIN)
    assert all(isinstance(member, SOSREP) for member in ensemble.estimators_)
    assert roc_auc_score(Y_TEST, ensemble.decision_function(X_TEST)) >= LEAST_ROC


@pytest.mark.filterwarnings("ignore")
def test_a_local_combination_finds_anomalies() -> None:
    ensemble = LSCP([SOSREP(), SOSREP(kernel="sdo"), KNN()], random_state=0).fit(X_TRAIN)
    assert roc_auc_score(Y_TEST, ensemble.decision_function(X_TEST)) >= LEAST_ROC


@pytest.mark.filterwarnings("ignore")
def test_an_accelerated_ensemble_finds_anomalies() -> None:
    pytest.importorskip("combo")
    pytest.importorskip("suod")
    from pyod.models.suod import SUOD

    members = [SOSREP(), KNN()]
    ensemble = SUOD(members, n_jobs=1, rp_flag_global=False, approx_flag_global=False).fit(X_TRAIN)
    assert roc_auc_score(Y_TEST, ensemble.decision_function(X_TEST)) >= LEAST_ROC
