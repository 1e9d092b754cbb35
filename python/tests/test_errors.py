"""Bad input gets an exception with one sentence that names the thing and the remedy.

The file also runs as a program that goes through all cases in one process, to prove that the
interpreter survives them.
"""

from __future__ import annotations

import faulthandler
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse

from sosrep import KDE, SobolevDensity, SobolevDetector

ROWS = np.random.default_rng(0).normal(size=(30, 2))
TEMPORARY = tempfile.TemporaryDirectory(prefix="sosrep-errors-")
FOLDER = Path(TEMPORARY.name)


class Case(NamedTuple):
    """What is done, what it raises, and a piece of the sentence."""

    act: Callable[[], Any]
    exception: type[Exception]
    piece: str


def fit(**parameters: Any) -> Callable[[], Any]:
    return lambda: SobolevDetector(**parameters).fit(ROWS)


def fit_density(**parameters: Any) -> Callable[[], Any]:
    return lambda: SobolevDensity(**parameters).fit(ROWS)


def fit_rows(rows: Any, sample_weight: Any = None) -> Callable[[], Any]:
    return lambda: SobolevDetector().fit(rows, sample_weight=sample_weight)


def fit_numbers(rows: Any) -> Callable[[], Any]:
    """An estimator that takes nothing but numbers."""
    return lambda: SobolevDensity().fit(rows)


def score(rows: Any) -> Callable[[], Any]:
    return lambda: SobolevDetector().fit(ROWS).score_samples(rows)


def score_numbers(rows: Any) -> Callable[[], Any]:
    return lambda: SobolevDensity().fit(ROWS).score_samples(rows)


def weigh(weights: Any) -> Callable[[], Any]:
    return fit_rows(ROWS, weights)


def load(content: bytes) -> Callable[[], Any]:
    def act() -> None:
        path = FOLDER / "model.sosrep"
        path.write_bytes(content)
        SobolevDetector.load(path)

    return act


def with_value(value: Any) -> Any:
    rows = ROWS.copy()
    rows[7, 1] = value
    return rows


def file_of(estimator: Any) -> bytes:
    """The bytes of a model, as its pickle holds them."""
    return next(part for part in estimator._model.__reduce__()[1] if isinstance(part, bytes))


MODEL = file_of(SobolevDetector().fit(ROWS))
DENSITY = file_of(SobolevDensity().fit(ROWS))
NAN, INFINITY = float("nan"), float("inf")

