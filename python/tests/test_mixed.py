"""Tables of text, categories, booleans, dates and gaps: the same table gives the same model."""

from __future__ import annotations

import os
import pickle
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone

from sosrep import SobolevDetector
from sosrep.pyod import SOSREP

from .common import assert_same_bits, normal_rows

PROGRAM = os.environ.get("SOSREP_PROGRAM")
needs_program = pytest.mark.skipif(
    not PROGRAM, reason="SOSREP_PROGRAM does not name the command line program"
)


def mixed(rows: int = 120) -> pd.DataFrame:
    """A column of every kind, with gaps in three of them, and names for the rows."""
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(rows)],
            "age": random.normal(40.0, 9.0, size=rows),
            "children": pd.array(random.integers(0, 5, size=rows), dtype="Int64"),
            "city": random.choice(["Haifa", "Oslo", "Rome"], size=rows, p=[0.5, 0.3, 0.2]),
            "member": random.random(rows) < 0.4,
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, rows), "D"),
        },
        index=[f"row {i}" for i in range(rows)],
    )
    frame.loc[["row 3", "row 40"], "age"] = np.nan
    frame.loc["row 7", "children"] = pd.NA
    frame.loc["row 9", "city"] = None
    return frame


def scores(X: Any, **parameters: Any) -> Any:
    return SobolevDetector(**parameters).fit(X).training_scores_


def gap() -> Any:
    rows = normal_rows(60, 3)
    rows[7, 1] = np.nan
    return rows


# The same table, the same model -----------------------------------------------------------------


@pytest.mark.parametrize(
    "form", [pl.from_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)]
)
def test_frames_of_every_library_give_the_same_bits(form: Any) -> None:
    frame = mixed().reset_index(drop=True)
    assert_same_bits(scores(form(frame)), scores(frame))


def test_text_and_a_category_of_text_are_the_same() -> None:
    frame = mixed()
    assert_same_bits(scores(frame.astype({"city": "category"})), scores(frame))
    polars = pl.from_pandas(frame.reset_index(drop=True))
    assert_same_bits(scores(polars.with_columns(pl.col("city").cast(pl.Categorical))), scores(frame))


def test_numbers_of_a_pandas_category_are_categories() -> None:
    frame = mixed().assign(zone=np.random.default_rng(0).choice([10, 20, 30], size=120))
    as_text = frame.assign(zone=frame["zone"].astype(str))
    as_category = frame.astype({"zone": "category"})
    assert_same_bits(scores(as_category), scores(as_text))
    assert_same_bits(scores(frame, columns={"zone": "category"}), scores(as_text))
    assert not np.array_equal(scores(frame), scores(as_text))


def test_yes_and_no_are_true_and_false_are_one_and_zero() -> None:
    frame = mixed()
    words = frame.assign(member=np.where(frame["member"], "yes", "no"))
    numbers = frame.astype({"member": float})
    assert_same_bits(scores(words), scores(frame))
    assert_same_bits(scores(numbers), scores(frame))


