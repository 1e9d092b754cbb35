"""Kernel density estimation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._base import DensityMixin, Estimator
from ._input import read_rows, read_weights


class KDE(DensityMixin, Estimator[_core.Kde]):
    r"""Kernel density estimate with the kernels of `SobolevDensity`.

    .. math:: p(x) = \sum_i w_i \, k(x_i, x) / \int k

    Parameters
    ----------
    kernel : one of product, sdo, laplacian, gaussian, default="product"
        With ``h = bandwidth * sqrt(n_features)``, ``"gaussian"`` is ``"gaussian"`` of
        scikit-learn's ``KernelDensity(bandwidth=h)``, and ``"laplacian"`` is its ``"exponential"``.
        The kernel ``"sdo"`` has negative values; where the estimate is negative, its absolute
        value is used.
    bandwidth : between 1e-50 and 1e50, default=0.2
        Length scale, as a distance per column.
    n_jobs : int or None, default=None
        Number of threads; None and -1 for all cores. Results do not depend on it.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if X was a data frame.

    See Also
    --------
    SobolevDensity : Density estimate regularised by a Sobolev norm.
    sklearn.neighbors.KernelDensity : Kernel density estimate of scikit-learn.

    References
    ----------
    Silverman, "Density Estimation for Statistics and Data Analysis", 1986.

    Examples
    --------
    >>> import numpy as np
    >>> from sosrep import KDE
    >>> kde = KDE(kernel="gaussian", bandwidth=0.5).fit([[0.0]])
    >>> log_normal = -0.5 * (1.0 / 0.5) ** 2 - np.log(0.5 * np.sqrt(2 * np.pi))
    >>> bool(abs(kde.score_samples([[1.0]])[0] - log_normal) < 1e-12)
    True
    """

    _core_model = "Kde"

    def __init__(
        self, kernel: str = "product", bandwidth: float = 0.2, *, n_jobs: int | None = None
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the estimate, which stores the rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Finite numbers.
        y : ignored
            Not used, present for API consistency.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row.

        Returns
        -------
        self : KDE
        """
        rows, names = read_rows(X)
        weights = read_weights(sample_weight, len(rows))
        model = _core.Kde.fit(rows, weights, self._core_parameters(), n_jobs=self._jobs())
        return self._keep(model, names)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Compute the log-density of rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        log_density : array of shape (n_samples,)
        """
        return self._fitted().log_density(self._new_rows(X), n_jobs=self._jobs())

    def score(self, X: Any, y: Any = None) -> float:
        """Compute the total log-likelihood of rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        y : ignored
            Not used, present for API consistency.

        Returns
        -------
        log_likelihood : float
        """
        return float(np.sum(self.score_samples(X)))
