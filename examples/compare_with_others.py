"""How good is it beside other detectors?

Benign tissue samples with a few malignant ones among them, in ten tables with other malignant ones
each. Three detectors see the measurements only. Shown: the area under the ROC curve of their
scores, 1 if every malignant sample is stranger than every benign one and 0.5 for guessing, and the
seconds that fitting and scoring took. One data set says little about others.

Run: python examples/compare_with_others.py [folder for the figure]
"""

# %% Three detectors, as functions from rows to anomaly scores
import sys
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sosrep import KDE, SobolevDetector

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
folder.mkdir(parents=True, exist_ok=True)

# The kernel density estimate has the kernel of the detector; all have their defaults.
detectors = {
    "SobolevDetector": SobolevDetector(),
    "KDE": make_pipeline(StandardScaler(), KDE()),
    "IsolationForest": IsolationForest(random_state=0),
}

# %% Ten tables
tissue = load_breast_cancer()
malignant = tissue.target == tissue.target_names.tolist().index("malignant")
benign_rows, malignant_rows = tissue.data[~malignant], tissue.data[malignant]
TABLES, RARE = 10, 20


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """All benign samples and a few malignant ones; the truth is 1 for those."""
    chosen = np.random.default_rng(seed).choice(len(malignant_rows), RARE, replace=False)
    rows = np.vstack([benign_rows, malignant_rows[chosen]])
    return rows, np.repeat([0, 1], [len(benign_rows), RARE])


# %% Measure
results = []
for number in range(1, TABLES + 1):
    rows, truth = table(seed=number)
    for name, detector in detectors.items():
        start = perf_counter()
        scores = -detector.fit(rows).score_samples(rows)
        seconds = perf_counter() - start
        area = roc_auc_score(truth, scores)
        results.append({"detector": name, "table": number, "AUC-ROC": area, "s": seconds})
measured = pd.DataFrame(results).groupby("detector", sort=False)

print(f"{TABLES} tables of {len(rows)} rows and {rows.shape[1]} columns, {RARE} malignant\n")
summary = measured.agg(
    mean=("AUC-ROC", "mean"),
    spread=("AUC-ROC", "std"),
    lowest=("AUC-ROC", "min"),
    seconds=("s", "median"),
)
print(summary.rename(columns={"mean": "mean AUC-ROC", "seconds": "median s"}).round(4).to_string())
first, second = summary["mean"].nlargest(2).index
lead = summary["mean"][first] - summary["mean"][second]
print(f"\nHighest mean here: {first}, {lead:.4f} above {second}.")
print("The tables share their benign rows, so a lead far below the spread says little.")

# %% Every table
figure, ax = plt.subplots(layout="constrained")
for name, group in measured:
    ax.plot(group["table"], group["AUC-ROC"], "o", label=name)
ax.set_xticks(range(1, TABLES + 1))
ax.set_xlabel("table")
ax.set_ylabel("AUC-ROC")
ax.legend()
figure.savefig(folder / "compare_with_others.png", dpi=150)
plt.close(figure)
