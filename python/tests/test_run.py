"""How long work runs: it can be interrupted, watched and forked, and it shares the interpreter."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

from sosrep import SobolevDensity, SobolevDetector

from .common import assert_same_bits, normal_rows, run_python

#: A fit that takes minutes.
LONG_FIT = """
import numpy as np
from sosrep import SobolevDensity
rows = np.random.default_rng(0).normal(size=(20_000, 30))
estimator = SobolevDensity("sdo", "likelihood")
work = lambda: estimator.fit(rows)
"""

LONG_SCORING = """
import numpy as np
from sosrep import SobolevDetector
rows = np.random.default_rng(0).normal(size=(6_000, 30))
estimator = SobolevDetector(max_support=None).fit(rows)
rows = np.tile(rows, (300, 1))
work = lambda: estimator.score_samples(rows)
"""

LONG_EXPLANATION = LONG_SCORING.replace("score_samples", "explain")

LONG_DRAWING = LONG_SCORING.replace("score_samples(rows)", "sample(1_000_000)")

INTERRUPTED = """
print("ready", flush=True)
try:
    work()
except KeyboardInterrupt:
    print("interrupted", estimator.__sklearn_is_fitted__())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent in another way there")
@pytest.mark.parametrize(
    ("work", "fitted"),
    [(LONG_FIT, False), (LONG_SCORING, True), (LONG_EXPLANATION, True), (LONG_DRAWING, True)],
    ids=["fit", "score", "explain", "sample"],
)
def test_control_c_ends_long_work_at_once(work: str, fitted: bool) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", work + INTERRUPTED], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        assert process.poll() is None, "the work is not long enough"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=10)
    finally:
        process.kill()
    assert output == f"interrupted {fitted}\n"


def test_other_threads_run_during_a_fit() -> None:
    ticks: list[float] = []
    finished = threading.Event()

    def tick() -> None:
        while not finished.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    rows = normal_rows(2000, 20)
    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    SobolevDensity("sdo", "influence").fit(rows)
    end = time.perf_counter()
    finished.set()
    thread.join()
    # With the lock held throughout, the thread would not be heard from begin to end.
    heard = [begin, *(time for time in ticks if begin < time < end), end]
    assert max(np.diff(heard)) < 0.5 * (end - begin)


def test_two_threads_fit_at_once() -> None:
    expected = SobolevDetector().fit(normal_rows(300, 4)).score_samples(normal_rows(9, 4))
    results: list[Any] = []

    def fit() -> None:
        detector = SobolevDetector(n_jobs=2).fit(normal_rows(300, 4))
        results.append(detector.score_samples(normal_rows(9, 4)))

    threads = [threading.Thread(target=fit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(results) == 4
    for result in results:
        assert_same_bits(result, expected)


# Progress ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector])
def test_progress_is_told_in_the_calling_thread(estimator: Any) -> None:
    told: list[tuple[Any, ...]] = []
    threads = set()

    def progress(*words: Any) -> None:
        told.append(words)
        threads.add(threading.get_ident())

    rows = normal_rows(200, 3)
    watched = estimator("sdo", "likelihood").fit(rows, progress=progress)
    assert threads == {threading.get_ident()}
    for stage, step, steps, residual in told:
        assert stage in {"tune", "kernel", "solve", "refit", "score"}
        assert isinstance(step, int) and step >= 0
        assert steps is None or (isinstance(steps, int) and step <= steps)
        assert residual is None or isinstance(residual, float)
    # A detector solves for its core alone, which is a refit.
    solved = "refit" if estimator is SobolevDetector else "solve"
    assert {"tune", solved} <= {stage for stage, *_ in told}
    unwatched = estimator("sdo", "likelihood").fit(rows)
    assert_same_bits(watched.score_samples(rows), unwatched.score_samples(rows))


class Enough(Exception):
    pass


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector])
def test_an_exception_in_progress_ends_the_fit(estimator: Any) -> None:
    calls = []

    def progress(*words: Any) -> None:
        calls.append(words)
        raise Enough("enough")

    fresh = estimator(bandwidth="likelihood")
    with pytest.raises(Enough, match="enough"):
        fresh.fit(normal_rows(200, 3), progress=progress)
    assert len(calls) == 1
    assert not fresh.__sklearn_is_fitted__()


