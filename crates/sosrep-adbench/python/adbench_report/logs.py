"""The files of a run as data frames. A damaged line is named by its file and number."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from .readings import with_readings

Schema = dict[str, Callable[[str], object]]

STATUSES = ("done", "failed", "timed-out", "unavailable")


class DamagedLog(Exception):
    """A line that is not what the program writes."""


def optional(text: str) -> float:
    """A number, or nothing."""
    return float(text) if text else math.nan


def flag(text: str) -> bool:
    """true or false."""
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text == "true"


def status(text: str) -> str:
    """How a run ended."""
    if text not in STATUSES:
        raise ValueError(f"the status {text!r} is none of {', '.join(STATUSES)}")
    return text


def schema(text: str = "", whole: str = "", number: str = "", empty: str = "", flags: str = "") -> Schema:
    """Names of columns by what they hold: words, integers, numbers, numbers or nothing, flags."""
    kinds = ((text, str), (whole, int), (number, float), (empty, optional), (flags, flag))
    columns: Schema = {name: kind for names, kind in kinds for name in names.split()}
    return columns | ({"status": status} if "status" in columns else {})


RUNS = schema(
    text="data_set protocol method status message",
    whole="seed duplicates train_rows test_rows",
    number="irrelevant_features",
    empty="jitter auc_roc average_precision fit_seconds score_seconds",
)

#: Columns of runs that older logs, or those made by hand, may lack.
OPTIONAL = schema(text="parameters")

READINGS = schema(
    text="data_set protocol kernel judge rule",
    whole="duplicates seed",
    number="bandwidth auc_roc average_precision",
)

#: The files of the experiments, by name.
EXPERIMENTS: dict[str, Schema] = {
    "fisher": schema(
        text="data_set kernel",
        whole="seed",
        number="bandwidth ln_a fisher_divergence auc_roc",
        empty="hutchinson",
        flags="chosen smallest",
    ),
    "gradients": schema(
        text="data_set",
        whole="seed",
        empty="rows bandwidth norm negative_start negative_natural diverged_natural negative_standard"
        " diverged_standard negative_stable diverged_stable",
    ),
    "clusters": schema(
        text="data_set",
        whole="clusters first_rows second_rows",
        number="bandwidth mean_first mean_second mean_between explained beta gap_sosrep gap_kde",
    ),
    "clusters-kernel": schema(text="block", number="lower upper share"),
    "clusters-rows": schema(whole="position cluster", number="sosrep_smooth kde_smooth"),
    "two-blocks": schema(
        whole="first_rows second_rows", number="gamma gamma_prime beta solved kde", empty="closed_form"
    ),
    "consistency": schema(
        text="rate",
        whole="dimension rows draw",
        number="sosrep_error sosrep_mass sosrep_divergence kde_error kde_divergence",
    ),
    "sampling": schema(
        text="sampler",
        whole="dimension samples",
        number="mean_error largest_error expected_mean bound_of_largest",
    ),
    "families": schema(
        text="kind lever method status",
        whole="rows columns seed",
        number="contamination irrelevant",
        empty="value auc_roc",
    ),
    "thresholds": schema(
        text="data_set rule status",
        whole="seed",
        empty="true_share flagged_test precision recall f1",
    ),
}


def read(path: Path, columns: Schema, optional: Schema = {}) -> pd.DataFrame:
    """The columns of a log, and those of the optional ones that it has. A last line without its newline, which may be being written, is left out."""
    *lines, _ = path.read_text(encoding="utf-8").split("\n")
    if not lines:
        return pd.DataFrame({name: [] for name in columns})
    header = _cells(path, 1, lines[0])
    columns = columns | {name: kind for name, kind in optional.items() if name in header}
    absent = [name for name in columns if name not in header]
    if absent:
        raise DamagedLog(f"{path}, line 1: there is no column {', '.join(absent)}")
    places = [(name, header.index(name), kind) for name, kind in columns.items()]
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        cells = _cells(path, number, line)
        if len(cells) != len(header):
            raise _damaged(path, number, f"{len(cells)} cells, the header has {len(header)}")
        rows.append([_value(path, number, name, cells[place], kind) for name, place, kind in places])
    return pd.DataFrame(rows, columns=list(columns))


def _cells(path: Path, number: int, line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error as problem:
        raise _damaged(path, number, str(problem)) from problem


def _value(path: Path, number: int, name: str, text: str, kind: Callable[[str], object]) -> object:
    try:
        return kind(text)
    except ValueError as problem:
        raise _damaged(path, number, f"{name}: {problem}") from problem


def _damaged(path: Path, number: int, problem: str) -> DamagedLog:
    return DamagedLog(f"{path}, line {number}: {problem}; correct or remove the line")


@dataclass(frozen=True)
class RunFolder:
    """Everything that was measured: the runs, how they were made, and the experiments there are."""

    runs: pd.DataFrame
    set_up: list[str]
    experiments: dict[str, pd.DataFrame]
    readings: pd.DataFrame


def read_folders(folders: Sequence[Path]) -> RunFolder:
    """Several folders as one. A method or an experiment that a later one has replaces what earlier ones have of it: it
    may have changed in between."""
    first, *others = map(read_folder, folders)
    for later in others:
        replaced = first.runs["method"].isin(later.runs["method"])
        first = RunFolder(
            runs=pd.concat([first.runs[~replaced], later.runs], ignore_index=True),
            set_up=[*first.set_up, *later.set_up],
            experiments=first.experiments | later.experiments,
            readings=later.readings if len(later.readings) else first.readings,
        )
    return first


def read_folder(folder: Path) -> RunFolder:
    """Reads the files of a folder; those that are not there count as empty."""
    log, notes = folder / "runs.csv", folder / "set-up.txt"
    runs = read(log, RUNS, OPTIONAL) if log.exists() else pd.DataFrame(columns=list(RUNS))
    found = {}
    for name, columns in EXPERIMENTS.items():
        path = folder / "experiments" / f"{name}.csv"
        if path.exists() and len(frame := read(path, columns)):
            found[name] = frame
    set_up = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
    file = folder / "readings.csv"
    readings = read(file, READINGS) if file.exists() else pd.DataFrame(columns=list(READINGS))
    runs = with_readings(runs, readings)
    return RunFolder(runs.assign(seconds=runs["fit_seconds"] + runs["score_seconds"]), set_up, found, readings)


def catalogue() -> pd.DataFrame:
    """The 47 data sets of ADBench, by names such as 14_glass, with their sizes where they are known."""
    known = pd.read_csv(Path(__file__).with_name("catalogue.csv"))
    known.index = pd.Index(known["number"].astype(str) + "_" + known["name"])
    return known
