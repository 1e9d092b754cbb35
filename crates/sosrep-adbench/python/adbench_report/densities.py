"""The experiments of the paper on densities, each from its CSV file to a section."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from . import figures
from .document import Cell, Figure, Number, Section, Table, number, whole
from .figures import Axis, Line

#: The data sets of the paper's figure of gradients, in its order.
GRADIENTS = (
    "mnist shuttle PageBlocks mammography magic.gamma skin backdoor glass Lymphography Stamps WDBC SpamBase Hepatitis"
    " wine letter"
).split()
#: The learning rate of the released program.
RATE = 0.01
#: Points below the choice of the paper's rule that the figure of the divergence begins at.
WINDOW = 3
#: The bandwidth of the figures of clusters, and the rows of their running average.
BANDWIDTH, AVERAGED = 0.7, 21


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """The slope of ln y against ln x; NaN for fewer than two points."""
    return float(stats.linregress(np.log(x), np.log(y)).slope) if len(x) > 1 else math.nan


def fisher(rows: pd.DataFrame) -> Section:
    """Fisher divergence against the bandwidth, and what is chosen by it."""
    curves = {
        "exact kernel" if kernel == "sdo" else "sampled kernel": group.reset_index(drop=True)
        for kernel, group in rows.groupby("kernel", sort=False)
    }
    name, seed = rows["data_set"].iloc[0], rows["seed"].iloc[0]
    text = [
        "The paper shows one data set, without its name, and finds that the divergence is somewhat noisy with one clear"
        f" minimum. On {name}, seed {seed}:"
    ]
    cells: list[list[Cell]] = []
    first = min(int(curve["chosen"].argmax()) for curve in curves.values())
    divergences, areas, marks, log_marks = [], [], {}, {}
    for kernel, curve in curves.items():
        chosen, best = curve.loc[curve["chosen"].idxmax()], curve.loc[curve["auc_roc"].idxmax()]
        places = {
            "paper's rule": chosen,
            "smallest divergence": curve.loc[curve["smallest"].idxmax()],
            "best AUC, with hindsight": best,
        }
        for choice, row in places.items():
            digits = (("bandwidth", 3), ("ln_a", 1), ("fisher_divergence", 2), ("auc_roc", 3))
            cells.append([kernel, choice, *(number(row[column], decimals) for column, decimals in digits)])
        if curve["fisher_divergence"].is_monotonic_increasing:
            text.append(
                f"With the {kernel} the divergence has no minimum inside the grid: it falls down to the smallest"
                " bandwidth, and the rule stays at the largest. Where the sampled kernel has a minimum it comes from the"
                " sampling: both differ in nothing else."
            )
        text.append(
            f"With the {kernel} the paper's rule chooses b = {chosen['bandwidth']:.2f}, where the area under the ROC"
            f" curve is {chosen['auc_roc']:.3f}; the best on the grid is {best['auc_roc']:.3f} at"
            f" b = {best['bandwidth']:.2f}."
        )
        seen = curve.iloc[max(first - WINDOW, 0) :]
        divergences.append(Line(kernel, *_shifted(seen, "fisher_divergence"), marker=None))
        if seen["hutchinson"].notna().any():
            divergences.append(Line(f"{kernel}, random probes", *_shifted(seen, "hutchinson"), style="--"))
        areas.append(Line(kernel, curve["bandwidth"], curve["auc_roc"], marker=None))
        marks[f"rule, {kernel}"] = float(chosen["bandwidth"])
        log_marks[f"rule, {kernel}"] = float(chosen["ln_a"])
    bandwidth = Axis("bandwidth b", logarithmic=True)
    shifted = Axis("ln(FD − min FD + 1)")
    caption = (
        f"{name}, seed {seed}: fitted to the training rows, judged by the test rows; shifted to be positive and taken to"
        " the logarithm, against the logarithm of a, as in the paper, from three points below the smaller choice on:"
        " what lies left of it would hide the rest. Vertical lines: the choices of the paper's"
        " rule, the first stable minimum from the right."
    )
    worth = f"{name}, seed {seed}: area under the ROC curve of the test rows; labels are used here only."
    title = f"What a bandwidth is worth on {name}"
    auc = figures.lines(title, areas, bandwidth, Axis("area under the ROC curve"), marks)
    drawn = figures.lines(f"Fisher divergence on {name}", divergences, Axis("ln a"), shifted, log_marks)
    return Section(
        "Choosing the bandwidth by Fisher divergence",
        [
            " ".join(text),
            Table(["kernel", "choice", "b", "ln a", "FD", "AUC-ROC"], cells),
            Figure("fisher", drawn, caption),
            Figure("fisher-auc", auc, worth),
            *_probes(curves, name),
        ],
    )


def _probes(curves: dict[str, pd.DataFrame], name: str) -> list[str | Figure]:
    """The divergence by random probes and a finite step beside the exact one, where both kernels have it."""
    if not all(curve["hutchinson"].notna().all() for curve in curves.values()):
        return []
    shown, header, rows = [], ["kernel", "bandwidth", "exact divergence", "random probes"], []
    for kernel, curve in curves.items():
        exact, probes = curve["fisher_divergence"], curve["hutchinson"]
        for label, values, style in (("exact", exact, "-"), ("random probes", probes, "--")):
            shown.append(Line(f"{kernel}, {label}", curve["bandwidth"], np.arcsinh(values / 2), style=style))
        rows += [[kernel, *map(number, row)] for row in zip(curve["bandwidth"], exact, probes)]
    caption = (
        f"{name}: the exact divergence, and the paper's estimate of it by random probes with the finite step"
        " h = 0.0001. The axis is arsinh(FD/2): the logarithm of abs(FD), with its sign."
    )
    drawing = figures.lines(
        f"Divergence by random probes on {name}", shown, Axis("bandwidth b", logarithmic=True), Axis("arsinh(FD/2)")
    )
    told = " ".join(_off_by(kernel, curve) for kernel, curve in curves.items())
    return [told, Figure("hutchinson", drawing, caption, Table(header, rows, "hutchinson"))]


def _off_by(kernel: str, curve: pd.DataFrame) -> str:
    """Up to which bandwidth random probes leave the divergence, and how far."""
    off = ((curve["hutchinson"] - curve["fisher_divergence"]) / curve["fisher_divergence"]).abs()
    if not (off > 0.5).any():
        return f"With the {kernel} the estimate is never off by more than half of the divergence."
    return (
        f"With the {kernel} the estimate is off by more than half of the divergence at bandwidths up to"
        f" {curve['bandwidth'][off > 0.5].max():.2g}, at worst by {off.max():.0f} times its size."
    )


def _shifted(curve: pd.DataFrame, column: str) -> tuple[pd.Series, pd.Series]:
    """ln a, and ln(FD − min + 1)."""
    finite = curve[np.isfinite(curve[column])]
    return finite["ln_a"], np.log1p(finite[column] - finite[column].min())


def gradient_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The last line of each data set for the last seed, in the order of the paper."""
    rows = rows[rows["seed"] == rows["seed"].iloc[-1]].drop_duplicates("data_set", keep="last")
    order = rows["data_set"].str.split("_", n=1).str[-1].map({name: place for place, name in enumerate(GRADIENTS)})
    return rows.assign(order=order).dropna(subset="order").sort_values("order").drop(columns="order")


