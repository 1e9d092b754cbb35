"""The chapters on the main board: set-up, scores, ranks, heat maps, kernels, times, what is missing."""

from __future__ import annotations

import math

import pandas as pd
from scipy import stats

from . import figures
from .document import Cell, Figure, Part, Section, Table, number, out_of, p_value
from .figures import Axis
from .logs import RunFolder, catalogue
from .scoreboard import kernels as compared
from .scoreboard import (
    DEFAULT, KERNELS, METHODS, OURS, PAPER, REASONS, SDO, Scoreboard, board, data_set_number, places, plural,
    scoreboard, select,
)  # fmt: skip

#: The methods of the figure of times: ours, and some known to be fast or slow.
TIMED = (PAPER, DEFAULT, "IForest", "KNN", "OCSVM", "MCD")
#: Characters of a message that are shown.
SHOWN = 160


def standings(auc: Scoreboard) -> str:
    """Where ours are, in sentences."""
    return " ".join(standing(auc, method) for method in OURS if method in auc.values.index)


def standing(auc: Scoreboard, method: str) -> str:
    """Where one of our configurations is, as a sentence."""
    found = places(auc, method)
    if found is None:
        return f"{method} has no result."
    return (
        f"{method} has a mean AUC-ROC of {auc.means()[method]:.3f} on {auc.covered(method)} data sets:"
        f" number {found[0]} by mean, number {found[1]} by rank."
    )


def lead(runs: pd.DataFrame) -> str:
    """The report in a few sentences."""
    auc = board(runs)
    return f"{len(auc.ran)} methods on {auc.basis()}. {standings(auc)}"


def set_up(folder: RunFolder) -> Section:
    """What was run, and how."""
    absent = [name for name in catalogue().index if name not in set(folder.runs["data_set"])]
    parts: list[Part] = [
        f"{len(folder.runs)} runs. Unless a caption says otherwise: ADBench's protocol (70 % of the rows to fit"
        f" without labels, 30 % to score, columns scaled to [0, 1]), {board(folder.runs).basis()}. A result is the"
        " mean over seeds, a mean is over data sets.",
        *folder.set_up,
    ]
    if absent:
        parts.append(f"Without a run, so in no figure of this report: {', '.join(absent)}.")
    return Section("Set-up", parts)


def scores(runs: pd.DataFrame) -> Section | None:
    """AUC-ROC and average precision of every method, also of those without a result."""
    auc, precision = board(runs), board(runs, "average_precision")
    means, ranks = auc.means(), auc.mean_ranks()
    if means.empty:
        return None
    rows: list[list[Cell]] = []
    for method in [*means.index, *(m for m in auc.values.index if m not in means)]:
        row, own = auc.values.loc[method], precision.values.loc[method]
        rank = number(float(ranks.get(method, math.nan)), 1)
        numbers = [number(value) for value in (row.mean(), row.median(), own.mean(), own.median())]
        rows.append([method, *numbers, rank, out_of(auc.covered(method), len(auc.data_sets))])
    header = ["method", "mean AUC-ROC", "median AUC-ROC", "mean AP", "median AP", "mean rank", "data sets"]
    figure = box_figure(
        "auc-roc", "AUC-ROC on ADBench", auc.values.loc[means.index], "AUC-ROC",
        "AUC-ROC over data sets, sorted by mean: the box has the middle half, the line in it is the median, the dot"
        f" the mean, the whiskers end at the smallest and the largest. {auc.basis()}.",
    )  # fmt: skip
    note = (
        "A mean is over the data sets a method covers. A place compares two methods on the data sets that both cover."
    )
    return Section("AUC-ROC and average precision", [standings(auc), figure, Table(header, rows, "scores"), note])


def box_figure(name: str, title: str, values: pd.DataFrame, axis: str, caption: str) -> Figure:
    """A box for each row of the frame, with its quartiles as a table."""
    header = ["method", "minimum", "lower quartile", "median", "upper quartile", "maximum", "mean", "data sets"]
    rows: list[list[Cell]] = []
    for method, row in values.iterrows():
        row = row.dropna()
        quartiles = [float(row.quantile(share)) for share in (0, 0.25, 0.5, 0.75, 1)]
        rows.append([str(method), *map(number, [*quartiles, float(row.mean())]), len(row)])
    drawing = figures.boxes(title, {str(m): row for m, row in values.iterrows()}, axis, OURS)
    return Figure(name, drawing, caption, Table(header, rows, name))


