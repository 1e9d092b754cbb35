"""The same numbers give the same bits, whatever they come in; what are no numbers is refused."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sosrep import KDE, SobolevDensity, SobolevDetector

from .common import assert_same_bits, normal_rows

ROWS = normal_rows(60, 3)
NAMES = ["height", "weight", "age"]
FRAME = pd.DataFrame(ROWS, columns=NAMES)
ESTIMATORS = [SobolevDetector, SobolevDensity, KDE]
every_class = pytest.mark.parametrize("estimator", ESTIMATORS)


def strided(rows: Any) -> Any:
    """Every other value of a larger array."""
    larger = np.full((2 * len(rows), 2 * rows.shape[1]), np.nan)
    larger[::2, ::2] = rows
    return larger[::2, ::2]


def read_only(rows: Any) -> Any:
    copy = rows.copy()
    copy.flags.writeable = False
    return copy


def unaligned(rows: Any) -> Any:
    """Values that begin at an odd address."""
    buffer = bytearray(1 + rows.nbytes)
    view = np.frombuffer(buffer, dtype=np.float64, offset=1, count=rows.size)
    view = view.reshape(rows.shape)
    view[:] = rows
    assert not view.flags.aligned
    return view


def shuffled_index(rows: Any) -> pd.DataFrame:
    """An index that is no order of the rows."""
    return pd.DataFrame(rows, columns=NAMES, index=np.random.default_rng(0).permutation(len(rows)))


ARRAYS = {
    "Fortran order": np.asfortranarray,
    "strided": strided,
    "negative strides": lambda rows: rows[::-1, ::-1].copy()[::-1, ::-1],
    "read only": read_only,
    "unaligned": unaligned,
    "other byte order": lambda rows: rows.astype(">f8"),
    "list": lambda rows: rows.tolist(),
    "tuple of arrays": tuple,
    "objects": lambda rows: rows.astype(object),
    "nothing masked": np.ma.asarray,
    "matrix subclass": lambda rows: rows.view(np.memmap),
}

FRAMES = {
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "pandas, shuffled index": shuffled_index,
    "pandas, index of names": lambda rows: pd.DataFrame(rows, columns=NAMES).set_index(
        pd.Index([f"row {i}" for i in range(len(rows))], name="name")
    ),
    "pandas, columns one by one": lambda rows: pd.DataFrame(dict(zip(NAMES, rows.T, strict=True))),
    "pandas, nullable": lambda rows: pd.DataFrame(rows, columns=NAMES).astype("Float64"),
    "pandas, of pyarrow": lambda rows: pd.DataFrame(rows, columns=NAMES).astype("double[pyarrow]"),
    "polars": lambda rows: pl.DataFrame(rows, schema=NAMES),
    "polars, several chunks": lambda rows: pl.concat(
        [pl.DataFrame(part, schema=NAMES) for part in np.array_split(rows, 3)], rechunk=False
    ),
    "pyarrow table": lambda rows: pa.table(dict(zip(NAMES, rows.T, strict=True))),
    "pyarrow batch": lambda rows: pa.RecordBatch.from_pydict(dict(zip(NAMES, rows.T, strict=True))),
}


# Same numbers, same bits ------------------------------------------------------------------------


@every_class
@pytest.mark.parametrize("form", ARRAYS)
def test_an_array_in_any_form_gives_the_same_bits(form: str, estimator: Any) -> None:
    given = ARRAYS[form](ROWS)
    fitted = estimator().fit(given)
    assert_same_bits(fitted.score_samples(given), estimator().fit(ROWS).score_samples(ROWS))
    assert not hasattr(fitted, "feature_names_in_")


@every_class
@pytest.mark.parametrize("form", FRAMES)
def test_a_frame_in_any_form_gives_the_same_bits_and_keeps_its_names(
    form: str, estimator: Any
) -> None:
    given = FRAMES[form](ROWS)
    fitted = estimator().fit(given)
    assert_same_bits(fitted.score_samples(given), estimator().fit(ROWS).score_samples(ROWS))
    assert list(fitted.feature_names_in_) == NAMES
    assert fitted.n_features_in_ == 3


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_memory_map_gives_the_bits_of_the_array(tmp_path: Path, kind: Any) -> None:
    rows = ROWS.astype(kind)
    path = tmp_path / "rows.bin"
    rows.tofile(path)
    mapped = np.memmap(path, dtype=kind, mode="r", shape=rows.shape)
    fitted = SobolevDetector().fit(mapped)
    expected = SobolevDetector().fit(rows.astype(np.float64))
    assert_same_bits(fitted.score_samples(mapped), expected.score_samples(rows.astype(np.float64)))


@every_class
@pytest.mark.parametrize(
    "form", [np.asarray, np.asfortranarray, FRAMES["pandas"], FRAMES["polars"]]
)
def test_single_precision_is_its_conversion_to_double(form: Any, estimator: Any) -> None:
    single = ROWS.astype(np.float32)
    double = single.astype(np.float64)
    scores = estimator().fit(form(single)).score_samples(form(single))
    assert_same_bits(scores, estimator().fit(double).score_samples(double))


@pytest.mark.parametrize(
    "kind", ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float16"]
)
def test_other_numbers_are_their_conversion_to_double(kind: str) -> None:
    numbers = np.random.default_rng(0).integers(0, 100, size=(40, 3)).astype(kind)
    expected = SobolevDetector().fit(numbers.astype(float)).score_samples(numbers.astype(float))
    forms = [np.asarray, FRAMES["pandas"], FRAMES["pyarrow table"]]
    for form in forms:
        given = form(numbers)
        assert_same_bits(SobolevDetector().fit(given).score_samples(given), expected)


def test_columns_of_a_frame_may_be_of_different_kinds() -> None:
    mixed = pd.DataFrame(
        {
            "real": ROWS[:, 0],
            "single": ROWS[:, 1].astype(np.float32),
            "whole": np.arange(60),
            "flag": ROWS[:, 2] > 0,
        }
    )
    plain = mixed.astype(float).to_numpy()
    expected = SobolevDetector().fit(plain).score_samples(plain)
    for frame in (mixed, pl.DataFrame(mixed.to_dict("list")), pa.Table.from_pandas(mixed)):
        scores = SobolevDetector().fit(frame)
        if isinstance(frame, pl.DataFrame):  # where a dictionary has widened the single column
            np.testing.assert_array_equal(scores.score_samples(frame), expected)
        else:
            assert_same_bits(scores.score_samples(frame), expected)


def test_the_given_array_is_not_changed() -> None:
    given = ROWS.copy()
    SobolevDetector().fit(given).explain(given)
    assert_same_bits(given, ROWS)


def test_a_frame_of_reasons_is_of_the_kind_of_the_rows() -> None:
    detector = SobolevDetector().fit(FRAME)
    by_pandas = detector.explain(FRAME, as_frame=True)
    by_polars = detector.explain(pl.DataFrame(ROWS, schema=NAMES), as_frame=True)
    assert isinstance(by_pandas, pd.DataFrame) and isinstance(by_polars, pl.DataFrame)
    assert by_polars.columns == list(by_pandas.columns)
    assert by_polars["feature"].to_list() == by_pandas["feature"].to_list()
    np.testing.assert_array_equal(by_polars["contribution"], by_pandas["contribution"])
    assert set(by_pandas["feature"]) == set(NAMES)


# Names ------------------------------------------------------------------------------------------


def every_use(fitted: Any) -> list[Any]:
    names = ["score_samples", "predict", "p_value", "explain", "score_function"]
    return [getattr(fitted, name) for name in names if hasattr(fitted, name)]


@every_class
def test_columns_in_another_order_are_refused(estimator: Any) -> None:
    for use in every_use(estimator().fit(FRAME)):
        with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
            use(FRAME[NAMES[::-1]])


@every_class
def test_unseen_and_missing_columns_are_named(estimator: Any) -> None:
    renamed = FRAME.rename(columns={"age": "years"})
    for use in every_use(estimator().fit(FRAME)):
        with pytest.raises(ValueError) as raised:
            use(renamed)
        sentence = str(raised.value)
        assert "unseen at fit time:\n- years\n" in sentence
        assert "yet now missing:\n- age\n" in sentence


def test_of_many_unseen_columns_five_are_named() -> None:
    names = [f"column {j}" for j in range(9)]
    frame = pd.DataFrame(normal_rows(20, 9), columns=names)
    with pytest.raises(ValueError) as raised:
        SobolevDetector().fit(frame).predict(frame.add_prefix("new "))
    assert str(raised.value).count("- new column") == 5 and "- ...\n" in str(raised.value)


@every_class
def test_rows_without_names_are_taken_with_a_warning(estimator: Any) -> None:
    fitted = estimator().fit(FRAME)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        scores = fitted.score_samples(ROWS)
    assert_same_bits(scores, fitted.score_samples(FRAME))


@every_class
def test_names_after_a_fit_without_them_are_taken_with_a_warning(estimator: Any) -> None:
    fitted = estimator().fit(ROWS)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        fitted.score_samples(FRAME)


@every_class
def test_a_warning_points_at_the_line_that_caused_it(estimator: Any) -> None:
    fitted = estimator().fit(FRAME)
    with pytest.warns(UserWarning) as caught:
        fitted.score_samples(ROWS)
    assert Path(caught[0].filename).name == Path(__file__).name


@every_class
def test_names_that_agree_cause_no_warning(estimator: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator().fit(FRAME).score_samples(FRAME)
        estimator().fit(ROWS).score_samples(ROWS)


def test_a_frame_with_numbers_for_names_has_none() -> None:
    frame = pd.DataFrame(ROWS)
    fitted = SobolevDetector().fit(frame)
    assert not hasattr(fitted, "feature_names_in_")
    assert_same_bits(fitted.score_samples(frame), SobolevDetector().fit(ROWS).score_samples(ROWS))


@pytest.mark.filterwarnings("error")
def test_names_of_text_and_numbers_together_are_refused() -> None:
    frame = pd.DataFrame(ROWS, columns=["height", 1, 2])
    with pytest.raises(TypeError, match="some column names of X are text and some are not"):
        SobolevDetector().fit(frame)


def test_a_fit_without_names_forgets_those_of_the_fit_before() -> None:
    fitted = SobolevDetector().fit(FRAME).fit(ROWS)
    assert not hasattr(fitted, "feature_names_in_")


# What is refused --------------------------------------------------------------------------------


@every_class
@pytest.mark.parametrize(
    "one_dimensional",
    [
        ROWS[:, 0],
        ROWS[:, 0].tolist(),
        pd.Series(ROWS[:, 0]),
        pl.Series(ROWS[:, 0]),
        pa.array(ROWS[:, 0]),
        pa.chunked_array([ROWS[:, 0]]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_one_dimension_is_refused_with_the_remedy(one_dimensional: Any, estimator: Any) -> None:
    with pytest.raises(ValueError, match="Reshape your data"):
        estimator().fit(one_dimensional)
    with pytest.raises(ValueError, match="Reshape your data"):
        estimator().fit(ROWS).score_samples(one_dimensional)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("estimator", ESTIMATORS[1:])
def test_a_column_of_text_is_refused_by_its_name(make: Any, estimator: Any) -> None:
    frame = make({"height": [1.0, 2.0, 3.0], "city": ["Haifa", "Rome", "Oslo"]})
    with pytest.raises((ValueError, TypeError), match="city"):
        estimator().fit(frame)


@pytest.mark.parametrize("estimator", ESTIMATORS[1:])
def test_categories_and_dates_are_refused_by_their_name(estimator: Any) -> None:
    values = {
        "grade": pd.Categorical(["a", "b", "a"]),
        "day": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
        "wait": pd.to_timedelta([1, 2, 3], unit="s"),
    }
    for name, column in values.items():
        with pytest.raises((ValueError, TypeError), match=name):
            estimator().fit(pd.DataFrame({"height": [1.0, 2.0, 3.0], name: column}))


def with_gap(kind: str) -> Any:
    """Rows with nothing in row 7 of the column "weight"."""
    rows = ROWS.copy()
    rows[7, 1] = np.nan
    forms = {
        "array": lambda: rows,
        "masked array": lambda: np.ma.masked_invalid(rows),
        "list": lambda: rows.tolist(),
        "pandas": lambda: pd.DataFrame(rows, columns=NAMES),
        "pandas, nullable": lambda: pd.DataFrame(rows, columns=NAMES).convert_dtypes(),
        "polars": lambda: pl.DataFrame(rows, schema=NAMES, nan_to_null=True),
        "pyarrow": lambda: pa.Table.from_pandas(pd.DataFrame(rows, columns=NAMES)),
    }
    return forms[kind]()


@pytest.mark.parametrize("estimator", ESTIMATORS[1:])
@pytest.mark.parametrize("kind", ["array", "masked array", "list"])
def test_a_missing_value_is_refused_with_its_place(kind: str, estimator: Any) -> None:
    with pytest.raises(ValueError, match="row 7, column 1 is NaN"):
        estimator().fit(with_gap(kind))
    with pytest.raises(ValueError, match="row 7, column 1 is NaN"):
        estimator().fit(ROWS).score_samples(with_gap(kind))


@pytest.mark.parametrize("estimator", ESTIMATORS[1:])
@pytest.mark.parametrize("kind", ["pandas", "pandas, nullable", "polars", "pyarrow"])
def test_a_missing_value_in_a_frame_is_refused_with_row_and_name(
    kind: str, estimator: Any
) -> None:
    for use in (estimator().fit, estimator().fit(FRAME).score_samples):
        with pytest.raises(ValueError) as raised:
            use(with_gap(kind))
        assert "row 7" in str(raised.value) and "weight" in str(raised.value)


def test_the_place_is_that_in_the_whole_table() -> None:
    long = np.zeros((40_000, 2))
    long[39_999, 1] = np.inf
    with pytest.raises(ValueError, match="row 39999, column 1 is inf"):
        SobolevDensity().fit(normal_rows(10, 2)).score_samples(long)