@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector])
def test_a_fit_that_was_ended_leaves_the_one_before(estimator: Any) -> None:
    def progress(*words: Any) -> None:
        raise Enough

    rows = normal_rows(50, 3)
    fitted = estimator().fit(rows)
    before = fitted.score_samples(rows)
    with pytest.raises(Enough):
        fitted.fit(10 + 3 * normal_rows(50, 2), progress=progress)
    assert_same_bits(fitted.score_samples(rows), before)


# Processes --------------------------------------------------------------------------------------

FORK = """
import multiprocessing, sys, warnings
import numpy as np
from sosrep import SobolevDetector

warnings.simplefilter("ignore", DeprecationWarning)  # on forks of processes with threads
rows = np.random.default_rng(0).normal(size=(300, 3))
detector = SobolevDetector(n_jobs=2).fit(rows)
scores = detector.score_samples(rows)

def child():
    same = detector.score_samples(rows).tobytes() == scores.tobytes()
    again = detector.fit(rows).score_samples(rows).tobytes() == scores.tobytes()
    sys.exit(0 if same and again else 7)

process = multiprocessing.get_context("fork").Process(target=child)
process.start()
process.join(timeout=30)
if process.is_alive():
    process.kill()
    sys.exit("the child hangs")
assert detector.score_samples(rows).tobytes() == scores.tobytes()
sys.exit(process.exitcode)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_child_scores_and_fits() -> None:
    finished = run_python("-c", FORK)
    assert finished.returncode == 0, finished.stderr


LIGHT = """
import sys
import sosrep
heavy = {"sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "pyod", "joblib"}
print(sorted(heavy & set(sys.modules)))
dir(sosrep)
"""


def test_an_import_brings_no_other_package_than_numpy() -> None:
    finished = run_python("-c", LIGHT)
    assert finished.stdout == "[]\n", finished.stderr


ALONE = """
import sys
for name in ("sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "pyod", "joblib"):
    sys.modules[name] = None
import copy, pickle
import numpy as np
from sosrep import KDE, SobolevDensity, SobolevDetector

rows = np.random.default_rng(0).normal(size=(50, 2))
for estimator in (SobolevDetector(contamination=0.1), SobolevDensity("sdo"), KDE(n_jobs=1)):
    fitted = estimator.fit(rows)
    assert fitted is estimator
    scores = fitted.score_samples(rows)
    assert pickle.loads(pickle.dumps(fitted)).score_samples(rows).tobytes() == scores.tobytes()
    assert copy.deepcopy(fitted).set_params(n_jobs=2).get_params()["n_jobs"] == 2

detector = SobolevDetector(contamination=0.1)
assert (detector.fit_predict(rows) == detector.predict(rows)).all()
assert (detector.predict(rows) == -1).sum() == 5
assert detector.get_params() == SobolevDetector(contamination=0.1).get_params()
assert repr(detector) == "SobolevDetector(contamination=0.1)", repr(detector)
assert repr(SobolevDensity("sdo", n_jobs=2)) == "SobolevDensity(kernel='sdo', n_jobs=2)"
try:
    detector.set_params(colour="red")
except ValueError as error:
    assert "colour" in str(error) and "bandwidth" in str(error)
try:
    SobolevDetector().predict(rows)
except ValueError as error:
    assert "call fit first" in str(error)
try:
    import sosrep.pyod
except ImportError as error:
    assert "sosrep[pyod]" in str(error), error
try:
    import sosrep.plots
    sosrep.plots.score_distribution(detector, rows)
except ImportError as error:
    assert "sosrep[plot]" in str(error), error
print("fine")
"""


def test_numpy_is_all_that_is_needed() -> None:
    finished = run_python("-c", ALONE)
    assert finished.stdout == "fine\n", finished.stderr
