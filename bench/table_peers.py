"""The first ten rows of a table by `sosrep`, IsolationForest and ECOD, as CSV lines.

The peers have their defaults and the features of `table_encoding`; `sosrep` had the file. A row is
shown by what names it and by the values that are rarest in their columns: for a number the share of
rows that lie as far out on its side, twice; for a word the share of rows that have it.

The peers' scores of all rows are written beside those of `sosrep`.

python bench/table_peers.py TABLE SCORES
"""

import argparse
import csv
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
from pyod.models.ecod import ECOD
from sklearn.ensemble import IsolationForest

import table_encoding

TOP = 10
VALUES = 7
# The file of the peers' scores of a table.
PEERS_SUFFIX = "-peers.csv"


def ours(scores: pathlib.Path, rows: int) -> pd.DataFrame:
    """Scores and labels by the number of the row; a row that is not there has none."""
    if not scores.is_file():
        return pd.DataFrame({"anomaly_score": np.nan, "is_anomaly": ""}, index=range(rows))
    written = pd.read_csv(scores, low_memory=False)
    return written.set_index(written["row"] - 1).reindex(range(rows))


def rarity(column: pd.Series) -> np.ndarray:
    """The share of the rows that are as far out; small is rare."""
    missing = column.isna()
    days = None if pd.api.types.is_numeric_dtype(column) else table_encoding.dates(column)
    column = column if days is None else days
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        below = column.rank(method="max", pct=True)
        above = column.rank(method="max", pct=True, ascending=False)
        shares = 2 * np.minimum(below, above)
    else:
        # Lists and the like have no hash.
        texts = column.astype(str)
        shares = texts.map(texts.value_counts(normalize=True))
    return shares.mask(missing, missing.mean()).to_numpy(dtype=float)


def shown(value: object) -> str:
    if isinstance(value, float):
        return "–" if np.isnan(value) else f"{value:.6g}"
    return str(value)[:40]


def peer_scores(features: np.ndarray) -> dict[str, np.ndarray]:
    """Anomaly scores, higher is more anomalous."""
    forest = IsolationForest(random_state=0, n_jobs=-1).fit(features)
    return {
        "IsolationForest": -forest.score_samples(features),
        "ECOD": ECOD().fit(features).decision_scores_,
    }


def lines(path: pathlib.Path, scores: pathlib.Path) -> list[tuple[object, ...]]:
    table = table_encoding.read(path)
    features, identifiers = table_encoding.encode(table)
    own = ours(scores, len(table))
    peers = peer_scores(features.to_numpy())
    named = scores.with_name(scores.stem + PEERS_SUFFIX)
    pd.DataFrame(peers).to_csv(named, index=False)
    methods = {"sosrep": own["anomaly_score"].to_numpy(dtype=float)} | peers
    others = [name for name in table.columns if name not in identifiers]
    rare = {name: rarity(table[name]) for name in others}
    first = {name: order(values)[:TOP] for name, values in methods.items()}
    result: list[tuple[object, ...]] = []
    for method, rows in first.items():
        for place, row in enumerate(rows, 1):
            names = sorted(others, key=lambda name: rare[name][row])[:VALUES]
            values = "; ".join(f"{name}={shown(table[name].iloc[row])}" for name in names)
            named = "; ".join(shown(table[name].iloc[row]) for name in identifiers[:3])
            finders = "+".join(name for name, found in first.items() if row in found)
            flagged = own["is_anomaly"].iloc[row]
            score = f"{methods[method][row]:.5g}"
            result.append((method, place, row + 1, score, flagged, finders, named, values))
    return result


def order(scores: np.ndarray) -> np.ndarray:
    """Rows by score, highest first; equal ones as in the file, those without a score not at all."""
    rows = np.argsort(-scores, kind="stable")
    return rows[~np.isnan(scores[rows])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("scores", type=pathlib.Path, help="what `sosrep detect --out` wrote")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    name = arguments.table.name.split(".")[0]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerows((name, *line) for line in lines(arguments.table, arguments.scores))


if __name__ == "__main__":
    main()
