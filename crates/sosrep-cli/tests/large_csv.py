"""Scores and fits a long table and shows that the memory this takes does not grow with its length.

    python large_csv.py [--rows 2000000] BINARY

A model is fitted to the first 5 000 rows of a table of 8 numbers a row, in which one row of a
thousand is planted far away. The binary then scores the first tenth of the table and all of it, and
fits models to its first half and to all of it, both longer than what a fit holds; `wc` and pandas
read the same file beside it. Times are printed and never judged: they depend on the machine. What is
judged is memory, the order of the rows, that planted rows come out as strange by the models, and
that CSV and Parquet give the same model and scores.

Linux hands the peak of a process on to the children it starts. This process therefore stays small:
whatever needs pandas runs in a process of its own. A peak below this one's cannot be seen, and the
table says how much that is. The files were just written, so they are read from the system's cache.
"""

import argparse
import filecmp
import importlib.util
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

SEED = 7
COLUMNS = 8
BLOCK = 100_000
TRAINING_ROWS = 5_000
# Half of them are more than twice the rows that a fit holds: memory has grown as far as it does.
FEWEST_ROWS = 1_000_000
PLANTED_EVERY = 1_000
# Distance of a planted row from the others in every column, in standard deviations.
PLANTED_AT = 6.0
LEAST_AUC = 0.99
MOST_MEMORY = 400.0
# What a fit to the long table may use for the kernel matrix and the rows it holds.
FIT_MEMORY = "64MB"
# The long run may take this much more memory than the short one: a factor and megabytes.
MOST_GROWTH = (1.3, 20.0)
NAMES = ("training.csv", "small.csv", "half.csv", "big.csv", "model.sosrep")


class Run(NamedTuple):
    """What a piece of work took; memory in megabytes of a million bytes."""

    what: str
    rows: int
    size: float
    seconds: float
    memory: float


class LongRuns(NamedTuple):
    """What was done with long tables in one format, and the files it left."""

    score: Run
    scores: Path
    half_fit: Run
    fit: Run
    model: Path


class Failure(Exception):
    """A sentence on what is wrong."""


def apart(function, *arguments):
    """Calls a function in a new process, so that what it loads does not count here."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def megabytes(usage):
    """The peak of resident memory; the system counts it in kibibytes."""
    return usage.ru_maxrss * 1024 / 1e6


def file_size(path):
    return path.stat().st_size / 1e6


def measured(what, rows, path, command):
    """Runs a command on a file and waits for that very child, which gives its own peak."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failure(f"{what} ended with exit code {child.returncode}.")
    return Run(what, rows, file_size(path), seconds, megabytes(usage))


def block_lines(first, rows):
    """Lines of rows of correlated numbers, the same for the same first row."""
    import numpy

    mixing = numpy.random.default_rng(SEED).normal(size=(COLUMNS, COLUMNS)) / COLUMNS**0.5
    random = numpy.random.default_rng([SEED, first])
    values = random.normal(size=(rows, COLUMNS))
    identifiers = numpy.arange(first, first + rows)
    planted = is_planted(identifiers)
    values[planted] += PLANTED_AT * random.choice([-1.0, 1.0], size=(planted.sum(), COLUMNS))
    layout = "%d" + ",%.4f" * COLUMNS + "\n"
    rows = zip(identifiers.tolist(), (values @ mixing).tolist())
    return [layout % (identifier, *row) for identifier, row in rows]


def is_planted(identifiers):
    return identifiers % PLANTED_EVERY == PLANTED_EVERY // 2


def write_tables(tables, rows):
    """Writes the same rows to several files, each as many from the start as asked for."""
    header = "id," + ",".join(f"x{column}" for column in range(COLUMNS)) + "\n"
    files = [(path.open("w"), wanted) for path, wanted in tables]
    for file, _ in files:
        file.write(header)
    for first in range(0, rows, BLOCK):
        lines = block_lines(first, min(BLOCK, rows - first))
        for file, wanted in files:
            file.writelines(lines[: max(wanted - first, 0)])
    for file, _ in files:
        file.close()


def read_with_pandas(path, rows):
    """Reads a CSV file whole; the time is without that of loading pandas."""
    import pandas

    started = time.perf_counter()
    table = pandas.read_csv(path)
    seconds = time.perf_counter() - started
    memory = megabytes(resource.getrusage(resource.RUSAGE_SELF))
    if len(table) != rows:
        raise Failure(f"{path.name} was written with {len(table)} rows in the place of {rows}.")
    return Run("pandas.read_csv", rows, file_size(path), seconds, memory)


def write_parquet(source, target):
    """The same table as Parquet, every number as its decimals say."""
    import pandas

    table = pandas.read_csv(source, float_precision="round_trip")
    table.to_parquet(target, index=False, row_group_size=BLOCK)


def auc_of_planted(path, rows):
    """How often a planted row scores above another one; fails unless all rows are in order."""
    import numpy
    import pandas

    scores = pandas.read_csv(path, usecols=["id", "anomaly_score"])
    if len(scores) != rows:
        raise Failure(f"{path.name} has {len(scores)} rows in the place of {rows}.")
    identifiers = scores["id"].to_numpy()
    wrong = numpy.flatnonzero(identifiers != numpy.arange(rows))
    if wrong.size:
        raise Failure(f"{path.name} has id {identifiers[wrong[0]]} in row {wrong[0]}.")
    planted = is_planted(identifiers)
    ranks = scores["anomaly_score"].rank()[planted].sum()
    count = int(planted.sum())
    return (ranks - count * (count + 1) / 2) / (count * (rows - count))


