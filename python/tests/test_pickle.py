"""Copies by pickle, joblib, skops and MLflow: equal to the bit, made of the model file's bytes."""

from __future__ import annotations

import copy
import io
import pickle
import pickletools
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sosrep import KDE, SobolevDensity, SobolevDetector

from .common import assert_same_bits, every_estimator, functions_of_rows, normal_rows

ROWS = normal_rows(40, 3)
NEW = normal_rows(10, 3, seed=1)


def through_joblib(fitted: Any) -> Any:
    buffer = io.BytesIO()
    joblib.dump(fitted, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


def class_name(estimator: Any) -> str:
    return f"{type(estimator).__module__}.{type(estimator).__qualname__}"


def through_skops(fitted: Any) -> Any:
    return skops.io.loads(skops.io.dumps(fitted), trusted=[class_name(fitted)])


COPIES = {
    **{
        f"pickle {protocol}": lambda fitted, protocol=protocol: pickle.loads(
            pickle.dumps(fitted, protocol)
        )
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
    "joblib": through_joblib,
    "skops": through_skops,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", COPIES)
@every_estimator
def test_a_copy_gives_the_same_bits(make: Any, way: str) -> None:
    fitted = make().fit(ROWS)
    copied = COPIES[way](fitted)
    assert type(copied) is type(fitted) and copied.get_params() == fitted.get_params()
    for name, function in functions_of_rows(fitted).items():
        assert_same_bits(getattr(copied, name)(NEW), function(NEW))


@every_estimator
def test_a_copy_shows_the_same_attributes(make: Any) -> None:
    fitted = make().fit(pd.DataFrame(ROWS, columns=["a", "b", "c"]))
    copied = pickle.loads(pickle.dumps(fitted))
    names = [name for name in dir(type(fitted)) if name.endswith("_") and name[0] != "_"]
    assert {"n_features_in_", "feature_names_in_"} <= set(names)
    for name in names:
        np.testing.assert_equal(getattr(copied, name), getattr(fitted, name))


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector])
def test_a_copy_keeps_the_curve_of_the_bandwidth_and_the_draws(estimator: Any) -> None:
    fitted = estimator("sdo", "likelihood", grid=[0.1, 0.5, 2.0]).fit(ROWS)
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_equal(copied.bandwidth_curve_, fitted.bandwidth_curve_)
    assert_same_bits(copied.sample(5, random_state=1), fitted.sample(5, random_state=1))


@every_estimator
def test_an_estimator_without_a_fit_can_be_copied(make: Any) -> None:
    copied = pickle.loads(pickle.dumps(make()))
    assert copied.get_params() == make().get_params()
    assert not copied.__sklearn_is_fitted__()


@every_estimator
def test_skops_asks_for_no_trust_but_in_the_estimator(make: Any) -> None:
    fitted = make().fit(ROWS)
    dumped = skops.io.dumps(make_pipeline(StandardScaler(), fitted))
    assert skops.io.get_untrusted_types(data=dumped) == [class_name(fitted)]


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector, KDE])
@pytest.mark.filterwarnings("ignore")
def test_mlflow_logs_and_loads_a_model_to_the_bit(
    estimator: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # mlflow-skinny has no database, and MLflow asks for consent to a folder in place of one.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    import mlflow.sklearn

    fitted = estimator().fit(ROWS)
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(
            fitted, name="model", pip_requirements=[], skops_trusted_types=[class_name(fitted)]
        )
    loaded = mlflow.sklearn.load_model(logged.model_uri)
    for name, function in functions_of_rows(fitted).items():
        assert_same_bits(getattr(loaded, name)(NEW), function(NEW))


@every_estimator
def test_a_copy_shares_the_model_and_not_the_parameters(make: Any) -> None:
    fitted = make().fit(ROWS)
    copied = copy.copy(fitted).set_params(n_jobs=1)
    assert copied._model is fitted._model and fitted.n_jobs is None


# Content of a pickle ----------------------------------------------------------------------------


class Recorder(pickle.Unpickler):
    """Unpickles and keeps the names it was asked for."""

    def __init__(self, pickled: bytes) -> None:
        super().__init__(io.BytesIO(pickled))
        self.names: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.names.add(f"{module}.{name}")
        return super().find_class(module, name)


@pytest.mark.parametrize("protocol", range(4, pickle.HIGHEST_PROTOCOL + 1))
@every_estimator
def test_a_pickle_imports_the_estimator_and_numpy_only(make: Any, protocol: int) -> None:
    fitted = make().fit(ROWS)
    recorder = Recorder(pickle.dumps(fitted, protocol))
    recorder.load()
    assert {name for name in recorder.names if not name.startswith("numpy.")} == {class_name(fitted)}


@every_estimator
def test_a_pickle_holds_the_model_file_and_training_scores_and_little_more(
    make: Any, tmp_path: Path
) -> None:
    fitted = make().fit(normal_rows(500, 10))
    pickled = pickle.dumps(fitted)
    fitted.save(tmp_path / "model")
    file = (tmp_path / "model").read_bytes()
    assert file in [argument for _, argument, _ in pickletools.genops(pickled)]
    arrays = sum(value.nbytes for value in vars(fitted).values() if isinstance(value, np.ndarray))
    assert len(pickled) - len(file) - arrays < 2000, "names and parameters"


# Hostile content --------------------------------------------------------------------------------


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, created: Path) -> None:
        self.created = created

    def __reduce__(self) -> Any:
        return Path.touch, (self.created,)


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector, KDE])
def test_loading_a_model_never_unpickles(estimator: Any, tmp_path: Path) -> None:
    created, path = tmp_path / "created", tmp_path / "model.sosrep"
    path.write_bytes(pickle.dumps(Trap(created)))
    with pytest.raises(ValueError, match="not a readable model"):
        estimator.load(path)
    assert not created.exists()
    pickle.loads(path.read_bytes())
    assert created.exists(), "the trap works"


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector, KDE])
def test_a_pickle_with_altered_bytes_is_refused(estimator: Any) -> None:
    pickled = pickle.dumps(estimator().fit(ROWS))
    altered = pickled.replace(b'\\"form\\"', b'\\"fork\\"')
    assert altered != pickled
    with pytest.raises(ValueError, match="not a readable model"):
        pickle.loads(altered)


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector, KDE])
def test_any_altered_byte_is_either_refused_or_harmless(estimator: Any) -> None:
    restore, arguments = estimator().fit(ROWS)._model.__reduce__()
    model, rest = arguments[0], arguments[1:]
    random = np.random.default_rng(0)
    for place in random.choice(len(model), size=300, replace=False):
        altered = bytearray(model)
        altered[place] ^= 1 << int(random.integers(8))
        try:
            restored = restore(bytes(altered), *rest)
        except ValueError:
            continue
        options = {"normalized": False} if estimator is SobolevDensity else {}
        score = getattr(restored, "anomaly_score", None) or restored.log_density
        try:
            assert score(NEW, **options).shape == (len(NEW),)
        except ValueError:
            continue


@pytest.mark.parametrize("state", [(), (b"",), ("text",), (b"", 1.0, None, None), 7, {"_model": 7}])
@every_estimator
def test_a_state_that_is_no_model_is_refused(make: Any, state: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        make().__setstate__({"_model": state})


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector, KDE])
def test_a_compiled_model_can_be_pickled_on_its_own(estimator: Any) -> None:
    model = estimator().fit(ROWS)._model
    assert pickle.loads(pickle.dumps(model)).state() == model.state()
