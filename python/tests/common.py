"""What the tests share: rows, estimators, and what it means for numbers to be the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sosrep import KDE, SobolevDensity, SobolevDetector

KERNELS = ("product", "sdo", "sdo-sampled", "laplacian", "gaussian")
#: A sum of cosines, which the sampled kernel gives, has no integral.
KERNELS_WITH_INTEGRAL = ("product", "sdo", "laplacian", "gaussian")

REPOSITORY = Path(__file__).resolve().parents[2]

#: The bandwidth where a test is not about it: wide enough for f to be smooth between rows.
BANDWIDTH = 0.5

Make = Callable[..., Any]


def makers() -> dict[str, Make]:
    """Every estimator with every kernel it has, as functions that make one, not fitted."""
    chosen: dict[str, Make] = {}
    for kernel in KERNELS:
        chosen[f"density-{kernel}"] = partial(SobolevDensity, kernel, BANDWIDTH)
        chosen[f"detector-{kernel}"] = partial(SobolevDetector, kernel)
    for kernel in KERNELS_WITH_INTEGRAL:
        chosen[f"kde-{kernel}"] = partial(KDE, kernel, BANDWIDTH)
    return chosen


#: Runs a test with each of `makers` as its argument ``make``.
every_estimator = pytest.mark.parametrize("make", makers().values(), ids=makers().keys())

every_kernel = pytest.mark.parametrize("kernel", KERNELS)
every_kernel_with_integral = pytest.mark.parametrize("kernel", KERNELS_WITH_INTEGRAL)


def normal_rows(rows: int, columns: int, seed: int = 0) -> NDArray[np.float64]:
    """Independent standard normal values."""
    return np.random.default_rng(seed).normal(size=(rows, columns))


def functions_of_rows(fitted: Any) -> dict[str, Callable[[Any], NDArray[Any]]]:
    """Every method that gives something for each row."""
    names = ["score_samples", "decision_function", "predict", "p_value", "explain"]
    names += ["log_density", "score_function"]
    if fitted.get_params()["kernel"] == "sdo-sampled":
        names.remove("log_density")
    return {name: getattr(fitted, name) for name in names if hasattr(fitted, name)}


def assert_same_bits(actual: Any, expected: Any) -> None:
    """Equal in shape, type and every bit."""
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(actual, expected)
    assert actual.tobytes() == expected.tobytes()


def run_python(*arguments: str, timeout: float = 120, **options: Any) -> Any:
    """A Python of its own; its output as text."""
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=timeout, **options
    )
