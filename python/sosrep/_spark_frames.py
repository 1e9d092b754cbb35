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
    DateType,
    NullType,
    NumericType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
)

from ._elsewhere import found_there
from ._parts import Columns

Batches = Iterator[pa.RecordBatch]

#: Types of columns that can be read.
TEXTS, DATES = (StringType, CharType, VarcharType), (DateType, TimestampType, TimestampNTZType)
READ = (NumericType, BooleanType, *TEXTS, *DATES, NullType)


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
    """A function of `_parts`, wherever it is called."""
    return found_there("sosrep._parts", name, "the Python of the executors (PYSPARK_PYTHON)")


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
