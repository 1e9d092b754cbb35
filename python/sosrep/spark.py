"""The detector for Spark: an estimator and a model of `pyspark.ml`, for tables of any length.

    from sosrep.spark import SobolevDetector

    model = SobolevDetector(inputCols=["amount", "country"]).fit(frame)
    model.transform(frame).where("is_anomaly").show()

The executors need this package and pyarrow. What a fit sends to the driver is a survey of the columns and a
sample of rows, a few megabytes; the model is that of the same rows in one process, to the bit. Only
`DataFrame.mapInArrow` is used, so that Spark Connect will do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, DoubleType, StringType, StructField, StructType

from . import _core
from ._detector import SobolevDetector as LocalDetector
from ._parts import Columns, begin, gathered, model_of, one_row
from ._spark_frames import Batches, arrow_types, collected, names_of, numbered, on_executors

__all__ = ["SobolevDetector", "SobolevDetectorModel"]

RESULTS = [
    StructField("anomaly_score", DoubleType()),
    StructField("p_value", DoubleType()),
    StructField("is_anomaly", BooleanType()),
]
REASONS = StructField("reasons", StringType())

#: Parameters of the local estimator with their defaults.
LOCAL = {
    name: parameter.default
    for name, parameter in inspect.signature(LocalDetector.__init__).parameters.items()
    if name != "self"
}
#: Parameters that only Spark needs: default, type and meaning.
OWN: dict[str, tuple[Any, Callable[[Any], Any], str]] = {
    "inputCols": (
        None,
        TypeConverters.toListString,
        "columns to learn from and to score; default: all, but weight and row key",
    ),
    "weightCol": (None, TypeConverters.toString, "column of weights: a weight of k is k copies of the row"),
    "rowKeyCol": (
        None,
        TypeConverters.toString,
        "column that is different in every row: equal rows are sampled one by one",
    ),
    "reasons": (
        False,
        TypeConverters.toBoolean,
        "whether transform adds the columns that make a row an anomaly",
    ),
}


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python, which can be written with the other parameters."""
    return value.item() if isinstance(value, np.generic) else value


class _WithParams(Params):  # type: ignore[misc]
    """Parameters of the estimator and its model."""

    def _set_given(self, given: dict[str, Any]) -> None:
        for name in given:
            if not self.hasParam(name):
                known = ", ".join([*OWN, *LOCAL])
                raise TypeError(f"there is no parameter {name!r}; the parameters are {known}")
        self._setDefault(**{name: own[0] for name, own in OWN.items()}, **LOCAL)
        self._set(**given)

    def _value(self, name: str) -> Any:
        return self.getOrDefault(self.getParam(name))


for _name, (_, _type, _meaning) in OWN.items():
    setattr(_WithParams, _name, Param(Params._dummy(), _name, _meaning, _type))
for _name in LOCAL:
    _meaning = f"as in sosrep.SobolevDetector: {_name}"
    setattr(_WithParams, _name, Param(Params._dummy(), _name, _meaning, _plain))


class SobolevDetector(Estimator, _WithParams, MLReadable, MLWritable):  # type: ignore[misc]
    """Anomaly detector for Spark data frames.

    Parameters
    ----------
    inputCols : list of str, default=None
        Columns to learn from and to score: numbers, text, booleans, dates. Default: all.
    weightCol : str, default=None
        A weight of k counts as k copies of the row.
    rowKeyCol : str, default=None
        A column that is different in every row. Of a long table a sample of the different rows is used,
        each with all its copies; with a key, equal rows are sampled one by one.
    reasons : bool, default=False
        Whether `transform` adds a column that names what makes a row an anomaly.
    **parameters
        Those of `sosrep.SobolevDetector`.
    """

    def __init__(self, **parameters: Any) -> None:
        super().__init__()
        self._set_given(parameters)

    def _fit(self, dataset: DataFrame) -> SobolevDetectorModel:
        local = LocalDetector(**{name: self._value(name) for name in LOCAL})
        columns = Columns.of(
            names_of(dataset),
            self._value("inputCols"),
            self._value("weightCol"),
            self._value("rowKeyCol"),
        )
        first = begin(local, arrow_types(dataset, columns.needed), columns)
        gathering = gathered(first, lambda state: collected(dataset, state, columns))
        fitted, notes = gathering.fit(local._core_parameters(), n_jobs=local._jobs())
        model = SobolevDetectorModel(fitted.state()[0])._resetUid(self.uid)
        return self._copyValues(model)._noting(notes)  # type: ignore[no-any-return]

    def write(self) -> MLWriter:
        return _Writer(self, None)

    @classmethod
    def read(cls) -> MLReader[Any]:
        return _Reader(cls)


