"""The chapters on how far the order of methods depends on copies, data sets, seeds and the protocol."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from . import figures
from .document import Cell, Figure, Folded, Number, Part, Section, Table, number
from .figures import Axis, Line
from .logs import catalogue
from .scoreboard import OURS, Scoreboard, board, data_set_number, listed, places, scoreboard, select

#: Baselines in the figure of copies: the best of them where anomalies are copied.
DRAWN = 6
#: ADBench fills smaller data sets up with copies.
FEWEST = 1000

Statistic = Literal["mean", "median"]


@dataclass(frozen=True)
class Level:
    """The board with the anomalies copied so many times, with noise on the copies or without."""

    copies: int
    jitter: float
    board: Scoreboard

    @property
    def name(self) -> str:
        """×5, or ×5 ± 0.01."""
        return f"×{self.copies}" + ("" if math.isnan(self.jitter) else f" ± {self.jitter:g}")


def levels(runs: pd.DataFrame) -> list[Level]:
    """All there are, exact copies before those with noise."""
    kinds = runs[["duplicates", "jitter"]].drop_duplicates().sort_values(["duplicates", "jitter"], na_position="first")
    found = [
        Level(int(copies), jitter, scoreboard(select(runs, int(copies), jitter), listed(runs)))
        for copies, jitter in kinds.itertuples(index=False)
    ]
    return [level for level in found if not level.board.ran.empty]


def statistic_cell(board: Scoreboard, method: str, statistic: Statistic) -> Number:
    """A statistic over the data sets a method covers, with their number where they are not all."""
    covered = board.covered(method) if method in board.values.index else 0
    if not covered:
        return number(math.nan)
    note = f" ({covered})" if covered < len(board.data_sets) else ""
    return number(float(board.values.loc[method].agg(statistic)), note=note)


def duplicates(runs: pd.DataFrame) -> Section | None:
    """Copied anomalies: how means and medians fall, and what noise on the copies changes."""
    found = levels(runs)
    exact = [level for level in found if math.isnan(level.jitter)]
    if len(found) < 2 or not exact:
        return None
    about = (
        "The anomalies of both parts are drawn again with replacement, so many times as many. Methods that look for"
        " rare rows, or for rows far from their neighbours, lose by it."
    )
    brackets = "Means over data sets; in brackets how many, where not all."
    noise = (
        "A column with ± has noise on every copy, as a share of each column's standard deviation, so that copies are no"
        " longer exact."
    )
    parts: list[Part] = [
        about,
        copies_figure(exact, "duplicates", "mean"),
        copies_figure(exact, "duplicates-median", "median"),
        brackets,
        *([noise] if len(exact) < len(found) else []),
        copies_table(found, exact, "duplicates-means", "mean"),
        Folded("Medians over data sets", [copies_table(found, exact, "duplicates-medians", "median")]),
    ]
    return Section("Duplicated anomalies", parts)


def reference(levels: list[Level]) -> Level:
    """The board by which methods are ordered: one with copies, with the most methods, with the most copies."""
    return max(levels, key=lambda level: (level.copies > 1, len(level.board.ran), level.copies))


def ordered(levels: list[Level], statistic: Statistic) -> list[str]:
    """The methods of some boards, the best on the reference first, those without a result there last."""
    values = reference(levels).board.values.agg(statistic, axis=1)
    ran = values[[any(method in level.board.ran.index for level in levels) for method in values.index]]
    return [str(name) for name in ran.sort_values(ascending=False, kind="stable", na_position="last").index]


def copies_figure(levels: list[Level], name: str, statistic: Statistic) -> Figure:
    """A curve for each of ours and for the best of the others."""
    order = ordered(levels, statistic)
    others = [method for method in order if method not in OURS][:DRAWN]
    curves = []
    for method in [*(method for method in OURS if method in order), *others]:
        points = [(level.copies, float(level.board.values.loc[method].agg(statistic))) for level in levels]
        x, y = zip(*[point for point in points if not math.isnan(point[1])])
        curves.append(Line(method, x, y, marker=None if method in OURS else ""))
    title = f"{statistic.capitalize()} AUC-ROC, anomalies copied"
    drawing = figures.lines(title, curves, Axis("times as many anomalies"), Axis("AUC-ROC"))
    basis = "; ".join(f"{level.name}: {level.board.basis()}" for level in levels)
    caption = f"Ours and the {DRAWN} best of the others at {reference(levels).name}. {basis}."
    header = ["method", "duplicates", "mean AUC-ROC", "median AUC-ROC", "data sets", "of"]
    rows: list[list[Cell]] = [
        [str(m), level.copies, number(row.mean()), number(row.median()), int(row.count()), len(row)]
        for level in levels
        for m, row in level.board.ran.iterrows()
    ]
    return Figure(name, drawing, caption, Table(header, rows, name))


def copies_table(found: list[Level], exact: list[Level], name: str, statistic: Statistic) -> Table:
    """Methods × numbers of copies."""
    rows = [[m, *(statistic_cell(level.board, m, statistic) for level in found)] for m in ordered(exact, statistic)]
    return Table(["method", *(level.name for level in found)], rows, name)


def is_large(data_set: str, runs: pd.DataFrame) -> bool:
    """Whether ADBench takes a data set as it is or cuts it down; one it fills up has 1000 rows."""
    rows = catalogue()["rows"].get(data_set, math.nan)
    if not math.isnan(rows):
        return bool(rows >= FEWEST)
    own = select(runs[runs["data_set"] == data_set])
    return bool((own["train_rows"] + own["test_rows"] > FEWEST).any())


def groups(runs: pd.DataFrame) -> Section | None:
    """Means over groups of data sets."""
    auc = board(runs)
    if auc.ran.empty:
        return None
    large = [name for name in auc.data_sets if is_large(name, runs)]
    small = [name for name in auc.data_sets if name not in large]
    odd, even = ([name for name in auc.data_sets if data_set_number(name) % 2 == rest] for rest in (1, 0))
    names = {"all": auc.data_sets, "not resampled": large, "resampled": small, "odd": odd, "even": even}
    boards = {name: auc.restricted(sets) for name, sets in names.items()}
    text = (
        f"ADBench fills data sets of fewer than {FEWEST} rows up with copies, so that most of their test rows are"
        f" training rows too. Here are the {len(large)} data sets it does not resample and the {len(small)} it does; the"
        f" {len(odd)} with an odd number, on which the defaults of this library were chosen, and the {len(even)} with an"
        f" even one. Mean AUC-ROC, {auc.basis()}."
    )
    means = Table(
        ["method", *(f"{name} ({len(sets)})" for name, sets in names.items())],
        [[m, *(statistic_cell(group, m, "mean") for group in boards.values())] for m in map(str, auc.means().index)],
        "groups",
    )
    rows: list[list[Cell]] = [
        [name, method, *(Number(place, place.split()[0]) for place in found)]
        for name, group in boards.items()
        for method in OURS
        if (found := places(group, method))
    ]
    table = Table(["data sets", "method", "place by mean", "place by rank"], rows, "group-places")
    about = "The places of our configurations, each on the board without the others."
    return Section("Groups of data sets", [text, means, about, table])


def seed_means(board: Scoreboard, method: str) -> pd.Series:
    """The mean over data sets of each seed that has a result on every data set the method covers."""
    own = board.by_seed[board.by_seed.index.get_level_values("method") == method]
    return own.unstack("seed").dropna(axis=1).mean()


def seeds(runs: pd.DataFrame) -> Section | None:
    """How much the mean of a method differs from seed to seed."""
    auc = board(runs)
    found = {str(method): seed_means(auc, str(method)) for method in auc.means().index}
    found = {method: means for method, means in found.items() if len(means) > 1}
    if not found:
        return None
    typical = pd.Series({method: means.std() for method, means in found.items()}).median()
    rows: list[list[Cell]] = [
        [method, len(means), number(means.std(), 4), number(means.min()), number(means.max())]
        for method, means in found.items()
    ]
    text = (
        "The mean AUC-ROC over data sets of each seed alone, for the seeds that have a result on every data set a method"
        f" covers. The median standard deviation between seeds is {typical:.4f}: differences of that size mean nothing."
    )
    header = ["method", "seeds", "standard deviation", "smallest mean", "largest mean"]
    return Section("Agreement of seeds", [text, Table(header, rows, "seeds")])


def authors(runs: pd.DataFrame) -> Section | None:
    """The protocol of the authors, beside ADBench's on the same data sets."""
    own = select(runs, protocol="authors")
    methods = sorted(own["method"].unique())
    auc, precision = scoreboard(own, methods), scoreboard(own, methods, "average_precision")
    if auc.ran.empty:
        return None
    adbench = scoreboard(select(runs), methods).restricted(auc.data_sets)
    text = (
        "The authors of SOSREP leave small data sets as they are, and standardise columns after scaling them to [0, 1]."
        f" {auc.basis()}; under ADBench's protocol {adbench.basis()}."
    )
    rows = [
        [
            m,
            statistic_cell(auc, m, "mean"),
            statistic_cell(auc, m, "median"),
            statistic_cell(precision, m, "mean"),
            statistic_cell(adbench, m, "mean"),
        ]
        for m in map(str, auc.means().index)
    ]
    header = ["method", "mean AUC-ROC", "median AUC-ROC", "mean AP", "mean AUC-ROC, ADBench's protocol"]
    return Section("The protocol of the authors", [text, Table(header, rows, "authors")])