def rank_figure(name: str, title: str, board: Scoreboard) -> Figure:
    """The ranks of a board as boxes."""
    ranks = board.ranks().loc[board.mean_ranks().index]
    caption = f"Ranks from 1 to {len(ranks)}, higher is better, sorted by mean. {board.basis()}."
    return box_figure(name, title, ranks, "rank", caption)


def ranks(runs: pd.DataFrame) -> Section | None:
    """Ranks, and whether differences between methods are more than chance over data sets."""
    auc = board(runs)
    if auc.ran.empty:
        return None
    text = (
        "On each data set the methods are ranked by AUC-ROC: the best has as many points as there are methods, the"
        " worst has 1, equals share. A missing result shares the last ranks of its data set. All of our"
        " configurations are on this board."
    )
    parts: list[Part] = [text, rank_figure("ranks", "Rank by AUC-ROC on ADBench", auc)]
    if DEFAULT in auc.ran.index and min(auc.ran.shape) > 2:
        table = pairwise(auc, DEFAULT)
        test = stats.friedmanchisquare(*auc.ranks().to_numpy())
        parts += [
            f"Friedman's test over the data sets: χ² = {test.statistic:.1f}, p = {test.pvalue:.1g}. Below,"
            f" {DEFAULT} and each other method on the data sets that both cover: Wilcoxon's signed-rank test, p"
            " corrected by Holm. The defaults were chosen on the data sets with odd numbers, so that p is too"
            " small where those count.",
            table,
        ]
    return Section("Relative ranks", parts)


def pairwise(board: Scoreboard, method: str) -> Table:
    """A method and each other one: mean difference, on how many data sets it is ahead, Wilcoxon's p by Holm."""
    shifts = {name: (board.values.loc[method] - row).dropna() for name, row in board.ran.iterrows() if name != method}
    shifts = {name: shift for name, shift in shifts.items() if len(shift)}
    p = {name: float(stats.wilcoxon(shift).pvalue) if shift.any() else 1.0 for name, shift in shifts.items()}
    corrected, largest = {}, 0.0
    for place, name in enumerate(sorted(p, key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - place) * p[name]))
        corrected[name] = largest
    rows: list[list[Cell]] = [
        [str(name), number(shift.mean()), out_of(int((shift > 0).sum()), len(shift)), p_value(corrected[name])]
        for name, shift in sorted(shifts.items(), key=lambda pair: pair[1].mean())
    ]
    return Table(["method", f"{method} is ahead by", "ahead on", "p"], rows, "pairwise")


def heat_maps(runs: pd.DataFrame) -> Section | None:
    """Every method on every data set, and how far it is from one of ours."""
    auc = board(runs)
    parts: list[Part] = []
    for reference, name in ((PAPER, "heat-map-paper"), (DEFAULT, "heat-map-default")):
        if reference not in auc.ran.index:
            continue
        values = auc.values.loc[auc.means().index].T
        left_out = [str(name) for name in values.index[values[reference].isna()]]
        caption = (
            f"The area of a circle is the AUC-ROC, its colour the shift from {reference}; a cross is a missing result."
            f" {auc.basis()}."
        )
        if left_out:
            caption += f" Left out, because {reference} has no result: {', '.join(left_out)}."
        title = f"AUC-ROC, and the shift from {reference}"
        drawing = figures.heat_map(title, values.drop(index=left_out), reference)
        parts.append(Figure(name, drawing, caption, _heat_numbers(auc, reference, name)))
    return Section("AUC-ROC of every method on every data set", parts) if parts else None


def _heat_numbers(auc: Scoreboard, reference: str, name: str) -> Table:
    shifts = auc.values - auc.values.loc[reference]
    rows: list[list[Cell]] = [
        [d, m, number(auc.values.at[m, d]), number(shifts.at[m, d]), int(auc.seeds.at[m, d])]
        for d in auc.data_sets
        for m in auc.ran.index
    ]
    return Table(["data set", "method", "AUC-ROC", f"shift from {reference}", "seeds"], rows, name)


def dot_figure(name: str, title: str, board: Scoreboard, axis: Axis, caption: str) -> Figure:
    """Data sets, the largest value of the first method on top, with a dot for each method."""
    values = board.ran.T
    values = values.sort_values(str(values.columns[0]), ascending=False, kind="stable")
    rows: list[list[Cell]] = [[str(d), *map(number, row)] for d, row in zip(values.index, values.to_numpy())]
    table = Table(["data set", *map(str, values.columns)], rows, name)
    return Figure(name, figures.dots(title, values, axis), caption, table)


