"""How time, memory and quality of `sosrep fit` and `sosrep score` go with the number of rows.

For each size a Parquet table of 20 columns is generated, of what clusters.py says, and deleted.
Fit and score are processes of their own with default options, on all cores; a time is that of the
whole process, and memory is the peak of what is resident. The table was just written, so it is read
from the system's cache. Three runs a size, fewer once they have taken a minute together.

Quality is measured against an exact fit on a random sample of 20 000 rows of the same table, with
memory enough for its whole kernel matrix:

    AUC-ROC         of the planted anomalies in the table, or in its first million rows
    log-likelihood  mean log-density, in the table's units, of 5000 normal rows in no table; of fits
                    with --trim 0, for by default the density is that of the densest half, and rows
                    outside of it say little. What it is by default is kept beside it.

The automatic bandwidth depends on the number of rows, and the likelihood on the bandwidth more than
on anything else. So there is a second reference: the same sample fitted with the bandwidth that the
whole table's fit has. It shows what the way of sampling costs, and is shown, not judged by.

Run with `./x bench`, or where pyarrow is installed; the scratch folder needs room for the longest
table with its scores, about 2 GB:
    python bench/scale.py target/release/sosrep FOLDER [--sizes 10000,100000] [--scratch FOLDER]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

# NumPy and pyarrow stay in processes of their own, see process.py.
import raw
from process import Run, run

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
LABEL = "label"
REFERENCE_ROWS = 20_000
# Memory for the kernel matrix of all rows of the reference.
WHOLE = ("--memory", "16GiB")
UNTRIMMED = ("--trim", "0")
HELD_OUT_ROWS = 5_000
# The AUC of longer tables is that of so many rows at their beginning.
AUC_ROWS = 1_000_000
REPEATS = 3
# No further repetition once the ones before took so long together.
REPEAT_SECONDS = 60.0
HEADER = ("rows", "model", "what", "run", "value", "unit")
DEFAULT, REFERENCE, SAME_BANDWIDTH = "default", "reference", "reference, same bandwidth"
AUC, LOG_LIKELIHOOD, CORE_LOG_LIKELIHOOD = "AUC-ROC", "log-likelihood", "log-likelihood, core"

Line = tuple[int, str, str, int, float, str]


class Bench:
    """The program and the folder its tables, models and scores are in for a while."""

    def __init__(self, program: pathlib.Path, scratch: pathlib.Path) -> None:
        self.program = program
        self.scratch = scratch
        self.held_out = scratch / "held-out.parquet"
        self.generate(self.held_out, HELD_OUT_ROWS, "--held-out")

    def generate(self, table: pathlib.Path, rows: int, *options: str | pathlib.Path) -> None:
        script = pathlib.Path(__file__).with_name("clusters.py")
        command = [sys.executable, script, table, "--rows", str(rows), *options]
        subprocess.check_call(command)

    def fit(self, table: pathlib.Path, model: pathlib.Path, *options: str) -> Run:
        return run(
            [self.program, "fit", table, "--model", model, "--label", LABEL, "--json", *options]
        )

    def score(self, model: pathlib.Path, table: pathlib.Path, *options: str) -> Run:
        scores = self.scratch / "scores.parquet"
        return run([self.program, "score", model, table, "-o", scores, "--json", *options])

    def auc(self, model: pathlib.Path, table: pathlib.Path) -> float:
        # Labels and scores are kept to the end for it, so it is no part of what scoring takes.
        return float(json.loads(self.score(model, table, "--label", LABEL).output)["auc_roc"])

    def log_likelihood(self, model: pathlib.Path) -> float:
        densities = self.scratch / "densities.parquet"
        measured = run([self.program, "density", model, self.held_out, "-o", densities, "--json"])
        return float(json.loads(measured.output)["mean_log_density"])

    def measure(self, rows: int) -> Iterator[Line]:
        """All lines of one size."""
        table, sample = self.scratch / "table.parquet", self.scratch / "sample.parquet"
        self.generate(table, rows, "--sample", sample, "--sample-rows", str(REFERENCE_ROWS))
        model, untrimmed = self.scratch / "model", self.scratch / "model-of-all"
        yield from self.costs(rows, table, model)
        bandwidth = json.loads(self.fit(table, untrimmed, *UNTRIMMED).output)["bandwidth"]
        if rows > AUC_ROWS:
            # Shorter tables are beginnings of longer ones.
            self.generate(table, AUC_ROWS)
        yield from self.qualities(rows, DEFAULT, table, model, untrimmed)
        same = ("--bandwidth", str(bandwidth))
        for name, options in ((REFERENCE, WHOLE), (SAME_BANDWIDTH, (*WHOLE, *same))):
            self.fit(sample, model, *options)
            self.fit(sample, untrimmed, *options, *UNTRIMMED)
            yield from self.qualities(rows, name, table, model, untrimmed)
        table.unlink()

    def qualities(
        self,
        rows: int,
        name: str,
        table: pathlib.Path,
        model: pathlib.Path,
        untrimmed: pathlib.Path,
    ) -> Iterator[Line]:
        """How good a detector is, and the density of all rows beside it."""
        yield rows, name, AUC, 1, self.auc(model, table), ""
        yield rows, name, LOG_LIKELIHOOD, 1, self.log_likelihood(untrimmed), "nats"
        yield rows, name, CORE_LOG_LIKELIHOOD, 1, self.log_likelihood(model), "nats"

    def costs(self, rows: int, table: pathlib.Path, model: pathlib.Path) -> Iterator[Line]:
        """Time and memory of every run."""
        started = time.perf_counter()
        for number in range(1, REPEATS + 1):
            for what, measured in (
                ("fit", self.fit(table, model)),
                ("score", self.score(model, table)),
            ):
                yield rows, DEFAULT, f"{what} seconds", number, measured.seconds, "s"
                yield rows, DEFAULT, f"{what} peak", number, measured.peak_bytes, "B"
            if time.perf_counter() - started > REPEAT_SECONDS:
                return


def show(line: Line) -> Line:
    rows, model, what, number, value, unit = line
    print(f"{rows:9} {model:25} {what:20} {number} {value:16.6g} {unit}", flush=True)
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the sosrep to run")
    parser.add_argument("folder", type=pathlib.Path, help=f"where {raw.SCALE} is written")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of rows")
    parser.add_argument("--scratch", type=pathlib.Path, help="where tables may be for a while")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as scratch:
        bench = Bench(arguments.program.resolve(), pathlib.Path(scratch))
        lines: list[Line] = []
        for rows in sizes:
            try:
                for line in bench.measure(rows):
                    lines.append(show(line))
            except subprocess.CalledProcessError as failure:
                # A size that does not fit this machine leaves the others as they are.
                print(f"{rows} rows: {failure}")
            raw.write(arguments.folder / raw.SCALE, HEADER, lines)


if __name__ == "__main__":
    main()
