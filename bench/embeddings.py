"""Detects anomalies among image embeddings, beside the detectors of PyOD, each with its defaults.

FOLDER_OF_SETS has one NPZ file a set, `X` and `y`. The protocol is ADBench's: fewer than 1000 rows are drawn
to 1000 with replacement, 70 % are fitted without labels and 30 % scored, columns are scaled to [0, 1] by
the former. OUT/embeddings.csv has the AUC-ROC of every set, seed and detector.

    python bench/embeddings.py FOLDER_OF_SETS OUT [--seeds N] [--sosrep-only]
"""

import argparse
import csv
import pathlib
import random
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from sosrep import SobolevDetector

FEWEST = 1000
TEST_SHARE = 0.3
PEERS = {
    "CBLOF": "cblof", "COPOD": "copod", "ECOD": "ecod", "HBOS": "hbos", "IForest": "iforest",
    "KNN": "knn", "LOF": "lof", "OCSVM": "ocsvm", "PCA": "pca",
}  # fmt: skip
HEADER = ("set", "seed", "detector", "auc_roc")


def split(path: pathlib.Path, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows to fit, rows to score and the labels of the latter."""
    with np.load(path) as arrays:
        x, y = arrays["X"].astype(float), arrays["y"]
    # ADBench draws from the global state, which splits go on from.
    np.random.seed(seed)
    random.seed(seed)
    if len(y) < FEWEST:
        drawn = np.random.choice(np.arange(len(y)), FEWEST, replace=True)
        x, y = x[drawn], y[drawn]
    train, test, _, labels = train_test_split(x, y, test_size=TEST_SHARE, stratify=y, shuffle=True)
    scaler = MinMaxScaler().fit(train)
    return scaler.transform(train), scaler.transform(test), labels


def sosrep_scores(train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    # Higher is more anomalous there; scikit-learn has it the other way round.
    return -SobolevDetector(random_state=seed).fit(train).score_samples(test)


def peer(name: str) -> Callable[[np.ndarray, np.ndarray, int], np.ndarray]:
    module = __import__(f"pyod.models.{PEERS[name]}", fromlist=[name])

    def scores(train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
        detector = getattr(module, name)()
        if "random_state" in detector.get_params():
            detector.set_params(random_state=seed)
        return detector.fit(train).decision_function(test)

    return scores


def rows(folder: pathlib.Path, seeds: int, sosrep_only: bool) -> Iterator[tuple]:
    detectors = {"sosrep": sosrep_scores} | ({} if sosrep_only else {name: peer(name) for name in PEERS})
    for path in sorted(folder.glob("*.npz")):
        for seed in range(1, seeds + 1):
            train, test, labels = split(path, seed)
            for name, scores in detectors.items():
                auc = roc_auc_score(labels, scores(train, test, seed))
                yield path.stem, seed, name, round(auc, 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--sosrep-only", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.out.mkdir(parents=True, exist_ok=True)
    found = list(rows(options.sets, options.seeds, options.sosrep_only))
    with (options.out / "embeddings.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([HEADER, *found])
    for name in dict.fromkeys(detector for _, _, detector, _ in found):
        of_name = [auc for _, _, detector, auc in found if detector == name]
        print(f"{name:10} {np.mean(of_name):.4f}")


if __name__ == "__main__":
    main()
