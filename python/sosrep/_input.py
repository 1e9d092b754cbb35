"""Conversion and validation of arguments: arrays, lists and data frames, weights, seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _core

Array = NDArray[Any]
Names = list[str] | None
Progress = Callable[[str, int, int | None, float | None], object]


def read_rows(X: Any) -> tuple[Array, Names]:
    """X as a two-dimensional array of native f32 or f64, and the names of its columns.

    Such an array is not copied, whatever its memory order and whether it is writable.
    """
    if is_frame(X):
        return read_frame(X)
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("X is sparse; dense rows are needed: use X.toarray()")
    return read_array(X), None


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns: of pandas, polars, or anything with Arrow export."""
    if isinstance(X, np.ndarray):
        return False
    if hasattr(X, "__arrow_c_stream__"):
        one_column = hasattr(X, "dtype") or hasattr(X, "type")
        return hasattr(X, "columns") or not one_column
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def read_frame(X: Any) -> tuple[Array, Names]:
    """The values of a data frame, and its column names if they are text."""
    named = all(isinstance(name, str) for name in column_names(X))
    names, values = _read_frame(X)
    return check_shape(values), names if named else None


def column_names(X: Any) -> list[Any]:
    """Column names of a data frame, either all text or none."""
    if hasattr(X, "to_numpy"):
        names = list(X.columns)
    elif hasattr(X, "column_names"):
        names = list(X.column_names)
    else:
        names = list(getattr(getattr(X, "schema", None), "names", []))
    if len({isinstance(name, str) for name in names}) > 1:
        raise TypeError(
            "some column names of X are text and some are not; make all of them text: "
            "X.columns = X.columns.astype(str)"
        )
    return names


def _read_frame(X: Any) -> tuple[list[str], Array]:
    try:
        return _core.read_frame(arrow_table(X))
    except ImportError:
        if not hasattr(X, "reset_index"):
            raise
        # pandas exports Arrow tables only if pyarrow is installed.
        return [str(name) for name in X.columns], read_array(X.to_numpy())
    except (NotImplementedError, OverflowError) as error:
        raise TypeError(f"a column of X has a type that Arrow does not support ({error})") from None


def arrow_table(X: Any) -> Any:
    """X without a pandas index, which would become a column of the Arrow table."""
    return X.reset_index(drop=True) if hasattr(X, "reset_index") else X


def read_array(X: Any) -> Array:
    """Anything that numpy converts to a two-dimensional array of numbers."""
    if np.ma.isMaskedArray(X):
        X = np.ma.asarray(X, dtype=np.float64).filled(np.nan)
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers")
    if array.dtype.kind in "mM":
        raise TypeError("X holds dates or durations; turn them into numbers first")
    if array.dtype.kind in "US":
        raise ValueError("X holds text; every value must be a number")
    if array.ndim == 0 and array.dtype.kind == "O":
        raise TypeError(
            f"X is a {type(X).__name__}; give rows and columns: an array, a list of rows, or a "
            "data frame"
        )
    check_shape(array)
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        array = _as_numbers(array)
    return array if array.flags.aligned else array.copy()


def check_shape(array: Array) -> Array:
    """The array, if it has two dimensions and neither is empty."""
    if array.ndim != 2:
        raise ValueError(
            f"X has {array.ndim} dimension{'' if array.ndim == 1 else 's'}, not 2. "
            "Reshape your data: X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
        )
    for count, what in zip(array.shape, ("sample", "feature")):
        if count == 0:
            raise ValueError(
                f"X has 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required."
            )
    return array


def _as_numbers(array: Array) -> Array:
    if array.dtype.kind == "O":
        for place, value in np.ndenumerate(array):
            _check_number(place, value)
    return np.asarray(array, dtype=np.float64)


def _check_number(place: tuple[int, ...], value: Any) -> None:
    """An error unless a cell of an object array is a number; text is not parsed."""
    where = f"row {place[0]}, column {place[1]} is {shortened(value)}"
    if isinstance(value, (str, bytes)):
        raise ValueError(f"{where}; every value must be a number, not text")
    try:
        float(value)
    except TypeError as error:
        raise TypeError(f"{where}; every value must be a number ({error})") from None
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{where}; every value must be a number ({error})") from None


def shortened(value: Any, most: int = 60) -> str:
    """The value as Python shows it, cut if it is long."""
    shown = repr(value)
    return shown if len(shown) <= most else f"{shown[:most]}…"


def read_weights(sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
    """One weight for each row, or None."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"every sample_weight must be a number ({error})") from None
    if weights.shape != (rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; give one weight for each of the {rows} rows"
        )
    return weights


def read_count(name: str, value: Any) -> int:
    """A positive integer."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}; it must be a positive integer")
    if value < 1 or value > np.iinfo(np.int64).max:
        raise ValueError(f"{name} is {value!r}; it must be a positive integer")
    return int(value)


def read_jobs(n_jobs: Any) -> int | None:
    """Number of threads, with the convention of scikit-learn."""
    domain = "None, between 1 and 1024, or negative: -1 for every core"
    if n_jobs is None:
        return None
    if isinstance(n_jobs, (bool, np.bool_)) or not isinstance(n_jobs, (int, np.integer)):
        raise TypeError(f"n_jobs is {n_jobs!r}; it must be {domain}")
    if not (1 <= n_jobs <= 1024 or -(2**31) < n_jobs < 0):
        raise ValueError(f"n_jobs is {n_jobs!r}; it must be {domain}")
    return int(n_jobs)


def read_progress(progress: Any) -> Progress | None:
    """A callable, or None."""
    if progress is not None and not callable(progress):
        raise TypeError(
            f"progress is {progress!r}; it must be callable as progress(stage, step, steps, residual)"
        )
    return cast("Progress | None", progress)


def read_seed(random_state: Any) -> int:
    """A seed from anything that scikit-learn accepts as a random state."""
    if random_state is None:
        random_state = np.random.mtrand._rand
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32, dtype=np.uint64))
    domain = "a whole number from 0 to 2^64 - 1, a RandomState, a Generator, or None"
    if isinstance(random_state, (bool, np.bool_)) or not isinstance(random_state, (int, np.integer)):
        raise TypeError(f"random_state is {random_state!r}; it must be {domain}")
    if not 0 <= random_state < 2**64:
        raise ValueError(f"random_state is {random_state!r}; it must be {domain}")
    return int(random_state)


def check_names(found: Names, fitted: Names, owner: str) -> str | None:
    """An error if the columns are not those of the fit; a warning if one of the two has no names."""
    if found is None and fitted is None:
        return None
    if fitted is None:
        return f"X has feature names, but {owner} was fitted without feature names"
    if found is None:
        return f"X does not have valid feature names, but {owner} was fitted with feature names"
    if found == fitted:
        return None
    # The wording of scikit-learn, which its estimator checks and users expect.
    words = ["The feature names should match those that were passed during fit."]
    unseen, missing = sorted(set(found) - set(fitted)), sorted(set(fitted) - set(found))
    if unseen:
        words += ["Feature names unseen at fit time:", *_listed(unseen)]
    if missing:
        words += ["Feature names seen at fit time, yet now missing:", *_listed(missing)]
    if not unseen and not missing:
        words += ["Feature names must be in the same order as they were in fit."]
    raise ValueError("\n".join(words) + "\n")


def _listed(names: list[str], most: int = 5) -> list[str]:
    return [f"- {name}" for name in names[:most]] + ["- ..."] * (len(names) > most)
