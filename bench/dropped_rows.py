"""Measures how far a model moves when one row of its table is left out.

Tables of six kinds are fitted whole, and again without one row, many times. For each kind, of the rows that are in both:

    flagged            labels of the whole table
    labels             labels that change, median and most over the rows left out
    far_99, far_most   change of scores outside the hundredth of the rows nearest to the one left out: the 99th percentile
                       and the largest, each the largest over the rows left out

    python bench/dropped_rows.py FOLDER [--rows N] [--dropped N]
"""

import argparse
import pathlib

import numpy as np
from clusters import Clusters, generator

import raw
from sosrep import SobolevDetector

STREAM = 13
NEIGHBOURHOOD = 0.01
HEADER = ("kind", "columns", "rows", "flagged", "labels", "most labels", "far_99", "far_most")


def tables(rows: int) -> dict[tuple[str, int], np.ndarray]:
    random = generator(STREAM)
    factors = np.exp(random.normal(size=(rows, 3))) @ random.normal(size=(3, 8))
    return {
        ("normal", 6): random.normal(size=(rows, 6)),
        ("normal", 20): random.normal(size=(rows, 20)),
        ("clusters with heavy tails", 6): Clusters.drawn(6).heavy(rows, random),
        ("clusters with heavy tails", 20): Clusters.drawn(20).heavy(rows, random),
        ("uniform", 2): random.random((rows, 2)),
        ("three skewed factors", 8): factors + 0.3 * random.normal(size=(rows, 8)),
    }


def assessed(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels, each row scored without its own contribution."""
    detector = SobolevDetector().fit(rows)
    scores = -detector.training_scores_
    return scores, scores > -detector.offset_


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--dropped", type=int, default=30)
    arguments = parser.parse_args()
    lines = []
    for (kind, columns), rows in tables(arguments.rows).items():
        scores, labels = assessed(rows)
        changes, far_99, far_most = [], [], []
        for row in generator(STREAM, 1).choice(len(rows), arguments.dropped, replace=False):
            others = np.arange(len(rows)) != row
            found, found_labels = assessed(rows[others])
            changes.append(int((labels[others] != found_labels).sum()))
            distance = np.abs((rows[others] - rows[row]) / rows.std(axis=0)).sum(axis=1)
            far = distance > np.quantile(distance, NEIGHBOURHOOD)
            moved = np.abs(scores[others] - found)[far]
            far_99.append(np.quantile(moved, 0.99))
            far_most.append(moved.max())
        lines.append(
            (kind, columns, len(rows), int(labels.sum()), np.median(changes), max(changes))
            + (round(max(far_99), 3), round(max(far_most), 3))
        )
        print(*lines[-1], flush=True)
    raw.write(arguments.folder / "dropped_rows.csv", HEADER, lines)


if __name__ == "__main__":
    main()
