"""Draws seconds of fit and score against the number of rows, from forests.csv: FOLDER/forests.svg."""

import pathlib
import statistics

import matplotlib.pyplot as plt

import raw

COLUMNS = ("16", "50")
METHODS = ("sosrep", "IsolationForest", "ECOD", "HBOS")


def draw(folder: pathlib.Path) -> None:
    lines = [line for line in raw.read(folder / raw.FORESTS) if line["columns"] in COLUMNS]
    if not lines:
        return
    plt.rcParams["svg.hashsalt"] = "forests"
    figure, axes = plt.subplots(1, len(COLUMNS), figsize=(9, 3.6), sharey=True, layout="constrained")
    for axis, columns in zip(axes, COLUMNS, strict=True):
        for method in METHODS:
            of_method = [x for x in lines if (x["method"], x["columns"]) == (method, columns)]
            points = []
            for rows in sorted({int(line["rows"]) for line in of_method}):
                runs = [line for line in of_method if int(line["rows"]) == rows]
                steps = (
                    statistics.median(float(run[f"{step} seconds"]) for run in runs)
                    for step in ("fit", "score")
                )
                points.append((rows, sum(steps)))
            if points:
                axis.loglog(*zip(*points, strict=True), marker="o", label=method)
        axis.set_title(f"{columns} columns")
        axis.set_xlabel("rows, fitted and scored")
        axis.grid(alpha=0.3, which="both")
    axes[0].set_ylabel("seconds")
    axes[0].legend(frameon=False)
    figure.savefig(folder / "forests.svg", metadata={"Date": None})
    plt.close(figure)
