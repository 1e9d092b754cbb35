"""Fit and score of the default detector beside other detectors, on the same rows in the same run.

Fits 7000 rows, or as many as there are, and scores up to 3000 others: splits of ADBench
(mammography, ALOI, campaign, mnist: 6, 27, 62 and 100 columns) where SOSREP_ADBENCH_DIR names its
folder, rows of four normal clusters of the same shape where it does not. Peers have their
defaults; the detector has all cores, as they have where they use more than one. Every repetition
runs all of them, one after another, and a figure is the median over repetitions: read the ratios,
for machines are noisy.

Run with `./x bench`, or where sosrep and PyOD are installed:
    python bench/peers.py target/release/sosrep [CSV]
"""

import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from pyod.models.iforest import IForest
from pyod.models.mcd import MCD
from pyod.models.ocsvm import OCSVM
from sklearn.neighbors import KernelDensity

from sosrep import SobolevDetector

REPEATS = 3
SHAPES = {"23_mammography": 6, "1_ALOI": 27, "5_campaign": 62, "24_mnist": 100}
OURS = "sosrep"

Score = Callable[[np.ndarray], np.ndarray]


def fit_ours(rows: np.ndarray) -> Score:
    return SobolevDetector().fit(rows).decision_function


def fit_pyod(detector: type) -> Callable[[np.ndarray], Score]:
    def fit(rows: np.ndarray) -> Score:
        return detector().fit(rows).decision_function

    return fit


def fit_kernel_density(rows: np.ndarray) -> Score:
    bandwidth = len(rows) ** (-1 / (rows.shape[1] + 4))
    return KernelDensity(bandwidth=bandwidth).fit(rows).score_samples


METHODS = {
    OURS: fit_ours,
    "IForest": fit_pyod(IForest),
    "OCSVM": fit_pyod(OCSVM),
    "KernelDensity": fit_kernel_density,
    "MCD": fit_pyod(MCD),
}


def splits(program: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, rows to fit and rows to score."""
    folder = pathlib.Path(os.environ.get("SOSREP_ADBENCH_DIR", "../shared/adbench"))
    if not folder.is_dir():
        print("no ADBench data: generated rows")
        generator = np.random.default_rng(1)
        for columns in SHAPES.values():
            centres = generator.normal(scale=2.0, size=(4, columns))
            rows = centres[generator.integers(4, size=10_000)]
            rows = rows + generator.normal(size=rows.shape)
            yield f"generated-{columns}", rows[:7000], rows[7000:]
        return
    with tempfile.TemporaryDirectory() as out:
        command = [program, "adbench", "split", "--data", folder, "--out", out, "--seeds", "1"]
        subprocess.check_call([*command, "--data-sets", ",".join(SHAPES)], stdout=subprocess.DEVNULL)
        for name in SHAPES:
            split = np.load(pathlib.Path(out) / f"{name}-seed-1.npz")
            yield name, split["X_train"], split["X_test"]


def measure(train: np.ndarray, test: np.ndarray) -> dict[str, tuple[float, float]]:
    """Median seconds of fit and score, method by method."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    for _ in range(REPEATS):
        for name, fit in METHODS.items():
            start = time.perf_counter()
            score = fit(train)
            fitted = time.perf_counter()
            score(test)
            seconds[name].append((fitted - start, time.perf_counter() - fitted))
    return {
        name: (statistics.median(f for f, _ in runs), statistics.median(s for _, s in runs))
        for name, runs in seconds.items()
    }


def main() -> None:
    program, *file = sys.argv[1:]
    warnings.filterwarnings("ignore")
    header = ["rows", "fitted", "scored", "columns", "method", "fit seconds", "score seconds"]
    lines: list[list[object]] = [[*header, "times ours", "score times ours"]]
    print(f"{'rows':16} {'n':>5} {'d':>4} {'method':14} {'fit s':>8} {'score s':>8} {'times ours':>11}")
    for name, train, test in splits(program):
        measured = measure(train, test)
        for method, (fit, score) in measured.items():
            times = (fit + score) / sum(measured[OURS])
            shape: list[object] = [name, len(train), len(test), train.shape[1]]
            lines.append([*shape, method, fit, score, times, score / measured[OURS][1]])
            print(
                f"{name:16} {len(train):5} {train.shape[1]:4} {method:14} {fit:8.3f} {score:8.3f}"
                f" {times:11.2f}",
                flush=True,
            )
    for path in file:
        with open(path, "w", newline="") as out:
            csv.writer(out).writerows(lines)


if __name__ == "__main__":
    main()
