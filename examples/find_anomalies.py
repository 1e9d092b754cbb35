"""Which rows of a table are unusual?

Cell nuclei of breast tissue, 30 measurements each: benign samples, and a few malignant ones among
them. The detector does not see the diagnosis; it is used afterwards to see what was found. Shown:
the strangest rows, how many malignant ones are flagged, and the distribution of the scores.

Run: python examples/find_anomalies.py [folder for the figure]
"""

# %% The table: all benign samples, and 20 malignant ones
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

from sosrep import SobolevDetector, plots

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
folder.mkdir(parents=True, exist_ok=True)

tissue = load_breast_cancer(as_frame=True)
malignant = tissue.target == tissue.target_names.tolist().index("malignant")
rare = malignant[malignant].sample(20, random_state=0).index
chosen = tissue.data.index[~malignant].union(rare)
rows, truth = tissue.data.loc[chosen], malignant[chosen].astype(int)
print(f"{len(rows)} rows, {rows.shape[1]} columns, {truth.sum()} malignant\n")

# %% Fit and score
# `score_samples` follows scikit-learn: higher is more normal. Its negative is the anomaly score.
detector = SobolevDetector().fit(rows)
result = rows.assign(
    anomaly_score=-detector.score_samples(rows),
    p_value=detector.p_value(rows),
    flagged=detector.predict(rows) == -1,
    malignant=truth == 1,
)[["anomaly_score", "p_value", "flagged", "malignant"]]

print("The ten strangest rows:")
print(result.nlargest(10, "anomaly_score").round({"anomaly_score": 2, "p_value": 4}).to_string())

# %% What was found
flagged, found = int(result.flagged.sum()), int((result.flagged & result.malignant).sum())
print(f"\n{flagged} rows are flagged; {found} of the {truth.sum()} malignant ones are among them.")
print(f"AUC-ROC of the anomaly score: {roc_auc_score(truth, result.anomaly_score):.3f}")

# %% A stated share instead
# If about 5 % of the rows can be looked at, let the threshold follow from that.
few = SobolevDetector(contamination=0.05).fit(rows)
marked = few.predict(rows) == -1
precision = np.mean(truth[marked])
print(f"With contamination=0.05, {marked.sum()} rows are flagged; {precision:.0%} are malignant.")

# %% The scores
ax = plots.score_distribution(detector, rows, y=truth)
ax.set_title("Anomaly scores of benign (usual) and malignant samples", fontsize="medium")
ax.figure.savefig(folder / "find_anomalies.png", dpi=150)
plt.close(ax.figure)
