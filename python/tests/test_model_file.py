"""Model files: read to the bit, written complete or not at all, of one kind of model each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from sosrep import KDE, SobolevDensity, SobolevDetector

from .common import assert_same_bits, every_estimator, functions_of_rows, normal_rows

ROWS = normal_rows(40, 3)
NEW = normal_rows(10, 3, seed=1)
ESTIMATORS = (SobolevDensity, SobolevDetector, KDE)

every_class = pytest.mark.parametrize("estimator", ESTIMATORS)


@every_estimator
def test_a_loaded_model_gives_the_same_bits(make: Any, tmp_path: Path) -> None:
    fitted = make().fit(ROWS)
    fitted.save(tmp_path / "model.sosrep")
    loaded = type(fitted).load(tmp_path / "model.sosrep")
    assert loaded.n_features_in_ == 3
    for name, function in functions_of_rows(fitted).items():
        assert_same_bits(getattr(loaded, name)(NEW), function(NEW))


def test_a_loaded_detector_has_the_parameters_of_its_fit(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("kernel", ["product", "sdo", "laplacian", "gaussian"])
@pytest.mark.parametrize("estimator", [SobolevDensity, KDE])
def test_a_loaded_density_has_its_kernel_and_bandwidth(
    estimator: Any, kernel: str, tmp_path: Path
) -> None:
    fitted = estimator(kernel, 0.7).fit(ROWS)
    fitted.save(tmp_path / "model")
    loaded = estimator.load(tmp_path / "model")
    assert (loaded.kernel, loaded.bandwidth) == (kernel, 0.7)
    assert_same_bits(clone(loaded).fit(ROWS).score_samples(NEW), fitted.score_samples(NEW))


def test_a_loaded_density_draws_the_same_rows(tmp_path: Path) -> None:
    fitted = SobolevDensity("sdo", "likelihood", grid=[0.3, 0.9]).fit(ROWS)
    fitted.save(tmp_path / "model")
    loaded = SobolevDensity.load(tmp_path / "model")
    assert loaded.bandwidth == loaded.bandwidth_ == fitted.bandwidth_
    assert_same_bits(loaded.sample(5, random_state=1), fitted.sample(5, random_state=1))
    assert loaded.fit_report_ == fitted.fit_report_


def test_sampled_frequencies_from_a_file_have_no_bandwidth(tmp_path: Path) -> None:
    SobolevDensity("sdo-sampled", 0.7).fit(ROWS).save(tmp_path / "model")
    loaded = SobolevDensity.load(tmp_path / "model")
    assert loaded.kernel == "sdo-sampled" and not hasattr(loaded, "bandwidth_")
    with pytest.raises(AttributeError, match="holds its frequencies and not its bandwidth"):
        loaded.bandwidth_


def test_a_loaded_detector_has_no_training_scores(tmp_path: Path) -> None:
    SobolevDetector().fit(ROWS).save(tmp_path / "model")
    loaded = SobolevDetector.load(tmp_path / "model")
    for name in ("training_scores_", "training_p_values_"):
        with pytest.raises(AttributeError, match="fit the detector, or store it with pickle"):
            getattr(loaded, name)


@every_class
def test_a_loaded_model_is_saved_again_byte_for_byte(estimator: Any, tmp_path: Path) -> None:
    estimator().fit(ROWS).save(tmp_path / "first")
    estimator.load(str(tmp_path / "first")).save(str(tmp_path / "second"))
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


@every_class
def test_saving_follows_a_link_and_keeps_permissions(estimator: Any, tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    estimator().fit(ROWS).save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600
    estimator.load(tmp_path / "real")


@every_class
def test_a_folder_that_does_not_exist_is_named(estimator: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        estimator().fit(ROWS).save(tmp_path / "nowhere" / "model.sosrep")


@every_class
def test_a_model_without_a_fit_is_not_saved(estimator: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not fitted yet"):
        estimator().save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


KINDS = {"SobolevDensity": "density", "SobolevDetector": "detector", "KDE": "kernel density estimate"}


@pytest.mark.parametrize("reader", ESTIMATORS)
@pytest.mark.parametrize("writer", ESTIMATORS)
def test_a_file_of_another_kind_names_the_class_that_loads_it(
    writer: Any, reader: Any, tmp_path: Path
) -> None:
    path = tmp_path / "model.sosrep"
    writer().fit(ROWS).save(path)
    if writer is reader:
        reader.load(path)
        return
    with pytest.raises(ValueError) as caught:
        reader.load(path)
    found, expected = KINDS[writer.__name__], KINDS[reader.__name__]
    assert str(caught.value) == (
        f"{path}: not a readable model: it holds a {found}, not a {expected}; "
        f"load it with {writer.__name__}.load"
    )


def test_a_file_can_be_read_without_sosrep(tmp_path: Path) -> None:
    """The layout of docs/model-file.md, read by hand, and the sum that defines the estimate."""
    fitted = KDE("gaussian", 0.7).fit(ROWS)
    fitted.save(tmp_path / "model")
    header, arrays = read_safetensors(tmp_path / "model")
    bandwidth = header["bandwidth"] * np.sqrt(3)
    sq_dist = ((NEW[:, None] - arrays["support"]) ** 2).sum(axis=2) / bandwidth**2
    log_normalizer = 3 * np.log(bandwidth * np.sqrt(2 * np.pi))
    expected = np.log(np.exp(-sq_dist / 2) @ arrays["alpha"]) - log_normalizer
    # Sums of 40 terms in f64.
    np.testing.assert_allclose(fitted.score_samples(NEW), expected, rtol=1e-10)


def read_safetensors(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    content = path.read_bytes()
    length = 8 + int.from_bytes(content[:8], "little")
    contents = json.loads(content[8:length])
    header = json.loads(contents.pop("__metadata__")["sosrep"])
    arrays = {}
    for name, entry in contents.items():
        begin, end = (length + offset for offset in entry["data_offsets"])
        arrays[name] = np.frombuffer(content[begin:end], dtype="<f8").reshape(entry["shape"])
    return header, arrays


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
