"""What the project promises, tried from Python: hostile bytes, threads, forks, files that shrink, draws."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import pty
import resource
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

from sosrep import KDE, SobolevDensity, SobolevDetector

from .common import normal_rows

ROWS = normal_rows(300, 3)
REPOSITORY = Path(__file__).parents[2]
HOSTILE_MODELS = sorted((REPOSITORY / "crates/sosrep/tests/hostile").glob("*.sosrep"))
PROGRAM = os.environ.get("SOSREP_PROGRAM")


@pytest.mark.parametrize("path", HOSTILE_MODELS, ids=lambda path: path.name)
def test_a_hostile_model_file_is_an_error(path: Path) -> None:
    for estimator in (SobolevDetector, SobolevDensity, KDE):
        with pytest.raises(ValueError, match="not a readable model"):
            estimator.load(path)


def test_a_damaged_pickle_is_an_error_or_gives_finite_scores() -> None:
    detector = SobolevDetector().fit(ROWS)
    whole = pickle.dumps(detector)
    model = next(part for part in detector.__getstate__()["_model"] if isinstance(part, bytes))
    start, random = whole.index(model), np.random.default_rng(0)
    for place in random.integers(0, len(model), 300):
        damaged = bytearray(whole)
        damaged[start + place] ^= 1 << int(random.integers(8))
        try:
            scores = pickle.loads(damaged).score_samples(ROWS[:5])
        except ValueError:
            continue
        assert np.isfinite(scores).all()


def test_sixteen_threads_score_as_one_does() -> None:
    detector = SobolevDetector().fit(ROWS)
    expected = detector.score_samples(ROWS[:20])

    def score(_: int) -> bool:
        return all(np.array_equal(detector.score_samples(ROWS[:20]), expected) for _ in range(1000))

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(score, range(16)))


def _score_in_child(detector: SobolevDetector, pipe: object) -> None:
    pipe.send(detector.score_samples(ROWS[:20]))  # type: ignore[attr-defined]


def test_a_forked_process_scores_as_its_parent_does() -> None:
    detector = SobolevDetector(n_jobs=1).fit(ROWS)
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()
    child = fork.Process(target=_score_in_child, args=(detector, there))
    child.start()
    assert here.poll(60), "the child does not answer"
    np.testing.assert_array_equal(here.recv(), detector.score_samples(ROWS[:20]))
    child.join(10)
    assert child.exitcode == 0


def test_thousands_of_fits_do_not_grow_the_process() -> None:
    rows = ROWS[:30]

    def fits(count: int) -> int:
        for _ in range(count):
            SobolevDetector(n_jobs=1).fit(rows).score_samples(rows)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = fits(300)
    # A leak of one kernel matrix of 30 rows a fit would be 7 MB, of the rows 1.4 MB.
    assert fits(2000) - before < 6000


def mixture(count: int, columns: int, seed: int) -> NDArray[np.float64]:
    """Correlated columns, every third with a heavy tail."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(count, columns + 1))
    rows = (rows[:, 1:] + rows[:, :-1]) / np.sqrt(2)
    rows[:, ::3] = np.exp(rows[:, ::3])
    return rows


@pytest.mark.parametrize("columns", [2, 20, 200])
def test_a_classifier_hardly_tells_draws_from_fresh_rows(columns: int) -> None:
    detector = SobolevDetector().fit(mixture(1000, columns, 0))
    draws = detector.sample(1000, random_state=1)
    fresh = mixture(1500, columns, 2)
    fresh = fresh[detector.predict(fresh) == 1][:1000]
    assert (detector.predict(draws) == 1).all()
    both = np.vstack([draws, fresh])
    of_draws = np.r_[np.ones(len(draws)), np.zeros(len(fresh))]
    forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0)
    order = np.random.default_rng(0).permutation(len(both))
    areas = cross_val_score(forest, both[order], of_draws[order], cv=3, scoring="roc_auc")
    # 0.5 is chance, 1 is what chains that left the data gave.
    assert areas.mean() < 0.7, areas


@pytest.mark.skipif(not PROGRAM, reason="SOSREP_PROGRAM does not name the command line program")
def test_a_table_shown_on_a_terminal_does_not_play_with_it(tmp_path: Path) -> None:
    hostile = REPOSITORY / "crates/sosrep-cli/tests/hostile"
    model = tmp_path / "m.sosrep"
    command = [str(PROGRAM), "fit", str(hostile / "ansi.csv"), "--model", str(model), "--quiet"]
    subprocess.run(command, check=True)
    leader, follower = pty.openpty()
    command = [str(PROGRAM), "score", str(model), str(hostile / "ansi_new.csv")]
    command += ["--quiet", "--out", "-"]
    process = subprocess.Popen(command, stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    while chunk := _read(leader):
        shown += chunk
    assert process.wait() == 0
    assert b"anomaly_score" in shown
    assert b"\x1b" not in shown and b"\x07" not in shown and b"\xc2\x9b" not in shown


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 1 << 16)
    except OSError:
        # How Linux says that the other end is closed.
        return b""


def test_a_fit_with_the_sampled_kernel_warns_that_it_is_noise_far_away() -> None:
    with pytest.warns(UserWarning, match="noise far from the rows"):
        detector = SobolevDetector("sdo-sampled").fit(ROWS)
    assert "the kernel sdo" in detector.fit_report_["caution"]
    assert SobolevDetector("sdo").fit(ROWS).fit_report_["caution"] is None


def test_more_draws_than_any_memory_holds_are_a_memory_error() -> None:
    with pytest.raises(MemoryError, match="there is no memory for the draws"):
        SobolevDetector().fit(ROWS).sample(2**58)
