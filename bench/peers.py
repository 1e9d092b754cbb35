"""Fit and score of the default detector beside other detectors, on the same rows in the same run.

Fits 7000 rows, or as many as there are, and scores up to 3000 others: splits of ADBench
(mammography, ALOI, campaign, mnist: 6, 27, 62 and 100 columns) where SOSREP_ADBENCH_DIR names its
folder, rows of four normal clusters of the same shape where it does not. Peers have their
defaults; the detector has all cores, as they have where they use more than one. Every repetition
runs all of them, one after another with a pause in which the threads of the one before come to
rest, and a figure is the median over repetitions: read the ratios, for machines are noisy.
FOLDER/peers.csv has every repetition.

Run with `./x bench`, or where sosrep and PyOD are installed:
    python bench/peers.py target/release/sosrep FOLDER
"""

import argparse
import pathlib
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from pyod.models.iforest import IForest
from pyod.models.mcd import MCD
from pyod.models.ocsvm import OCSVM
from sklearn.neighbors import KernelDensity

import raw
from sosrep import SobolevDetector
from splits import Split, folder, splits

REPEATS = 5
# Seconds of rest before a method.
PAUSE = 0.3
HEADER = (
    "rows",
    "fitted",
    "scored",
    "columns",
    "method",
    "repetition",
    "fit seconds",
    "score seconds",
)
SHAPES = {"23_mammography": 6, "1_ALOI": 27, "5_campaign": 62, "24_mnist": 100}
OURS = "sosrep"

Score = Callable[[np.ndarray], np.ndarray]


def fit_ours(rows: np.ndarray) -> Score:
    return SobolevDetector().fit(rows).decision_function


def fit_pyod(detector: type) -> Callable[[np.ndarray], Score]:
    def fit(rows: np.ndarray) -> Score:
        score: Score = detector().fit(rows).decision_function
        return score

    return fit


def fit_kernel_density(rows: np.ndarray) -> Score:
    bandwidth = len(rows) ** (-1 / (rows.shape[1] + 4))
    score: Score = KernelDensity(bandwidth=bandwidth).fit(rows).score_samples
    return score


METHODS = {
    OURS: fit_ours,
    "IForest": fit_pyod(IForest),
    "OCSVM": fit_pyod(OCSVM),
    "KernelDensity": fit_kernel_density,
    "MCD": fit_pyod(MCD),
}


class Seconds(NamedTuple):
    """What one repetition took."""

    fit: float
    score: float


def tables(program: pathlib.Path) -> Iterator[Split]:
    """Rows of ADBench, or generated ones of the same shapes."""
    data = folder()
    if data is not None:
        yield from splits(program, data, list(SHAPES))
        return
    print("no ADBench data: generated rows")
    generator = np.random.default_rng(1)
    for columns in SHAPES.values():
        centres = generator.normal(scale=2.0, size=(4, columns))
        rows = centres[generator.integers(4, size=10_000)]
        rows = rows + generator.normal(size=rows.shape)
        yield Split(f"generated-{columns}", rows[:7000], rows[7000:])


def measure(split: Split, repeats: int) -> dict[str, list[Seconds]]:
    """Seconds of every repetition, method by method."""
    seconds: dict[str, list[Seconds]] = {name: [] for name in METHODS}
    for _ in range(repeats):
        for name, fit in METHODS.items():
            time.sleep(PAUSE)
            start = time.perf_counter()
            score = fit(split.train)
            fitted = time.perf_counter()
            score(split.test)
            seconds[name].append(Seconds(fitted - start, time.perf_counter() - fitted))
    return seconds


def show(split: Split, seconds: dict[str, list[Seconds]]) -> None:
    """The medians, and both ratios."""
    fit = {name: statistics.median(run.fit for run in runs) for name, runs in seconds.items()}
    score = {name: statistics.median(run.score for run in runs) for name, runs in seconds.items()}
    rows, columns = split.train.shape
    for name in seconds:
        times = (fit[name] + score[name]) / (fit[OURS] + score[OURS])
        print(
            f"{split.name:16} {rows:5} {columns:4} {name:14} {fit[name]:8.3f} {score[name]:8.3f}"
            f" {times:11.2f} {score[name] / score[OURS]:13.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="a sosrep with sosrep-adbench beside it")
    parser.add_argument("folder", type=pathlib.Path, help=f"where {raw.PEERS} is written")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    lines: list[tuple[object, ...]] = []
    print(
        f"{'rows':16} {'n':>5} {'d':>4} {'method':14} {'fit s':>8} {'score s':>8} {'times ours':>11}"
        f" {'scoring alone':>13}"
    )
    for split in tables(arguments.program):
        seconds = measure(split, arguments.repeats)
        show(split, seconds)
        shape = (split.name, len(split.train), len(split.test), split.train.shape[1])
        for name, runs in seconds.items():
            lines += [(*shape, name, number, *run) for number, run in enumerate(runs, 1)]
    raw.write(arguments.folder / raw.PEERS, HEADER, lines)


if __name__ == "__main__":
    main()