def test_time_zones_are_left_aside() -> None:
    frame = mixed()
    aware = frame.assign(joined=frame["joined"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert_same_bits(scores(aware), scores(frame))


def test_an_array_with_a_gap_is_the_frame_with_it() -> None:
    frame = pd.DataFrame(gap(), columns=["a", "b", "c"])
    for X in (frame, frame.convert_dtypes(), pl.from_pandas(frame), gap().tolist(), gap().astype(object)):
        assert_same_bits(scores(X), scores(gap()))
    infinite = np.where(np.isnan(gap()), np.inf, gap())
    assert_same_bits(scores(infinite), scores(gap()))


def test_an_array_of_objects_is_the_frame_of_its_columns() -> None:
    frame = mixed()[["age", "city", "member", "joined"]]
    frame = frame.astype({"city": object})
    assert_same_bits(scores(frame.to_numpy(dtype=object)), scores(frame))


def test_a_column_of_numbers_and_text_is_text() -> None:
    frame = mixed().assign(code=["a", 1, "b", 2] * 30)
    assert_same_bits(scores(frame), scores(frame.assign(code=frame["code"].astype(str))))


def test_pandas_without_pyarrow_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = mixed().astype({"city": "category"})
    expected = scores(frame)

    def no_pyarrow(*_: Any) -> Any:
        raise ImportError("pyarrow")

    monkeypatch.setattr(pd.DataFrame, "__arrow_c_stream__", no_pyarrow)
    assert_same_bits(scores(frame), expected)


@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_matrix"])
def test_a_sparse_matrix_is_its_array(form: str) -> None:
    rows = np.where(normal_rows(50, 4) > 0.5, normal_rows(50, 4), 0.0)
    given = getattr(sparse, form)(rows)
    fitted = SobolevDetector().fit(given)
    assert_same_bits(fitted.training_scores_, scores(rows))
    assert_same_bits(fitted.score_samples(given), fitted.score_samples(rows))


def test_a_sparse_matrix_that_is_too_large_is_refused_with_the_limit() -> None:
    with pytest.raises(ValueError, match="more than the limit of 2 GiB"):
        SobolevDetector().fit(sparse.csr_matrix((10**6, 10**4)))


def assert_same_model_file(folder: Path, frame: pd.DataFrame, words: str, parameters: Any) -> None:
    """The program fits the file of the frame as Python fits the frame, to the last byte."""
    frame.to_csv(folder / "data.csv", index=False)
    command = [str(Path(str(PROGRAM)).resolve()), "fit", "data.csv", "--model", "m.sosrep", "--quiet"]
    finished = subprocess.run([*command, *words.split()], cwd=folder, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    SobolevDetector(**parameters).fit(frame).save(folder / "python.sosrep")
    assert (folder / "m.sosrep").read_bytes() == (folder / "python.sosrep").read_bytes()


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("", {}),
    ("--missing drop --categories frequency", {"missing": "drop", "categories": "frequency"}),
    ("--missing impute --dates parts", {"missing": "impute", "dates": "parts"}),
    ("--category children", {"columns": {"children": "category"}}),
    ("--ignore city,member", {"columns": {"city": "ignore", "member": "ignore"}}),
    ("--ignore age --missing drop", {"columns": {"age": "ignore"}, "missing": "drop"}),
]


@needs_program
@pytest.mark.parametrize(("words", "parameters"), OPTIONS)
def test_the_command_line_gives_the_same_model_file(
    tmp_path: Path, words: str, parameters: dict[str, Any]
) -> None:
    assert_same_model_file(tmp_path, mixed(), words, parameters)


# Frequencies make fewer numbers of a row than the table has columns. The program cannot know that before it
# has read the table, and its sample stays as small as the columns allow.
@needs_program
@pytest.mark.parametrize(
    ("words", "parameters"), [option for option in OPTIONS if "frequency" not in option[0]]
)
def test_the_command_line_samples_the_same_rows_of_a_long_table(
    tmp_path: Path, words: str, parameters: dict[str, Any]
) -> None:
    memory = 100_000
    words, parameters = f"--memory {memory}B {words}", {**parameters, "memory": memory}
    frame = mixed(3000)
    report = SobolevDetector(**parameters).fit(frame).fit_report_
    assert report["fitted_rows"] < 1000
    assert_same_model_file(tmp_path, frame, words, parameters)


@needs_program
@pytest.mark.parametrize("missing", ["auto", "drop"])
def test_rows_without_a_name_are_those_of_the_command_line(tmp_path: Path, missing: str) -> None:
    frame = mixed()
    frame.loc[["row 5", "row 6"], "name"] = None
    assert_same_model_file(tmp_path, frame, f"--missing {missing}", {"missing": missing})


@needs_program
def test_integers_that_do_not_fit_a_float_are_those_of_the_command_line(tmp_path: Path) -> None:
    places = np.arange(120)
    frame = mixed().assign(account=2**60 + places, branch=2**61 + places % 3)
    assert_same_model_file(tmp_path, frame, "", {})
    detector = SobolevDetector().fit(frame)
    assert "account" not in detector.used_columns_ and "branch" in detector.used_columns_


# Names, notes and results -----------------------------------------------------------------------


def test_a_column_that_names_rows_is_left_out_and_noted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detector = SobolevDetector().fit(mixed())
    assert detector.ids_ == ["name"]
    assert list(detector.feature_names_in_) == list(mixed().columns)
    assert detector.n_features_in_ == 6
    assert detector.used_columns_ == list(mixed().columns[1:])
    assert any("name" in note and 'columns={"name": "category"}' in note for note in detector.notes_)
    assert_same_bits(detector.score_samples(mixed().drop(columns="name")), detector.score_samples(mixed()))


def test_results_have_the_index_of_the_rows() -> None:
    rows = mixed().iloc[[5, 2]]
    detector = SobolevDetector().fit(mixed())
    assessed = detector.assess(rows, as_frame=True)
    assert list(assessed.index) == ["row 5", "row 2"]
    np.testing.assert_array_equal(assessed["anomaly_score"], -detector.score_samples(rows))
    explained = detector.explain(rows, as_frame=True)
    assert list(explained.index) == ["row 5"] * 5 + ["row 2"] * 5
    city = explained[explained["feature"] == "city"]
    assert list(city["value"]) == list(rows["city"])
    assert set(city["typical_value"]) <= {"Haifa", "Oslo", "Rome"}


def test_contributions_of_the_columns_sum_to_the_score() -> None:
    detector = SobolevDetector().fit(mixed())
    scores, _, _, typical = detector._fitted().explain(detector._new_rows(mixed()))
    sums = detector.explain(mixed()).sum(axis=1)
    np.testing.assert_allclose(sums, scores - typical, rtol=1e-9, atol=1e-9)


def test_a_row_that_cannot_be_scored_is_nan_with_its_place() -> None:
    rows = normal_rows(60, 3)
    detector = SobolevDetector().fit(rows)
    with pytest.warns(UserWarning, match='row 7, column "column_2"'):
        found = detector.score_samples(gap())
    assert np.flatnonzero(np.isnan(found)).tolist() == [7]
    whole = np.delete(gap(), 7, axis=0)
    assert_same_bits(np.delete(found, 7), detector.score_samples(whole))
    with pytest.raises(ValueError, match='row 7, column "column_2".*fill them in'):
        detector.predict(gap())


def test_unseen_categories_are_named_in_one_warning() -> None:
    detector = SobolevDetector().fit(mixed())
    rows = mixed().head(2).assign(city=["Lima", "Bern"])
    with pytest.warns(UserWarning) as caught:
        assert np.isfinite(detector.score_samples(rows)).all()
    assert len(caught) == 1
    assert "Lima" in str(caught[0].message) and "Bern" in str(caught[0].message)


@pytest.mark.parametrize("form", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_a_sample_has_the_columns_and_types_of_the_frame(form: Any) -> None:
    frame = form(mixed().astype({"city": "category"}).reset_index(drop=True))
    drawn = SobolevDetector().fit(frame).sample(30, random_state=0)
    wanted = frame.drop(columns="name") if isinstance(frame, pd.DataFrame) else frame.drop("name")
    assert type(drawn) is type(frame) and list(drawn.columns) == list(wanted.columns)
    assert list(drawn.dtypes) == list(wanted.dtypes)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"missing": "error"}, 'column "age".*missing="auto"'),
        ({"categories": "error"}, 'column "city".*categories="auto"'),
        ({"dates": "error"}, 'column "joined".*dates="auto"'),
        ({"missing": "maybe"}, "missing is 'maybe'; it must be one of auto, error, drop, impute"),
        ({"columns": {"age": "numeric"}}, "columns is .*; it must be none, or a dictionary"),
    ],
)
def test_what_is_refused_says_what_to_choose(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SobolevDetector(**parameters).fit(mixed())


def test_dropped_rows_have_no_score() -> None:
    detector = SobolevDetector(missing="drop").fit(mixed())
    missing = mixed().drop(columns="name").isna().any(axis=1)
    np.testing.assert_array_equal(np.isnan(detector.training_scores_), missing)
    assert_same_bits(detector.training_scores_[~missing], scores(mixed()[~missing], missing="drop"))


# Company ----------------------------------------------------------------------------------------


def test_a_pickle_and_a_clone_keep_the_table() -> None:
    detector = SobolevDetector(columns={"children": "category"}).fit(mixed())
    copy = pickle.loads(pickle.dumps(detector))
    assert_same_bits(copy.score_samples(mixed()), detector.score_samples(mixed()))
    assert copy.notes_ == detector.notes_
    assert_same_bits(clone(detector).fit(mixed()).training_scores_, detector.training_scores_)


def test_skops_keeps_a_detector_of_a_mixed_frame() -> None:
    from skops import io

    detector = SobolevDetector().fit(mixed())
    stored = io.dumps(detector)
    loaded = io.loads(stored, trusted=io.get_untrusted_types(data=stored))
    assert_same_bits(loaded.score_samples(mixed()), detector.score_samples(mixed()))
    assert list(loaded.sample(2, 0).columns) == detector.used_columns_


def test_a_loaded_model_takes_the_columns_in_any_order(tmp_path: Path) -> None:
    detector = SobolevDetector().fit(mixed())
    detector.save(tmp_path / "m.sosrep")
    loaded = SobolevDetector.load(tmp_path / "m.sosrep")
    rows = mixed()[mixed().columns[::-1]]
    assert_same_bits(loaded.score_samples(rows), detector.score_samples(mixed()))


def test_pyod_takes_the_same_table() -> None:
    model = SOSREP().fit(mixed())
    assert_same_bits(model.decision_scores_, -SobolevDetector(contamination=0.1).fit(mixed()).training_scores_)


def test_the_plot_of_reasons_names_the_row_and_the_columns_of_the_table() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    from sosrep import plots

    detector = SobolevDetector().fit(mixed())
    axes = plots.reasons(detector, mixed(), row=3)
    assert axes.get_title().startswith("row row 3: ")
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert {label.split(" = ")[0] for label in labels} == set(detector.used_columns_)
    assert any(label.startswith("age = missing") for label in labels)
    with pytest.raises(ValueError, match="a contour needs numbers"):
        plots.density_contour(detector, mixed())
