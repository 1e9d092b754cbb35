"""Four kinds of charts: boxes, dots by category, a heat map of circles, lines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: The colours of Okabe and Ito, which no common kind of colour vision confuses.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#222222", "#b07d00", "#56b4e9", "#7b6a00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
OURS, OTHERS = COLOURS[1], "#9fb0c0"

STYLE = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e8ec",
    "legend.frameon": False,
    "figure.facecolor": "white",
}


@dataclass(frozen=True)
class Line:
    """A curve; `style` as matplotlib writes it, an empty `marker` for none."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    style: str = "-"
    marker: str | None = ""
    steps: bool = False


@dataclass(frozen=True)
class Axis:
    """The name of an axis, and whether it is logarithmic."""

    name: str
    logarithmic: bool = False

    @property
    def scale(self) -> str:
        """As matplotlib calls it."""
        return "log" if self.logarithmic else "linear"


def _axes(width: float, height: float, title: str) -> Axes:
    axes = Figure(figsize=(width, height)).subplots()
    axes.set_title(title, pad=10)
    return axes


def _drawing(axes: Axes) -> Figure:
    figure = axes.figure
    assert isinstance(figure, Figure)
    return figure


def _legend_beside(axes: Axes, count: int) -> None:
    if count > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


@rc_context(STYLE)
def boxes(title: str, values: Mapping[str, pd.Series], name: str, marked: Collection[str]) -> Figure:
    """A box a method, the first on top: quartiles, the median as a line, the mean as a dot, whiskers
    to the smallest and the largest value."""
    axes = _axes(7.5, 0.8 + 0.27 * len(values), title)
    drawn = axes.boxplot(
        [series.dropna().to_numpy() for series in values.values()],
        orientation="horizontal",
        tick_labels=list(values),
        whis=(0, 100),
        showmeans=True,
        patch_artist=True,
        widths=0.6,
        medianprops={"color": "#1a2027", "linewidth": 1.8},
        meanprops={"marker": "o", "markerfacecolor": "white", "markeredgecolor": "#1a2027", "markersize": 4.5},
        whiskerprops={"color": "#55606c"},
        capprops={"color": "#55606c"},
    )
    for method, box in zip(values, drawn["boxes"], strict=True):
        box.set(facecolor=OURS if method in marked else OTHERS, edgecolor="none")
    axes.invert_yaxis()
    axes.set_xlabel(name)
    axes.grid(axis="y", visible=False)
    return _drawing(axes)


@rc_context(STYLE)
def dots(title: str, values: pd.DataFrame, axis: Axis) -> Figure:
    """A row for each row of the frame, the first on top, and a dot for each of its columns."""
    axes = _axes(7.5, 0.9 + 0.22 * len(values), title)
    places = np.arange(len(values))
    for i, (name, column) in enumerate(values.items()):
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        # Later dots are smaller, so that one at the same place does not hide the one below.
        size = max(4.0, 7.0 - i)
        axes.plot(column, places, marker, color=colour, label=str(name), markersize=size, alpha=0.85, markeredgewidth=0)
    axes.set_yticks(places, list(values.index))
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.set_xscale(axis.scale)
    axes.set_xlabel(axis.name)
    _legend_beside(axes, values.shape[1])
    return _drawing(axes)


@rc_context(STYLE)
def heat_map(title: str, values: pd.DataFrame, reference: str) -> Figure:
    """Data sets × methods: the area of a circle is the value, its colour the shift from the reference
    method; a cross is a missing value."""
    figure = Figure(figsize=(2.2 + 0.34 * values.shape[1], 1.6 + 0.25 * values.shape[0]))
    axes = figure.subplots()
    axes.set_title(title, pad=10)
    y, x = np.indices(values.shape)
    cells = values.to_numpy(float)
    shift = values.sub(values[reference], axis=0).to_numpy(float)
    there = np.isfinite(cells)
    limit = 0.5
    drawn = axes.scatter(
        x[there], y[there], s=170 * cells[there], c=shift[there], cmap="PuOr", vmin=-limit, vmax=limit,
        edgecolors="#55606c", linewidths=0.3,
    )  # fmt: skip
    axes.plot(x[~there], y[~there], "x", color="#55606c", markersize=6)
    axes.set_xticks(range(values.shape[1]), list(values.columns), rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(values.shape[0]), list(values.index))
    axes.set(xlim=(-0.7, values.shape[1] - 0.3), ylim=(values.shape[0] - 0.3, -0.7))
    axes.grid(visible=False)
    bar = figure.colorbar(drawn, ax=axes, shrink=min(1.0, 15 / len(values)), aspect=25, pad=0.02, extend="both")
    bar.set_label(f"shift from {reference}")
    return figure


@rc_context(STYLE)
def lines(title: str, curves: Sequence[Line], x: Axis, y: Axis, marks: Mapping[str, float] | None = None) -> Figure:
    """Curves that share two axes; a mark is a vertical line with its name beside it."""
    axes = _axes(7.5, 4.2, title)
    for i, (curve, marker) in enumerate(zip(curves, cycle(MARKERS))):
        axes.plot(
            curve.x, curve.y, curve.style, label=curve.name, color=COLOURS[i % len(COLOURS)], linewidth=1.6,
            marker=marker if curve.marker is None else curve.marker, markersize=4.5,
            drawstyle="steps-mid" if curve.steps else "default",
        )  # fmt: skip
    axes.set(xscale=x.scale, yscale=y.scale, xlabel=x.name, ylabel=y.name)
    # Names at different heights, so that marks close to each other can be read.
    for i, (name, place) in enumerate((marks or {}).items()):
        axes.axvline(place, color="#55606c", linewidth=1.0, linestyle=(0, (3, 3)))
        axes.annotate(
            name, (place, 0.98 - 0.07 * i), xycoords=("data", "axes fraction"), xytext=(-3, 0),
            textcoords="offset points", va="top", ha="right", color="#55606c", fontsize=8,
        )  # fmt: skip
    _legend_beside(axes, len(curves))
    return _drawing(axes)
