"""Detectors of PyOD and scikit-learn on the splits that `sosrep-adbench split` writes.

Reads requests from standard input, one JSON object a line:

    {"split": "6_cardio-seed-1.npz", "methods": ["KNN", "IForest"]}

Its first line says versions and methods. Then it fits each method on X_train without its labels,
scores X_test, and answers with one JSON object a run: method, parameters, status (done, failed,
timed-out, unavailable), auc_roc, average_precision, fit_seconds, score_seconds, message.
`sosrep-adbench baselines` talks to it; by hand:

    echo '{"split": "6_cardio-seed-1.npz"}' | python baselines.py

Every run has a process of its own, with one thread, which is stopped after `--timeout` seconds of
its own computing: a machine that does other work beside it makes it late, but not fail.
Parameters are the defaults of the libraries, but where those of today are not what ADBench ran:
CBLOF starts k-means ten times, scikit-learn's default until 2022; PCA has the full decomposition,
because today's gives variances of exactly 0, by which PyOD divides; the kernel density estimates
have Scott's bandwidth, n^(-1/(d+4)), because the default of 1 is wider than the unit cube.
"""

import argparse
import json
import math
import os
import random
import resource
import select
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module, metadata
from inspect import signature

# One thread a run, so that runs side by side do not disturb each other; before numpy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
# Numba's other layers do not survive a fork.
os.environ["NUMBA_THREADING_LAYER"] = "workqueue"

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

# A run that takes so many times its limit by the clock is stopped whatever it computes.
LONGEST_WAIT = 10

Answer = dict[str, object]


class Unavailable(Exception):
    """The method is not installed."""


def pyod(module: str, name: str, **parameters: object) -> Callable[[np.ndarray, int], object]:
    """A maker of a PyOD detector with these parameters, and the seed where it takes one."""

    def make(rows: np.ndarray, seed: int) -> object:
        try:
            kind = getattr(import_module(f"pyod.models.{module}"), name)
        except ImportError as error:
            raise Unavailable(str(error)) from error
        given = {name: value(rows, seed) if callable(value) else value for name, value in parameters.items()}
        if "random_state" in signature(kind).parameters:
            given["random_state"] = seed
        return kind(**given)

    return make


def kernel_density(kernel: str) -> Callable[[np.ndarray, int], object]:
    """A maker of scikit-learn's KernelDensity with Scott's bandwidth."""

    def make(rows: np.ndarray, seed: int) -> object:
        from sklearn.neighbors import KernelDensity

        count, columns = rows.shape
        return KernelDensity(kernel=kernel, bandwidth=count ** (-1 / (columns + 4)))

    return make


def not_in_pyod(rows: np.ndarray, seed: int) -> object:
    """DAGMM is in the paper's list; ADBench brings a copy of its own, PyOD has none."""
    raise Unavailable(f"PyOD {metadata.version('pyod')} has no DAGMM")


def k_means(rows: np.ndarray, seed: int) -> object:
    """The clustering of CBLOF."""
    from sklearn.cluster import KMeans

    return KMeans(n_clusters=8, n_init=10, random_state=seed)


def columns_of(rows: np.ndarray, seed: int) -> int:
    """What DeepSVDD wants to know before it sees the rows."""
    return rows.shape[1]


METHODS: dict[str, Callable[[np.ndarray, int], object]] = {
    "IForest": pyod("iforest", "IForest"),
    "OCSVM": pyod("ocsvm", "OCSVM"),
    "COPOD": pyod("copod", "COPOD"),
    "ECOD": pyod("ecod", "ECOD"),
    "KNN": pyod("knn", "KNN"),
    "LOF": pyod("lof", "LOF"),
    "HBOS": pyod("hbos", "HBOS"),
    "CBLOF": pyod("cblof", "CBLOF", clustering_estimator=k_means),
    "COF": pyod("cof", "COF"),
    "SOD": pyod("sod", "SOD"),
    "LODA": pyod("loda", "LODA"),
    "PCA": pyod("pca", "PCA", svd_solver="full"),
    "MCD": pyod("mcd", "MCD"),
    "FeatureBagging": pyod("feature_bagging", "FeatureBagging"),
    "DeepSVDD": pyod("deep_svdd", "DeepSVDD", n_features=columns_of, verbose=0),
    "DAGMM": not_in_pyod,
    "KDE-gaussian": kernel_density("gaussian"),
    "KDE-exponential": kernel_density("exponential"),
}


def versions() -> str:
    """What runs."""
    names = ("pyod", "scikit-learn", "numpy", "combo", "torch")
    found = [f"{name} {version}" for name in names if (version := installed(name))]
    return "; ".join([f"python {sys.version.split()[0]}", *found])