def kernels(runs: pd.DataFrame) -> Section | None:
    """The kernels of SOSREP beside each other, each fitted the paper's way."""
    auc = scoreboard(select(runs), compared(runs))
    if auc.ran.empty:
        return None
    basis = auc.basis()
    by_mean = auc.values.loc[auc.means().index]
    parts: list[Part] = [
        dot_figure("kernels", "AUC-ROC by kernel", auc, Axis("AUC-ROC"), f"Sorted by the first kernel. {basis}."),
        box_figure(
            "kernels-auc-roc", "AUC-ROC by kernel", by_mean, "AUC-ROC", f"AUC-ROC over data sets, by mean. {basis}."
        ),
        rank_figure("kernels-ranks", "Rank by AUC-ROC among kernels", auc),
    ]
    return Section("Kernels", parts)


def times(runs: pd.DataFrame) -> Section | None:
    """Seconds of each data set, and of all of them."""
    seconds = board(runs, "seconds")
    if seconds.ran.empty:
        return None
    text = (
        "Wall time of fit and score on the machine of these runs, the mean over seeds. The total is that of one run of"
        " each data set a method covers. Ours have all threads, the others one: times of different methods were not"
        " measured alike."
    )
    order = seconds.ran.sum(axis=1).sort_values(kind="stable").index
    rows: list[list[Cell]] = []
    for method in order:
        row = seconds.values.loc[method]
        covered = out_of(seconds.covered(str(method)), len(seconds.data_sets))
        numbers = [number(row.sum() / 60, 2), number(row.median(), 2), number(row.max(), 1)]
        rows.append([str(method), *numbers, covered])
    header = ["method", "total minutes", "median seconds", "longest seconds", "data sets"]
    shown = scoreboard(select(runs), TIMED, "seconds")
    caption = f"Data sets sorted by the first method. {seconds.basis()}."
    parts: list[Part] = [text, Table(header, rows, "wall-time")]
    if not shown.ran.empty:
        axis = Axis("seconds", logarithmic=True)
        parts.insert(1, dot_figure("seconds", "Wall time of fit and score", shown, axis, caption))
    return Section("Wall time", parts)


def missing(folder: RunFolder, not_measured: list[str]) -> Section | None:
    """Data sets a method has no result on, runs that went wrong, experiments that were not run."""
    runs, auc, parts = folder.runs, board(folder.runs), []
    rows: list[list[Cell]] = []
    for method, row in auc.values.iterrows():
        absent = auc.reasons.loc[str(method)][row.isna()]
        if len(absent):
            covered = out_of(auc.covered(str(method)), len(auc.data_sets))
            rows.append([str(method), covered, _reasons(absent, len(auc.data_sets))])
    if rows:
        parts += [
            "Methods that do not cover all data sets of the main board: their means are over fewer data sets than those"
            " of the others.",
            Table(["method", "data sets", "missing"], rows, "missing"),
        ]
    failures = _failures(runs)
    if failures.rows:
        parts += ["Runs that ended without a result, under any protocol and noise.", failures]
    outside = (~runs["method"].isin([*METHODS, *KERNELS, *SDO])) | (runs["irrelevant_features"] != 0)
    if outside.any():
        parts.append(
            f"{plural(int(outside.sum()), 'run')} in no figure: their method is not on the board, or they have"
            " irrelevant columns."
        )
    if not_measured:
        parts.append(
            f"Experiments that were not run: {', '.join(not_measured)}; sosrep-adbench experiment NAME measures them."
        )
    return Section("What is missing", parts) if parts else None


def _reasons(absent: pd.Series, of: int) -> str:
    """`timed out: 17_InternetAds; not run: all`."""
    groups = {reason: list(absent.index[absent == reason]) for reason in REASONS}
    words = {reason: "all" if len(names) == of else ", ".join(names) for reason, names in groups.items() if names}
    return "; ".join(f"{reason}: {names}" for reason, names in words.items())


def _failures(runs: pd.DataFrame) -> Table:
    """A line for each method, outcome and message: how many runs, and where. Of equal runs the last counts."""
    key = ["data_set", "protocol", "method", "seed", "duplicates", "jitter", "irrelevant_features"]
    last = runs.drop_duplicates(key, keep="last")
    failed = last[last["status"] != "done"].assign(message=lambda frame: frame["message"].str.slice(0, SHOWN))
    rows: list[list[Cell]] = []
    for (method, status, message), group in failed.groupby(["method", "status", "message"]):
        names = sorted(group["data_set"].unique(), key=data_set_number)
        where = ", ".join(names) if len(names) <= 6 else f"{len(names)} data sets"
        rows.append([method, status.replace("-", " "), len(group), where, message])
    return Table(["method", "outcome", "runs", "data sets", "message"], rows, "failures")
