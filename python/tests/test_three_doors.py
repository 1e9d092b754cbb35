"""The command line, Python and Rust give the same bits for the same table."""

from __future__ import annotations

import csv
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sosrep import SobolevDetector

from .common import assert_same_bits, normal_rows

PROGRAM = os.environ.get("SOSREP_PROGRAM")
EXAMPLES = os.environ.get("SOSREP_EXAMPLES")

needs_program = pytest.mark.skipif(
    not PROGRAM, reason="SOSREP_PROGRAM does not name the command line program"
)
needs_examples = pytest.mark.skipif(
    not EXAMPLES, reason="SOSREP_EXAMPLES does not name the folder of the Rust examples"
)

NAMES = ["length", "weight", "age"]
SEED = 3


def table() -> pd.DataFrame:
    """Numbers of different size, with two rows that stand out."""
    rows = normal_rows(150, 3)
    rows[[17, 90]] = [[9.0, 9.0, -9.0], [-7.0, 7.0, 7.0]]
    return pd.DataFrame(rows * [1.0, 1e-4, 1e5] + [0.0, 7.0, 40.0], columns=NAMES)


def mixed_table() -> pd.DataFrame:
    """Numbers, text and booleans."""
    random = np.random.default_rng(1)
    cities = random.choice(["Oslo", "Rome", "Lima"], size=150, p=[0.5, 0.4, 0.1])
    return table().assign(city=cities, member=random.random(150) < 0.3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with both tables, every digit of their numbers written."""
    table().to_csv(tmp_path / "data.csv", index=False)
    mixed_table().to_csv(tmp_path / "mixed.csv", index=False)
    return tmp_path


def sosrep(folder: Path, words: str) -> None:
    """Runs the program in the folder."""
    assert PROGRAM is not None
    command = [str(Path(PROGRAM).resolve()), *words.split(), "--quiet"]
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert finished.returncode == 0, finished.stderr


def read_numbers(path: Path) -> Any:
    """The file as Python reads numbers: to the last bit."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def scores_of(folder: Path, words: str) -> tuple[Any, Any, Any]:
    """Anomaly scores, p-values and flags by the program: `score MODEL TABLE`."""
    sosrep(folder, f"score {words} --out scores.csv")
    columns = read_numbers(folder / "scores.csv")
    return (
        np.array(columns["anomaly_score"], dtype=float),
        np.array(columns["p_value"], dtype=float),
        np.array(columns["is_anomaly"]) == "true",
    )


def assert_same_verdicts(detector: SobolevDetector, rows: Any, expected: Any) -> None:
    scores, p_values, flags = expected
    assert_same_bits(-detector.score_samples(rows), scores)
    assert_same_bits(detector.p_value(rows), p_values)
    np.testing.assert_array_equal(detector.predict(rows) == -1, flags)


def test_the_table_has_rows_of_both_kinds() -> None:
    assert set(SobolevDetector().fit_predict(table())) == {1, -1}


@needs_program
@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ("", {}),
        ("--kernel sdo --bandwidth 0.4", {"kernel": "sdo", "bandwidth": 0.4}),
        ("--kernel sdo-sampled", {"kernel": "sdo-sampled"}),
        ("--contamination 0.05 --trim 0.2", {"contamination": 0.05, "trim": 0.2}),
        ("--bandwidth influence", {"bandwidth": "influence"}),
        ("--bandwidth fisher", {"kernel": "sdo", "bandwidth": "fisher"}),
    ],
)
def test_python_and_the_command_line_agree_to_the_bit(
    folder: Path, options: str, parameters: dict[str, Any]
) -> None:
    sosrep(folder, f"fit data.csv --model m.sosrep --seed {SEED} {options}")
    detector = SobolevDetector(**parameters, random_state=SEED).fit(table())
    assert_same_verdicts(detector, table(), scores_of(folder, "m.sosrep data.csv"))


@needs_program
@pytest.mark.parametrize("judge", [False, True])
@pytest.mark.parametrize("preset", ["paper", "paper-exact"])
def test_the_paper_configuration_is_the_same_in_both(folder: Path, preset: str, judge: bool) -> None:
    option = "--judge data.csv" if judge else ""
    sosrep(folder, f"fit data.csv --model m.sosrep --seed {SEED} --preset {preset} {option}")
    make = {"paper": SobolevDetector.paper, "paper-exact": SobolevDetector.paper_exact}[preset]
    detector = make(random_state=SEED).fit(table(), judge=table() if judge else None)
    assert_same_verdicts(detector, table(), scores_of(folder, "m.sosrep data.csv"))


@needs_examples
def test_python_and_rust_agree_to_the_bit(folder: Path) -> None:
    assert EXAMPLES is not None
    command = [Path(EXAMPLES).resolve() / "score_rows", folder / "data.csv", str(SEED)]
    finished = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    by_rust = np.array([float(line) for line in finished.stdout.split()])
    detector = SobolevDetector(random_state=SEED).fit(table())
    assert_same_bits(-detector.score_samples(table()), by_rust)


# Models that change hands -----------------------------------------------------------------------