def installed(name: str) -> str | None:
    """The version of a package."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def described(estimator: object) -> str:
    """Its parameters as JSON, those that differ from the defaults of its library."""
    defaults = {name: value.default for name, value in signature(type(estimator)).parameters.items()}
    given = {
        name: value if isinstance(value, (int, float, str)) else str(value)
        for name, value in sorted(estimator.get_params(deep=False).items())
        if value is not None and value != defaults.get(name)
    }
    return json.dumps(given)


def anomaly_scores(estimator: object, rows: np.ndarray) -> np.ndarray:
    """High for anomalies, whichever library it is of."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(rows)).ravel()
    return -estimator.score_samples(rows)


def run(method: str, split: dict[str, np.ndarray], seed: int) -> Answer:
    """One method on one split."""
    random.seed(seed)
    np.random.seed(seed)
    estimator = METHODS[method](split["X_train"], seed)
    answer: Answer = {"parameters": described(estimator)}
    start = time.perf_counter()
    estimator.fit(split["X_train"])
    fitted = time.perf_counter()
    scores = anomaly_scores(estimator, split["X_test"])
    scored = time.perf_counter()
    answer |= {"fit_seconds": fitted - start, "score_seconds": scored - fitted}
    wrong = int(np.sum(~np.isfinite(scores)))
    if wrong:
        return answer | {"status": "failed", "message": f"{wrong} of {len(scores)} scores are not finite"}
    labels = split["y_test"]
    return answer | {
        "status": "done",
        "auc_roc": float(roc_auc_score(labels, scores)),
        "average_precision": float(average_precision_score(labels, scores)),
    }


def attempt(method: str, split: dict[str, np.ndarray], seed: int) -> Answer:
    """The same; whatever goes wrong is an answer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run(method, split, seed)
    except Unavailable as problem:
        return {"status": "unavailable", "message": str(problem)}
    except Exception as problem:
        place = traceback.extract_tb(problem.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        return {"status": "failed", "message": f"{type(problem).__name__} at {where}: {problem}"}


def end_with_parent() -> None:
    """Ends this process soon after the one that started it, however that one ends."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def in_a_process(method: str, split: dict[str, np.ndarray], seed: int, timeout: float) -> Answer:
    """The same, in a process of its own, stopped after `timeout` seconds of computing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        end_with_parent()
        spent = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        limit = math.ceil(spent + timeout)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with os.fdopen(writing, "w") as pipe:
            pipe.write(json.dumps(attempt(method, split, seed)))
        os._exit(0)
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            # A process that waits for something that never comes does not compute.
            late = not select.select([pipe], [], [], LONGEST_WAIT * timeout)[0]
            text = "" if late else pipe.read()
    finally:
        os.kill(child, signal.SIGKILL)
        ended = os.waitpid(child, 0)[1]
    if text:
        return json.loads(text)
    if late or os.WTERMSIG(ended) == signal.SIGXCPU:
        return {"status": "timed-out", "message": f"stopped after {timeout:g} seconds"}
    return {"status": "failed", "message": f"its process was ended by signal {os.WTERMSIG(ended)}"}


def warm_up(methods: set[str]) -> None:
    """Imports and compiles what the methods need, so that it does not count as their time."""
    rows = np.random.default_rng(0).normal(size=(60, 3))
    split = {"X_train": rows, "X_test": rows, "y_test": rows[:, 0] > 1}
    standard_output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for method in sorted(methods & METHODS.keys()):
        attempt(method, split, 0)
    os.dup2(standard_output, 1)


def answers(request: Answer, timeout: float) -> None:
    """Prints a line for every method of a request."""
    with np.load(str(request["split"])) as archive:
        split = {name: archive[name] for name in ("X_train", "y_train", "X_test", "y_test")}
    seed = int(request.get("seed", 0))
    for method in request.get("methods", list(METHODS)):
        if method not in METHODS:
            sys.exit(f"there is no method {method}; there are {', '.join(METHODS)}")
        answer = in_a_process(method, split, seed, timeout)
        print(json.dumps({"method": method, **answer}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds a run may compute")
    arguments = parser.parse_args()
    end_with_parent()
    print(json.dumps({"versions": versions(), "methods": list(METHODS)}), flush=True)
    warm = set()
    for line in sys.stdin:
        request = json.loads(line)
        warm_up(set(request.get("methods", METHODS)) - warm)
        warm |= set(request.get("methods", METHODS))
        answers(request, arguments.timeout)


if __name__ == "__main__":
    main()