PARAMETERS = {
    "a kernel that there is not": Case(fit(kernel="cosine"), ValueError, "kernel is"),
    "a kernel that is a number": Case(fit(kernel=3), TypeError, "kernel is 3; it must be one of"),
    "a kernel that is none": Case(fit(kernel=None), TypeError, "kernel is None; it must be"),
    "a bandwidth of zero": Case(fit(bandwidth=0), ValueError, "bandwidth is 0; it must be"),
    "a bandwidth below zero": Case(fit(bandwidth=-1.0), ValueError, "bandwidth is -1; it must be"),
    "a bandwidth that is NaN": Case(fit(bandwidth=NAN), ValueError, "bandwidth is NaN; it must"),
    "a bandwidth that is a list": Case(fit(bandwidth=[1.0]), TypeError, "bandwidth is [1.0]; it"),
    "a bandwidth that is none": Case(fit(bandwidth=None), TypeError, "bandwidth is None; it must"),
    "a bandwidth that is a boolean": Case(fit(bandwidth=True), TypeError, "bandwidth is True; it"),
    "a bandwidth of a word": Case(fit(bandwidth="best"), ValueError, "auto, fisher, likelihood"),
    "a density by the rule of a detector": Case(
        fit_density(bandwidth="auto"), ValueError, "it must be fisher, likelihood, paper"
    ),
    "contamination of zero": Case(fit(contamination=0.0), ValueError, "contamination is 0; it"),
    "contamination above a half": Case(fit(contamination=0.6), ValueError, "contamination is 0.6"),
    "contamination of a word": Case(fit(contamination="some"), ValueError, "contamination is"),
    "contamination of none": Case(fit(contamination=None), TypeError, "contamination is None"),
    "all rows trimmed": Case(fit(trim=1.0), ValueError, "trim is 1; it must be at least 0"),
    "a trim of text": Case(fit(trim="half"), TypeError, "trim is 'half'; it must be"),
    "a scaling that there is not": Case(
        fit(scaling="minmax"), ValueError, "none, standard, robust"
    ),
    "a clip below zero": Case(fit(clip=-5.0), ValueError, "clip is -5; it must be"),
    "a whitening of one": Case(fit(whitening=1.0), ValueError, "whitening is 1; it must be"),
    "no rows at most": Case(fit(max_rows=0), ValueError, "max_rows is 0; it must be"),
    "half a row at most": Case(fit(max_rows=10.5), TypeError, "max_rows is 10.5; it must be"),
    "a tolerance below zero": Case(fit(tolerance=-1e-6), ValueError, "tolerance is"),
    "steps below zero": Case(fit(max_iterations=-1), ValueError, "max_iterations is -1; it must"),
    "steps of a fraction": Case(fit(max_iterations=1.5), TypeError, "max_iterations is 1.5; it"),
    "more memory than a number holds": Case(fit(memory=2**70), ValueError, "memory is 11805916"),
    "memory in words": Case(fit(memory="2GB"), TypeError, "memory is '2GB'; it must be"),
    "an empty grid": Case(
        fit(bandwidth="influence", grid=[]), ValueError, "grid is empty; it must"
    ),
    "a grid that falls": Case(fit(bandwidth="influence", grid=[2, 1]), ValueError, "grid is"),
    "a grid of words": Case(fit(bandwidth="influence", grid=["a"]), TypeError, "grid is ['a']; it"),
    "everything held out": Case(
        fit(bandwidth="likelihood", holdout=1.0), ValueError, "holdout is 1"
    ),
    "a share that is not used": Case(fit(holdout=7), ValueError, "holdout is 7; it must be above 0"),
    "a seed below zero": Case(fit(random_state=-1), ValueError, "random_state is -1; it must be"),
    "a seed beyond 64 bits": Case(fit(random_state=2**64), ValueError, "random_state is 184467440"),
    "a seed that is a fraction": Case(fit(random_state=1.5), TypeError, "random_state is 1.5; it"),
    "a seed that is a boolean": Case(fit(random_state=True), TypeError, "random_state is True; it"),
    "no threads": Case(fit(n_jobs=0), ValueError, "n_jobs is 0; it must be None"),
    "a million threads": Case(fit(n_jobs=10**6), ValueError, "n_jobs is 1000000; it must be None"),
    "half a thread": Case(fit(n_jobs=0.5), TypeError, "n_jobs"),
    "more threads than a number holds": Case(fit(n_jobs=2**70), ValueError, "n_jobs"),
    "a parameter that there is not": Case(
        lambda: SobolevDetector().set_params(colour="red"), ValueError, "colour"
    ),
    "a kernel density estimate without an integral": Case(
        lambda: KDE("sdo-sampled").fit(ROWS), ValueError, "kernel is"
    ),
    "a progress that is no function": Case(
        lambda: SobolevDetector().fit(ROWS, progress=3), TypeError, "progress"
    ),
}

TABLES = {
    "no rows": Case(fit_rows(np.empty((0, 2))), ValueError, "0 sample(s)"),
    "no columns": Case(fit_rows(np.empty((5, 0))), ValueError, "0 feature(s)"),
    "one dimension": Case(fit_rows(ROWS[:, 0]), ValueError, "Reshape your data"),
    "three dimensions": Case(fit_rows(ROWS[None]), ValueError, "X has 3 dimensions"),
    "a number": Case(fit_rows(3.0), ValueError, "Reshape your data"),
    "nothing": Case(fit_rows(None), TypeError, "X is a NoneType; give rows and columns"),
    "a dictionary": Case(fit_rows({"a": [1.0]}), TypeError, "X is a dict; give rows and columns"),
    "text that looks like numbers": Case(
        fit_numbers(np.array([[1.0, "2"]], dtype=object)), ValueError, "row 0, column 1 is '2'; every"
    ),
    "more rows than memory": Case(
        fit_rows(np.broadcast_to(np.zeros((1, 3)), (10**13, 3))), MemoryError, "no memory for"
    ),
    "text": Case(fit_rows("rows"), ValueError, "text"),
    "an array of text": Case(fit_numbers([["a", "b"]]), ValueError, "X holds text"),
    "an array of objects": Case(fit_rows([[1.0, object()]]), TypeError, "row 0, column 1 is"),
    "text among numbers": Case(
        fit_numbers(np.array([[1.0, "a"]], dtype=object)), ValueError, "row 0, column 1 is 'a'"
    ),
    "a ragged list": Case(fit_rows([[1.0, 2.0], [3.0]]), ValueError, "inhomogeneous"),
    "complex numbers": Case(fit_rows(ROWS + 1j), ValueError, "Complex data not supported"),
    "dates": Case(fit_numbers(np.zeros((3, 2), "M8[s]")), TypeError, "X holds dates or durations"),
    "durations": Case(fit_numbers(np.zeros((3, 2), "m8[s]")), TypeError, "X holds dates or durations"),
    "a sparse matrix": Case(fit_numbers(sparse.eye(3).tocsr()), TypeError, "use X.toarray()"),
    "a value that is NaN": Case(fit_numbers(with_value(NAN)), ValueError, "row 7, column 1 is NaN"),
    "an infinite value": Case(fit_numbers(with_value(INFINITY)), ValueError, "row 7, column 1 is inf"),
    "a value whose distances have no squares": Case(
        lambda: SobolevDensity().fit(with_value(1e150)), ValueError, "row 7, column 1 is"
    ),
    "a value whose distances have no squares, for an estimate": Case(
        lambda: KDE().fit(with_value(-1e150)), ValueError, "so scale the columns"
    ),
    "a masked value": Case(
        fit_numbers(np.ma.masked_invalid(with_value(NAN))), ValueError, "row 7, column 1 is NaN"
    ),
    "a whole number that no float holds": Case(
        fit_numbers(np.array([[1.0, 2**2000]], dtype=object)), ValueError, "row 0, column 1"
    ),
    "a score of NaN": Case(score_numbers(with_value(NAN)), ValueError, "row 7, column 1 is NaN"),
    "too many columns": Case(score(np.zeros((2, 3))), ValueError, "X has 3 features, but Sobolev"),
    "too few columns": Case(score(np.zeros((2, 1))), ValueError, "X has 1 features, but Sobolev"),
    "durations in a table": Case(
        fit_rows(np.zeros((3, 2), "m8[s]")), TypeError, "X holds durations"
    ),
    "a label of NaN": Case(
        lambda: SobolevDetector().fit(ROWS).predict(with_value(NAN)), ValueError, "row 7"
    ),
    "no row that can be scored": Case(
        score(np.full((2, 2), NAN)), ValueError, "no row of X can be scored"
    ),
    "no rows to score": Case(score(np.empty((0, 2))), ValueError, "0 sample(s)"),
}

