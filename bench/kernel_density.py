"""One exact fit and 3000 scores, beside scikit-learn's KernelDensity on the same rows, in one run.

The target: a fit with its kernel matrix, plus scoring, takes less time than three runs of
KernelDensity.score_samples (exponential kernel). Machines are noisy: read the ratio.
FOLDER/kernel_density.csv has every run.

Run with `./x bench`, or after `cargo build --release --package sosrep --example fit_and_score`:
    python bench/kernel_density.py FOLDER [--rows N] [--columns N]
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import sklearn
from sklearn.neighbors import KernelDensity

import raw

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "examples" / "fit_and_score"
REPEATS = 3
SCORED = 3000
HEADER = ("method", "fitted", "scored", "columns", "repetition", "fit seconds", "score seconds")
# The kernels, each with the bandwidth it is fitted with.
KERNELS = {"product": 0.1, "sdo": 0.5}
THEIRS = "KernelDensity"


def clusters(rows: int, columns: int, generator: np.random.Generator) -> np.ndarray:
    """Standardised rows from four normal clusters."""
    centres = generator.normal(scale=2.0, size=(4, columns))
    values = centres[generator.integers(4, size=rows)] + generator.normal(size=(rows, columns))
    return np.ascontiguousarray((values - values.mean(0)) / values.std(0))


def ours(
    train: np.ndarray, test: np.ndarray, kernel: str, bandwidth: float
) -> list[dict[str, float]]:
    """Timings of the Rust program, `REPEATS` runs."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("train", "test")]
        for path, values in zip(paths, (train, test), strict=True):
            path.write_bytes(values.astype("<f8").tobytes())
        command: list[str | pathlib.Path] = [
            PROGRAM,
            *paths,
            str(train.shape[1]),
            kernel,
            str(bandwidth),
        ]
        return [json.loads(subprocess.check_output(command)) for _ in range(REPEATS)]


def theirs(train: np.ndarray, test: np.ndarray) -> list[float]:
    """Seconds of `REPEATS` runs of score_samples; the fit, a tree, is not counted."""
    rows, columns = train.shape
    estimator = KernelDensity(kernel="exponential", bandwidth=rows ** (-1 / (columns + 4)))
    estimator.fit(train)
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        estimator.score_samples(test)
        seconds.append(time.perf_counter() - start)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help=f"where {raw.KERNEL_DENSITY} is written")
    parser.add_argument("--rows", type=int, default=7000, help="rows to fit")
    parser.add_argument("--columns", type=int, default=27)
    arguments = parser.parse_args()
    rows, columns = arguments.rows, arguments.columns
    values = clusters(rows + SCORED, columns, np.random.default_rng(1))
    train, test = values[:rows], values[rows:]
    print(
        f"{rows} rows to fit, {SCORED} to score, {columns} columns; scikit-learn {sklearn.__version__}"
    )
    runs = {kernel: ours(train, test, kernel, b) for kernel, b in KERNELS.items()}
    seconds = theirs(train, test)
    three_runs = sum(seconds)
    print(f"{'program':28} {'fit s':>8} {'score s':>8} {'fit+score':>10} {'of three runs':>14}")
    shape = (rows, SCORED, columns)
    lines: list[tuple[object, ...]] = []
    for kernel, measured in runs.items():
        fit = min(run["fit_seconds"] for run in measured)
        score = min(run["score_seconds"] for run in measured)
        share = (fit + score) / three_runs
        print(f"{'sosrep ' + kernel:28} {fit:8.3f} {score:8.3f} {fit + score:10.3f} {share:13.1%}")
        for number, run in enumerate(measured, 1):
            lines.append((kernel, *shape, number, run["fit_seconds"], run["score_seconds"]))
    print(f"{'KernelDensity, three runs':28} {'':8} {three_runs:8.3f} {three_runs:10.3f} {1:13.1%}")
    lines += [(THEIRS, *shape, number, "", run) for number, run in enumerate(seconds, 1)]
    raw.write(arguments.folder / raw.KERNEL_DENSITY, HEADER, lines)


if __name__ == "__main__":
    main()
