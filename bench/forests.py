"""Fit and score beside forests and histograms, from a thousand to a million rows in memory.

Tables of heavy-tailed clusters with planted anomalies (`clusters.py`) as arrays, in one process. Up to 20 000
rows are fitted and three sevenths as many others scored, beside PyOD's IForest; from 100 000 on all rows are
fitted and scored, beside scikit-learn's IsolationForest on as many threads as there are cores, and PyOD's
ECOD and HBOS, where they take seconds. Every repetition runs all of them one after another with a pause before each, and a
figure is the median over repetitions: read the ratios. FOLDER/forests.csv has every repetition with the
AUC-ROC of the planted rows, and for large tables that of an exact fit to 20 000 rows and the rank correlation
of its scores with ours.

    python bench/forests.py FOLDER [--repeats N]
"""

import argparse
import os
import pathlib
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from clusters import ANOMALIES, Clusters, generator
from pyod.models.ecod import ECOD
from pyod.models.hbos import HBOS
from pyod.models.iforest import IForest
from scipy.stats import spearmanr
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score

import raw
from sosrep import SobolevDetector

REPEATS = 3
# Seconds of rest before a method.
PAUSE = 0.3
SMALL_ROWS, SMALL_COLUMNS = (1_000, 7_000, 20_000), (6, 27, 100, 512)
LARGE_ROWS, LARGE_COLUMNS = (100_000, 300_000, 1_000_000), (16, 50)
# Rows of the exact fit, and rows on which both are compared.
EXACT, COMPARED = 20_000, 50_000
# ECOD sorts every column of what it was fitted to and of what it scores.
MOST_ROWS_OF_ECOD = 100_000
STREAM = 11
HEADER = ("rows", "columns", "method", "repetition", "fit seconds", "score seconds", "auc", "correlation")
OURS, EXACT_FIT = "sosrep", "sosrep, exact"

Score = Callable[[np.ndarray], np.ndarray]
Fit = Callable[[np.ndarray], Score]


class Table(NamedTuple):
    """Rows to fit, rows to score, and which of these are planted."""

    fitted: np.ndarray
    scored: np.ndarray
    planted: np.ndarray


def ours(rows: np.ndarray) -> Score:
    return SobolevDetector().fit(rows).decision_function


def exact(rows: np.ndarray) -> Score:
    return SobolevDetector(max_rows=None, max_support=None).fit(rows).decision_function


def forest(rows: np.ndarray) -> Score:
    threads = os.cpu_count()
    score: Score = IsolationForest(random_state=0, n_jobs=threads).fit(rows).decision_function
    return score


def of_pyod(detector: type) -> Fit:
    def fit(rows: np.ndarray) -> Score:
        fitted = detector().fit(rows)
        return lambda others: -fitted.decision_function(others)

    return fit


def table(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in random order, and which are planted."""
    clusters, random = Clusters.drawn(columns), generator(STREAM)
    planted = round(ANOMALIES * rows)
    values = np.concatenate(
        [clusters.heavy(rows - planted, random), clusters.anomalies(planted, random)]
    )
    labels = np.repeat([False, True], [rows - planted, planted])
    order = random.permutation(rows)
    return values[order], labels[order]


def cases() -> Iterator[tuple[Table, dict[str, Fit]]]:
    for columns in SMALL_COLUMNS:
        for rows in SMALL_ROWS:
            values, labels = table(rows + 3 * rows // 7, columns)
            methods = {OURS: ours, "IForest": of_pyod(IForest)}
            yield Table(values[:rows], values[rows:], labels[rows:]), methods
    for columns in LARGE_COLUMNS:
        for rows in LARGE_ROWS:
            values, labels = table(rows, columns)
            methods = {OURS: ours, "IsolationForest": forest, "HBOS": of_pyod(HBOS)}
            if rows <= MOST_ROWS_OF_ECOD:
                methods["ECOD"] = of_pyod(ECOD)
            yield Table(values, values, labels), methods


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help=f"where {raw.FORESTS} is written")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    arguments = parser.parse_args()
    lines: list[tuple[object, ...]] = []
    for given, methods in cases():
        rows, columns = given.fitted.shape
        reference: np.ndarray | None = None
        if rows > max(SMALL_ROWS):
            reference = exact(given.fitted[:EXACT])(given.scored[:COMPARED])
            auc = roc_auc_score(given.planted[:COMPARED], -reference)
            lines.append((rows, columns, EXACT_FIT, 1, "", "", auc, 1.0))
        for repetition in range(1, arguments.repeats + 1):
            for name, fit in methods.items():
                time.sleep(PAUSE)
                start = time.perf_counter()
                score = fit(given.fitted)
                fitted = time.perf_counter()
                scores = score(given.scored)
                end = time.perf_counter()
                auc = roc_auc_score(given.planted, -scores)
                correlation: object = ""
                if name == OURS and reference is not None:
                    # On the same rows as the exact fit's.
                    auc = roc_auc_score(given.planted[:COMPARED], -scores[:COMPARED])
                    correlation = spearmanr(reference, scores[:COMPARED]).statistic
                seconds = (fitted - start, end - fitted)
                lines.append((rows, columns, name, repetition, *seconds, auc, correlation))
                print(f"{rows:9} {columns:4} {name:16} {seconds[0]:8.3f} {seconds[1]:8.3f} {auc:7.4f} {correlation}", flush=True)
    raw.write(arguments.folder / raw.FORESTS, HEADER, lines)


if __name__ == "__main__":
    main()
