"""The full tuning procedure on the data sets of ADBench: 15 bandwidths by exact Fisher divergence.

Times `sosrep tune TABLE --method fisher` with the exact SDO kernel, on all cores, once a data set:
the training rows of ADBench's protocol with seed 1, of every data set that is there. A time is that
of the whole process, reading the table and building the kernel's table included. The paper reports
186 minutes for 47 data sets on an RTX 3090.

The program holds out 30 % of the rows, fits the others at each bandwidth and takes the divergence
of those held out. It merges equal rows: FOLDER/tuning.csv has how many are distinct.

Run with `./x bench`, or where NumPy is installed:
    python bench/tuning.py target/release/sosrep FOLDER [--data-sets NAMES]
"""

import argparse
import json
import pathlib
import tempfile

import numpy as np

import raw
from process import run
from splits import Split, folder, splits

BANDWIDTHS = 15
HEADER = ("data set", "rows", "distinct rows", "columns", "seconds", "bandwidth")


def tune(program: pathlib.Path, table: pathlib.Path) -> tuple[float, float]:
    """Seconds, and the bandwidth that was chosen."""
    measured = run([program, "tune", table, "--method", "fisher", "--kernel", "sdo", "--json"])
    result = json.loads(measured.output)
    # Less than the whole curve would be another procedure.
    if len(result["curve"]) != BANDWIDTHS:
        raise RuntimeError(f"{len(result['curve'])} bandwidths were tried, not {BANDWIDTHS}")
    return measured.seconds, result["bandwidth"]


def line(program: pathlib.Path, split: Split, scratch: pathlib.Path) -> tuple[object, ...]:
    """One line of the file, printed too."""
    table = scratch / "train.npy"
    np.save(table, split.train)
    seconds, bandwidth = tune(program, table)
    rows, columns = split.train.shape
    distinct = len(np.unique(split.train, axis=0))
    print(f"{split.name:22} {rows:6} {distinct:6} {columns:5} {seconds:9.3f}", flush=True)
    return split.name, rows, distinct, columns, seconds, bandwidth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the sosrep to run, with sosrep-adbench beside it")
    parser.add_argument("folder", type=pathlib.Path, help=f"where {raw.TUNING} is written")
    parser.add_argument("--data-sets", default="", help="these only, separated by commas")
    arguments = parser.parse_args()
    data = folder()
    if data is None:
        print("skipped: no ADBench data")
        # Nor is what an earlier run left there part of this one.
        (arguments.folder / raw.TUNING).unlink(missing_ok=True)
        return
    names = [name for name in arguments.data_sets.split(",") if name]
    print(f"{'data set':22} {'n':>6} {'unlike':>6} {'d':>5} {'seconds':>9}")
    with tempfile.TemporaryDirectory() as scratch:
        tables = splits(arguments.program, data, names)
        lines = [line(arguments.program, split, pathlib.Path(scratch)) for split in tables]
    raw.write(arguments.folder / raw.TUNING, HEADER, lines)


if __name__ == "__main__":
    main()
