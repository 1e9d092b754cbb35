"""The baselines of sosrep-adbench: what it answers is what the libraries say, and whatever goes wrong is an answer."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyod")

SCRIPT = Path(__file__).parents[2] / "crates" / "sosrep-adbench" / "python" / "baselines.py"


def split(folder: Path, rows: int = 300, bad: bool = False) -> Path:
    """A split as `sosrep-adbench split` writes it: clusters, and anomalies between them."""
    generator = np.random.default_rng(1)
    values = generator.normal(size=(rows, 3)) * 0.3 + generator.integers(2, size=(rows, 1))
    labels = (np.arange(rows) % 10 == 0).astype(float)
    values[labels == 1] = generator.uniform(-2, 3, size=(int(labels.sum()), 3))
    if bad:
        values[0, 0] = np.nan
    half = rows // 2
    parts = {"X_train": values[:half], "y_train": labels[:half], "X_test": values[half:], "y_test": labels[half:]}
    path = folder / "split.npz"
    np.savez(path, **parts)
    return path


def ask(path: Path, methods: list[str], timeout: float = 60.0) -> list[dict[str, object]]:
    """The answers to one request; the first line, which is about versions, is looked at here."""
    request = json.dumps({"split": str(path), "methods": methods, "seed": 1})
    command = [sys.executable, str(SCRIPT), "--timeout", str(timeout)]
    ended = subprocess.run(command, input=request + "\n", capture_output=True, text=True, check=True)
    hello, *answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert "pyod" in hello["versions"] and set(methods) <= set(hello["methods"])
    assert [answer["method"] for answer in answers] == methods
    return answers


def test_scores_are_those_of_the_libraries(tmp_path: Path) -> None:
    from pyod.models.knn import KNN
    from sklearn.metrics import average_precision_score, roc_auc_score
    from sklearn.neighbors import KernelDensity

    path = split(tmp_path)
    parts = np.load(path)
    neighbours, density = ask(path, ["KNN", "KDE-gaussian"])
    scores = KNN().fit(parts["X_train"]).decision_function(parts["X_test"])
    assert neighbours["auc_roc"] == roc_auc_score(parts["y_test"], scores)
    assert neighbours["average_precision"] == average_precision_score(parts["y_test"], scores)
    width = 150 ** (-1 / 7)
    estimator = KernelDensity(bandwidth=width).fit(parts["X_train"])
    assert density["auc_roc"] == roc_auc_score(parts["y_test"], -estimator.score_samples(parts["X_test"]))
    assert json.loads(str(density["parameters"])) == {"bandwidth": width}


def test_answers_repeat_with_the_seed(tmp_path: Path) -> None:
    first, second = ask(split(tmp_path), ["IForest", "IForest"])
    assert first["status"] == "done" and first["auc_roc"] == second["auc_roc"]


def test_a_failure_and_a_method_that_is_not_installed_are_answers(tmp_path: Path) -> None:
    failed, missing = ask(split(tmp_path, bad=True), ["KNN", "DAGMM"])
    assert failed["status"] == "failed" and "NaN" in str(failed["message"])
    assert missing["status"] == "unavailable" and "has no DAGMM" in str(missing["message"])


def test_a_run_that_computes_too_long_is_stopped(tmp_path: Path) -> None:
    late, other = ask(split(tmp_path, rows=60_000), ["OCSVM", "HBOS"], timeout=2.0)
    assert late["status"] == "timed-out" and "2 seconds" in str(late["message"])
    assert other["status"] == "done"
