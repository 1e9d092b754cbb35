"""The experiments that the paper does not have: kinds of anomalies on generated rows, and thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from . import figures
from .document import Cell, Figure, Part, Section, Table, number
from .figures import Axis, Line
from .scoreboard import DEFAULT

KINDS = ("local", "global", "clustered", "dependency")
SETTING = ["kind", "lever", "rows", "columns", "contamination", "irrelevant"]
#: Differences below are none.
EQUAL = 0.0005


@dataclass(frozen=True)
class Lever:
    """What is changed: the word in sentences, the axis of its figure, whether it is a share."""

    word: str
    axis: Axis
    share: bool = False

    def shown(self, value: float) -> str:
        """A value as it is read."""
        return f"{100 * value:.0f} %" if self.share else f"{value:.0f}"


LEVERS = {
    "irrelevant": Lever("irrelevant columns", Axis("irrelevant columns, % of the others"), share=True),
    "contamination": Lever("contamination", Axis("anomalies, %", logarithmic=True), share=True),
    "rows": Lever("rows", Axis("rows", logarithmic=True)),
    "columns": Lever("columns", Axis("columns", logarithmic=True)),
}


def complete_mean(frame: pd.DataFrame) -> pd.Series:
    """The mean of each column that has all its values."""
    return frame.mean(skipna=False)


def cases(rows: pd.DataFrame) -> pd.DataFrame:
    """AUC-ROC of every split × method, ours first; methods without any result are left out."""
    measured = rows.dropna(subset="auc_roc")
    methods = [DEFAULT, *(name for name in measured["method"].unique() if name != DEFAULT)]
    table = measured.groupby([*SETTING, "seed", "method"])["auc_roc"].first().unstack("method")
    every = pd.MultiIndex.from_frame(rows[[*SETTING, "seed"]].drop_duplicates())
    return table.reindex(index=every, columns=methods)


def settings(cases: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds, so that a setting with fewer seeds counts as much as the others."""
    return cases.groupby(level=SETTING, sort=False).apply(complete_mean)


def of_kinds(cases: pd.DataFrame) -> pd.DataFrame:
    """Means over the settings of each kind, where every method has a result."""
    return settings(cases.dropna()).groupby(level="kind").apply(complete_mean).reindex(KINDS)


def of_lever(cases: pd.DataFrame, lever: str) -> pd.DataFrame:
    """Means over all kinds at each value of a lever; the base setting belongs to every lever."""
    means = settings(cases)
    return means[means.index.get_level_values("lever").isin([lever, "base"])].groupby(level=lever).apply(complete_mean)


def standing(values: pd.Series) -> tuple[float, str, float] | None:
    """Ours, the best other method and its value; None if there is no pair to compare."""
    ours, others = values[DEFAULT], values.drop(DEFAULT).dropna()
    if math.isnan(ours) or others.empty:
        return None
    return float(ours), str(others.idxmax()), float(others.max())


def is_first(found: tuple[float, str, float]) -> bool:
    """Whether nobody is ahead."""
    return found[2] < found[0] + EQUAL


def families(rows: pd.DataFrame) -> Section | None:
    """The default detector beside others on generated rows."""
    splits = cases(rows)
    if splits[DEFAULT].isna().all():
        return None
    common, levers = splits.dropna(), {name: of_lever(splits, name) for name in LEVERS}
    text = [
        "Beside the data sets of ADBench: rows of a random mixture of three Gaussians, with its four kinds of anomalies"
        " (local: five times the covariance; global: uniform over the range; clustered: centres five times as far out;"
        " dependency: the same columns, independent of each other). From 2000 rows, 10 columns and 5 % anomalies one"
        f" parameter is changed at a time: {len(settings(splits))} settings, AUC-ROC, mean of up to three seeds."
    ]
    if splits.shape[1] == 1:
        text.append(
            f"There are no results of other methods, which need a Python that has PyOD: this is {DEFAULT} alone."
        )
    else:
        text += _standings(splits, levers)
    failed = rows[rows["status"] != "done"]
    counts = (failed["method"] + " " + failed["status"].str.replace("-", " ")).value_counts(sort=False)
    if len(counts):
        words = ", ".join(f"{name} ({count})" for name, count in counts.items())
        text.append(f"Runs without a result: {words}.")
    if len(common) < len(splits):
        text.append(
            f"The table of kinds is over the {len(common)} of {len(splits)} runs of which every method has a result."
        )
    kinds = of_kinds(splits)
    overall = complete_mean(settings(common))
    by_kind: list[list[Cell]] = [[str(kind), *map(number, row)] for kind, row in zip(kinds.index, kinds.to_numpy())]
    by_kind.append(["all", *map(number, overall)])
    by_value: list[list[Cell]] = [
        [LEVERS[name].word, LEVERS[name].shown(float(value)), *map(number, row)]
        for name, means in levers.items()
        for value, row in zip(means.index, means.to_numpy())
    ]
    drawing = figures.dots("AUC-ROC by kind of anomaly, generated rows", kinds, Axis("AUC-ROC"))
    caption = "The mean over all settings of which every method has a result."
    parts: list[Part] = [
        " ".join(text),
        Table(["kind", *splits.columns], by_kind),
        Table(["parameter", "value", *splits.columns], by_value),
        Figure("families", drawing, caption),
        *(_lever_figure(name, means) for name, means in levers.items()),
    ]
    return Section("Kinds of anomalies, on generated rows", parts)


