"""What Spark's data frames need so that functions of this package run where their rows are.

`DataFrame.mapInArrow` alone brings rows and functions together: there is no other way with Spark Connect. It finds
no columns with dots or backticks in their names, and no two of one name; so columns go by their places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    BooleanType,
    CharType,
    DatetimeType,
    NullType,
    NumericType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
)

from . import _core
from ._parts import Columns

Batches = Iterator[pa.RecordBatch]

#: Types of columns that can be read.
READ = (NumericType, BooleanType, StringType, CharType, VarcharType, DatetimeType, NullType)


def names_of(frame: Any) -> list[str]:
    """The names of the columns of a Spark data frame; an error for any other."""
    if isinstance(frame, DataFrame):
        return list(frame.columns)
    made = f"{type(frame).__module__}.{type(frame).__name__}"
    raise TypeError(f"the table is a {made}; give a Spark data frame, or use sosrep.SobolevDetector")


def arrow_types(frame: DataFrame, names: list[str]) -> pa.Schema:
    """The types of columns that can be read, as the executors see them but for the time zone."""
    types, fields = frame.schema, []
    for name in names:
        kind = types[name].dataType
        if not isinstance(kind, READ):
            raise ValueError(
                f"column {name!r} is of type {kind.simpleString()}, which is neither number, boolean, text nor "
                "date; cast it, take it apart into columns, or leave it out of the fit (inputCols)"
            )
        # Versions of Spark differ in how they ask for the time zone, and kinds of columns have none.
        fields.append(StructField(name, TimestampNTZType() if isinstance(kind, TimestampType) else kind))
    return to_arrow_schema(StructType(fields))


def on_executors(name: str) -> Callable[..., Any]:
    """A function of `_parts` that is looked for where it is called.

    Spark sends functions of a package by their name, and an executor without the package fails to read them before
    it could say why. This one goes by value; so it must not refer to anything of the package outside `call`.
    """
    version = _core.__version__

    def call(*arguments: Any) -> Any:
        import sys

        python = f"the Python that the executors run (PYSPARK_PYTHON, here {sys.executable})"
        try:
            from sosrep import __version__ as there
            from sosrep import _parts
        except ImportError as error:
            raise RuntimeError(
                f"the executors cannot import sosrep ({error}); install sosrep {version} for {python}"
            ) from None
        if there != version:
            raise RuntimeError(
                f"the executors have sosrep {there} and the driver has {version}, which may differ in scores; "
                f"install sosrep {version} for {python}"
            )
        return getattr(_parts, name)(*arguments)

    return call


def numbered(frame: DataFrame) -> DataFrame:
    """A data frame whose columns are named by their places."""
    return frame.toDF(*[str(place) for place in range(len(frame.columns))])


def collected(frame: DataFrame, state: bytes, columns: Columns) -> Iterable[bytes]:
    """What each part of a data frame has to say to a fit."""
    gather, needed, weight = on_executors("gather"), columns.needed, columns.weight
    chosen = numbered(frame.select(*["`" + name.replace("`", "``") + "`" for name in needed]))

    def part(batches: Batches) -> Batches:
        found: dict[str, Any] = {"state": None, "fault": None, "of_rows": None}
        try:
            named = (batch.rename_columns(needed) for batch in batches)
            found["state"] = gather(state, named, weight)
        except (ValueError, RuntimeError) as error:
            # As data, so that the driver can say it in one sentence.
            found |= {"fault": str(error), "of_rows": isinstance(error, ValueError)}
        types = [("state", pa.binary()), ("fault", pa.string()), ("of_rows", pa.bool_())]
        yield pa.RecordBatch.from_pylist([found], schema=pa.schema(types))

    for row in chosen.mapInArrow(part, "state binary, fault string, of_rows boolean").collect():
        if row.fault is not None:
            raise (ValueError if row.of_rows else RuntimeError)(row.fault)
        yield bytes(row.state)