WEIGHTS = {
    "too few weights": Case(weigh(np.ones(29)), ValueError, "give one weight for each of the 30"),
    "weights in two dimensions": Case(weigh(np.ones((30, 1))), ValueError, "shape (30, 1)"),
    "one weight": Case(weigh(2.0), ValueError, "sample_weight has shape ()"),
    "weights of text": Case(weigh(["heavy"] * 30), ValueError, "sample_weight"),
    "a weight below zero": Case(
        weigh(np.where(np.arange(30) == 4, -1.0, 1.0)), ValueError, "the weight of row 4 is -1"
    ),
    "a weight that is NaN": Case(
        weigh(np.where(np.arange(30) == 4, NAN, 1.0)), ValueError, "the weight of row 4 is NaN"
    ),
    "an infinite weight": Case(
        weigh(np.where(np.arange(30) == 4, INFINITY, 1.0)), ValueError, "the weight of row 4 is inf"
    ),
    "no weight at all": Case(weigh(np.zeros(30)), ValueError, "all weights are zero"),
}

USES = {
    "a score before the fit": Case(
        lambda: SobolevDetector().score_samples(ROWS), ValueError, "not fitted yet; call fit first"
    ),
    "a label before the fit": Case(
        lambda: SobolevDetector().predict(ROWS), ValueError, "is not fitted yet"
    ),
    "a reason before the fit": Case(
        lambda: SobolevDetector().explain(ROWS), ValueError, "is not fitted yet"
    ),
    "a draw before the fit": Case(
        lambda: SobolevDensity().sample(), ValueError, "is not fitted yet"
    ),
    "a density before the fit": Case(
        lambda: KDE().score_samples(ROWS), ValueError, "is not fitted"
    ),
    "a file before the fit": Case(
        lambda: SobolevDetector().save(FOLDER / "new"), ValueError, "is not fitted yet"
    ),
    "an attribute before the fit": Case(
        lambda: SobolevDetector().offset_, AttributeError, "is not fitted yet"
    ),
    "names where there are none": Case(
        lambda: SobolevDetector().fit(ROWS).feature_names_in_, AttributeError, "without feature"
    ),
    "an integral of cosines": Case(
        lambda: SobolevDensity("sdo-sampled").fit(ROWS).score_samples(ROWS, normalized=True),
        ValueError,
        "not defined for the sdo-sampled kernel",
    ),
    "a density of cosines": Case(
        lambda: SobolevDetector("sdo-sampled").fit(ROWS).log_density(ROWS),
        ValueError,
        "not defined for the sdo-sampled kernel",
    ),
    "a draw of cosines": Case(
        lambda: SobolevDensity("sdo-sampled").fit(ROWS).sample(3),
        ValueError,
        "a draw is not defined for the sdo-sampled kernel",
    ),
    "the Fisher divergence of a kernel with kinks": Case(
        lambda: SobolevDensity().fit(ROWS).fisher_divergence(ROWS),
        ValueError,
        "not defined for the product kernel",
    ),
    "a bandwidth by the Fisher divergence of a kernel with kinks": Case(
        fit(bandwidth="fisher"), ValueError, "not defined for the product kernel"
    ),
    "no draws": Case(lambda: SobolevDensity().fit(ROWS).sample(0), ValueError, "n_samples is 0"),
    "draws below zero": Case(
        lambda: SobolevDetector().fit(ROWS).sample(-3), ValueError, "n_samples is -3"
    ),
    "half a draw": Case(
        lambda: SobolevDensity().fit(ROWS).sample(0.5), TypeError, "n_samples is 0.5"
    ),
}