def _lever_figure(name: str, means: pd.DataFrame) -> Figure:
    lever = LEVERS[name]
    x = means.index.to_numpy(float) * (100 if lever.share else 1)
    curves = [Line(str(method), x, means[method], marker=None) for method in means.columns]
    drawing = figures.lines(f"AUC-ROC against {lever.word}, generated rows", curves, lever.axis, Axis("AUC-ROC"))
    caption = (
        "The mean over the four kinds of anomalies and the seeds; all else is that of the base setting: 2000 rows, 10"
        " columns, 5 % anomalies, no irrelevant columns."
    )
    return Figure(f"families-{name}", drawing, caption)


def _standings(splits: pd.DataFrame, levers: dict[str, pd.DataFrame]) -> list[str]:
    """Where ours is first, and where it is not."""
    kinds = {str(kind): row for kind, row in of_kinds(splits).iterrows()}
    values = {
        f"{LEVERS[name].word} {LEVERS[name].shown(float(value))}": row
        for name, means in levers.items()
        for value, row in means.iterrows()
    }
    single = {key: found for key, row in settings(splits).iterrows() if (found := standing(row))}
    if not single:
        return []
    text = [
        _places("By kind, over all settings,", kinds),
        _places("By value of a parameter, over all kinds,", values),
        f"In single settings it is first in {sum(map(is_first, single.values()))} of {len(single)}.",
    ]
    key, (ours, other, best) = max(single.items(), key=lambda item: item[1][2] - item[1][0])
    if not is_first((ours, other, best)):
        named = dict(zip(SETTING, key))
        lever = str(named["lever"])
        where = f"{LEVERS[lever].word} {LEVERS[lever].shown(named[lever])}" if lever in LEVERS else lever
        text.append(
            f"It is farthest behind for {named['kind']} anomalies, {where}: {ours:.3f}, where {other} has {best:.3f}."
        )
    return text


def _places(begin: str, named: dict[str, pd.Series]) -> str:
    lists: dict[bool, list[str]] = {True: [], False: []}
    for name, row in named.items():
        if found := standing(row):
            lists[is_first(found)].append(f"{name} ({found[0]:.3f}; {found[1]} {found[2]:.3f})")
    first, behind = (f"for {', '.join(lists[place])}" if lists[place] else "nowhere" for place in (True, False))
    return f"{begin} {DEFAULT} is first or level with the first {first}; it is not {behind}."


RULES = {"automatic": "automatic", "tenth": "10 %", "true-share": "true share"}


def thresholds(rows: pd.DataFrame) -> Section | None:
    """What the default detector flags, by three thresholds."""
    done = rows[rows["status"] == "done"]
    if done.empty:
        return None
    means = done.groupby(["data_set", "rule"], sort=False).mean(numeric_only=True)
    f1 = means["f1"].unstack("rule").reindex(done["data_set"].unique(), columns=list(RULES))
    automatic = means.xs("automatic", level="rule")
    flagged, truth = 100 * automatic["flagged_test"], 100 * automatic["true_share"]
    text = [
        "The automatic threshold, `contamination=auto`, beside the one that flags 10 % of the training rows,"
        " as PyOD does unless told otherwise, and the one that flags the true share of anomalies, which is not known in"
        f" practice. {len(f1)} data sets, ADBench's protocol, means over the seeds of each."
    ]
    for rule, word in (("tenth", "10 %"), ("true-share", "the true share")):
        both = f1[["automatic", rule]].dropna()
        ahead = both["automatic"] - both[rule]
        text.append(
            f"By F₁ the automatic threshold is above that of {word} on {int((ahead > 0).sum())} data sets and below on"
            f" {int((ahead < 0).sum())} of {len(both)}, with a mean of {f1['automatic'].mean():.3f} against"
            f" {f1[rule].mean():.3f}."
        )
    text.append(
        f"It flags between {flagged.min():.1f} and {flagged.max():.1f} % of the test rows, {flagged.median():.1f} % in"
        f" the median; the true share is {truth.median():.1f} % in the median."
    )
    if len(done) < len(rows):
        text.append(f"{len(rows) - len(done)} of {len(rows)} lines have no result.")
    cells: list[list[Cell]] = []
    for rule in [rule for rule in RULES if rule in done["rule"].to_numpy()]:
        own = means.xs(rule, level="rule")
        share = own["flagged_test"]
        values = (own["f1"].mean(), own["f1"].median(), own["precision"].mean(), own["recall"].mean())
        cells.append([RULES[rule], *map(number, (*values, share.mean(), share.median()))])
    header = ["threshold", "mean F₁", "median F₁", "precision", "recall", "flagged, mean", "flagged, median"]
    caption = (
        "The default detector, ADBench's protocol, mean over the seeds, in the order of the automatic threshold. 10 %:"
        " flags a tenth of the training rows, PyOD's default. True share: flags as many as are anomalies, which is not"
        " known in practice."
    )
    chart = f1.sort_values("automatic", ascending=False, kind="stable").rename(columns=RULES)
    drawing = figures.dots("F₁ by how the threshold is chosen", chart, Axis("F₁ on the test rows"))
    return Section("Thresholds", [" ".join(text), Table(header, cells), Figure("thresholds", drawing, caption)])
