"""Columns of any kind as numbers, for detectors that take nothing else.

The rules of `sosrep`, written a second time with pandas: gaps become the median and a column that
marks them, text one column of 0 and 1 for every kept value, rare values one for all of them, dates
days; identifiers, empty columns and constants are left out.
"""

import gzip
import json
import pathlib
import re

import numpy as np
import pandas as pd

# Values in fewer rows are pooled, and no more than so many are kept.
KEPT_SHARE, KEPT_ROWS, KEPT_VALUES = 0.01, 2, 50
# All-distinct text is an identifier if so many rows have one, and half of all.
IDENTIFIER_ROWS = 20
IDENTIFIER = re.compile(
    r"unnamed: \d+|\s*|(.*[ _.-])?(id|index|key|no|nr|number|uuid|guid|rownames?)", re.IGNORECASE
)
CAMEL_IDENTIFIER = re.compile(r".*[a-z](Id|ID)")
DATE = re.compile(r"\d{4}[-/]\d\d[-/]\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")


def read(path: pathlib.Path) -> pd.DataFrame:
    """A table with its values as they were written."""
    name = path.name
    if name.endswith(".parquet"):
        return pd.read_parquet(path)
    if name.endswith(".json"):
        return pd.DataFrame(json.loads(path.read_text()))
    separator = "\t" if name.endswith(".tsv") else ","
    header = None if headless(path, separator) else "infer"
    return pd.read_csv(
        path,
        sep=separator,
        header=header,
        na_values=["nil"],
        low_memory=False,
        encoding_errors="replace",
    )


def headless(path: pathlib.Path, separator: str) -> bool:
    """Whether the first line holds numbers."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open(errors="replace") as file:
        fields = file.readline().strip().split(separator)
    return all(re.fullmatch(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", field) for field in fields)


def is_identifier(name: str, column: pd.Series, first: bool) -> bool:
    """Whether the values name the rows."""
    present = column.dropna()
    if present.nunique() < len(present):
        return False
    if pd.api.types.is_string_dtype(column):
        enough = max(IDENTIFIER_ROWS, len(column) / 2)
        return len(present) >= enough and dates(column) is None
    if not pd.api.types.is_integer_dtype(column):
        return False
    values = column.to_numpy()
    counts_up = first and values[0] in (0, 1) and bool((np.diff(values) == 1).all())
    named = IDENTIFIER.fullmatch(name) or CAMEL_IDENTIFIER.fullmatch(name)
    return counts_up or named is not None


def dates(column: pd.Series) -> pd.Series | None:
    """Days since 1970; nothing where other text stands."""
    if pd.api.types.is_datetime64_any_dtype(column):
        times = pd.to_datetime(column, utc=True)
    else:
        texts = column.dropna().astype(str)
        if not len(texts) or not all(map(DATE.fullmatch, texts)):
            return None
        times = pd.to_datetime(column, utc=True, format="mixed")
    return (times - pd.Timestamp(0, tz="UTC")) / pd.Timedelta("1D")


def number(column: pd.Series) -> dict[str, np.ndarray]:
    """The values, and which are missing where some are."""
    values = column.to_numpy(dtype=float, na_value=np.nan)
    missing = ~np.isfinite(values)
    if not missing.any():
        return {"": values}
    return {"": np.where(missing, np.median(values[~missing]), values), " missing": missing * 1.0}


def category(column: pd.Series) -> dict[str, np.ndarray]:
    """One feature a kept value; one for all others, one for gaps."""
    texts = column.where(column.isna(), column.astype(str))
    counts = texts.value_counts()
    if len(counts) == 2 and not texts.isna().any():
        return {"": (texts == max(counts.index)).to_numpy(dtype=float)}
    least = max(KEPT_ROWS, KEPT_SHARE * len(texts))
    kept = sorted(counts[counts >= least].index[:KEPT_VALUES])
    features = {f"={value}": (texts == value).to_numpy(dtype=float) for value in kept}
    other = (~texts.isin(kept) & texts.notna()).to_numpy(dtype=float)
    return features | {" other": other, " missing": texts.isna().to_numpy(dtype=float)}


def encode(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The features, and the columns that name the rows."""
    features: dict[str, np.ndarray] = {}
    identifiers = []
    for place, name in enumerate(table.columns):
        column = table[name]
        if column.isna().all():
            continue
        if is_identifier(str(name), column, place == 0):
            identifiers.append(name)
            continue
        days = None if pd.api.types.is_numeric_dtype(column) else dates(column)
        if days is not None:
            made = number(days)
        elif pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column):
            made = category(column)
        else:
            made = number(column)
        features |= {f"{name}{part}": values for part, values in made.items()}
    varying = {name: values for name, values in features.items() if np.ptp(values) > 0}
    return pd.DataFrame(varying), identifiers