def gradients(rows: pd.DataFrame) -> Section:
    """How many values of f become negative under the natural and under the standard gradient."""
    rows = gradient_rows(rows)
    done, absent = rows[rows["rows"].notna()], rows[rows["rows"].isna()]["data_set"]
    shares = {
        "negative_start": "at the start",
        "negative_natural": "natural gradient, λ = 0.01",
        "negative_standard": "standard gradient, λ = 0.01",
        "negative_stable": "standard gradient, λ = 1/(4‖K‖)",
    }
    start, natural, standard, stable = 100 * done[list(shares)].mean()
    diverging = [int((done[f"diverged_{name}"] > 0).sum()) for name in ("natural", "standard", "stable")]
    text = [
        "The paper: the natural gradient leaves the share of negative values as it is, the standard gradient raises it,"
        f" to about 70 % on shuttle. Here, over {len(done)} data sets, the worst 5 of 50 starts have {start:.2f} %"
        f" negative values on average; after 1000 steps of the natural gradient it is {natural:.2f} %, after 1000 of the"
        f" standard gradient {standard:.1f} %. 0.01 is above 1/(2‖K‖), the limit of what is stable, on"
        f" {int((2 * RATE * done['norm'] > 1).sum())} data sets. Within it, at 1/(4‖K‖), the standard gradient ends with"
        f" {stable:.1f} %. Starts diverge on {diverging[0]} data sets with the natural gradient, on {diverging[1]} with"
        f" the standard one, on {diverging[2]} with its smaller step."
    ]
    for _, row in done[done["data_set"].str.endswith("shuttle")].iterrows():
        values = [100 * row[name] for name in list(shares)[:3]]
        text.append(
            f"On shuttle: {values[0]:.1f} % at the start, {values[1]:.1f} % after the natural gradient,"
            f" {values[2]:.1f} % after the standard gradient."
        )
    if len(absent):
        text.append(f"Without a file, and so left out: {', '.join(absent)}.")
    header = "data set,rows,b,‖K‖,start %,natural %,standard %,diverged,stable step %,diverged".split(",")
    cells: list[list[Cell]] = [
        [
            row["data_set"], whole(row["rows"]), number(row["bandwidth"], 2), number(row["norm"], 2),
            *(number(100 * row[name], 2) for name in list(shares)[:3]), whole(row["diverged_standard"]),
            number(100 * row["negative_stable"], 2), whole(row["diverged_stable"]),
        ]
        for _, row in rows.iterrows()
    ]  # fmt: skip
    chart = rows.set_index(rows["data_set"].where(rows["rows"].notna(), rows["data_set"] + " (no file)"))
    axis = Axis("share of rows with f < 0, mean of the worst 5 of 50 starts")
    drawing = figures.dots(
        "Negative values of f at the training rows", chart[list(shares)].rename(columns=shares), axis
    )
    caption = (
        "50 non-negative starts |N(0, 1)| and 1000 steps on at most 1000 training rows. Where a start diverged, its"
        " share is that of the last step with finite values."
    )
    parts = [" ".join(text), Table(header, cells), Figure("gradients", drawing, caption)]
    return Section("Natural and standard gradient", parts)


