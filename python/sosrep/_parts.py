"""Tables that lie in parts, whatever engine holds them: one fit to all parts, scores of each.

What an engine must do is apply a function to the Arrow batches of every part. `gather` is that function for
fits, and `scored` or `with_scores` for scores. They get bytes and give Arrow tables or bytes, so that they run
in any process that has this package.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow.types import is_decimal, is_floating, is_integer

from . import _core
from ._detector import SobolevDetector

#: The columns that scores are in.
RESULTS = pa.schema(
    [
        pa.field("anomaly_score", pa.float64()),
        pa.field("p_value", pa.float64()),
        pa.field("is_anomaly", pa.bool_()),
    ]
)
#: The column of reasons, if they are wanted.
REASONS = pa.field("reasons", pa.string())
#: Columns named in the reasons of a row.
NAMED = 3
#: Models kept in a process, by their bytes.
KEPT = 4


class Columns:
    """The columns of a table by their part in a fit."""

    def __init__(self, features: list[str], weight: str | None, key: str | None) -> None:
        self.features, self.weight, self.key = features, weight, key

    @classmethod
    def of(
        cls, names: list[str], features: list[str] | None, weight: str | None, key: str | None
    ) -> Columns:
        """Of a table with these columns; all are features unless some are given."""
        for name in [*(features or []), *filter(None, [weight, key])]:
            if name not in names:
                raise ValueError(f"the data frame has no column {name!r}; its columns are {names}")
        others = [name for name in names if name not in (weight, key)]
        chosen = others if features is None else list(features)
        if not chosen:
            raise ValueError(f"the data frame has no columns to learn from; its columns are {names}")
        columns = cls(chosen, weight, key)
        for name in columns.needed:
            if names.count(name) > 1:
                raise ValueError(f"the data frame has {names.count(name)} columns {name!r}; rename them")
            if columns.needed.count(name) > 1:
                raise ValueError(
                    f"column {name!r} is named twice; each is one of the columns to learn from, or the weight, or "
                    "the row key"
                )
        return columns

    @property
    def needed(self) -> list[str]:
        """All of them."""
        return [*self.features, *filter(None, [self.weight, self.key])]


def one_row(schema: pa.Schema) -> _core.Table:
    """A row without values, which stands for a table with this schema."""
    nullable = pa.schema([field.with_nullable(True) for field in schema])
    return _core.Table(pa.Table.from_pylist([{}], schema=nullable))


def begin(detector: SobolevDetector, schema: pa.Schema, columns: Columns) -> _core.Gathering:
    """What to gather first of a table with this schema."""
    if columns.weight is not None:
        kind = schema.field(columns.weight).type
        if not any(number(kind) for number in (is_integer, is_floating, is_decimal)):
            raise ValueError(f"the column of weights {columns.weight!r} is of type {kind}; weights are numbers")
    features = one_row(pa.schema([schema.field(name) for name in columns.features]))
    parameters, options = detector._core_parameters(), detector._encoding_options()
    return _core.Gathering(features, parameters, options, columns.key)


def gather(state: bytes, batches: Iterable[pa.RecordBatch], weight: str | None) -> bytes:
    """What a part of a table, batch by batch, has to say: a new state."""
    part = _core.Gathering.of_state(state)
    for batch in batches:
        table = pa.Table.from_batches([batch])
        weights = None
        if weight is not None:
            weights = np.asarray(table.column(weight).to_numpy(), dtype=np.float64)
            table = table.drop_columns([weight])
        part.add(_core.Table(table), weights)
    return part.state()


def gathered(
    first: _core.Gathering, collect: Callable[[bytes], Iterable[bytes]]
) -> _core.Gathering:
    """All passes over a table; `collect` applies `gather` with a state to every part."""
    gathering = first
    while True:
        for state in collect(gathering.state()):
            gathering.merge(state)
        following = gathering.next_pass()
        if following is None:
            return gathering
        gathering = following


def model_of(file: bytes) -> _core.Detector:
    """The model in these bytes, read once in a process."""
    digest = hashlib.sha256(file).digest()
    return _kept(digest, _Bytes(file))


class _Bytes:
    """Bytes that are compared by what stands beside them."""

    def __init__(self, file: bytes) -> None:
        self.file = file

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bytes)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=KEPT)
def _kept(digest: bytes, file: _Bytes) -> _core.Detector:
    model = _core.Detector(file.file)
    file.file = b""
    return model


def scored(model: _core.Detector, table: pa.Table, reasons: bool) -> pa.Table:
    """Scores, p-values and labels of rows, null where a row has none; with reasons of anomalies if wanted."""
    schema = RESULTS.append(REASONS) if reasons else RESULTS
    if table.num_rows == 0:
        return schema.empty_table()
    values, kept, _, _ = model.encode(_core.Table(table))
    found = schema.empty_table()
    if len(values):
        columns: list[Any] = list(model.assess(values, n_jobs=1))
        if reasons:
            columns.append(_reasons(model, values, columns[2]))
        pairs = zip(columns, schema, strict=True)
        arrays = [pa.array(cells, type=field.type) for cells, field in pairs]
        found = pa.Table.from_arrays(arrays, schema=schema)
    return found if kept is None else _spread(found, kept, table.num_rows)


def _spread(found: pa.Table, kept: np.ndarray, rows: int) -> pa.Table:
    """As many rows, with those of `found` where `kept` says, and nulls elsewhere."""
    places, absent = np.zeros(rows, dtype=np.int64), np.ones(rows, dtype=bool)
    places[kept], absent[kept] = np.arange(len(kept)), False
    return found.take(pa.array(places, mask=absent))


def with_scores(
    file: bytes, batches: Iterable[pa.RecordBatch], places: list[int], reasons: bool
) -> Iterator[pa.RecordBatch]:
    """The batches of a part with the scores of their rows by the model in these bytes.

    The columns of the model are those at these places, in its order, whatever the names of columns.
    """
    model = model_of(file)
    names = model.source_columns
    for batch in batches:
        table = pa.Table.from_batches([batch])
        results = scored(model, table.select(places).rename_columns(names), reasons)
        for field, column in zip(results.schema, results.columns, strict=True):
            table = table.append_column(field, column)
        yield from table.combine_chunks().to_batches()


def _reasons(model: _core.Detector, values: Any, is_anomaly: Any) -> list[str | None]:
    """The columns that contribute most to the scores of anomalies, in words."""
    words: list[str | None] = [None] * len(values)
    flagged = np.flatnonzero(is_anomaly)
    if len(flagged):
        names = model.source_columns
        contributions = model.explain(np.ascontiguousarray(values[flagged]), n_jobs=1)[1]
        for row, of_row in zip(flagged.tolist(), contributions, strict=True):
            order = np.argsort(-of_row, kind="stable")[:NAMED]
            words[row] = ", ".join(f"{names[j]} {of_row[j]:+.1f}" for j in order if of_row[j] > 0)
    return words