@needs_program
@pytest.mark.parametrize("kernel", ["product", "sdo", "sdo-sampled", "laplacian", "gaussian"])
def test_python_scores_with_a_model_of_the_command_line(folder: Path, kernel: str) -> None:
    sosrep(folder, f"fit data.csv --model m.sosrep --seed {SEED} --kernel {kernel}")
    detector = SobolevDetector.load(folder / "m.sosrep")
    assert detector.kernel == kernel and detector.random_state == SEED
    assert list(detector.feature_names_in_) == NAMES
    expected = scores_of(folder, "m.sosrep data.csv")
    assert_same_verdicts(detector, table(), expected)
    assert_same_verdicts(detector, pl.DataFrame(table().to_dict("list")), expected)


@needs_program
def test_the_command_line_scores_with_a_model_of_python(folder: Path) -> None:
    detector = SobolevDetector(contamination=0.1).fit(table())
    detector.save(folder / "m.sosrep")
    assert_same_verdicts(detector, table(), scores_of(folder, "m.sosrep data.csv"))


@needs_program
def test_a_model_of_python_without_names_has_columns_by_number(folder: Path) -> None:
    detector = SobolevDetector().fit(table().to_numpy())
    detector.save(folder / "m.sosrep")
    table().to_csv(folder / "bare.csv", index=False, header=False)
    expected = scores_of(folder, "m.sosrep bare.csv --no-header")
    assert_same_verdicts(detector, table().to_numpy(), expected)


@needs_program
def test_a_model_saved_by_python_is_that_of_the_command_line(folder: Path) -> None:
    sosrep(folder, "fit mixed.csv --model m.sosrep --categories onehot")
    SobolevDetector.load(folder / "m.sosrep").save(folder / "copy.sosrep")
    assert (folder / "copy.sosrep").read_bytes() == (folder / "m.sosrep").read_bytes()


# Text -------------------------------------------------------------------------------------------


@pytest.fixture(params=["onehot", "frequency"])
def with_text(request: pytest.FixtureRequest, folder: Path) -> SobolevDetector:
    """A model of the table with text, by the command line."""
    sosrep(folder, f"fit mixed.csv --model m.sosrep --categories {request.param}")
    return SobolevDetector.load(folder / "m.sosrep")


@needs_program
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_with_text_is_scored_as_its_file_is(
    folder: Path, with_text: SobolevDetector, frame: Any
) -> None:
    expected = scores_of(folder, "m.sosrep mixed.csv")
    given = frame(mixed_table().to_dict("list"))
    assert_same_verdicts(with_text, given, expected)
    assert_same_verdicts(with_text, given[given.columns[::-1]], expected)


@needs_program
def test_categories_of_pandas_are_text(folder: Path, with_text: SobolevDetector) -> None:
    frame = mixed_table().astype({"city": "category"})
    assert_same_verdicts(with_text, frame, scores_of(folder, "m.sosrep mixed.csv"))


@needs_program
def test_text_that_was_not_in_the_training_table_is_scored_with_a_warning(
    folder: Path, with_text: SobolevDetector
) -> None:
    frame = mixed_table()
    frame.loc[5, "city"] = "Cairo"
    frame.to_csv(folder / "new.csv", index=False)
    expected = scores_of(folder, "m.sosrep new.csv")
    with pytest.warns(UserWarning, match="Cairo"):
        scores = with_text.score_samples(frame)
    assert_same_bits(-scores, expected[0])


@needs_program
def test_known_text_causes_no_warning(with_text: SobolevDetector) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with_text.predict(mixed_table())


@needs_program
@pytest.mark.parametrize(
    ("change", "piece"),
    [
        (lambda frame: frame.drop(columns="city"), "city"),
        (lambda frame: frame.rename(columns={"city": "town"}), "town"),
        (lambda frame: frame.assign(age="old"), "age"),
    ],
    ids=["missing column", "other name", "text for numbers"],
)
def test_a_frame_that_does_not_suit_the_model_is_refused_by_column(
    with_text: SobolevDetector, change: Any, piece: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=piece):
        with_text.score_samples(change(mixed_table()))


@needs_program
def test_missing_values_are_filled_in_as_the_model_was_told(folder: Path) -> None:
    frame = mixed_table()
    frame.loc[[3, 8], "age"] = np.nan
    frame.loc[8, "city"] = None
    frame.to_csv(folder / "gaps.csv", index=False)
    sosrep(folder, "fit gaps.csv --model m.sosrep --categories onehot --missing impute")
    detector = SobolevDetector.load(folder / "m.sosrep")
    assert_same_verdicts(detector, frame, scores_of(folder, "m.sosrep gaps.csv"))


@needs_program
def test_a_row_that_the_command_line_would_leave_out_has_no_score(folder: Path) -> None:
    frame = table()
    frame.loc[3, "age"] = np.nan
    frame.to_csv(folder / "gaps.csv", index=False)
    sosrep(folder, "fit gaps.csv --model m.sosrep --missing drop")
    detector = SobolevDetector.load(folder / "m.sosrep")
    with pytest.warns(UserWarning, match="row 3, .*missing"):
        scores = detector.score_samples(frame)
    assert np.flatnonzero(np.isnan(scores)).tolist() == [3]


@needs_program
def test_reasons_of_a_frame_with_text_name_the_encoded_columns(with_text: SobolevDetector) -> None:
    reasons = with_text.explain(mixed_table()[:3], as_frame=True)
    assert set(reasons["feature"]) == set(with_text.feature_names_in_)
    assert any(name.startswith("city") for name in with_text.feature_names_in_)
