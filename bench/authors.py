"""What the authors' procedure would take on the same rows, extrapolated from steps that were timed.

For each of 15 bandwidths it makes 30 000 natural-gradient steps of λ = 0.01 on 70 % of the rows and
then estimates the Fisher divergence of the others by 300 Hutchinson probes a row. FOLDER/authors.csv
has, at a few sizes, the seconds of one step and of one probe for one held-out row, both computed by
this library, so that two procedures are compared and not two programs. Cost models fitted to them:

    step(n)     = a n² + c              one product with an n × n kernel matrix, and what surrounds it
    probe(n, d) = (b₀ + b₁ d) n         a score from n rows of d columns

by least squares with coefficients that are not negative, so that no size is extrapolated to less
than nothing. Residuals are absolute: the sum over data sets is that of the largest ones. A data set
of n rows in d columns then takes

    15 (30 000 step(0.7 n) + 300 · 0.3 n · probe(0.7 n, d))

Our own time merges equal rows, which the authors' program does not; the CSV has both counts, of all
rows and of the distinct ones.

Run with `./x bench`, or once FOLDER has authors.csv and tuning.csv:
    python bench/authors.py FOLDER
"""

import argparse
import pathlib
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

import raw
import tuning

STEPS = 30_000
PROBES = 300
HELD_OUT = 0.3
HEADER = ("data set", "rows", "columns", "our seconds", "seconds", "seconds of the distinct rows")


class Costs(NamedTuple):
    """The coefficients of both models."""

    a: float
    c: float
    b0: float
    b1: float

    def step(self, rows: float) -> float:
        """Seconds of one step."""
        return self.a * rows**2 + self.c

    def probe(self, rows: float, columns: int) -> float:
        """Seconds of one probe for one held-out row."""
        return (self.b0 + self.b1 * columns) * rows

    def procedure(self, rows: int, columns: int) -> float:
        """Seconds for a whole data set."""
        held_out = HELD_OUT * rows
        fitted = rows - held_out
        probes = PROBES * held_out * self.probe(fitted, columns)
        return tuning.BANDWIDTHS * (STEPS * self.step(fitted) + probes)


def least_squares(columns: list[np.ndarray], values: np.ndarray) -> tuple[float, float]:
    """Two coefficients, neither below zero."""
    # Scaled, for n² and 1 are many orders of magnitude apart.
    scales = [float(np.abs(column).max()) for column in columns]
    design = np.column_stack([column / scale for column, scale in zip(columns, scales)])
    found, _ = nnls(design, values / values.max())
    first, second = (float(x * values.max() / scale) for x, scale in zip(found, scales))
    return first, second


def fit_costs(lines: list[dict[str, str]]) -> Costs:
    """Both models, from the lines of authors.csv."""
    n, d, step, probe = (
        np.array([float(line[name]) for line in lines])
        for name in ("n", "d", "step_seconds", "probe_seconds_per_row")
    )
    a, c = least_squares([n**2, np.ones_like(n)], step)
    b0, b1 = least_squares([n, n * d], probe)
    return Costs(a, c, b0, b1)


class Extrapolated(NamedTuple):
    """A data set's line of the file."""

    name: str
    rows: int
    columns: int
    ours: float
    seconds: float
    distinct_seconds: float


def extrapolate(folder: pathlib.Path) -> list[Extrapolated]:
    """One line a data set; none where a file is missing."""
    measured, tuned = raw.read(folder / raw.AUTHORS), raw.read(folder / raw.TUNING)
    if not measured or not tuned:
        return []
    costs = fit_costs(measured)
    found = []
    for line in tuned:
        rows, distinct, columns = (int(line[name]) for name in ("rows", "distinct rows", "columns"))
        times = costs.procedure(rows, columns), costs.procedure(distinct, columns)
        found.append(Extrapolated(line["data set"], rows, columns, float(line["seconds"]), *times))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help=f"with {raw.AUTHORS} and {raw.TUNING}")
    folder = parser.parse_args().folder
    found = extrapolate(folder)
    if not found:
        print(f"skipped: no {raw.AUTHORS} or no {raw.TUNING}")
        return
    measured = raw.read(folder / raw.AUTHORS)
    costs = fit_costs(measured)
    print(f"step(n) = {costs.a:.3e} n² + {costs.c:.3e} s")
    print(f"probe(n, d) = ({costs.b0:.3e} + {costs.b1:.3e} d) n s")
    print(f"{'n':>6} {'d':>5} {'step s':>10} {'model':>10} {'probe s':>10} {'model':>10}")
    for line in measured:
        n, d = int(line["n"]), int(line["d"])
        step, probe = float(line["step_seconds"]), float(line["probe_seconds_per_row"])
        print(
            f"{n:6} {d:5} {step:10.3e} {costs.step(n):10.3e} {probe:10.3e} {costs.probe(n, d):10.3e}"
        )
    raw.write(folder / raw.AUTHORS_EXTRAPOLATED, HEADER, found)


if __name__ == "__main__":
    main()
