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
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BooleanType, DoubleType, StringType, StructField, StructType

from . import _core
from ._detector import SobolevDetector as LocalDetector
from ._parts import Columns, begin, gather, gathered, model_of, scored

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
#: Parameters that only Spark needs: default and meaning.
OWN: dict[str, tuple[Any, str]] = {
    "inputCols": (None, "columns to learn from and to score; default: all, but weight and row key"),
    "weightCol": (None, "column of weights: a weight of k is k copies of the row"),
    "rowKeyCol": (None, "column that is different in every row: equal rows are sampled one by one"),
    "reasons": (False, "whether transform adds the columns that make a row an anomaly"),
}


class _WithParams(Params):  # type: ignore[misc]
    """Parameters of the estimator and its model."""

    def _set_given(self, given: dict[str, Any]) -> None:
        for name in given:
            if not self.hasParam(name):
                known = ", ".join([*OWN, *LOCAL])
                raise TypeError(f"there is no parameter {name!r}; the parameters are {known}")
        self._setDefault(**{name: default for name, (default, _) in OWN.items()}, **LOCAL)
        for name, value in given.items():
            if value is not None:
                self.set(self.getParam(name), value)

    def _value(self, name: str) -> Any:
        return self.getOrDefault(self.getParam(name))


for _name, (_, _meaning) in OWN.items():
    setattr(_WithParams, _name, Param(Params._dummy(), _name, _meaning))
for _name in LOCAL:
    _meaning = f"as in sosrep.SobolevDetector: {_name}"
    setattr(_WithParams, _name, Param(Params._dummy(), _name, _meaning))


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
            dataset.columns,
            self._value("inputCols"),
            self._value("weightCol"),
            self._value("rowKeyCol"),
        )
        first = begin(local, to_arrow_schema(dataset.schema), columns)
        chosen = dataset.select(*[f"`{name}`" for name in columns.needed])
        gathering = gathered(first, lambda state: _collected(chosen, state, columns.weight))
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
        features = model.source_columns
        Columns.of(dataset.columns, features, None, None)
        fields = [to_arrow_schema(dataset.schema).field(name) for name in features]
        model.check_types(_core.Table(pa.Table.from_pylist([{}], schema=pa.schema(fields))))
        results = RESULTS + [REASONS] * reasons
        for field in results:
            if field.name in dataset.columns:
                raise ValueError(f"the data frame has a column {field.name!r} already; rename it")
        schema = StructType(dataset.schema.fields + results)
        return dataset.mapInArrow(_scorer(self._file, features, reasons), schema)

    def write(self) -> MLWriter:
        return _Writer(self, self._file)

    @classmethod
    def read(cls) -> MLReader[Any]:
        return _Reader(cls)


def _collected(frame: DataFrame, state: bytes, weight: str | None) -> Iterable[bytes]:
    """What each part of a data frame has to say."""

    def part(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            found = {"state": [gather(state, batches, weight)], "fault": [None]}
        except ValueError as error:
            # As data, so that the driver can say it in one sentence.
            found = {"state": [None], "fault": [str(error)]}
        types = pa.schema([("state", pa.binary()), ("fault", pa.string())])
        yield pa.RecordBatch.from_pydict(found, schema=types)

    try:
        rows = frame.mapInArrow(part, "state binary, fault string").collect()
    except Exception as error:
        if "No module named 'sosrep'" in str(error):
            raise RuntimeError(
                "the executors cannot import sosrep; install this version of it for the Python that "
                "they run (PYSPARK_PYTHON)"
            ) from None
        raise
    for row in rows:
        if row.fault is not None:
            raise ValueError(row.fault)
        yield bytes(row.state)


def _scorer(
    file: bytes, features: list[str], reasons: bool
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that adds scores to the batches of a part."""

    def part(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        model = model_of(file)
        for batch in batches:
            table = pa.Table.from_batches([batch])
            results = scored(model, table.select(features), reasons)
            for field, column in zip(results.schema, results.columns, strict=True):
                table = table.append_column(field, column)
            yield from table.combine_chunks().to_batches()

    return part


class _Writer(MLWriter):  # type: ignore[misc]
    """Writes parameters and model by data frames: there is no other way to files with Spark Connect."""

    def __init__(self, instance: Any, file: bytes | None) -> None:
        super().__init__()
        self.instance, self.file = instance, file

    def save(self, path: str) -> None:
        mode, spark = "overwrite" if self.shouldOverwrite else "errorifexists", self.sparkSession
        metadata = DefaultParamsWriter._get_metadata_to_save(self.instance, spark)
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
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        instance = self.made()
        if isinstance(instance, SobolevDetectorModel):
            row = self.sparkSession.read.parquet(f"{path}/model").head()
            instance._file = bytes(row["model"]) if row is not None else b""
            # A file that is no model is refused here and not on an executor.
            _core.Detector(instance._file)
        instance._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(instance, metadata)
        return instance
