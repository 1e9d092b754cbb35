"""Copies of estimators: to the bit, with nothing in them but the model, and no way to harm."""

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
from sklearn.base import clone

from sosrep import KDE, SobolevDensity, SobolevDetector

from .common import assert_same_bits, every_estimator, functions_of_rows, normal_rows

ROWS = normal_rows(40, 3)
NEW = normal_rows(10, 3, seed=1)


def through_joblib(fitted: Any) -> Any:
    buffer = io.BytesIO()
    joblib.dump(fitted, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


COPIES = {
    **{
        f"pickle {protocol}": lambda fitted, protocol=protocol: pickle.loads(
            pickle.dumps(fitted, protocol)
        )
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
    "joblib": through_joblib,
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


def test_a_saved_model_is_loaded_to_the_bit(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    fitted = SobolevDetector(
        "sdo", contamination=0.1, trim=0.2, scaling="robust", clip=3.0, max_rows=30, random_state=5
    ).fit(frame)
    fitted.save(tmp_path / "model.sosrep")
    loaded = SobolevDetector.load(tmp_path / "model.sosrep")
    for name, function in functions_of_rows(fitted).items():
        assert_same_bits(getattr(loaded, name)(frame), function(frame))
    assert loaded.get_params() == fitted.get_params()
    assert_same_bits(clone(loaded).fit(frame).score_samples(frame), fitted.score_samples(frame))
    assert list(loaded.feature_names_in_) == ["a", "b", "c"]
    assert not clone(loaded).__sklearn_is_fitted__()


def test_a_saved_model_is_saved_again_byte_for_byte(tmp_path: Path) -> None:
    SobolevDetector().fit(ROWS).save(tmp_path / "first")
    SobolevDetector.load(str(tmp_path / "first")).save(str(tmp_path / "second"))
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_saving_follows_a_link_and_keeps_permissions(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    SobolevDetector().fit(ROWS).save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600
    SobolevDetector.load(tmp_path / "real")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        SobolevDetector().fit(ROWS).save(tmp_path / "nowhere" / "model.sosrep")


def test_a_subclass_may_have_parameters_of_its_own(tmp_path: Path) -> None:
    class Few(SobolevDetector):
        def __init__(self, contamination: float = 0.1, colour: str = "red") -> None:
            super().__init__(contamination=contamination)
            self.colour = colour

    fitted = Few(0.2).fit(ROWS)
    fitted.save(tmp_path / "few")
    loaded = Few.load(tmp_path / "few")
    assert (loaded.contamination, loaded.colour) == (0.2, "red")
    assert_same_bits(loaded.score_samples(NEW), fitted.score_samples(NEW))
    assert_same_bits(
        SobolevDetector(contamination=0.2).fit(ROWS).decision_function(NEW),
        fitted.decision_function(NEW),
    )


# What is inside ---------------------------------------------------------------------------------


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
def test_a_pickle_asks_for_names_of_sosrep_only(make: Any, protocol: int) -> None:
    recorder = Recorder(pickle.dumps(make().fit(ROWS), protocol))
    recorder.load()
    foreign = {name for name in recorder.names if not name.startswith("sosrep.")}
    # A static method is asked for by its class and its name.
    assert foreign <= {"builtins.getattr"}


@every_estimator
def test_a_pickle_holds_the_bytes_of_the_model_and_little_more(make: Any) -> None:
    pickled = pickle.dumps(make().fit(normal_rows(500, 10)))
    arguments = [argument for _, argument, _ in pickletools.genops(pickled)]
    sizes = sorted(len(argument) for argument in arguments if isinstance(argument, (bytes, str)))
    assert sizes[-1] > 1000, "the model"
    assert len(pickled) - sizes[-1] < 2000, "names and parameters"


# Files of strangers -----------------------------------------------------------------------------


class Trap:
    """Leaves a mark on the disk when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


def test_loading_a_model_never_unpickles(tmp_path: Path) -> None:
    mark, path = tmp_path / "mark", tmp_path / "model.sosrep"
    path.write_bytes(pickle.dumps(Trap(mark)))
    with pytest.raises(ValueError, match="not a readable model"):
        SobolevDetector.load(path)
    assert not mark.exists()
    pickle.loads(path.read_bytes())
    assert mark.exists(), "the trap works"


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


def test_the_file_of_one_model_is_not_that_of_another() -> None:
    models = [estimator().fit(ROWS)._model for estimator in (SobolevDensity, SobolevDetector, KDE)]
    for restore, arguments in (model.__reduce__() for model in models):
        for other in models:
            content = other.__reduce__()[1][0]
            if content is not arguments[0] and content != arguments[0]:
                with pytest.raises(ValueError, match="not a readable model"):
                    restore(content, *arguments[1:])
