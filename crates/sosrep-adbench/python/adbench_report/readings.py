"""The readings of the paper's procedure beside each other, and which of them bears out which claim.

A reading is a kernel, the rows that judge a bandwidth, and a rule that reads the curve. Those of exact kernels come
from `readings.csv`, those of the sampled kernel from `runs.csv`. Each is put on the board of the baselines alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from .document import Cell, Number, Section, Table, number
from .scoreboard import BASELINES, EXACT, PAPER, Scoreboard, plural, scoreboard, select

#: Columns of a run that a reading has too.
KEY = ["data_set", "protocol", "duplicates", "seed"]
#: Methods of runs that are readings of curves: kernel, rows that judge, rule.
FROM_CURVES = {
    EXACT: ("sdo", "held-out", "on-the-fly"),
    "SOSREP-Laplacian": ("laplacian", "held-out", "on-the-fly"),
    "SOSREP-Gaussian": ("gaussian", "held-out", "on-the-fly"),
}
TEST = "SOSREP-paper-test"


@dataclass(frozen=True)
class Kind:
    """A reading: its name, and the method of its runs or its kernel, judge and rule."""

    name: str
    method: str = ""
    curve: tuple[str, str, str] | None = None
    #: Whether labels of the test rows had a part in it.
    labels: bool = False

    def runs(self, runs: pd.DataFrame, readings: pd.DataFrame) -> pd.DataFrame:
        """Its results as runs of a method of its name."""
        if self.curve is None:
            own = runs[(runs["method"] == self.method) & runs["jitter"].isna() & (runs["irrelevant_features"] == 0)]
            return own.assign(method=self.name)
        kernel, judge, rule = self.curve
        chosen = (readings["kernel"] == kernel) & (readings["judge"] == judge) & (readings["rule"] == rule)
        return as_runs(readings[chosen], self.name)


#: The readings, in the order of the report.
KINDS = (
    Kind("sampled SDO, on the fly, held-out rows", PAPER),
    Kind("sampled SDO, on the fly, test rows", TEST),
    Kind("exact SDO, on the fly, held-out rows", curve=("sdo", "held-out", "on-the-fly")),
    Kind("exact SDO, on the fly, test rows", curve=("sdo", "test", "on-the-fly")),
    Kind("exact SDO, text, held-out rows", curve=("sdo", "held-out", "text")),
    Kind("exact SDO, text, test rows", curve=("sdo", "test", "text")),
    Kind("exact SDO, as released, test rows", curve=("sdo", "test", "released")),
    Kind("exact SDO, minimum, test rows", curve=("sdo", "test", "minimum")),
    Kind("Laplacian, on the fly, held-out rows", curve=("laplacian", "held-out", "on-the-fly")),
    Kind("Laplacian, on the fly, test rows", curve=("laplacian", "test", "on-the-fly")),
    Kind("Laplacian, text, test rows", curve=("laplacian", "test", "text")),
    Kind("exact SDO, b = 0.52, chosen with labels", curve=("sdo", "test", "fixed"), labels=True),
    Kind("exact SDO, hindsight per data set", curve=("sdo", "test", "hindsight"), labels=True),
)

PROTOCOLS = {"authors": "the authors' protocol", "adbench": "ADBench's protocol"}


def as_runs(readings: pd.DataFrame, method: str) -> pd.DataFrame:
    """Readings in the columns of runs."""
    runs = readings[[*KEY, "auc_roc", "average_precision"]].assign(method=method, status="done", message="")
    return runs.assign(
        jitter=math.nan, irrelevant_features=0.0, fit_seconds=math.nan, score_seconds=math.nan,
        train_rows=0, test_rows=0, parameters="",
    )  # fmt: skip


def with_readings(runs: pd.DataFrame, readings: pd.DataFrame) -> pd.DataFrame:
    """The runs, and the methods that were read from curves; those replace runs of the same name."""
    parts = []
    for method, (kernel, judge, rule) in FROM_CURVES.items():
        # The other kernels are compared with each other: all of them by one rule, or none.
        if method != EXACT and not (readings["kernel"] == "gaussian").any():
            continue
        chosen = (readings["kernel"] == kernel) & (readings["judge"] == judge) & (readings["rule"] == rule)
        if chosen.any():
            runs = runs[runs["method"] != method]
            parts.append(as_runs(readings[chosen], method))
    return pd.concat([runs, *parts], ignore_index=True) if parts else runs


@dataclass(frozen=True)
class Reader:
    """What readings are compared with."""

    runs: pd.DataFrame
    readings: pd.DataFrame

    def board(self, kind: Kind, protocol: str, duplicates: int = 1) -> Scoreboard:
        """The baselines by ADBench's protocol, and a reading by one of the protocols."""
        own = kind.runs(self.runs, self.readings)
        own = own[own["protocol"] == protocol].assign(protocol="adbench")
        others = self.runs[self.runs["method"].isin(BASELINES)]
        both = pd.concat([others, own], ignore_index=True) if len(own) else others
        board = scoreboard(select(both, duplicates), [*BASELINES, kind.name])
        # Places and ranks are those on the data sets that the reading has.
        covered = board.values.loc[kind.name].dropna().index
        return board.restricted(covered) if len(covered) else board


