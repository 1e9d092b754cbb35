"""How are the rows distributed?

Two half circles with noise. A density is fitted and used in the ways a density can be: its values,
its integral, its gradient, draws from it, and the likelihood of rows that were not in the fit,
beside a classical kernel density estimate whose bandwidth was chosen on the same rows.

Run: python examples/estimate_density.py [folder for the figure]
"""

# %% Fit, the bandwidth chosen by the likelihood of held-out rows
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV

from sosrep import KDE, SobolevDensity, plots

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
folder.mkdir(parents=True, exist_ok=True)

rows, _ = make_moons(1000, noise=0.08, random_state=0)
training, new = rows[:500], rows[500:]
density = SobolevDensity(kernel="sdo", bandwidth="likelihood").fit(training)
print(f"Bandwidth {density.bandwidth_:.3g}, {density.n_iter_} steps of the solver")

# %% It integrates to one
# Two columns allow a sum over a grid; the normaliser itself is computed without one.
step = 0.02
across, along = np.meshgrid(np.arange(-4, 5, step), np.arange(-4, 5, step))
grid = np.column_stack([across.ravel(), along.ravel()])
integral = np.exp(density.score_samples(grid)).sum() * step**2
print(f"Sum over a square of side 9: {integral:.4f}")

# %% The gradient
# ∇log p points to where the density rises: a small step along it makes rows more likely.
gradient = density.score_function(new)
uphill = new + 0.01 * gradient / np.linalg.norm(gradient, axis=1, keepdims=True)
before, after = density.score_samples(new), density.score_samples(uphill)
print(f"A step of 0.01 along the gradient raises the log density of {np.mean(after > before):.0%}")
print(f"of new rows, by {np.mean(after - before):.3f} on average.")

# %% New rows
# A grid search with cross-validation chooses the bandwidth of the kernel density estimate.
search = GridSearchCV(KDE(kernel="gaussian"), {"bandwidth": np.geomspace(0.01, 1, 15)}, cv=5)
kde = search.fit(training).best_estimator_
table = pd.DataFrame(
    {
        "estimate": ["SobolevDensity", "KDE"],
        "kernel": [density.kernel, kde.kernel],
        "bandwidth": [density.bandwidth_, kde.bandwidth],
        "mean log density of new rows": [density.score(new), kde.score(new)],
    }
)
table["mean log density of new rows"] /= len(new)
print("\n" + table.round(3).to_string(index=False))

# %% Draws
draws = density.sample(500, random_state=0)
means = training.mean(axis=0).round(2), draws.mean(axis=0).round(2)
print(f"\nMean of the rows {means[0]}, of the draws {means[1]}")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
plots.density_contour(density, training, ax=left).set_title("fitted to these rows")
plots.density_contour(density, draws, ax=right).set_title("drawn from the density")
# Far from the rows f may cross zero, since the SDO kernel has negative values: p = f² has dark
# lines there, at densities no row will meet.
for ax in (left, right):
    ax.set(xlim=(-1.4, 2.35), ylim=(-0.8, 1.3))
figure.savefig(folder / "estimate_density.png", dpi=150)
plt.close(figure)