def begins_with(long, short):
    """Whether a file begins with all of another one."""
    with long.open("rb") as one, short.open("rb") as other:
        beginning = other.read()
        return one.read(len(beginning)) == beginning


def score(binary, model, table, rows):
    """Scores a table into a file beside it."""
    scores = table.with_name(f"scores-of-{table.name}.csv")
    command = [binary, "score", model, table, "--out", scores, "--quiet"]
    what = f"score, {'Parquet' if table.suffix == '.parquet' else 'CSV'}"
    return measured(what, rows, table, command), scores


def fit(binary, table, rows):
    """Fits a model to a table, into a file beside it."""
    model = table.with_name(f"model-of-{table.name}.sosrep")
    options = ["--id", "id", "--memory", FIT_MEMORY, "--quiet"]
    command = [binary, "fit", table, "--model", model, *options]
    what = f"fit, {'Parquet' if table.suffix == '.parquet' else 'CSV'}"
    return measured(what, rows, table, command), model


def check_memory(short, long):
    """Memory is small, and does not grow with the table."""
    if long.memory >= MOST_MEMORY:
        raise Failure(f"{long.what} took {long.memory:.0f} MB for {long.rows} rows.")
    factor, more = MOST_GROWTH
    if long.memory >= factor * short.memory + more:
        raise Failure(
            f"{long.what} took {long.memory:.0f} MB for {long.rows} rows and {short.memory:.0f} MB "
            f"for {short.rows}: memory grows with the table."
        )


def check_scores(short, long, rows):
    """All rows in order, the first ones scored as before, the planted ones above the others."""
    if not begins_with(long, short):
        raise Failure("The scores of the first rows depend on how many rows come after them.")
    check_planted(long, rows, "by a model of the first rows")


def check_planted(scores, rows, how):
    """All rows in order, the planted ones above the others."""
    auc = apart(auc_of_planted, scores, rows)
    print(f"AUC of the planted rows {auc:.5f} {how}, {rows} rows in order")
    if not auc > LEAST_AUC:
        raise Failure(f"The planted rows have an AUC of {auc:.5f}, not above {LEAST_AUC}.")


def check_same(one, other, what):
    """Two files are the same to the bit."""
    if not filecmp.cmp(one, other, shallow=False):
        raise Failure(f"{what} of the Parquet file differ from those of the CSV file.")


def long_runs(binary, model, half, big, rows):
    """All rows scored, and models of half of them and of all."""
    long, scores = score(binary, model, big, rows)
    half_fit, _ = fit(binary, half, rows // 2)
    long_fit, long_model = fit(binary, big, rows)
    return LongRuns(long, scores, half_fit, long_fit, long_model)


def as_parquet(table):
    """A Parquet file of the same numbers."""
    copy = table.with_suffix(".parquet")
    apart(write_parquet, table, copy)
    return copy


def show(runs):
    """One table of what was measured."""
    print(f"{'what':<18}{'rows':>10}{'seconds':>10}{'rows/s':>12}{'MB/s':>9}{'peak MB':>9}")
    for what, rows, size, seconds, memory in runs:
        speed = f"{rows / seconds:>12,.0f}{size / seconds:>9.1f}"
        print(f"{what:<18}{rows:>10,}{seconds:>10.2f}{speed}{memory:>9.1f}")
    floor = megabytes(resource.getrusage(resource.RUSAGE_SELF))
    print(f"Peaks below {floor:.1f} MB, that of this process, show as that much.")


def run_all(binary, rows, folder):
    """Writes, fits, scores, prints, and judges what was printed."""
    training, small, half, big, model = (folder / name for name in NAMES)
    few = rows // 10
    tables = [(training, TRAINING_ROWS), (small, few), (half, rows // 2), (big, rows)]
    apart(write_tables, tables, rows)
    command = [binary, "fit", training, "--model", model, "--id", "id", "--quiet"]
    fitted = measured("fit, CSV", TRAINING_ROWS, training, command)
    short, short_scores = score(binary, model, small, few)
    csv = long_runs(binary, model, half, big, rows)
    formats = [csv]
    if importlib.util.find_spec("pyarrow") is None:
        print("Parquet skipped: no pyarrow")
    else:
        formats.append(long_runs(binary, model, as_parquet(half), as_parquet(big), rows))
    counted = measured("wc -l", rows, big, ["wc", "-l", big])
    read = apart(read_with_pandas, big, rows)
    runs = [run for each in formats for run in (each.score, each.half_fit, each.fit)]
    show([fitted, short, *runs, counted, read])
    check_scores(short_scores, csv.scores, rows)
    for each in formats:
        check_memory(short, each.score)
        check_memory(each.half_fit, each.fit)
        check_same(each.scores, csv.scores, "The scores")
        check_same(each.model, csv.model, "The bytes of the model")
    _, scores = score(binary, csv.model, small, few)
    check_planted(scores, few, "by a model of all rows")


def main():
    """The exit code: 0, or 1 after a sentence on what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000, help="rows of the table")
    parser.add_argument("binary", metavar="BINARY", type=Path, help="the sosrep to run")
    arguments = parser.parse_args()
    if arguments.rows < FEWEST_ROWS:
        parser.error(f"--rows must be at least {FEWEST_ROWS}")
    try:
        if importlib.util.find_spec("pandas") is None:
            raise Failure("pandas is not installed; requirements.txt beside this file names it.")
        with tempfile.TemporaryDirectory() as folder:
            run_all(arguments.binary.resolve(), arguments.rows, Path(folder))
    except (Failure, OSError, ValueError) as failure:
        print(f"failed: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