class SobolevDetectorModel(Model, _WithParams, MLReadable, MLWritable):  # type: ignore[misc]
    """A fitted detector.

    `transform` adds the columns ``anomaly_score`` (higher is more anomalous), ``p_value`` and ``is_anomaly``,
    null where a row has no score, and ``reasons`` if that was asked for; all other columns are kept.
    """

    def __init__(self, file: bytes = b"") -> None:
        super().__init__()
        self._set_given({})
        self._file = file
        self._notes: list[str] = []

    @property
    def file(self) -> bytes:
        """The model file, as every other interface of sosrep reads it."""
        return self._file

    @property
    def detector(self) -> LocalDetector:
        """The same detector for data in this process; its `save` writes the model file."""
        detector = LocalDetector._of_model(_core.Detector(self._file))
        detector._notes = tuple(self._notes)
        return detector

    @property
    def notes(self) -> list[str]:
        """What was found out about the table of the fit."""
        return list(self._notes)

    def _noting(self, notes: list[str]) -> SobolevDetectorModel:
        self._notes = notes
        return self

    def _transform(self, dataset: DataFrame) -> DataFrame:
        model, reasons = model_of(self._file), bool(self._value("reasons"))
        names, features = names_of(dataset), model.source_columns
        Columns.of(names, features, None, None)
        model.check_types(one_row(arrow_types(dataset, features)))
        results = RESULTS + [REASONS] * reasons
        for field in results:
            if field.name in names:
                raise ValueError(f"the data frame has a column {field.name!r} already; rename it")
        file, with_scores = self._file, on_executors("with_scores")
        places = [names.index(name) for name in features]

        def part(batches: Batches) -> Batches:
            return with_scores(file, batches, places, reasons)  # type: ignore[no-any-return]

        given = numbered(dataset)
        scored = given.mapInArrow(part, StructType(given.schema.fields + results))
        return scored.toDF(*names, *[field.name for field in results])

    def write(self) -> MLWriter:
        return _Writer(self, self._file)

    @classmethod
    def read(cls) -> MLReader[Any]:
        return _Reader(cls)


class _Writer(MLWriter):  # type: ignore[misc]
    """Writes parameters and model by data frames: there is no other way to files with Spark Connect."""

    def __init__(self, instance: Any, file: bytes | None) -> None:
        super().__init__()
        self.instance, self.file = instance, file

    def save(self, path: str) -> None:
        # Spark Connect does not know the longer name of this mode, "errorifexists".
        mode, spark = "overwrite" if self.shouldOverwrite else "error", self.sparkSession
        notes = {} if self.file is None else {"notes": self.instance.notes}
        metadata = DefaultParamsWriter._get_metadata_to_save(self.instance, spark, extraMetadata=notes)
        lines = spark.createDataFrame([(metadata,)], schema="value string").coalesce(1)
        lines.write.mode(mode).text(f"{path}/metadata")
        if self.file is not None:
            model = spark.createDataFrame([(bytearray(self.file),)], schema="model binary")
            model.coalesce(1).write.mode(mode).parquet(f"{path}/model")


class _Reader(MLReader):  # type: ignore[misc]
    """Reads what `_Writer` wrote."""

    def __init__(self, made: type) -> None:
        super().__init__()
        self.made = made

    def load(self, path: str) -> Any:
        expected = f"{self.made.__module__}.{self.made.__name__}"
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession, expected)
        instance = self.made()
        if isinstance(instance, SobolevDetectorModel):
            row = self.sparkSession.read.parquet(f"{path}/model").head()
            instance._file = bytes(row["model"]) if row is not None else b""
            # A file that is no model is refused here and not on an executor.
            _core.Detector(instance._file)
            instance._noting(metadata["notes"])
        instance._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(instance, metadata)
        return instance
