"""Tables of any columns: data frames and arrays as the compiled part takes them.

`_core.Table` reads what exports Arrow streams, or else a list of pairs (name, column). A column is an
array of floats with NaN for missing values, of integers, booleans or times, or a list of text or
booleans with None for missing values.
"""

from __future__ import annotations

from datetime import date, datetime, timezone
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._input import Array, Names, check_shape, column_names, is_frame, read_array, shortened

#: Most bytes of a sparse matrix once its zeros are written out.
SPARSE_LIMIT = 2**31

#: Marks of missing values in arrays of text, as in CSV files.
MISSING_MARKS = frozenset(
    ["", "na", "n/a", "n.a.", "nan", "nat", "null", "none", "?", "-", "–", "—", ".", "<na>"]
    + ["#n/a", "#div/0!", "#value!", "#num!", "#ref!", "#name?"]
)

#: Whole numbers beyond it do not fit a float.
EXACT_INTEGERS = 2**53

#: A list of pairs (name, column).
Columns = list[tuple[str, Any]]


class Table(NamedTuple):
    """Rows that need an encoding."""

    data: _core.Table
    #: Names of the columns, if they are text.
    names: Names
    #: Names of the columns of an array that are numbers.
    numbers: list[str] = []

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.data.names)


def read_table(X: Any) -> Array | Table:
    """X as an array of native floats where it is one, otherwise as a table.

    Such an array is not copied, whatever its memory order and whether it is writable.
    """
    if is_frame(X):
        return _read_frame(X)
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        X = _dense(X)
    array = _as_array(X)
    if array.dtype.kind not in "OUSM":
        return read_array(array)
    columns = [_column(array[:, j], j) for j in range(array.shape[1])]
    if all(isinstance(column, np.ndarray) and column.dtype == np.float64 for column in columns):
        return np.column_stack(columns)
    pairs = list(zip(numbered(len(columns)), columns, strict=True))
    numbers = [name for name, column in pairs if getattr(column, "dtype", None) == np.float64]
    return Table(_core.Table(pairs), None, numbers)


def of_array(array: Array) -> Table:
    """An array of floats as a table."""
    names = numbered(array.shape[1])
    return Table(_core.Table([(name, array[:, j]) for j, name in enumerate(names)]), None, names)


def numbered(width: int) -> list[str]:
    """Names for columns without one."""
    return [f"column_{j + 1}" for j in range(width)]


def _as_array(X: Any) -> Array:
    if np.ma.isMaskedArray(X):
        X = np.ma.asarray(X, dtype=np.float64).filled(np.nan)
    array = np.asarray(X)
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        # Numbers beside text have become text.
        array = np.array(X, dtype=object)
    if array.dtype.kind == "m":
        raise TypeError("X holds durations; turn them into numbers first")
    if array.ndim == 0 or array.dtype.kind == "c":
        return read_array(X)
    return check_shape(array)


def _dense(X: Any) -> Array:
    """A sparse matrix with its zeros, if that is not too large."""
    size = 8 * int(np.prod(X.shape, dtype=object))
    if size > SPARSE_LIMIT:
        raise ValueError(
            f"X is sparse and would take {size / 2**30:.1f} GiB with its zeros, more than the limit "
            f"of {SPARSE_LIMIT / 2**30:.0f} GiB; give fewer rows at a time, or reduce the columns, "
            "for example with scikit-learn's TruncatedSVD"
        )
    return np.asarray(X.toarray())


def _read_frame(X: Any) -> Table:
    named = all(isinstance(name, str) for name in column_names(X))
    data = _frame_table(X)
    shape = (data.rows, len(data.names))
    for count, what in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(f"X has 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")
    return Table(data, data.names) if named else Table(data.renamed(numbered(shape[1])), None)


def _frame_table(X: Any) -> _core.Table:
    """By an Arrow stream; column by column where pandas cannot make one."""
    if not hasattr(X, "reset_index"):
        return _core.Table(X)
    try:
        # The index would become a column.
        return _core.Table(X.reset_index(drop=True))
    except (AttributeError, ImportError, NotImplementedError, OverflowError, TypeError, ValueError):
        # Without pyarrow, or with cells of several types in one column.
        return _core.Table(_pandas_columns(X))


def _pandas_columns(frame: Any) -> Columns:
    places = range(frame.shape[1])
    return [(str(name), _series(frame.iloc[:, j], j)) for name, j in zip(frame.columns, places)]


def _series(series: Any, place: int) -> Any:
    """A column of pandas."""
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    kind = getattr(series.dtype, "kind", "O")
    if kind in "iu" and not series.isna().any():
        return series.to_numpy(dtype="int64" if kind == "i" else "uint64")
    if kind in "iuf":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "M":
        return series.to_numpy(dtype="datetime64[us]")
    cells = _column(series.astype(object).to_numpy(), place)
    if series.dtype == "category" and isinstance(cells, np.ndarray):
        return [None if value != value else f"{value:g}" for value in cells.tolist()]
    return cells


def _column(cells: Array, place: int) -> Any:
    """The cells of a column of an array of objects, text or times."""
    if cells.dtype.kind == "M":
        return cells.astype("datetime64[us]")
    if cells.dtype.kind in "US":
        return _text(cells)
    values = [None if _is_missing(value) else value for value in cells.tolist()]
    present = [value for value in values if value is not None]
    if not present:
        return np.full(len(values), np.nan)
    if all(isinstance(value, (bool, np.bool_)) for value in present):
        return [None if value is None else bool(value) for value in values]
    if all(isinstance(value, Real) for value in present):
        return _numbers(values)
    if all(isinstance(value, (date, np.datetime64)) for value in present):
        return np.array([_utc(value) for value in values], dtype="datetime64[us]")
    return [None if value is None else _word(value, (i, place)) for i, value in enumerate(values)]


def _numbers(values: list[Any]) -> Any:
    """Numbers, as integers if they would not fit a float."""
    present = [value for value in values if value is not None]
    large = any(abs(int(value)) > EXACT_INTEGERS for value in present if isinstance(value, Integral))
    if large and all(isinstance(value, Integral) for value in present):
        return [None if value is None else str(value) for value in values]
    try:
        return np.array([np.nan if value is None else float(value) for value in values])
    except OverflowError:
        return [None if value is None else str(value) for value in values]


def _text(cells: Array) -> Any:
    """Cells of an array of text, in which numbers have become text."""
    words = [value.decode() if isinstance(value, bytes) else value for value in cells.tolist()]
    words = [None if word.strip().lower() in MISSING_MARKS else word for word in words]
    try:
        return np.array([np.nan if word is None else float(word) for word in words])
    except ValueError:
        return words


def _word(value: Any, place: tuple[int, int]) -> str:
    """A cell beside text, as text."""
    if isinstance(value, (str, bool, Real, date, np.generic)):
        return str(value)
    where = f"row {place[0]}, column {place[1]} is {shortened(value)}"
    raise TypeError(
        f"{where}; every value must be a number, text, a boolean or a date (a cell's argument must "
        "be a string or a real number)"
    )


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, np.datetime64)) and value != value


def _utc(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(timezone.utc).replace(tzinfo=None)
    return value
