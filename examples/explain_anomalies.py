"""Why is a row unusual?

Wines described by 13 chemical measurements. For the strangest of them: which measurements make it
strange, and what a similar but typical wine has in their place. Shown: the reasons as a table and
as bars, and that they add up to the score.

Run: python examples/explain_anomalies.py [folder for the figure]
"""

# %% Fit
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from sosrep import SobolevDetector, plots

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
folder.mkdir(parents=True, exist_ok=True)

wines = load_wine(as_frame=True).data
detector = SobolevDetector().fit(wines)
scores = -detector.score_samples(wines)
strangest = np.argsort(-scores)[:3]
print(f"{len(wines)} wines, {int((detector.predict(wines) == -1).sum())} flagged\n")

# %% The reasons as a table
# The tidy frame has a line for each row and column, largest contribution of a row first. `row`
# counts within the rows that were explained.
reasons = detector.explain(wines.iloc[strangest], as_frame=True)
for place, group in reasons.groupby("row"):
    wine, p_value = strangest[place], detector.p_value(wines.iloc[[strangest[place]]])[0]
    print(f"Wine {wine}: anomaly score {scores[wine]:.2f}, p-value {p_value:.3f}")
    columns = ["feature", "value", "typical_value", "contribution"]
    print(group[columns].head(3).round(3).to_string(index=False), "\n")

# %% They add up
# A row's contributions sum to its score less that of the typical row it is compared with.
one = reasons[reasons.row == 0].set_index("feature")
typical_wine = one[["typical_value"]].T[wines.columns]
typical_score = -detector.score_samples(typical_wine)[0]
difference = scores[strangest[0]] - typical_score
print(f"Wine {strangest[0]} and the typical wine it is compared with differ in score by")
print(f"{difference:.4f}; the contributions sum to {one.contribution.sum():.4f}.")

# %% The reasons as bars
ax = plots.reasons(detector, wines, row=strangest[0], top=8)
ax.figure.savefig(folder / "explain_anomalies.png", dpi=150)
plt.close(ax.figure)