def clusters(rows: pd.DataFrame, kernel: pd.DataFrame, densities: pd.DataFrame) -> Section:
    """SOSREP and KDE on two clusters of real rows: the gap between them."""
    shown = rows.iloc[int((rows["bandwidth"] - BANDWIDTH).abs().argmin())]
    larger = int((rows["gap_sosrep"] > rows["gap_kde"]).sum())
    text = (
        "The paper shows two clusters of letter and finds the gap between their log densities larger for SOSREP than for"
        f" KDE, without numbers. Here, at b = {shown['bandwidth']:g}, the two of {shown['clusters']} clusters most like"
        f" two blocks have {shown['first_rows']} and {shown['second_rows']} rows and mean kernel values of"
        f" {shown['mean_first']:.3f} and {shown['mean_second']:.3f} within and {shown['mean_between']:.3f} between; three"
        f" means explain {100 * shown['explained']:.0f} % of the variance. The gap is {shown['gap_sosrep']:.2f} for SOSREP"
        f" and {shown['gap_kde']:.2f} for KDE. SOSREP has the larger gap at {larger} of {len(rows)} bandwidths. Where β is"
        " near 0, the theory says that both have the same."
    )
    means, rest = ("mean_first", "mean_second", "mean_between"), ("beta", "explained", "gap_sosrep", "gap_kde")
    cells: list[list[Cell]] = [
        [
            number(row["bandwidth"], 1), Number(sizes := f"{row['first_rows']} + {row['second_rows']}", sizes),
            *(number(row[name]) for name in means), *(number(row[name], 2) for name in rest),
        ]
        for _, row in rows.iterrows()
    ]  # fmt: skip
    header = ["b", "rows", "first", "second", "between", "β", "explained", "SOSREP", "KDE"]
    names = {"first": "within the first", "second": "within the second", "between": "between"}
    histograms = [
        Line(names[block], (group["lower"] + group["upper"]) / 2, group["share"], steps=True)
        for block, group in kernel.groupby("block", sort=False)
    ]
    values = figures.lines(
        "Kernel values within and between two clusters", histograms, Axis("k(x, x′)"), Axis("share of the pairs")
    )
    logs = [
        Line(name, densities["position"], densities[column])
        for name, column in (("SOSREP", "sosrep_smooth"), ("KDE", "kde_smooth"))
    ]
    gap = figures.lines(
        "Log densities of two clusters", logs, Axis("row, in the order of the clusters"),
        Axis("log density, mean of the first cluster 0"), {"second cluster →": float(shown["first_rows"]) - 0.5},
    )  # fmt: skip
    of_values = (
        f"{shown['data_set']}: clusters of {shown['first_rows']} and {shown['second_rows']} rows, exact SDO kernel,"
        f" b = {shown['bandwidth']:g}."
    )
    of_gap = (
        f"{shown['data_set']}: both models with the same kernel on the same rows, running average over {AVERAGED} rows."
        f" The gap between the clusters is {shown['gap_sosrep']:.2f} for SOSREP and {shown['gap_kde']:.2f} for KDE."
    )
    parts = [text, Table(header, cells), Figure("clusters-kernel", values, of_values), Figure("clusters", gap, of_gap)]
    return Section("Two clusters of real rows: SOSREP against KDE", parts)
