"""The detector for Dask: fits to data frames and arrays of any length, and lazy scores.

    import sosrep.dask

    model = sosrep.dask.fit(frame)
    scores = sosrep.dask.score(model, frame)       # lazy, with the partitions of the frame
    scores[scores.is_anomaly].compute()

The workers need this package and pyarrow. The model is a `sosrep.SobolevDetector`, that of the same rows in one
process, to the bit. What a fit sends from each partition is a survey of its columns and a sample of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa

from ._detector import SobolevDetector
from ._elsewhere import found_there
from ._parts import Columns, begin, gather, gathered, model_of, one_row, scored
from ._table import numbered

__all__ = ["fit", "score"]


def fit(
    X: Any,
    *,
    columns_used: list[str] | None = None,
    weight: str | None = None,
    row_key: str | None = None,
    **parameters: Any,
) -> SobolevDetector:
    """Fit a detector to a Dask data frame or array.

    Parameters
    ----------
    X : dask.dataframe.DataFrame or dask.array.Array
        Read twice most often: once to survey the columns, once for the rows of the fit. `persist` it first if
        it is costly to make.
    columns_used : list of str, default=None
        Columns to learn from; None for all but `weight` and `row_key`.
    weight : str, default=None
        Column of weights: a weight of k counts as k copies of the row.
    row_key : str, default=None
        A column that is different in every row: equal rows are then sampled one by one.
    **parameters
        Those of `sosrep.SobolevDetector`.

    Returns
    -------
    detector : SobolevDetector
        Without `training_scores_`: use `score`.
    """
    local = SobolevDetector(**parameters)
    frame, plain = _frame(X)
    if plain:
        local.columns = dict.fromkeys(frame.columns, "number") | (local.columns or {})
    columns = Columns.of(list(frame.columns), columns_used, weight, row_key)
    frame = frame[columns.needed]
    schema = _schema(frame)

    def collect(state: bytes) -> Iterable[bytes]:
        task = dask.delayed(_on_workers("_gather"))
        tasks = [task(part, schema, state, weight) for part in frame.to_delayed()]
        found: Iterable[bytes] = dask.compute(*tasks)
        return found

    gathering = gathered(begin(local, schema, columns), collect)
    model, notes = gathering.fit(local._core_parameters(), n_jobs=local._jobs())
    fitted = SobolevDetector._of_model(model)
    fitted._notes = tuple(notes)
    return fitted


def score(model: SobolevDetector, X: Any, *, reasons: bool = False) -> Any:
    """Score the rows of a Dask data frame or array, lazily.

    Parameters
    ----------
    model : SobolevDetector
        Fitted to columns with the names of those of X, by any interface.
    X : dask.dataframe.DataFrame or dask.array.Array
    reasons : bool, default=False
        Whether to add a column that names what makes a row an anomaly.

    Returns
    -------
    scores : dask.dataframe.DataFrame
        ``anomaly_score``, higher is more anomalous, ``p_value``, ``is_anomaly``, with the partitions and the index
        of X; missing where a row has no score.
    """
    fitted, (frame, _) = model._fitted(), _frame(X)
    features = fitted.source_columns
    Columns.of(list(frame.columns), features, None, None)
    frame = frame[features]
    schema = _schema(frame)
    fitted.check_types(one_row(schema))
    types = {"anomaly_score": "float64", "p_value": "float64", "is_anomaly": "boolean"}
    types |= {"reasons": "object"} if reasons else {}
    empty = pd.DataFrame(index=frame._meta.index)
    meta = empty.assign(**{name: pd.Series(dtype=dtype) for name, dtype in types.items()})
    # One task holds the model, and not every one.
    file = dask.delayed(fitted.state()[0], pure=True)
    return frame.map_partitions(_on_workers("_score"), schema, file, types, reasons, meta=meta)


def _on_workers(name: str) -> Callable[..., Any]:
    """A function of this module, wherever it is called."""
    return found_there("sosrep.dask", name, "the Python of the workers")


def _frame(X: Any) -> tuple[Any, bool]:
    """A data frame, and whether it was made of an array."""
    if hasattr(X, "to_delayed") and hasattr(X, "map_partitions"):
        return X, False
    if not hasattr(X, "rechunk"):
        raise TypeError(f"X is a {type(X).__name__}; give a Dask data frame or array")
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; give rows and columns")
    names = numbered(X.shape[1])
    blocks = X.rechunk({1: -1}).to_delayed().ravel()
    meta = pd.DataFrame(np.empty((0, len(names)), dtype=X.dtype), columns=names)
    frames = [dask.delayed(pd.DataFrame)(block, columns=names) for block in blocks]
    return dd.from_delayed(frames, meta=meta, verify_meta=False), True


def _schema(frame: Any) -> pa.Schema:
    """The types of the columns, the same for all partitions."""
    return pa.Schema.from_pandas(frame._meta_nonempty, preserve_index=False).remove_metadata()


def _table(part: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pandas(part, schema=schema, preserve_index=False)


def _gather(part: pd.DataFrame, schema: pa.Schema, state: bytes, weight: str | None) -> bytes:
    return gather(state, _table(part, schema).to_batches(), weight)


def _score(
    part: pd.DataFrame, schema: pa.Schema, file: bytes, types: dict[str, str], reasons: bool
) -> pd.DataFrame:
    results = scored(model_of(file), _table(part, schema), reasons)
    frame = results.to_pandas().astype(types)
    frame.index = part.index
    return frame
