"""Splits of the data sets of ADBench, made by `sosrep-adbench split`: its protocol, seed 1.

The folder of the files is SOSREP_ADBENCH_DIR, or `../shared/adbench`; they are not part of the
project, so it may not be there.
"""

import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

SEED = 1


class Split(NamedTuple):
    """A data set's rows, those to fit and those to score."""

    name: str
    train: np.ndarray
    test: np.ndarray


def folder() -> pathlib.Path | None:
    """Where the data are, if they are."""
    path = pathlib.Path(os.environ.get("SOSREP_ADBENCH_DIR", "../shared/adbench"))
    return path if path.is_dir() else None


def splits(program: pathlib.Path, data: pathlib.Path, names: Sequence[str] = ()) -> Iterator[Split]:
    """The data sets of those names in their order, or all there are; `program` is a `sosrep` with
    `sosrep-adbench` beside it."""
    chosen = ["--data-sets", ",".join(names)] if names else []
    with tempfile.TemporaryDirectory() as out:
        options = ["--out", out, "--seeds", f"{SEED}..{SEED}", "--quiet", *chosen]
        splitter = program.with_name("sosrep-adbench")
        subprocess.check_call([splitter, "split", "--data", data, *options])
        suffix = f"-seed-{SEED}.npz"
        made = {
            path.name.removesuffix(suffix): path for path in pathlib.Path(out).glob(f"*{suffix}")
        }
        for name in names or sorted(made, key=number):
            with np.load(made[name]) as file:
                yield Split(name, file["X_train"], file["X_test"])


def number(name: str) -> int:
    """ADBench's number of a data set, which its name begins with."""
    return int(name.split("_")[0])
