"""Which bandwidth?

Half of a table is fitted with the bandwidth chosen by each criterion; the other half says how good
the choice was. Shown: what each criterion chose, the likelihood of rows it did not see, and the
curves the choices were read from.

Run: python examples/choose_bandwidth.py [folder for the figure]
"""

# %% The table, on one scale
# A density takes columns as they are; a detector scales them itself.
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from sosrep import SobolevDensity, plots

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
folder.mkdir(parents=True, exist_ok=True)

wines = load_wine(as_frame=True).data[["alcohol", "flavanoids", "color_intensity"]]
rows = StandardScaler().fit_transform(wines)
training, new = train_test_split(rows, test_size=0.5, random_state=0)

# %% Four criteria
# likelihood   the log-likelihood of held-out rows
# fisher       their Fisher divergence, read at its minimum
# paper-text   the same, read at the first stable minimum from the right
# influence    how much rows contribute to their own density; no rows are held out
criteria = ["likelihood", "fisher", "paper-text", "influence"]
fitted = {
    criterion: SobolevDensity(kernel="sdo", bandwidth=criterion).fit(training)
    for criterion in criteria
}

# %% And the best of all, which only the rows that were not in the fit can tell
grid = np.geomspace(0.01, 100, 15)
likelihoods = [
    SobolevDensity(kernel="sdo", bandwidth=bandwidth).fit(training).score(new) / len(new)
    for bandwidth in grid
]
best = int(np.argmax(likelihoods))

table = pd.DataFrame(
    [
        {
            "chosen by": criterion,
            "bandwidth": density.bandwidth_,
            "bandwidths tried": len(density.bandwidth_curve_["bandwidth"]),
            "mean log density of new rows": density.score(new) / len(new),
        }
        for criterion, density in fitted.items()
    ]
    + [
        {
            "chosen by": "(the new rows)",
            "bandwidth": grid[best],
            "bandwidths tried": len(grid),
            "mean log density of new rows": likelihoods[best],
        }
    ]
)
print(table.round(3).to_string(index=False))
loss = likelihoods[best] - fitted["likelihood"].score(new) / len(new)
print(f"\nHeld-out likelihood loses {loss:.3f} of log density against the best of the grid.")

# The curve of the Fisher divergence may have its lowest points at narrow bandwidths that new rows do
# not bear out. The rule of the paper's text comes from the right and stops at the first minimum that holds.
worst = min(criteria, key=lambda criterion: fitted[criterion].score(new))
print(f"Lowest of the four on new rows: {worst}.")

# %% The curves
# "paper-text" tries a few bandwidths left of its choice, to see that the minimum holds, and no more.
figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
for criterion, ax in zip(criteria, axes.flat):
    plots.bandwidth_curve(fitted[criterion], ax=ax).set_title(f'bandwidth="{criterion}"')
    if criterion in ("fisher", "paper"):
        # Narrow bandwidths have values of very different sizes.
        ax.set_yscale("symlog", linthresh=10)
        ax.margins(y=0.1)
figure.savefig(folder / "choose_bandwidth.png", dpi=150)
plt.close(figure)
