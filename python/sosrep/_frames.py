"""Results as data frames: with the index of the rows they are about, in the types of the fit.

What is remembered of the data frame of a fit is plain text and lists, which any pickle can hold.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ._input import Array

#: The library of a data frame and the type of each of its columns.
Template = dict[str, Any]


def library_of(X: Any) -> str:
    """The library that makes results about X: that of X, pandas for arrays."""
    module = type(X).__module__.partition(".")[0]
    return module if module in ("polars", "pyarrow") else "pandas"


def frame_of(X: Any, data: dict[str, Any], repeats: int = 1) -> Any:
    """A data frame of results; of pandas, with the index of X, each entry `repeats` times."""
    library = _library("polars" if library_of(X) == "polars" else "pandas")
    if library.__name__ == "polars":
        return library.DataFrame(data)
    index = X.index.repeat(repeats) if hasattr(X, "reset_index") else None
    return library.DataFrame(data, index=index)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f'as_frame=True needs {name}: pip install "sosrep[{name}]"') from error


def template_of(X: Any, names: list[str]) -> Template:
    """What is needed to make a data frame like X."""
    library = library_of(X)
    if library == "pandas":
        types = [_pandas_type(dtype) for dtype in X.dtypes]
    elif library == "polars":
        types = [_polars_type(dtype) for dtype in X.dtypes]
    else:
        types = [{} for _ in names]
    return {"library": library, "types": dict(zip(names, types, strict=True))}


def like(template: Template, columns: list[tuple[str, Any]]) -> Any:
    """A data frame of these columns in the types of the template."""
    library = _library(template["library"])
    types = template["types"]
    if template["library"] == "pandas":
        return library.DataFrame(
            {name: _pandas_column(library, values, types[name]) for name, values in columns}
        )
    if template["library"] == "polars":
        return library.DataFrame(
            [_polars_column(library, name, values, types[name]) for name, values in columns]
        )
    return library.table(dict(columns))


def _pandas_type(dtype: Any) -> dict[str, Any]:
    if dtype == "category":
        categories = dtype.categories.tolist()
        return {"type": "category", "categories": categories, "ordered": bool(dtype.ordered)}
    return {"type": str(dtype)}


def _pandas_column(pandas: Any, values: Any, type_: dict[str, Any]) -> Any:
    if type_["type"] == "category":
        categories = type_["categories"]
        by_text = {str(category): category for category in categories}
        cells = [by_text.get(str(value)) for value in values]
        return pandas.Categorical(cells, categories=categories, ordered=type_["ordered"])
    dtype = pandas.api.types.pandas_dtype(type_["type"])
    if pandas.api.types.is_bool_dtype(dtype):
        values = [None if value is None or value != value else value >= 0.5 for value in values]
    elif pandas.api.types.is_integer_dtype(dtype):
        values = [None if np.isnan(value) else round(value) for value in _floats(values)]
    elif pandas.api.types.is_datetime64_any_dtype(dtype):
        return _pandas_times(pandas, values, dtype)
    return pandas.Series(values, dtype="object").astype(dtype)


def _pandas_times(pandas: Any, values: Any, dtype: Any) -> Any:
    times = pandas.Series(pandas.to_datetime(pandas.Series(values), format="ISO8601"))
    zone = getattr(dtype, "tz", None)
    return times.dt.tz_localize("UTC").astype(dtype) if zone is not None else times.astype(dtype)


def _polars_type(dtype: Any) -> dict[str, Any]:
    described = {"type": type(dtype).__name__}
    for name in ("time_unit", "time_zone", "precision", "scale"):
        if getattr(dtype, name, None) is not None:
            described[name] = getattr(dtype, name)
    if described["type"] == "Enum":
        described["categories"] = dtype.categories.to_list()
    return described


def _polars_column(polars: Any, name: str, values: Any, type_: dict[str, Any]) -> Any:
    arguments = {key: value for key, value in type_.items() if key != "type"}
    dtype = getattr(polars, type_["type"])
    dtype = dtype(**arguments) if arguments else dtype
    series = polars.Series(name, values, strict=False)
    if isinstance(values, np.ndarray):
        series = series.fill_nan(None)
        if dtype.is_integer():
            series = series.round()
    if dtype.is_temporal() and series.dtype == polars.String:
        return _polars_times(polars, series, dtype)
    return series.cast(dtype)


def _polars_times(polars: Any, series: Any, dtype: Any) -> Any:
    zone = getattr(dtype, "time_zone", None)
    times = series.str.to_datetime(time_unit="us", strict=False)
    return (times.dt.replace_time_zone("UTC") if zone is not None else times).cast(dtype)


def _floats(values: Any) -> Array:
    return np.array([np.nan if value is None else float(value) for value in values])
