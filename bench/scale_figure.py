"""The figure of the measurements against the number of rows: time and peak memory, on log scales.

The thin line has slope 1, from 100 000 rows of the higher curve on: what stays below it grows less
than in proportion to the rows. Short strokes are what is asked.

    python bench/scale_figure.py FOLDER     reads FOLDER/scale.csv, draws FOLDER/scale.svg
"""

import argparse
import pathlib
import statistics
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import raw

Curve = list[tuple[float, float]]
Bound = tuple[float, float, str]
Names = dict[float, str]

FILE = "scale.svg"
MIB = 2.0**20
INK, MUTED, FAINT = "#1f2430", "#6b7280", "#c9cdd4"
STEPS = {"fit": "#1f5fa8", "score": "#c2571a"}
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    # The same measurements give the same bytes.
    "svg.hashsalt": "sosrep",
}
SECONDS: Names = {0.1: "0.1 s", 1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h"}
MEMORY: Names = {2**k: f"{2**k} MiB" if k < 10 else f"{2 ** (k - 10)} GiB" for k in range(2, 20, 2)}
ROWS: Names = {
    10**3: "1000",
    10**4: "10 000",
    10**5: "100 000",
    10**6: "1 million",
    10**7: "10 million",
}
# Where growth is to be at most linear from.
LINEAR_FROM = 1e5
# What is asked: rows, bound, words.
ASKED_SECONDS = [(1e6, 60.0, "asked of both")]
ASKED_MEMORY = [(1e6, 2048.0, "asked"), (1e7, 4096.0, "asked")]
# Room around the points, and to the right of them for their names.
MARGIN = 1.6
ROOM_ABOVE = 2.5
ROOM_FOR_NAMES = 5.0
# Where words are, as factors of what they belong to.
AFTER, BESIDE, ABOVE = 1.25, 0.8, 1.1
# How far along the line of slope 1 its name is: below what is asked.
ALONG = 0.35
# Lines do not run through words.
HALO = [withStroke(linewidth=3, foreground="white")]
# Two names nearer than this factor would overlap; the lower one is moved down.
APART = 1.35


def curve(lines: list[dict[str, str]], what: str, unit: float, whole: bool) -> Curve:
    """Rows and values: of repetitions the highest, or the median."""
    found: dict[float, list[float]] = {}
    for line in lines:
        if line["model"] == "default" and line["what"] == what:
            found.setdefault(float(line["rows"]), []).append(float(line["value"]) / unit)
    choose = max if whole else statistics.median
    return sorted((rows, choose(values)) for rows, values in found.items())


def ticks(axis: matplotlib.axis.Axis, names: Names, low: float, high: float) -> None:
    """Only values that a reader thinks in, within the limits."""
    axis.set_major_locator(FixedLocator([value for value in names if low <= value <= high]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: names.get(value, "")))
    axis.set_minor_locator(NullLocator())


def name_curves(axes: Axes, curves: dict[str, Curve]) -> None:
    """Names at the ends of the curves, kept apart."""
    below = float("inf")
    for name, points in sorted(curves.items(), key=lambda item: -item[1][-1][1]):
        rows, value = points[-1]
        height = min(value, below / APART)
        below = height
        axes.text(
            rows * AFTER,
            height,
            name,
            color=STEPS[name],
            va="center",
            weight="bold",
            path_effects=HALO,
        )


def proportional(axes: Axes, curves: dict[str, Curve], top: float) -> None:
    """The line of slope 1, up to the top, and its name."""
    from_there = [
        [p for p in points if p[0] >= LINEAR_FROM] or points for points in curves.values()
    ]
    highest = max(from_there, key=lambda points: points[0][1])
    rows, value = highest[0]
    end = min(highest[-1][0], rows * top / value)
    axes.plot([rows, end], [value, value * end / rows], color=MUTED, linewidth=0.8, zorder=1)
    words = "in proportion\nto the rows"
    factor = (end / rows) ** ALONG
    axes.text(
        rows * factor * BESIDE,
        value * factor,
        words,
        color=MUTED,
        fontsize=9,
        ha="right",
        va="bottom",
        path_effects=HALO,
    )


def panel(
    axes: Axes, title: str, curves: dict[str, Curve], asked: list[Bound], names: Names
) -> None:
    """One quantity of both steps."""
    rows = [point[0] for points in curves.values() for point in points]
    asked = [bound for bound in asked if bound[0] in rows]
    values = [point[1] for points in curves.values() for point in points]
    left, right = min(rows) / MARGIN, max(rows) * ROOM_FOR_NAMES
    low, high = min(values) / MARGIN, max(values + [bound[1] for bound in asked]) * ROOM_ABOVE
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(low, high))
    ticks(axes.xaxis, ROWS, left, right)
    ticks(axes.yaxis, names, low, high)
    axes.grid(axis="y", color=FAINT, linewidth=0.5)
    axes.tick_params(length=0)
    axes.set_axisbelow(True)
    proportional(axes, curves, high)
    for at, bound, words in asked:
        axes.plot(at, bound, marker="_", markersize=26, markeredgewidth=1.2, color=INK)
        axes.text(at, bound * ABOVE, words, fontsize=9, ha="center", va="bottom", path_effects=HALO)
    for name, points in curves.items():
        axes.plot(*zip(*points), color=STEPS[name], linewidth=2, marker="o", markersize=5)
    name_curves(axes, curves)
    axes.set_title(title, loc="left", weight="bold", pad=12)
    axes.set_xlabel("rows")


def draw(folder: pathlib.Path) -> None:
    """The figure, where there is something to draw."""
    lines = raw.read(folder / raw.SCALE)
    if not lines:
        print(f"no figure: no {raw.SCALE}")
        return
    seconds = {step: curve(lines, f"{step} seconds", 1.0, whole=False) for step in STEPS}
    memory = {step: curve(lines, f"{step} peak", MIB, whole=True) for step in STEPS}
    with matplotlib.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
        panel(left, "Time", seconds, ASKED_SECONDS, SECONDS)
        panel(right, "Peak memory", memory, ASKED_MEMORY, MEMORY)
        figure.savefig(folder / FILE, metadata={"Date": None}, facecolor="white")
        plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help=f"with {raw.SCALE}")
    draw(parser.parse_args().folder)


if __name__ == "__main__":
    main()
