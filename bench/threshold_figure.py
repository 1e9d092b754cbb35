"""Draws what the automatic threshold and a false-discovery rate do: docs/threshold.svg and docs/discoveries.svg.

Left to right: leave-one-out scores of clean rows, of rows with a few anomalies, and of rows with a minority, with the cut;
and p-values of new rows in ascending order beside the line q k / n of Benjamini and Hochberg.

    python bench/threshold_figure.py [FOLDER]
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np

from sosrep import SobolevDetector

ROWS, COLUMNS, RATE = 2000, 5, 0.1
HERE = pathlib.Path(__file__).resolve().parent


def tables(random: np.random.Generator) -> dict[str, np.ndarray]:
    normal = random.normal(size=(ROWS, COLUMNS))
    anomalies = 4.0 * random.normal(size=(ROWS // 20, COLUMNS))
    wide = 8.0 + 2.0 * random.normal(size=(ROWS // 2, COLUMNS))
    return {
        "no anomalies": normal,
        "5 % scattered rows": np.concatenate([normal, anomalies]),
        "a third is a wider cluster": np.concatenate([normal, wide]),
    }


def thresholds(folder: pathlib.Path, random: np.random.Generator) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
    for axis, (name, rows) in zip(axes, tables(random).items(), strict=True):
        detector = SobolevDetector().fit(rows)
        scores, cut = -detector.training_scores_, -detector.offset_
        bins = np.linspace(scores.min(), np.quantile(scores, 0.995), 60)
        axis.hist(scores[scores <= cut], bins, color="#1f5fa8")
        axis.hist(scores[scores > cut], bins, color="#c2571a")
        axis.axvline(cut, color="#1f2430", linewidth=1)
        axis.set_title(f"{name}: {(scores > cut).mean():.1%} flagged", fontsize=10)
        axis.set_xlabel("anomaly score")
        axis.set_yticks([])
    figure.savefig(folder / "threshold.svg", metadata={"Date": None})


def discoveries(folder: pathlib.Path, random: np.random.Generator) -> None:
    detector = SobolevDetector().fit(random.normal(size=(ROWS, COLUMNS)))
    normal, strange = random.normal(size=(450, COLUMNS)), 3.0 * random.normal(size=(50, COLUMNS))
    rows = np.concatenate([normal, strange])
    found = detector.assess(rows, fdr=RATE)
    order, n = np.argsort(found.p_value), len(rows)
    places = np.arange(1, n + 1)
    figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
    is_strange = order >= len(normal)
    axis.scatter(places[~is_strange], found.p_value[order][~is_strange], s=8, color="#1f5fa8", label="normal")
    axis.scatter(places[is_strange], found.p_value[order][is_strange], s=8, color="#c2571a", label="strange")
    axis.plot(places, RATE * places / n, color="#1f2430", linewidth=1, label="0.1 k / n")
    axis.axvline(found.is_anomaly.sum() + 0.5, color="#9ca3af", linewidth=1)
    axis.set_xlim(0, 100)
    axis.set_ylim(0, 0.1)
    axis.set_xlabel("k, new rows by p-value")
    axis.set_ylabel("p-value")
    axis.legend(frameon=False)
    figure.savefig(folder / "discoveries.svg", metadata={"Date": None})
    wrong = int(found.is_anomaly[: len(normal)].sum())
    print(f"{int(found.is_anomaly.sum())} discoveries, {wrong} of them normal")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=HERE.parent / "docs")
    folder: pathlib.Path = parser.parse_args().folder
    # The same rows give the same bytes.
    plt.rcParams["svg.hashsalt"] = "sosrep"
    random = np.random.default_rng(3)
    thresholds(folder, random)
    discoveries(folder, random)


if __name__ == "__main__":
    main()
