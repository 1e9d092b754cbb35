"""The kernel density estimate, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from sosrep import KDE

from .common import every_kernel_with_integral, normal_rows

#: scikit-learn's name of a kernel.
NAMES = {"gaussian": "gaussian", "laplacian": "exponential"}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("columns", [1, 2, 5, 20])
@pytest.mark.parametrize("kernel", NAMES)
def test_the_estimate_is_that_of_scikit_learn(kernel: str, columns: int, weighted: bool) -> None:
    rows, new = normal_rows(80, columns), 2.0 * normal_rows(30, columns, seed=1)
    weights = np.random.default_rng(2).uniform(0.1, 3.0, size=80) if weighted else None
    bandwidth = 0.7
    ours = KDE(kernel, bandwidth).fit(rows, sample_weight=weights)
    theirs = KernelDensity(
        kernel=NAMES[kernel], bandwidth=bandwidth * np.sqrt(columns), rtol=0, atol=0
    ).fit(rows, sample_weight=weights)
    # Both sum 80 terms in f64.
    np.testing.assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=1e-10)
    assert ours.score(new) == pytest.approx(theirs.score(new), rel=1e-10)


@every_kernel_with_integral
def test_one_column_and_one_row_give_the_kernel_itself(kernel: str) -> None:
    bandwidth = 0.7
    kde = KDE(kernel, bandwidth).fit([[2.0]])
    distance = np.linspace(-3.0, 3.0, 25)
    # In one column all kernels but the Gaussian are exp(-|x| / bandwidth).
    if kernel == "gaussian":
        expected = -0.5 * (distance / bandwidth) ** 2 - np.log(bandwidth * np.sqrt(2 * np.pi))
    else:
        expected = -np.abs(distance) / bandwidth - np.log(2 * bandwidth)
    # SDO is read from a table, exact to about ten digits.
    np.testing.assert_allclose(
        kde.score_samples(2.0 + distance[:, None]), expected, rtol=1e-9, atol=1e-9
    )


def test_far_rows_keep_their_order() -> None:
    kde = KDE("gaussian", 0.1).fit(normal_rows(50, 2))
    distance = np.array([[10.0, 0.0], [1e3, 0.0], [1e6, 0.0]])
    far = kde.score_samples(distance)
    assert np.isfinite(far).all() and (np.diff(far) < 0).all()
