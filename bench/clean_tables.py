"""Measures what the automatic threshold flags of tables without anomalies.

Sixty tables of each kind and width, a third of them of 300, 1000 and 3000 rows: normal, uniform, log-normal, and three
normal clusters of different widths. FOLDER/clean_tables.csv has the mean share of the training rows that are flagged, and
the number of tables with an estimated share of anomalies above zero.

    python bench/clean_tables.py FOLDER
"""

import argparse
import pathlib

import numpy as np
from clusters import generator

import raw
from sosrep import SobolevDetector

STREAM = 17
COLUMNS, ROWS, TABLES = (2, 5, 20), (300, 1000, 3000), 20
HEADER = ("kind", "columns", "tables", "flagged", "with an estimate")


def clusters(rows: int, columns: int, random: np.random.Generator) -> np.ndarray:
    centres = 5.0 * random.normal(size=(3, columns))
    members = random.integers(3, size=rows)
    widths = np.array([0.7, 1.0, 1.4])[members]
    return centres[members] + widths[:, None] * random.normal(size=(rows, columns))


KINDS = {
    "normal": lambda rows, columns, random: random.normal(size=(rows, columns)),
    "uniform": lambda rows, columns, random: random.random((rows, columns)),
    "log-normal": lambda rows, columns, random: np.exp(random.normal(size=(rows, columns))),
    "three clusters": clusters,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder: pathlib.Path = parser.parse_args().folder
    lines = []
    for kind, draw in KINDS.items():
        for columns in COLUMNS:
            random = generator(STREAM, columns)
            shares, estimates = [], 0
            for rows in ROWS:
                for _ in range(TABLES):
                    detector = SobolevDetector().fit(draw(rows, columns, random))
                    shares.append((detector.training_scores_ < detector.offset_).mean())
                    estimates += detector.fit_report_["estimated_share"] > 0
            lines.append((kind, columns, len(shares), round(float(np.mean(shares)), 4), estimates))
            print(*lines[-1], flush=True)
    raw.write(folder / "clean_tables.csv", HEADER, lines)


if __name__ == "__main__":
    main()