def seed_error(board: Scoreboard, method: str) -> float:
    """The standard error of a mean over data sets that other seeds would bring.

    √(Σ s²/k) / D over D data sets with k seeds each and the variance s² between them; a data set with one seed has the
    mean variance of the others. NaN where no data set has two.
    """
    own = board.by_seed[board.by_seed.index.get_level_values("method") == method].groupby(level="data_set")
    variances, counts = own.var(), own.size()
    if variances.notna().sum() == 0:
        return math.nan
    variances = variances.fillna(float(variances.mean()))
    return math.sqrt(float((variances / counts).sum())) / len(counts)


def mean_cell(board: Scoreboard, kind: Kind) -> Number:
    """`0.753 ± 0.004 (43)`, with the number of data sets."""
    if kind.name not in board.ran.index:
        return number(math.nan)
    covered, error = board.covered(kind.name), seed_error(board, kind.name)
    note = "" if math.isnan(error) else f" ± {error:.3f}"
    note += f" ({covered})"
    return number(float(board.means()[kind.name]), note=note)


def place_cell(board: Scoreboard, kind: Kind) -> str:
    """`5 / 6 of 18`: by mean, by mean rank."""
    found = board.place_by_mean(kind.name), board.place_by_rank(kind.name)
    if not found[0] or not found[1] or found[0][1] < 2:
        return "–"
    return f"{found[0][0]} / {found[1][0]} of {found[0][1]}"


def change_cell(reader: Reader, kind: Kind, protocol: str) -> Number:
    """The change of the mean from ×1 to ×6, per cent."""
    plain, copied = (reader.board(kind, protocol, duplicates) for duplicates in (1, 6))
    if kind.name not in plain.ran.index or kind.name not in copied.ran.index:
        return number(math.nan)
    return number(100 * plain.change(copied, kind.name), 1, " %")


def table(reader: Reader, protocol: str) -> Table:
    """Readings × what was measured, by one protocol."""
    rows: list[list[Cell]] = []
    for kind in KINDS:
        plain, copied = (reader.board(kind, protocol, duplicates) for duplicates in (1, 5))
        if kind.name not in plain.ran.index:
            continue
        cells: list[Cell] = [kind.name]
        for board in (plain, copied):
            cells += [mean_cell(board, kind), place_cell(board, kind)]
        rows.append([*cells, change_cell(reader, kind, protocol)])
    header = ["reading", "AUC-ROC", "place by mean / rank", "AUC-ROC, ×5", "place, ×5", "×6 against ×1"]
    return Table(header, rows, f"readings-{protocol}")


def coverage(reader: Reader) -> str:
    """Seeds of the readings, in words."""
    seeds = reader.readings.groupby(["protocol", "duplicates", "kernel", "data_set"])["seed"].nunique()
    counts = seeds.groupby(level=["protocol", "duplicates", "kernel"]).agg(["size", "min", "max"])
    words = [
        f"{kernel}, {protocol}, ×{copies}: {plural(int(row['size']), 'data set')},"
        f" {row['min']:.0f} to {row['max']:.0f} seeds"
        for (protocol, copies, kernel), row in counts.iterrows()
    ]
    return "; ".join(words)


def section(runs: pd.DataFrame, readings: pd.DataFrame) -> Section | None:
    """Every reading by both protocols."""
    if readings.empty:
        return None
    reader = Reader(runs, readings)
    text = (
        "The paper's text, its box of algorithms and its released program choose the bandwidth in different ways, and"
        " the text judges by the rows that are scored. Every reading was measured: the rules of the library (text, on"
        " the fly, as released, minimum) on the same curves of 15 bandwidths, judged by 30 % of the training rows held"
        " out, or by the test rows without their labels. The sampled kernel has 10 000 frequencies and was fitted to at"
        " most 1200 distinct rows. Two lines use labels and are no readings: one bandwidth for all data sets, and the"
        " best of each. ± is the standard error between seeds; where a data set has one seed, it is taken to vary as the"
        " others do. A place is among the baselines under ADBench's protocol, also for the authors' protocol, under"
        " which they were not run. A number in brackets counts the data sets that were measured; places are among those."
    )
    parts = [text]
    tables = [part for protocol in PROTOCOLS for part in (f"By {PROTOCOLS[protocol]}:", table(reader, protocol))]
    return Section("Every reading of the paper's procedure", [*parts, *tables, f"Curves: {coverage(reader)}."])