FILES = {
    "an empty file": Case(load(b""), ValueError, "not a readable model"),
    "half a file": Case(load(MODEL[: len(MODEL) // 2]), ValueError, "not a readable model"),
    "a file without its last byte": Case(load(MODEL[:-1]), ValueError, "not a readable model"),
    "a file and a byte": Case(load(MODEL + b"\0"), ValueError, "not a readable model"),
    "random bytes": Case(
        load(np.random.default_rng(0).bytes(5000)), ValueError, "not a readable model"
    ),
    "a pickle": Case(load(pickle.dumps(SobolevDetector().fit(ROWS))), ValueError, "not a readable"),
    "a text": Case(load(b"height,weight\n1,2\n"), ValueError, "not a readable model"),
    "a table of contents beyond all bounds": Case(
        load(b"\xff" * 8 + MODEL[8:]), ValueError, "not a readable model"
    ),
    "the file of a density": Case(load(DENSITY), ValueError, "density"),
    "a newer format": Case(
        load(re.sub(rb'(\\"format\\":)\d+,', rb"\g<1>9,", MODEL)), ValueError, "upgrade sosrep"
    ),
    "a folder": Case(lambda: SobolevDetector.load(FOLDER), IsADirectoryError, FOLDER.name),
    "a file that is not there": Case(
        lambda: SobolevDetector.load(FOLDER / "none"), FileNotFoundError, "none"
    ),
    "a folder that is not there": Case(
        lambda: SobolevDetector().fit(ROWS).save(FOLDER / "no" / "model"), FileNotFoundError, "no"
    ),
    "a path that is a number": Case(lambda: SobolevDetector.load(3.5), TypeError, "float"),
}

CASES = PARAMETERS | TABLES | WEIGHTS | USES | FILES

#: Words of the machinery, which say nothing to the person who reads the sentence.
FOREIGN_WORDS = re.compile(r"panic|unwrap|pyo3|src/|\.rs\b|Option|usize|a fault inside", re.I)


def complaint(case: Case) -> str | None:
    """What is wrong with how a case ends, if anything."""
    try:
        case.act()
    except case.exception as error:
        sentence = str(error)
        if case.piece not in sentence:
            return f"{case.piece!r} is not in {sentence!r}"
        if FOREIGN_WORDS.search(sentence):
            return f"a word of the machinery is in {sentence!r}"
        return None
    except BaseException as error:
        return f"raised {error!r}, not {case.exception.__name__}"
    return f"did not raise {case.exception.__name__}"


@pytest.mark.parametrize("name", CASES)
def test_bad_input_has_a_sentence(name: str) -> None:
    assert complaint(CASES[name]) is None


def test_a_file_is_named_in_its_error() -> None:
    path = FOLDER / "empty.sosrep"
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=re.escape(str(path))):
        SobolevDetector.load(path)


def test_a_file_that_is_not_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    with pytest.raises(OSError):
        SobolevDetector().fit(ROWS).save(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_an_estimator_that_was_refused_is_as_it_was() -> None:
    fitted = SobolevDetector().fit(ROWS)
    before = fitted.score_samples(ROWS)
    with pytest.raises(ValueError):
        fitted.fit(np.empty((0, 2)))
    with pytest.raises(ValueError):
        fitted.set_params(trim=7.0).fit(ROWS)
    np.testing.assert_array_equal(fitted.score_samples(ROWS), before)


def test_the_interpreter_survives_them_all() -> None:
    finished = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, timeout=120
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.split() == [str(len(CASES))]
    assert "panicked" not in finished.stderr


def main() -> None:
    faulthandler.enable()
    complaints = [text for case in CASES.values() if (text := complaint(case)) is not None]
    if complaints:
        sys.exit("\n".join(complaints))
    print(len(CASES))


if __name__ == "__main__":
    main()
