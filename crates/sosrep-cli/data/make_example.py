"""Writes the example table: `python make_example.py > breast_cancer.csv`, with scikit-learn installed.

All 357 benign cases of the Wisconsin data and every tenth of the 212 malignant ones, in their order,
so that malignant cases are rare.
"""

import csv
import sys

from sklearn.datasets import load_breast_cancer

data = load_breast_cancer()
writer = csv.writer(sys.stdout, lineterminator="\n")
writer.writerow([name.replace(" ", "_") for name in data.feature_names] + ["diagnosis"])
malignant = 0
for values, target in zip(data.data, data.target):
    benign = target == 1
    if benign or malignant % 10 == 0:
        writer.writerow([f"{value:.10g}" for value in values] + ["benign" if benign else "malignant"])
    malignant += not benign
