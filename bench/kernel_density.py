"""One exact fit and 3000 scores, beside scikit-learn's KernelDensity on the same rows, in one run.

The target: a fit with its kernel matrix, plus scoring, takes less time than three runs of
KernelDensity.score_samples (exponential kernel). Machines are noisy: read the ratio.

Run with `./x bench`, or after `cargo build --release --example fit_and_score`:
    python bench/kernel_density.py [ROWS] [COLUMNS]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import sklearn
from sklearn.neighbors import KernelDensity

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "examples" / "fit_and_score"
REPEATS = 3


def clusters(rows: int, columns: int, generator: np.random.Generator) -> np.ndarray:
    """Standardised rows from four normal clusters."""
    centres = generator.normal(scale=2.0, size=(4, columns))
    values = centres[generator.integers(4, size=rows)] + generator.normal(size=(rows, columns))
    return np.ascontiguousarray((values - values.mean(0)) / values.std(0))


def ours(train: np.ndarray, test: np.ndarray, kernel: str, bandwidth: float) -> list[dict]:
    """Timings of the Rust program, `REPEATS` runs."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("train", "test")]
        for path, values in zip(paths, (train, test)):
            path.write_bytes(values.astype("<f8").tobytes())
        command = [PROGRAM, *paths, str(train.shape[1]), kernel, str(bandwidth)]
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
    rows, columns = (int(a) for a in sys.argv[1:3]) if len(sys.argv) > 2 else (7000, 27)
    generator = np.random.default_rng(1)
    values = clusters(rows + 3000, columns, generator)
    train, test = values[:rows], values[rows:]
    print(f"{rows} rows to fit, 3000 to score, {columns} columns; scikit-learn {sklearn.__version__}")
    runs = {kernel: ours(train, test, kernel, b) for kernel, b in (("product", 0.1), ("sdo", 0.5))}
    three_runs = sum(theirs(train, test))
    print(f"{'program':28} {'fit s':>8} {'score s':>8} {'fit+score':>10} {'of three runs':>14}")
    for kernel, measured in runs.items():
        fit = min(run["fit_seconds"] for run in measured)
        score = min(run["score_seconds"] for run in measured)
        share = (fit + score) / three_runs
        print(f"{'sosrep ' + kernel:28} {fit:8.3f} {score:8.3f} {fit + score:10.3f} {share:13.1%}")
    print(f"{'KernelDensity, three runs':28} {'':8} {three_runs:8.3f} {three_runs:10.3f} {1:13.1%}")


if __name__ == "__main__":
    main()
